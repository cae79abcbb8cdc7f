/** The C interface for NVIDIA GPUs: reductions, prefix scans, sorts, selections, histograms and
 * segments in device memory, asynchronous in a stream, with the bits of upsweep.h. It needs neither
 * nvcc nor a CUDA header. Link upsweep_cuda (in CMake: upsweep::cuda), which contains the compiled
 * kernels.
 *
 *   float *x, *sum;  (device memory, from cudaMalloc)
 *   if (upsweep_cuda_reduce(UPSWEEP_F32, UPSWEEP_SUM, x, n, NULL, sum, stream) != UPSWEEP_OK)
 *     puts(upsweep_last_error_message());
 *
 * `stream` is a cudaStream_t; NULL is the default stream. Without a GPU or its driver the library
 * still loads. Every call that needs them then returns UPSWEEP_UNAVAILABLE and sets the error
 * message. No function throws, exits or prints. All functions may be called from many threads at
 * once. Calls run on the current device. As always in CUDA, a later call reports the failure of a
 * kernel.
 *
 * These pairs of operator and type have kernels for reductions and scans. All others give
 * UPSWEEP_UNSUPPORTED:
 *
 *   UPSWEEP_SUM: I8 I16 I32 I64 U8 U16 U32 U64 BF16 F32 F64
 *   UPSWEEP_PRODUCT, UPSWEEP_MIN, UPSWEEP_MAX: I32 I64 F32 F64
 * @file
 */
#ifndef UPSWEEP_C_API_CUDA_H
#define UPSWEEP_C_API_CUDA_H

#include <upsweep/upsweep.h>

UPSWEEP_BEGIN_C

struct CUstream_st; /**< a cudaStream_t points to one */

/** Returns UPSWEEP_OK if calls can run on the current device; otherwise UPSWEEP_UNAVAILABLE, or
 * UPSWEEP_DEVICE_ERROR for a device that does not respond. upsweep_last_error_message() gives the
 * reason. Takes as long as one CUDA call; the first CUDA call of a process initializes CUDA. */
UPSWEEP_API upsweep_status upsweep_cuda_available(void);

/** Returns the cudaError_t of the last failure of this thread in this interface; 0 if no CUDA call
 * failed. */
UPSWEEP_API int upsweep_cuda_last_error_code(void);

/** A workspace: temporary storage for calls that run one after another, in one stream or in a
 * graph. */
typedef struct upsweep_cuda_workspace upsweep_cuda_workspace;

/** Flags of a call in addition to UPSWEEP_REVERSE, combined with |. */
typedef enum upsweep_cuda_flags UPSWEEP_INT_ENUM {
  /** Do not rely on blocks starting in order of their indices. Small scans rely on it by default,
   * and every GPU so far starts blocks in order. */
  UPSWEEP_CUDA_ANY_BLOCK_ORDER = 256
} upsweep_cuda_flags;

/** The options of a call. Start from UPSWEEP_CUDA_OPTIONS_INIT, so that members of later versions
 * have their defaults. */
typedef struct upsweep_cuda_options {
  size_t size;         /**< sizeof(upsweep_cuda_options) where the caller was compiled */
  upsweep_mode mode;   /**< UPSWEEP_REPRODUCIBLE; on a GPU both modes give its bits */
  unsigned flags;      /**< UPSWEEP_REVERSE, upsweep_cuda_flags */
  void const* initial; /**< one value of the reduction's result type, in the host's memory, read
                          before the call returns; combined on the left of everything; NULL: none */
  /** NULL: one that belongs to the stream, grows as needed and is kept. */
  upsweep_cuda_workspace* workspace;
} upsweep_cuda_options;

/** The default options. */
#define UPSWEEP_CUDA_OPTIONS_INIT \
  {sizeof(upsweep_cuda_options), UPSWEEP_REPRODUCIBLE, 0u, NULL, NULL}

/** Reduction: writes the combination of in[0 .. n) to *out in stream order, one value of the type
 * that upsweep_result_type() returns (I64 for the sum of I32, F32 for that of BF16). `in` is device
 * memory, `out` device memory or pinned host memory. For n = 0, `in` may be NULL, and the result is
 * the initial value or the identity of the operator. One kernel launch. */
UPSWEEP_API upsweep_status upsweep_cuda_reduce(upsweep_type type, upsweep_operator op,
                                               void const* in, size_t n,
                                               upsweep_cuda_options const* options, void* out,
                                               struct CUstream_st* stream);

/** Inclusive scan (prefix sum): writes n values of `type` in stream order, where out[i] is the
 * combination of in[0 .. i], converted to `type`. (upsweep_inclusive_scan() writes the result type
 * instead.) Sums of I32 therefore wrap at 32 bits, and those of BF16 are combined in F32 and
 * rounded once each. `in` and `out` are device memory; out == in is allowed, any other overlap is
 * UPSWEEP_INVALID_ARGUMENT. One kernel launch. */
UPSWEEP_API upsweep_status upsweep_cuda_inclusive_scan(upsweep_type type, upsweep_operator op,
                                                       void const* in, size_t n,
                                                       upsweep_cuda_options const* options,
                                                       void* out, struct CUstream_st* stream);
/** Exclusive scan: out[i] is the combination of in[0 .. i), and out[0] is the initial value or the
 * identity. Otherwise like upsweep_cuda_inclusive_scan. */
UPSWEEP_API upsweep_status upsweep_cuda_exclusive_scan(upsweep_type type, upsweep_operator op,
                                                       void const* in, size_t n,
                                                       upsweep_cuda_options const* options,
                                                       void* out, struct CUstream_st* stream);

/* Sorts of I32, U32, I64, U64, F32 and F64; other types are UPSWEEP_UNSUPPORTED. All sorts are
 * stable, in the order of upsweep_sort(), and take UPSWEEP_REVERSE. Up to 4096 elements take one
 * launch. More elements take temporary storage for as many elements again, allocated and freed in
 * stream order, not from the workspace of the options. */

/** Stores the n elements in ascending order, in stream order. `in` and `out` are device memory; out
 * == in is allowed, any other overlap is UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_cuda_sort(upsweep_type type, void const* in, size_t n,
                                             upsweep_cuda_options const* options, void* out,
                                             struct CUstream_st* stream);
/** Stores the positions of the elements in the order in which upsweep_cuda_sort would put them. No
 * overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_cuda_argsort(upsweep_type type, void const* in, size_t n,
                                                upsweep_cuda_options const* options, uint64_t* out,
                                                struct CUstream_st* stream);
/** Sorts keys[0 .. n) in place, and moves values[i], of any type of 4 or 8 bytes, along with
 * keys[i]. The arrays must not overlap. */
UPSWEEP_API upsweep_status upsweep_cuda_sort_by_key(upsweep_type key_type, void* keys,
                                                    upsweep_type type, void* values, size_t n,
                                                    upsweep_cuda_options const* options,
                                                    struct CUstream_st* stream);

/* Selections, histograms and segments, with the same results in the same order as in upsweep.h. All
 * arrays are device memory, except levels; counts may also be pinned host memory. Options take no
 * flag except UPSWEEP_CUDA_ANY_BLOCK_ORDER and those named here, and no initial value except for
 * segments. Types that a function does not name are UPSWEEP_UNSUPPORTED. */

/** Stores the elements of in[0 .. n) whose flag, at the same position, is not 0, in input order, up
 * to `capacity` elements. Stores the number of all of them in *count; compare it with the capacity.
 * out == in is allowed, any other overlap is UPSWEEP_INVALID_ARGUMENT. All types. One kernel
 * launch. */
UPSWEEP_API upsweep_status upsweep_cuda_select(upsweep_type type, void const* in,
                                               uint8_t const* flags, size_t n,
                                               upsweep_cuda_options const* options, void* out,
                                               size_t capacity, uint64_t* count,
                                               struct CUstream_st* stream);
/** Stores the positions of the flags that are not 0. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_cuda_select_positions(uint8_t const* flags, size_t n,
                                                         upsweep_cuda_options const* options,
                                                         uint64_t* out, size_t capacity,
                                                         uint64_t* count,
                                                         struct CUstream_st* stream);
/** Stores the first element of each run of equal neighbors; otherwise like upsweep_cuda_select().
 * NaN differs from NaN; -0 equals +0. All types except F16 and BF16. */
UPSWEEP_API upsweep_status upsweep_cuda_unique(upsweep_type type, void const* in, size_t n,
                                               upsweep_cuda_options const* options, void* out,
                                               size_t capacity, uint64_t* count,
                                               struct CUstream_st* stream);

/** Histogram: counts[b] is the number of elements in bin b, as by upsweep_histogram(). `outside`
 * must not be NULL. Takes UPSWEEP_CLOSED_RIGHT. U8, I32, F32 and F64. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_cuda_histogram(upsweep_type type, void const* in, size_t n,
                                                  double low, double high, size_t bins,
                                                  upsweep_cuda_options const* options,
                                                  uint64_t* counts, upsweep_outside_counts* outside,
                                                  struct CUstream_st* stream);
/** Histogram with the borders levels[0 .. bins], strictly ascending, in host memory, which is read
 * before the call returns. */
UPSWEEP_API upsweep_status
upsweep_cuda_histogram_levels(upsweep_type type, void const* in, size_t n, double const* levels,
                              size_t bins, upsweep_cuda_options const* options, uint64_t* counts,
                              upsweep_outside_counts* outside, struct CUstream_st* stream);
/** counts[k] is the number of elements that equal k, for k in [0, size), size < 2^31, and *refused
 * is the number of all other elements. I32, U32 and I64. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_cuda_count_indices(upsweep_type type, void const* in, size_t n,
                                                      upsweep_cuda_options const* options,
                                                      uint64_t* counts, size_t size,
                                                      uint64_t* refused,
                                                      struct CUstream_st* stream);

/** Segmented reduction: out[k], of the result type, is the reduction of the elements from
 * offsets[k] up to, not including, offsets[k + 1], for k in [0, segments). There are segments + 1
 * offsets, ascending from 0 to n. They are not checked: wrong offsets give unspecified results, but
 * no access outside the arrays. UPSWEEP_SUM of I32, I64, F32 and F64. No overlap is allowed. One
 * kernel launch, or two. */
UPSWEEP_API upsweep_status upsweep_cuda_reduce_segments(upsweep_type type, upsweep_operator op,
                                                        void const* in, size_t n,
                                                        uint64_t const* offsets, size_t segments,
                                                        upsweep_cuda_options const* options,
                                                        void* out, struct CUstream_st* stream);
/** Segmented inclusive scan: out[i] is the combination of the elements of its segment up to in[i],
 * of `type` as in upsweep_cuda_inclusive_scan(). out == in is allowed, any other overlap is
 * UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_cuda_inclusive_scan_segments(
    upsweep_type type, upsweep_operator op, void const* in, size_t n, uint64_t const* offsets,
    size_t segments, upsweep_cuda_options const* options, void* out, struct CUstream_st* stream);
/** Segmented exclusive scan: the same without element i. The first result of a segment is the
 * initial value or 0. */
UPSWEEP_API upsweep_status upsweep_cuda_exclusive_scan_segments(
    upsweep_type type, upsweep_operator op, void const* in, size_t n, uint64_t const* offsets,
    size_t segments, upsweep_cuda_options const* options, void* out, struct CUstream_st* stream);

/** Stores the bytes of workspace with which the reduction and the scans of n elements, from either
 * end, allocate nothing. It depends only on the arguments, not on a device, and needs none. */
UPSWEEP_API upsweep_status upsweep_cuda_workspace_bytes(upsweep_type type, upsweep_operator op,
                                                        size_t n, size_t* bytes);

/** Makes a workspace of at least `bytes` bytes from the memory pool of the stream. It grows when a
 * call in `stream` needs more, but not while a graph is captured: make it large enough before.
 * Calls that may run concurrently must not share one. */
UPSWEEP_API upsweep_status upsweep_cuda_workspace_create(struct CUstream_st* stream, size_t bytes,
                                                         upsweep_cuda_workspace** workspace);
/** Makes a workspace of `bytes` bytes of device memory at `memory`, aligned to 16 bytes. The caller
 * still owns the memory; it is cleared in stream order. A call that needs more is
 * UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_cuda_workspace_create_in(struct CUstream_st* stream,
                                                            void* memory, size_t bytes,
                                                            upsweep_cuda_workspace** workspace);
/** Returns the current size of the workspace in bytes; 0 for NULL. */
UPSWEEP_API size_t upsweep_cuda_workspace_size(upsweep_cuda_workspace const* workspace);
/** Frees the workspace, in the order of the stream for which it was made, which must still exist.
 * NULL is allowed. */
void upsweep_cuda_workspace_destroy(upsweep_cuda_workspace* workspace);
/** Frees the workspaces that belong to streams, at the end of a program. No call may be running.
 * After cudaDeviceReset the library cannot be used. */
void upsweep_cuda_release_workspaces(void);
/** Waits for `stream`, of the current device, and frees its workspace: for programs that make
 * streams again and again, before one is destroyed. No other call may use the stream. */
UPSWEEP_API upsweep_status upsweep_cuda_release_workspace(struct CUstream_st* stream);

struct upsweep_device; /**< of c_api/ranks.h */

/** Returns what the member `device` of upsweep_ranks is set to, so that the functions of
 * c_api/ranks.h also take device and managed memory of the current device. They run in the
 * default stream and wait for the results: wait for other streams before. Never NULL; without a GPU
 * or its driver all memory is the host's. */
UPSWEEP_API struct upsweep_device const* upsweep_cuda_device(void);

/** The plan of a call on the current device. Start from UPSWEEP_CUDA_PLAN_INIT. */
typedef struct upsweep_cuda_plan {
  size_t size;            /**< sizeof(upsweep_cuda_plan) where the caller was compiled */
  size_t tile;            /**< elements */
  size_t blocks;          /**< of the launch */
  unsigned threads;       /**< of a block */
  unsigned launches;      /**< kernels; 0 when there are no elements */
  size_t shared_bytes;    /**< dynamic shared memory of a block */
  size_t workspace_bytes; /**< of this call alone */
  size_t traffic_bytes;   /**< read and written */
  char sentence[256];     /**< the kernel's name and the members above, as text */
} upsweep_cuda_plan;

/** An empty plan. */
#define UPSWEEP_CUDA_PLAN_INIT {sizeof(upsweep_cuda_plan), 0, 0, 0, 0, 0, 0, 0, {0}}

/** Stores the plan of a reduction of memory that is aligned to 16 bytes. Of the options only the
 * flags matter. */
UPSWEEP_API upsweep_status upsweep_cuda_plan_reduce(upsweep_type type, upsweep_operator op,
                                                    size_t n, upsweep_cuda_options const* options,
                                                    upsweep_cuda_plan* plan);
/** Stores the plan of a scan; both scans have the same plan. */
UPSWEEP_API upsweep_status upsweep_cuda_plan_scan(upsweep_type type, upsweep_operator op, size_t n,
                                                  upsweep_cuda_options const* options,
                                                  upsweep_cuda_plan* plan);

UPSWEEP_END_C

#endif

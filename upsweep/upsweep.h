/** The C interface: reductions, prefix scans, selections, segments, runs, windows, sorts and
 * histograms of built-in types with built-in operators, on all cores, with bitwise reproducible
 * results.
 *
 *   double x[] = {1, 2, 3}, total;
 *   if (upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 3, NULL, &total) != UPSWEEP_OK)
 *     puts(upsweep_last_error_message());
 *
 * The contract is that of the C++ interface (docs/contracts.md). No function throws, exits or
 * prints. All functions may be called from many threads at once. Arrays are contiguous and aligned
 * to their type. Within version 0.x, new enumerators are added only at the end of an enum.
 * @file
 */
#ifndef UPSWEEP_UPSWEEP_H
#define UPSWEEP_UPSWEEP_H

#include <stddef.h>
#include <stdint.h>
#include <upsweep/core/export.h>
#include <upsweep/core/version.h>

#ifdef __cplusplus
/* Makes every int a valid value in C++ too; unknown ones give UPSWEEP_INVALID_ARGUMENT. */
#define UPSWEEP_INT_ENUM : int
#else
#define UPSWEEP_INT_ENUM
#endif
UPSWEEP_BEGIN_C

/** The reason why a call failed. upsweep_last_error_message() has the details. */
typedef enum upsweep_status UPSWEEP_INT_ENUM {
  UPSWEEP_OK = 0,               /**< the call succeeded */
  UPSWEEP_INVALID_ARGUMENT = 1, /**< a null or misaligned pointer, an unknown enumerator, a partial
                                   overlap, wrong options */
  UPSWEEP_UNSUPPORTED = 2,   /**< the operator is not defined for this type, for example a bitwise
                                operator for floats */
  UPSWEEP_OVERFLOW = 3,      /**< a CHECKED operator overflowed; upsweep_last_error_index() is the
                                index of the element */
  UPSWEEP_OUT_OF_MEMORY = 4, /**< no memory for temporary storage */
  UPSWEEP_INTERNAL = 5,      /**< anything else; please report it */
  UPSWEEP_UNAVAILABLE = 6,   /**< upsweep_cuda.h: no GPU, or no driver, that this library can use */
  UPSWEEP_DEVICE_ERROR = 7,  /**< upsweep_cuda.h: a CUDA call failed; upsweep_cuda_last_error_code()
                                is its cudaError_t */
  UPSWEEP_CAPACITY = 8,      /**< an output has too little room; the count says what is needed */
  UPSWEEP_RANKS_DIFFER = 9,  /**< c_api/ranks.h: ranks call different functions, or with arrays
                                that do not fit each other */
  UPSWEEP_TOO_FEW = 10,      /**< c_api/ranks.h: there are too few elements on all ranks */
  UPSWEEP_COMMUNICATION = 11 /**< c_api/ranks.h: a function of the communicator failed */
} upsweep_status;

/** The type of an element. */
typedef enum upsweep_type UPSWEEP_INT_ENUM {
  UPSWEEP_I8 = 1,    /**< int8_t */
  UPSWEEP_I16 = 2,   /**< int16_t */
  UPSWEEP_I32 = 3,   /**< int32_t */
  UPSWEEP_I64 = 4,   /**< int64_t */
  UPSWEEP_U8 = 5,    /**< uint8_t */
  UPSWEEP_U16 = 6,   /**< uint16_t */
  UPSWEEP_U32 = 7,   /**< uint32_t */
  UPSWEEP_U64 = 8,   /**< uint64_t */
  UPSWEEP_F16 = 9,   /**< IEEE binary16; C without it can pass uint16_t */
  UPSWEEP_BF16 = 10, /**< the upper half of a binary32; C without it can pass uint16_t */
  UPSWEEP_F32 = 11,  /**< float */
  UPSWEEP_F64 = 12   /**< double */
} upsweep_type;

/** The operator. upsweep_result_type() returns the type of its results. For elements of type T it
 * is: */
typedef enum upsweep_operator UPSWEEP_INT_ENUM {
  UPSWEEP_SUM = 1,        /**< I64 or U64 for integers (wraps), F32 for F16, BF16, F32, and F64 */
  UPSWEEP_PRODUCT = 2,    /**< as SUM */
  UPSWEEP_MIN = 3,        /**< T, but F32 for F16 and BF16; NaN if any element is NaN; -0 < +0 */
  UPSWEEP_MAX = 4,        /**< as MIN */
  UPSWEEP_MIN_NUMBER = 5, /**< as MIN, but NaN only if all elements are */
  UPSWEEP_MAX_NUMBER = 6, /**< as MAX, but NaN only if all elements are */
  UPSWEEP_BIT_AND = 7,    /**< T; integers only */
  UPSWEEP_BIT_OR = 8,     /**< T; integers only */
  UPSWEEP_BIT_XOR = 9,    /**< T; integers only */
  UPSWEEP_ALL = 10,       /**< U8, 0 or 1: whether every element is non-zero */
  UPSWEEP_ANY = 11,       /**< U8, 0 or 1: whether any element is non-zero */
  UPSWEEP_PARITY = 12,    /**< U8, 0 or 1: whether an odd number of elements is non-zero */
  UPSWEEP_ARGMIN = 13, /**< U64: index of the first least element, or of the first NaN; none if n =
                          0; takes no initial value */
  UPSWEEP_ARGMAX = 14, /**< U64: index of the first greatest element, or first NaN; as ARGMIN */
  UPSWEEP_GCD = 15,    /**< U64, of the magnitudes; 0 if n = 0; integers only */
  UPSWEEP_CHECKED_SUM = 16, /**< I64 or U64; UPSWEEP_OVERFLOW instead of wrapping; integers only */
  UPSWEEP_CHECKED_PRODUCT = 17, /**< as CHECKED_SUM */
  UPSWEEP_EXACT_SUM = 18 /**< F32 for F16, BF16, F32, and F64: the correctly rounded sum, whatever
                            the order; floats only */
} upsweep_operator;

/** Whether elements may be regrouped. */
typedef enum upsweep_mode UPSWEEP_INT_ENUM {
  UPSWEEP_REPRODUCIBLE = 0, /**< the default: the bits depend only on the values, their number and
                               the operator */
  UPSWEEP_FAST = 1          /**< may regroup */
} upsweep_mode;

/** Flags of a call, combined with |. */
typedef enum upsweep_flags UPSWEEP_INT_ENUM {
  UPSWEEP_REVERSE = 1,      /**< from the last element to the first: "earlier" means nearer the end;
                               of sorts: the opposite order */
  UPSWEEP_CLOSED_RIGHT = 2, /**< of histograms: the last bin includes its upper border */
  UPSWEEP_PAIRWISE = 4      /**< of upsweep_reduce and upsweep_partial_result: neighbors are paired
                               level by level, an odd last one goes up (docs/spec/pairwise.md) */
} upsweep_flags;

/** The options of a call. Start from UPSWEEP_OPTIONS_INIT, so that members of later versions have
 * their defaults. A NULL pointer to options means the defaults. Flags and initial values that a
 * function does not mention are UPSWEEP_INVALID_ARGUMENT. */
typedef struct upsweep_options {
  size_t size;       /**< sizeof(upsweep_options) where the caller was compiled */
  int threads;       /**< 0: as many as the affinity mask and the cgroup quota allow */
  upsweep_mode mode; /**< UPSWEEP_REPRODUCIBLE */
  unsigned flags;    /**< upsweep_flags */
  /** One value of the result type, combined on the left of everything; NULL: none. */
  void const* initial;
} upsweep_options;

/** The default options. */
#define UPSWEEP_OPTIONS_INIT {sizeof(upsweep_options), 0, UPSWEEP_REPRODUCIBLE, 0u, NULL}

/** Reduction: writes the combination of in[0 .. n) to *out, one value of the result type. Takes
 * REVERSE and PAIRWISE. For n = 0, `in` may be NULL, and the result is the initial value or the
 * identity of the operator; for ARGMIN and ARGMAX it is UPSWEEP_INVALID_ARGUMENT. On failure *out
 * is unchanged. */
UPSWEEP_API upsweep_status upsweep_reduce(upsweep_type type, upsweep_operator op, void const* in,
                                          size_t n, upsweep_options const* options, void* out);

/** Inclusive scan (prefix sum): writes n values of the result type, where out[i] is the combination
 * of in[0 .. i]. Takes REVERSE. out == in is allowed if the result type equals the type; any other
 * overlap is UPSWEEP_INVALID_ARGUMENT. After UPSWEEP_OVERFLOW the contents of out are unspecified;
 * after any other failure they are unchanged. */
UPSWEEP_API upsweep_status upsweep_inclusive_scan(upsweep_type type, upsweep_operator op,
                                                  void const* in, size_t n,
                                                  upsweep_options const* options, void* out);
/** Exclusive scan: out[i] is the combination of in[0 .. i), and out[0] is the initial value or the
 * identity (UINT64_MAX for ARGMIN and ARGMAX). Otherwise like upsweep_inclusive_scan. */
UPSWEEP_API upsweep_status upsweep_exclusive_scan(upsweep_type type, upsweep_operator op,
                                                  void const* in, size_t n,
                                                  upsweep_options const* options, void* out);

/** Linear recurrence over F32 or F64, for example a digital filter: out[i] = in[i] +
 * coefficients[0] * out[i - 1] + ... + coefficients[order - 1] * out[i - order], for an order of 1
 * to 4. The coefficients are rounded to the type. The initial value is an array of the `order`
 * results before the first one, the latest first; NULL means zeros. Takes REVERSE. out == in is
 * allowed; any other overlap is UPSWEEP_INVALID_ARGUMENT. So are coefficients whose results exceed
 * all numbers. After that failure and after UPSWEEP_OUT_OF_MEMORY the contents of out are
 * unspecified; after any other failure they are unchanged. */
UPSWEEP_API upsweep_status upsweep_recurrence(upsweep_type type, double const* coefficients,
                                              size_t order, void const* in, size_t n,
                                              upsweep_options const* options, void* out);

/* Selections. Each output is stored in input order and has room for `capacity` elements. *count is
 * set to the number of results. If that exceeds the capacity, the status is UPSWEEP_CAPACITY, the
 * first `capacity` results are stored, and the memory after them is unchanged. After any other
 * failure *count is unchanged; so are outputs, except after UPSWEEP_OUT_OF_MEMORY. Arrays without
 * elements may be NULL. */

/** Stores the elements of in[0 .. n) whose flag, at the same position, is not 0. out == in is
 * allowed; any other overlap is UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_select(upsweep_type type, void const* in, uint8_t const* flags,
                                          size_t n, upsweep_options const* options, void* out,
                                          size_t capacity, size_t* count);
/** Stores the positions of the flags that are not 0. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_select_positions(uint8_t const* flags, size_t n,
                                                    upsweep_options const* options, uint64_t* out,
                                                    size_t capacity, size_t* count);
/** Stores the elements whose flag is not 0 in `yes`, and their number in *yes_count. Stores the
 * other n - *yes_count elements in `no`. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_partition(upsweep_type type, void const* in,
                                             uint8_t const* flags, size_t n,
                                             upsweep_options const* options, void* yes,
                                             size_t yes_capacity, void* no, size_t no_capacity,
                                             size_t* yes_count);
/** Three-way partition: stores the elements whose part is 0 in out[0], those whose part is 1 in
 * out[1], and all others in out[2]. The outputs have room for capacity[0], capacity[1] and
 * capacity[2] elements. Sets count[0], count[1] and count[2]. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_partition_three_way(upsweep_type type, void const* in,
                                                       uint8_t const* parts, size_t n,
                                                       upsweep_options const* options,
                                                       void* const out[3], size_t const capacity[3],
                                                       size_t count[3]);
/** Stores the first element of each run of equal neighbors. NaN differs from NaN; -0 equals +0. out
 * == in is allowed; any other overlap is UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_unique(upsweep_type type, void const* in, size_t n,
                                          upsweep_options const* options, void* out,
                                          size_t capacity, size_t* count);
/** Run-length encoding: stores the first element of each run in `values` and the number of its
 * elements in `lengths` (unspecified after UPSWEEP_CAPACITY). No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_runs(upsweep_type type, void const* in, size_t n,
                                        upsweep_options const* options, void* values,
                                        uint64_t* lengths, size_t capacity, size_t* count);

/** Returns whether two elements are equal; not 0 means equal. `context` is that of the call. Such a
 * function may call this library again, and must return: longjmp out of it is not supported. An
 * exception in it, of C++, makes the call UPSWEEP_INTERNAL. */
typedef int (*upsweep_equal)(void const* earlier, void const* later, void* context);
/** Stores the first element of each run of neighbors that are equal by `equal`. Elements have
 * `element_size` > 0 bytes. `equal` is called once for each pair of neighbors, from several
 * threads, in any order. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_unique_by(void const* in, size_t n, size_t element_size,
                                             upsweep_equal equal, void* context,
                                             upsweep_options const* options, void* out,
                                             size_t capacity, size_t* count);

/** Inserts padding at the end of each row, in place. `x` begins with `rows` rows of `columns`
 * elements each, and has room for rows * padded elements. Afterwards each row has `padded` >=
 * `columns` elements; the new ones equal *fill, or 0 if `fill` is NULL. */
UPSWEEP_API upsweep_status upsweep_pad(upsweep_type type, void* x, size_t rows, size_t columns,
                                       size_t padded, void const* fill,
                                       upsweep_options const* options);
/** The inverse of upsweep_pad: moves the first `columns` elements of each row together, to the
 * beginning of `x`. The elements after them are unspecified. */
UPSWEEP_API upsweep_status upsweep_unpad(upsweep_type type, void* x, size_t rows, size_t columns,
                                         size_t padded, upsweep_options const* options);

/* Segments, runs and windows. Every result has the bits of the function on that segment, run or
 * window alone, with the initial value on the left of each. Results have the result type. Indices
 * (ARGMIN, ARGMAX, the last error) count from the begin of the segment, run or window. After
 * UPSWEEP_OVERFLOW and UPSWEEP_OUT_OF_MEMORY the contents of outputs are unspecified. After any
 * other failure they are unchanged, unless stated otherwise. */

/** Segmented reduction: out[k] is the reduction of the elements from offsets[k] up to, not
 * including, offsets[k + 1], for k in [0, segments). There are segments + 1 offsets, ascending from
 * 0 to n. An empty segment gives the initial value or the identity; for ARGMIN and ARGMAX it is
 * UPSWEEP_INVALID_ARGUMENT, after which the contents of out are unspecified. No overlap is allowed.
 */
UPSWEEP_API upsweep_status upsweep_reduce_segments(upsweep_type type, upsweep_operator op,
                                                   void const* in, size_t n,
                                                   uint64_t const* offsets, size_t segments,
                                                   upsweep_options const* options, void* out);
/** Segmented inclusive scan: out[i] is the combination of the elements of its segment up to in[i].
 * out == in is allowed if the result type equals the type; any other overlap is
 * UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_inclusive_scan_segments(upsweep_type type, upsweep_operator op,
                                                           void const* in, size_t n,
                                                           uint64_t const* offsets, size_t segments,
                                                           upsweep_options const* options,
                                                           void* out);
/** Segmented exclusive scan: the same without element i. The first result of a segment is the
 * initial value or the identity. */
UPSWEEP_API upsweep_status upsweep_exclusive_scan_segments(upsweep_type type, upsweep_operator op,
                                                           void const* in, size_t n,
                                                           uint64_t const* offsets, size_t segments,
                                                           upsweep_options const* options,
                                                           void* out);

/** Reduction by key: for each run of equal neighbors in keys[0 .. n), stores its first key in
 * keys_out and the reduction of its elements of in[0 .. n) in out. Both have room for `capacity`
 * results. Stores the number of runs in *count. A key that occurs again later begins another run:
 * sort by key first for one result per key. NaN differs from NaN; -0 equals +0. UPSWEEP_CAPACITY is
 * as for selections. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_reduce_runs(upsweep_type key_type, void const* keys,
                                               upsweep_type type, upsweep_operator op,
                                               void const* in, size_t n,
                                               upsweep_options const* options, void* keys_out,
                                               void* out, size_t capacity, size_t* count);
/** Inclusive scan by key: out[i] is the combination of the elements of its run up to in[i]. Overlap
 * is as for upsweep_inclusive_scan_segments. */
UPSWEEP_API upsweep_status upsweep_inclusive_scan_runs(upsweep_type key_type, void const* keys,
                                                       upsweep_type type, upsweep_operator op,
                                                       void const* in, size_t n,
                                                       upsweep_options const* options, void* out);
/** Exclusive scan by key: the same without element i. */
UPSWEEP_API upsweep_status upsweep_exclusive_scan_runs(upsweep_type key_type, void const* keys,
                                                       upsweep_type type, upsweep_operator op,
                                                       void const* in, size_t n,
                                                       upsweep_options const* options, void* out);

/** Sliding windows: out[i] is the reduction of in[i .. i + width), for the n - width + 1 windows
 * (none if n < width). A width of 0 is UPSWEEP_INVALID_ARGUMENT. Cost: at most about 2 log2(width)
 * operator applications per element; width - 1 for ARGMIN, ARGMAX, the CHECKED operators and
 * EXACT_SUM. No overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_windowed(upsweep_type type, upsweep_operator op, void const* in,
                                            size_t n, size_t width, upsweep_options const* options,
                                            void* out);

/* Sorts. All sorts are stable. Integers are ordered by value, floating-point numbers by the total
 * order of IEEE 754: negative NaN, -infinity, ..., -0, +0, ..., +infinity, positive NaN. REVERSE
 * gives the opposite order, in which equal elements keep their order. */

/** Stores the n elements in ascending order. out == in is allowed; any other overlap is
 * UPSWEEP_INVALID_ARGUMENT. After UPSWEEP_OUT_OF_MEMORY the array is unchanged if out == in; the
 * contents of another out are unspecified. */
UPSWEEP_API upsweep_status upsweep_sort(upsweep_type type, void const* in, size_t n,
                                        upsweep_options const* options, void* out);
/** Returns whether the element `a` comes before `b`; not 0 means that it does. `context` is that of
 * the call. */
typedef int (*upsweep_less)(void const* a, void const* b, void* context);
/** Sorts the n elements of `element_size` > 0 bytes in place by the comparison function `less`. It
 * must be a strict weak order, and is called from several threads. Takes REVERSE. On failure x is
 * unchanged. */
UPSWEEP_API upsweep_status upsweep_sort_by(void* x, size_t n, size_t element_size,
                                           upsweep_less less, void* context,
                                           upsweep_options const* options);
/** Stores the positions of the elements in the order in which upsweep_sort would put them. No
 * overlap is allowed. On failure out is unchanged. */
UPSWEEP_API upsweep_status upsweep_argsort(upsweep_type type, void const* in, size_t n,
                                           upsweep_options const* options, uint64_t* out);
/** Sorts keys[0 .. n) in place, and moves values[i] along with keys[i]. The arrays must not
 * overlap. On failure both are unchanged. */
UPSWEEP_API upsweep_status upsweep_sort_by_key(upsweep_type key_type, void* keys, upsweep_type type,
                                               void* values, size_t n,
                                               upsweep_options const* options);
/** Top-k: stores the k largest elements, or all n if k is larger, the largest first. With REVERSE,
 * the smallest elements, the smallest first. No overlap is allowed. On failure out is unchanged. */
UPSWEEP_API upsweep_status upsweep_top(upsweep_type type, void const* in, size_t n, size_t k,
                                       upsweep_options const* options, void* out);
/** Stores the quantiles q[0 .. count) of n > 0 elements, each q between 0 and 1 (0.5: the median),
 * interpolated linearly between neighboring ranks, in double. They are NaN if an element is NaN. No
 * overlap is allowed. On failure out is unchanged; after UPSWEEP_OUT_OF_MEMORY it is unspecified.
 */
UPSWEEP_API upsweep_status upsweep_quantile(upsweep_type type, void const* in, size_t n,
                                            double const* q, size_t count,
                                            upsweep_options const* options, double* out);

/** Stores the type of the results of `op` on elements of `type`. UPSWEEP_UNSUPPORTED if there is
 * none. */
UPSWEEP_API upsweep_status upsweep_result_type(upsweep_type type, upsweep_operator op,
                                               upsweep_type* result);

/** Returns the bytes of one element; 0 for an unknown type. */
UPSWEEP_API size_t upsweep_type_size(upsweep_type type);

/** Returns the version of the library at run time, such as "0.1.0". UPSWEEP_VERSION is the version
 * that the program was compiled with. */
UPSWEEP_API char const* upsweep_version(void);
/** Returns the version of the combine tree. Results in REPRODUCIBLE mode are bitwise identical
 * between libraries with the same version. */
UPSWEEP_API int upsweep_tree_version(void);

/** Returns the error message of the last failed call of this thread, "" if none has failed. It is
 * valid until the next failed call of this thread. */
UPSWEEP_API char const* upsweep_last_error_message(void);

/** Returns the index of the element at which the last UPSWEEP_OVERFLOW of this thread happened. */
UPSWEEP_API uint64_t upsweep_last_error_index(void);

UPSWEEP_END_C

#include <upsweep/c_api/histograms.h>

#endif

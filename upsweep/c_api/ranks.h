/** Exact sums of arrays that are distributed over ranks: the same bits on any number of ranks and
 * threads, in any order and decomposition. upsweep_mpi.h makes ranks of an MPI communicator:
 *
 *   upsweep_ranks const world = upsweep_mpi_ranks(MPI_COMM_WORLD);
 *   upsweep_field const heat = {.values = upsweep_array_of(UPSWEEP_F64, x, n)};
 *   double total;
 *   if (upsweep_global_sum(&world, &heat, NULL, &total) != UPSWEEP_OK)
 *     puts(upsweep_last_error_message());
 *
 * Every function is a collective call: all ranks call it, with arrays of the same types. Each sum
 * is exact and rounded once, to nearest even. A sum with NaN, or with infinities of both signs, is
 * NaN; a sum of nothing is +0, of -0 only -0. A fault on one rank is the status of all, with a
 * sentence on each in upsweep_last_error_message(); outputs then keep their values. docs/c_ranks.md
 * has examples.
 * @file
 */
#ifndef UPSWEEP_C_API_RANKS_H
#define UPSWEEP_C_API_RANKS_H

#include <upsweep/upsweep.h>

UPSWEEP_BEGIN_C

/** The most dimensions of an array. */
#define UPSWEEP_MOST_DIMS 7

/** Where the elements of an array are. They are counted with the last index running fastest. An
 * array whose type is 0 is none: the mask and the weights of a field may be left out. */
typedef struct upsweep_array {
  void const* data;                   /**< the element whose indices are all 0 */
  upsweep_type type;                  /**< of values F64, F32, I64 or I32; of masks any of 8 to 64
                                         bits that is no float */
  int dims;                           /**< 0 to UPSWEEP_MOST_DIMS */
  int64_t shape[UPSWEEP_MOST_DIMS];   /**< elements along each dimension */
  int64_t strides[UPSWEEP_MOST_DIMS]; /**< bytes between neighbors; may be negative or 0 */
} upsweep_array;

/** What is summed: the values whose mask is not 0, times the weights. The mask and the weights have
 * the shape of the values, or 0 dimensions, and then one element serves for all. Weights have the
 * type of the values. */
typedef struct upsweep_field {
  upsweep_array values, mask, weights;
} upsweep_field;

/** How many elements were used on all ranks, and how many of them, or of the products with weights,
 * are not finite. */
typedef struct upsweep_element_counts {
  int64_t elements, nan, plus_infinity, minus_infinity;
} upsweep_element_counts;

/** A GPU in whose memory arrays may be: see upsweep_cuda_device() in upsweep_cuda.h. */
typedef struct upsweep_device upsweep_device;

/** How the ranks of a call reach each other: three functions over arrays of n integers, which
 * return 0 for success. NULL in place of ranks means that this process is the only one. */
typedef struct upsweep_ranks {
  size_t size;   /**< sizeof(upsweep_ranks) where the caller was compiled */
  void* context; /**< what the functions get; upsweep_mpi.h stores the communicator here */
  /** out[i] = the sum of in[i] of all ranks. */
  int (*add)(void* context, int64_t const* in, int64_t* out, int n);
  /** out[i] = the sum of in[i] of the ranks before this one; 0 on the first. */
  int (*add_before)(void* context, int64_t const* in, int64_t* out, int n);
  /** out[i] = the least in[i] of all ranks. */
  int (*least)(void* context, int64_t const* in, int64_t* out, int n);
  int threads; /**< of this rank's part; 0: as many as the process may use; -1: OMP_NUM_THREADS if
                  that is set, otherwise 1 */
  int tag;     /**< any number; calls with other tags on other ranks are UPSWEEP_RANKS_DIFFER */
  /** NULL: arrays are in the host's memory. upsweep_cuda_device(): they may be in device memory,
   * where they are summed, with the same bits. A call with arrays in both memories is refused,
   * except for masks and weights of one element. Running sums are of the host's arrays only. */
  upsweep_device const* device;
} upsweep_ranks;

/** This process as the only rank, for the members that differ, such as `device`. */
UPSWEEP_API upsweep_ranks upsweep_one_rank(void);

/** The contiguous elements data[0 .. n). */
static inline upsweep_array upsweep_array_of(upsweep_type type, void const* data, size_t n) {
  upsweep_array array = {NULL, UPSWEEP_F64, 0, {0}, {0}};
  array.data = data;
  array.type = type;
  array.dims = 1;
  array.shape[0] = (int64_t)n;
  array.strides[0] = (int64_t)upsweep_type_size(type);
  return array;
}

/** A contiguous array of `dims` dimensions, the last index running fastest; dims = 0: one element.
 */
static inline upsweep_array upsweep_array_of_shape(upsweep_type type, void const* data, int dims,
                                                   size_t const* shape) {
  upsweep_array array = {NULL, UPSWEEP_F64, 0, {0}, {0}};
  int64_t stride = (int64_t)upsweep_type_size(type);
  int k;
  array.data = data;
  array.type = type;
  array.dims = dims;
  for (k = dims - 1; k >= 0 && k < UPSWEEP_MOST_DIMS; --k) {
    array.shape[k] = (int64_t)shape[k];
    array.strides[k] = stride;
    stride *= (int64_t)shape[k];
  }
  return array;
}

/** The elements of `array` whose index along dimension `dim` is begin, begin + step, ... and less
 * than end: the inside of a halo, for example. 0 <= begin <= end, and step > 0. */
static inline upsweep_array upsweep_array_slice(upsweep_array array, int dim, size_t begin,
                                                size_t end, size_t step) {
  array.data = (char const*)array.data + (int64_t)begin * array.strides[dim];
  array.shape[dim] = (int64_t)((end - begin + step - 1) / step);
  array.strides[dim] *= (int64_t)step;
  return array;
}

/** Stores the sum in *out: a double for F64, a float for F32, an int64_t for integers, for which
 * UPSWEEP_OVERFLOW means that it does not fit. `counts` may be NULL. */
UPSWEEP_API upsweep_status upsweep_global_sum(upsweep_ranks const* ranks,
                                              upsweep_field const* field,
                                              upsweep_element_counts* counts, void* out);
/** Stores the sums of n fields in sums[0 .. n), with two messages for any n: as doubles if `type`
 * is UPSWEEP_F64, as floats if it is UPSWEEP_F32, each rounded once, and as int64_t if it is
 * UPSWEEP_I64, for which all fields have integers. `counts` has n elements or is NULL. */
UPSWEEP_API upsweep_status upsweep_global_sums(upsweep_ranks const* ranks,
                                               upsweep_field const* fields, size_t n,
                                               upsweep_type type, upsweep_element_counts* counts,
                                               void* sums);
/** Stores the dot product of a and b, whose products are exact too: the sum of the field {a, mask,
 * b}. `mask` may be NULL. */
UPSWEEP_API upsweep_status upsweep_global_dot(upsweep_ranks const* ranks, upsweep_array const* a,
                                              upsweep_array const* b, upsweep_array const* mask,
                                              upsweep_element_counts* counts, void* out);
/** Stores the exact sum divided by the number of elements, rounded once: a double for F64, a float
 * for F32. No elements are UPSWEEP_TOO_FEW. Takes no weights and no integers. */
UPSWEEP_API upsweep_status upsweep_global_mean(upsweep_ranks const* ranks,
                                               upsweep_field const* field,
                                               upsweep_element_counts* counts, void* out);
/** Stores the variance, rounded once: the squared differences from the mean divided by the number
 * of elements minus `less`, which is 0, or 1 for that of a sample. Otherwise as the mean. */
UPSWEEP_API upsweep_status upsweep_global_variance(upsweep_ranks const* ranks,
                                                   upsweep_field const* field, int less,
                                                   upsweep_element_counts* counts, void* out);

/** Stores the smallest element, of the type of the values, and in *position its number, counted
 * from 0 over all ranks in their order, masked elements included. With `index`, I64 or I32 in the
 * shape of the values, the position is the least index of the smallest elements: give each its
 * global number, and it does not depend on the decomposition. NaN is smaller than all numbers, and
 * -0 than +0. No elements are UPSWEEP_TOO_FEW. `index`, `position` and `counts` may be NULL, the
 * same on all ranks. Takes no weights. */
UPSWEEP_API upsweep_status upsweep_global_min(upsweep_ranks const* ranks,
                                              upsweep_field const* field,
                                              upsweep_array const* index, int64_t* position,
                                              upsweep_element_counts* counts, void* out);
/** The same of the largest element; NaN is larger than all numbers here. */
UPSWEEP_API upsweep_status upsweep_global_max(upsweep_ranks const* ranks,
                                              upsweep_field const* field,
                                              upsweep_array const* index, int64_t* position,
                                              upsweep_element_counts* counts, void* out);

/** Running sums along dimension `axis`, which is distributed over the ranks in their order: each
 * element of `out` becomes the exact sum, rounded once, of the values up to it along that axis, on
 * this rank and on those before it; with `exclusive` not 0, without itself. `out` has the shape of
 * the values, and their type, or I64 for integers; a sum that does not fit is UPSWEEP_OVERFLOW,
 * after which the contents of out are unspecified. `out` may be the array of the values itself; any
 * other overlap is not allowed. The other dimensions are equal on all ranks. */
UPSWEEP_API upsweep_status upsweep_global_running_sum(upsweep_ranks const* ranks,
                                                      upsweep_array const* values, int axis,
                                                      int exclusive, upsweep_array const* out);

UPSWEEP_END_C

#endif

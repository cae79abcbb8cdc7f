/** Pieces of an array in C: the reduction of a piece that was made in one process, thread or run,
 * and can be joined with those of its neighbours in others, to the bits of one call over all.
 *
 *   upsweep_partial* piece;
 *   upsweep_partial_create(UPSWEEP_F64, UPSWEEP_SUM, begin, &piece);
 *   upsweep_partial_push(piece, x, n, NULL);
 *   upsweep_partial_to_bytes(piece, bytes, sizeof bytes, &size);
 *
 * Operators are SUM, PRODUCT, MIN, MAX, ARGMIN and ARGMAX over I64, U64, F32 and F64, EXACT_SUM
 * over F32 and F64, and the statistics below; others are UPSWEEP_UNSUPPORTED. A function that fails
 * leaves partials and outputs as they were. One partial may not be changed by two threads at once.
 * @file
 */
#ifndef UPSWEEP_UPSWEEP_PARTIAL_H
#define UPSWEEP_UPSWEEP_PARTIAL_H

#include <upsweep/upsweep.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What has to be known of the elements [begin, end) of something longer: a few hundred bytes. */
typedef struct upsweep_partial upsweep_partial;

/** What partials of statistics are of. upsweep_partial_result() writes these doubles, of which all
 * but the count are NaN where there are too few values for them: */
typedef enum upsweep_statistics UPSWEEP_INT_ENUM {
  UPSWEEP_MOMENTS = 1,         /**< count, mean, variance, standard deviation, and the latter two of
                                  a sample; of F32 or F64 */
  UPSWEEP_CENTRAL_MOMENTS = 2, /**< count, mean, variance, skewness, kurtosis, and the latter two of
                                  a sample; of F32 or F64 */
  UPSWEEP_COMOMENTS = 3        /**< count, mean of x, mean of y, covariance, that of a sample,
                                  correlation, slope, intercept; of F64, an element is x and y */
} upsweep_statistics;

/** Stores a new partial of no elements, which begins at element `begin` of the whole, in *partial.
 */
UPSWEEP_API upsweep_status upsweep_partial_create(upsweep_type type, upsweep_operator op,
                                                  uint64_t begin, upsweep_partial** partial);
/** The same of statistics. */
UPSWEEP_API upsweep_status upsweep_partial_create_statistics(upsweep_type type,
                                                             upsweep_statistics statistics,
                                                             uint64_t begin,
                                                             upsweep_partial** partial);
/** Frees it; NULL is allowed. */
UPSWEEP_API void upsweep_partial_destroy(upsweep_partial* partial);

/** Appends the elements in[0 .. n), which lie behind those that it has. Of COMOMENTS each is two
 * numbers. */
UPSWEEP_API upsweep_status upsweep_partial_push(upsweep_partial* partial, void const* in, size_t n,
                                                upsweep_options const* options);
/** Appends the elements of `later`, which must begin where `partial` ends, and be of the same type
 * and operator. */
UPSWEEP_API upsweep_status upsweep_partial_append(upsweep_partial* partial,
                                                  upsweep_partial const* later);

/** Stores the first element's position in *begin, and that behind the last in *end. */
UPSWEEP_API upsweep_status upsweep_partial_range(upsweep_partial const* partial, uint64_t* begin,
                                                 uint64_t* end);
/** Writes what upsweep_reduce writes for the whole, of which nothing may be missing in front, or
 * its statistics. Takes PAIRWISE, and an initial value, but not of ARGMIN, ARGMAX and statistics.
 */
UPSWEEP_API upsweep_status upsweep_partial_result(upsweep_partial const* partial,
                                                  upsweep_options const* options, void* out);

/** Stores the partial as *size bytes, a function of its range and its elements: the same on every
 * machine, for any threads, chunks and order of appending. If there is room for fewer the
 * status is UPSWEEP_CAPACITY, nothing is stored, and *size says how many are needed. */
UPSWEEP_API upsweep_status upsweep_partial_to_bytes(upsweep_partial const* partial, void* bytes,
                                                    size_t capacity, size_t* size);
/** Stores a new partial in *partial, from bytes of this or an earlier version. Bytes that are
 * damaged, cut off or something else are UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_partial_from_bytes(void const* bytes, size_t size,
                                                      upsweep_partial** partial);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif

/** Partials in C: mergeable summaries of pieces of an array. A piece is reduced in one process,
 * thread or run, and joined with its neighbors in others, to the bits of one call over all.
 *
 *   upsweep_partial* piece;
 *   upsweep_partial_create(UPSWEEP_F64, UPSWEEP_SUM, begin, &piece);
 *   upsweep_partial_push(piece, x, n, NULL);
 *   upsweep_partial_to_bytes(piece, bytes, sizeof bytes, &size);
 *
 * Operators are SUM, PRODUCT, MIN, MAX, ARGMIN and ARGMAX on I64, U64, F32 and F64, EXACT_SUM on
 * F32 and F64, and the statistics below. Others are UPSWEEP_UNSUPPORTED. A function that fails
 * leaves partials and outputs unchanged. Two threads must not change one partial at once.
 * @file
 */
#ifndef UPSWEEP_C_API_PARTIAL_H
#define UPSWEEP_C_API_PARTIAL_H

#include <upsweep/upsweep.h>

UPSWEEP_BEGIN_C

/** A mergeable summary of the elements [begin, end) of an array: a few hundred bytes. */
typedef struct upsweep_partial upsweep_partial;

/** The statistics of a partial. upsweep_partial_result() writes these doubles; all but the count
 * are NaN if there are too few values for them: */
typedef enum upsweep_statistics UPSWEEP_INT_ENUM {
  UPSWEEP_MOMENTS = 1,         /**< count, mean, variance, standard deviation, and the latter two of
                                  a sample; of F32 or F64 */
  UPSWEEP_CENTRAL_MOMENTS = 2, /**< count, mean, variance, skewness, kurtosis, and the latter two of
                                  a sample; of F32 or F64 */
  UPSWEEP_COMOMENTS = 3        /**< count, mean of x, mean of y, covariance, that of a sample,
                                  correlation, slope, intercept; of F64, an element is x and y */
} upsweep_statistics;

/** Stores a new partial without elements in *partial. It begins at element `begin` of the whole
 * array. */
UPSWEEP_API upsweep_status upsweep_partial_create(upsweep_type type, upsweep_operator op,
                                                  uint64_t begin, upsweep_partial** partial);
/** Stores a new partial of statistics without elements in *partial. */
UPSWEEP_API upsweep_status upsweep_partial_create_statistics(upsweep_type type,
                                                             upsweep_statistics statistics,
                                                             uint64_t begin,
                                                             upsweep_partial** partial);
/** Frees a partial; NULL is allowed. */
UPSWEEP_API void upsweep_partial_destroy(upsweep_partial* partial);

/** Appends the elements in[0 .. n), which follow those that the partial has. An element of
 * COMOMENTS is two numbers. */
UPSWEEP_API upsweep_status upsweep_partial_push(upsweep_partial* partial, void const* in, size_t n,
                                                upsweep_options const* options);
/** Appends the elements of `later`, which must begin at the end of `partial`, and have the same
 * type and operator. */
UPSWEEP_API upsweep_status upsweep_partial_append(upsweep_partial* partial,
                                                  upsweep_partial const* later);

/** Stores the position of the first element in *begin, and the position after the last in *end. */
UPSWEEP_API upsweep_status upsweep_partial_range(upsweep_partial const* partial, uint64_t* begin,
                                                 uint64_t* end);
/** Writes the result of upsweep_reduce on the whole array, or its statistics. The partial must
 * begin at element 0. Takes PAIRWISE, and an initial value except for ARGMIN, ARGMAX and
 * statistics. */
UPSWEEP_API upsweep_status upsweep_partial_result(upsweep_partial const* partial,
                                                  upsweep_options const* options, void* out);

/** Stores the partial as *size bytes. They depend only on its range and elements: they are the same
 * on every machine, for any threads, chunks and order of appending. If there is room for fewer, the
 * status is UPSWEEP_CAPACITY, nothing is stored, and *size is the number of bytes needed. */
UPSWEEP_API upsweep_status upsweep_partial_to_bytes(upsweep_partial const* partial, void* bytes,
                                                    size_t capacity, size_t* size);
/** Stores a new partial in *partial, from bytes of this or an earlier version. `size` must be the
 * number of bytes that upsweep_partial_to_bytes() stored, so send it along with them. Bytes that
 * are damaged, cut off, followed by others, or of something else are UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_partial_from_bytes(void const* bytes, size_t size,
                                                      upsweep_partial** partial);

UPSWEEP_END_C

#endif

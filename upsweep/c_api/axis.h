/** Reductions and scans along an axis in C: of each line of an array of any number of dimensions.
 *
 *   size_t const shape[] = {2, 3};
 *   upsweep_reduce_along_axis(UPSWEEP_F64, UPSWEEP_SUM, x, shape, 2, 0, NULL, three_sums);
 *
 * `in` is a contiguous array in row-major order (the last index varies fastest), of the extents
 * shape[0 .. dimensions). A line has the elements whose other indices are equal. `axis` is between
 * 0 and dimensions - 1, or between -dimensions and -1, counted from the last dimension. Every line
 * has the bits of the function of upsweep.h on that line alone, with the initial value on the left
 * of each. Indices (ARGMIN, ARGMAX, the last error) count from the begin of a line.
 *
 * After UPSWEEP_OVERFLOW and UPSWEEP_OUT_OF_MEMORY the contents of out are unspecified. After any
 * other failure they are unchanged, unless stated otherwise.
 * @file
 */
#ifndef UPSWEEP_C_API_AXIS_H
#define UPSWEEP_C_API_AXIS_H

#include <upsweep/upsweep.h>

UPSWEEP_BEGIN_C

/** Reduction along an axis: writes the reduction of each line, in an array of the other dimensions.
 * Takes REVERSE and PAIRWISE. An empty line gives the initial value or the identity; for ARGMIN and
 * ARGMAX it is UPSWEEP_INVALID_ARGUMENT, after which the contents of out are unspecified. No
 * overlap is allowed. */
UPSWEEP_API upsweep_status upsweep_reduce_along_axis(upsweep_type type, upsweep_operator op,
                                                     void const* in, size_t const* shape,
                                                     size_t dimensions, int axis,
                                                     upsweep_options const* options, void* out);
/** Inclusive scan along an axis: writes the scan of each line at the positions of its elements.
 * Takes REVERSE. out == in is allowed if the result type equals the type; any other overlap is
 * UPSWEEP_INVALID_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_inclusive_scan_along_axis(upsweep_type type, upsweep_operator op,
                                                             void const* in, size_t const* shape,
                                                             size_t dimensions, int axis,
                                                             upsweep_options const* options,
                                                             void* out);
/** Exclusive scan along an axis: the same, where the result at an element lacks that element, and
 * the first of a line is the initial value or the identity. */
UPSWEEP_API upsweep_status upsweep_exclusive_scan_along_axis(upsweep_type type, upsweep_operator op,
                                                             void const* in, size_t const* shape,
                                                             size_t dimensions, int axis,
                                                             upsweep_options const* options,
                                                             void* out);

UPSWEEP_END_C

#endif

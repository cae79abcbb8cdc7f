/** Histograms in C: how many elements lie in each bin, or the reduction of their weights.
 * upsweep.h includes this header.
 * @file
 */
#ifndef UPSWEEP_C_API_HISTOGRAMS_H
#define UPSWEEP_C_API_HISTOGRAMS_H

#include <upsweep/upsweep.h>

UPSWEEP_BEGIN_C

/** Numbers of elements that lie in no bin. */
typedef struct upsweep_outside_counts {
  uint64_t below, above, nan;
} upsweep_outside_counts;

/** Histogram: counts[b] is the number of elements in bin b: border b <= element < border b + 1.
 * Border b is low + b * ((high - low) / bins), and the last border is `high`. Elements are compared
 * with the borders exactly, integers too. Takes CLOSED_RIGHT. Stores the numbers of elements in no
 * bin in *outside unless it is NULL. At least 1 and less than 2^31 bins; low < high, both finite.
 * No overlap is allowed. On failure counts and *outside are unchanged. */
UPSWEEP_API upsweep_status upsweep_histogram(upsweep_type type, void const* in, size_t n,
                                             double low, double high, size_t bins,
                                             upsweep_options const* options, uint64_t* counts,
                                             upsweep_outside_counts* outside);
/** Histogram with the borders levels[0 .. bins], which must ascend strictly. */
UPSWEEP_API upsweep_status upsweep_histogram_levels(upsweep_type type, void const* in, size_t n,
                                                    double const* levels, size_t bins,
                                                    upsweep_options const* options,
                                                    uint64_t* counts,
                                                    upsweep_outside_counts* outside);
/** The n weights of the elements of a histogram, and the operator that reduces those of a bin. */
typedef struct upsweep_histogram_weights {
  upsweep_type type;   /**< of the weights */
  upsweep_operator op; /**< such as UPSWEEP_SUM */
  void const* first;   /**< the weights: element i has first[i] */
} upsweep_histogram_weights;

/** Weighted histogram: results[b], of the result type of the weights, is the reduction of the
 * weights of the elements in bin b, in input order and with the bits of upsweep_reduce. An empty
 * bin gives the identity; for ARGMIN and ARGMAX it is UPSWEEP_INVALID_ARGUMENT. Bins, borders and
 * flags are as for upsweep_histogram. No overlap is allowed. After UPSWEEP_OVERFLOW (whose index
 * counts the weights of a bin), UPSWEEP_OUT_OF_MEMORY and an empty bin of ARGMIN or ARGMAX, the
 * results are unspecified. After any other failure they are unchanged. *outside is unchanged after
 * every failure. */
UPSWEEP_API upsweep_status upsweep_weighted_histogram(upsweep_type type, void const* in,
                                                      upsweep_histogram_weights const* weights,
                                                      size_t n, double low, double high,
                                                      size_t bins, upsweep_options const* options,
                                                      void* results,
                                                      upsweep_outside_counts* outside);
/** Weighted histogram with the borders levels[0 .. bins], which must ascend strictly. */
UPSWEEP_API upsweep_status upsweep_weighted_histogram_levels(
    upsweep_type type, void const* in, upsweep_histogram_weights const* weights, size_t n,
    double const* levels, size_t bins, upsweep_options const* options, void* results,
    upsweep_outside_counts* outside);
/** counts[k] is the number of elements that equal k, for k in [0, size), size < 2^31. Another
 * integer is UPSWEEP_INVALID_ARGUMENT; the message has the position of the first one. No overlap is
 * allowed. On failure counts are unchanged. */
UPSWEEP_API upsweep_status upsweep_count_indices(upsweep_type type, void const* in, size_t n,
                                                 upsweep_options const* options, uint64_t* counts,
                                                 size_t size);

UPSWEEP_END_C

#endif

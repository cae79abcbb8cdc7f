/// Histograms by name: of elements whose type is known at run time.
///
/// Arrays are contiguous and aligned. Wrong borders and overlaps are refused by precondition_error
/// as those of the C++ verbs; nothing has been stored then.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/by_name/run.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::dynamic {

/// The elements that lie in no bin.
struct counts_outside {
  std::uint64_t below, above, nan;
};

/// Stores how many elements lie in each of the bins of equal width from `low` to `high`.
UPSWEEP_API counts_outside histogram_even(cpu const& on, dtype t, void const* in, std::size_t n,
                                          double low, double high, bool closed_right,
                                          std::uint64_t* counts, std::size_t bins);
/// bins + 1 ascending borders, of type f64, i64 or u64.
struct level_array {
  dtype type;
  void const* first;
};
/// The same between these.
UPSWEEP_API counts_outside histogram_levels(cpu const& on, dtype t, void const* in, std::size_t n,
                                            level_array levels, bool closed_right,
                                            std::uint64_t* counts, std::size_t bins);

/// The n numbers of a histogram, each with a weight, and what reduces the weights of a bin: an
/// entry whose elements are numbers.
struct weighted_array {
  dtype type;
  void const* in;
  call_entry const& entry;
  void const* weights;
  std::size_t n;
};
/// Stores the reduction of the weights of each bin's elements, with the bits of a call over them in
/// input order. Where memory runs out,
/// results are unspecified.
UPSWEEP_API counts_outside weighted_histogram_even(cpu const& on, weighted_array const& x,
                                                   double low, double high, bool closed_right,
                                                   void* results, std::size_t bins);
UPSWEEP_API counts_outside weighted_histogram_levels(cpu const& on, weighted_array const& x,
                                                     level_array levels, bool closed_right,
                                                     void* results, std::size_t bins);

/// Stores how many of n integers are 0, 1, ... size - 1; others are refused.
UPSWEEP_API void count_indices(cpu const& on, dtype t, void const* in, std::size_t n,
                               std::uint64_t* counts, std::size_t size);
/// Stores the reductions of their weights.
UPSWEEP_API void reduce_indices(cpu const& on, weighted_array const& x, void* results,
                                std::size_t size);
/// The smallest of n > 0 integers, or 0 if that is not negative, and the largest.
struct index_range {
  std::int64_t negative;
  std::uint64_t largest;
};
UPSWEEP_API index_range range_of_indices(cpu const& on, dtype t, void const* in, std::size_t n);

}  // namespace upsweep::dynamic

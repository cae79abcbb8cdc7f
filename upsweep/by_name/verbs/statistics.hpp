/// Means, variances and medians of segments and windows, by name. Elements are doubles.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::dynamic {

/// Where the moments of the k-th segment or window go: how many elements it has, their mean, and
/// the sum of their squared distances from it. The last two may be null.
struct moment_arrays {
  double* means;
  double* squares = nullptr;
  std::uint64_t* counts = nullptr;
};

/// The moments of the segments between count + 1 borders, which ascend from 0 to n.
UPSWEEP_API void segment_moments(cpu const& on, double const* in, std::size_t n,
                                 std::uint64_t const* borders, std::size_t count,
                                 moment_arrays const& out);

/// The windows of n elements: of `width` > 0 neighbours each, n - width + 1 of them; `from_first`
/// one for each element, which ends there, so that the first windows are shorter. NaN is a missing
/// element if that is to be left out; where there is no other, the mean is 0 and the median NaN.
struct windows {
  double const* in;
  std::size_t n, width;
  bool from_first = false, without_missing = false;

  [[nodiscard]] std::size_t count() const { return from_first ? n : n < width ? 0 : n - width + 1; }
};
/// Their moments; missing elements take part as the identity.
UPSWEEP_API void windowed_moments(cpu const& on, windows const& x, moment_arrays const& out);
/// Their medians.
UPSWEEP_API void windowed_medians(cpu const& on, windows const& x, double* out);

}  // namespace upsweep::dynamic

/// Means, variances and medians of segments and windows, by name. Elements are doubles.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/wide_range.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::dynamic {

/// What is made of squared distances from a mean: their sum divided by n - correction, and perhaps
/// its square root.
struct spread {
  double correction = 0;
  bool root = false;

  template <class Moments>
  [[nodiscard]] double of(Moments const& all) const {
    return root ? stddev_of(all, correction) : variance_of(all, correction);
  }
  /// Whether such a sum may have overflowed or lost digits, if one of its elements is so large or
  /// small that moments take it with a scale.
  [[nodiscard]] static bool may_be_out_of_range(double squares) {
    return !(squares >= 0x1p-900 && squares < detail::infinity<double>);
  }
};

/// The moments of the elements of x.
[[nodiscard]] UPSWEEP_API detail::moments_of moments_over(cpu const& on, std::span<double const> x);
/// The spread of the elements of x, whose moments are m: by scaled elements where those are out of
/// range.
[[nodiscard]] UPSWEEP_API double spread_of(cpu const& on, std::span<double const> x,
                                           detail::moments_of const& m, spread wanted);

/// Where the moments of the k-th segment or window go: its mean, its spread, and how many elements
/// it has. The last two may be null.
struct moment_arrays {
  double* means;
  double* spreads = nullptr;
  std::uint64_t* counts = nullptr;
  spread wanted{};
};

/// The moments of the segments between count + 1 borders, which ascend from 0 to n.
UPSWEEP_API void segment_moments(cpu const& on, double const* in, std::size_t n,
                                 std::uint64_t const* borders, std::size_t count,
                                 moment_arrays const& out);

/// The windows of n elements: of `width` > 0 neighbors each, n - width + 1 of them; `from_first`
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
/// The same of integers, each rounded once; `x.in` is not read.
UPSWEEP_API void windowed_medians(cpu const& on, std::int64_t const* in, windows const& x,
                                  double* out);
UPSWEEP_API void windowed_medians(cpu const& on, std::uint64_t const* in, windows const& x,
                                  double* out);

}  // namespace upsweep::dynamic

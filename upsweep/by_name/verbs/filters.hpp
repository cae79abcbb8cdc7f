/// Digital filters by name: their orders are known at run time.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/executor.hpp>

#include <cstddef>
#include <span>

namespace upsweep::dynamic {

/// y[i] = ahead[0] x[i] + ahead[1] x[i-1] + ... + back[0] y[i-1] + back[1] y[i-2] + ..., with zeros
/// before both. There is at least one coefficient ahead.
struct digital_filter {
  std::span<double const> ahead, back;

  /// The size of the filter's state.
  [[nodiscard]] std::size_t memory() const {
    return ahead.size() - 1 > back.size() ? ahead.size() - 1 : back.size();
  }
};

/// `count` lines of `size` numbers each, which begin `stride_x` and `stride_y` numbers apart.
/// Unless it is null, `before` has the states of the transposed direct form II, `memory()` numbers
/// a line, before the lines, and `after` receives those after them; they do not overlap.
struct filtered_lines {
  double const* x;
  double* y;
  std::size_t count, size;
  std::ptrdiff_t stride_x, stride_y;
  double const* before = nullptr;
  double* after = nullptr;
};

/// Filters each line of `x`, which does not overlap `y`. Feedback of up to 4 coefficients is a
/// scan, unless a scan would add rounding errors to those of a loop; then, and if there are more,
/// it is a loop. Products and sums are rounded one by one. Throws precondition_error where
/// upsweep::recurrence does.
UPSWEEP_API void filter(cpu const& on, digital_filter const& f, filtered_lines const& lines);

}  // namespace upsweep::dynamic

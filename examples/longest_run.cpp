/// The operator of CONTRIBUTING.md: the longest run of true elements, as a monoid with its own
/// accumulator. Here: the longest drought.
#include <upsweep/ops/laws.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

/// The state of a range: its length, the runs of true at both ends, and the longest run.
struct runs {
  std::size_t length, leading, trailing, longest;
};

/// The longest run of true elements. Not commutative; exact; the identity is the empty range.
struct longest_run {
  static constexpr bool exact = true;
  template <class>
  using accumulator = runs;

  runs identity() const { return {0, 0, 0, 0}; }
  runs lift(bool x) const { return {1, x, x, x}; }
  runs operator()(runs const& earlier, runs const& later) const {
    return {earlier.length + later.length,
            earlier.leading == earlier.length ? earlier.length + later.leading : earlier.leading,
            later.trailing == later.length ? later.length + earlier.trailing : later.trailing,
            std::max({earlier.longest, later.longest, earlier.trailing + later.leading})};
  }
  std::size_t finish(runs const& all) const { return all.longest; }
};

int main() {
  std::vector<double> const rain{0, 2.5, 0, 0, 0, 1.0, 0, 0};
  auto const dry = [](double mm) { return mm == 0; };
  std::size_t const days = upsweep::transform_reduce(rain, dry, longest_run{});

  auto const fault = upsweep::check_monoid(longest_run{}, {true, false});
  std::printf("longest drought: %zu days; %s\n", days,
              fault ? fault->c_str() : "no counter-example");
}

/// What the tests of segments and of runs on the emulator share.
#pragma once

#include <device/on_sim.hpp>
#include <upsweep/cuda/segments/call.hpp>

#include <optional>
#include <vector>

namespace upsweep::test {

/// Where segments begin, and the end of the last one.
using offsets_of = std::vector<std::size_t>;

/// prefix(1), prefix(2), ... of each segment of `x`, by reference.hpp, which takes quadratic time,
/// or for long ones by support/tree.hpp.
template <class T, class Op, class A = accumulator_t<Op, T>>
[[nodiscard]] std::vector<std::vector<A>> expected_prefixes(std::vector<T> const& x,
                                                            offsets_of const& offsets,
                                                            Op const& op) {
  std::vector<std::vector<A>> all;
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    auto const lifted =
        reference::lifted(std::vector<T>(x.begin() + static_cast<std::ptrdiff_t>(offsets[k]),
                                         x.begin() + static_cast<std::ptrdiff_t>(offsets[k + 1])),
                          op);
    all.emplace_back();
    if (lifted.size() > 150)
      all.back() = tree_prefixes(lifted, op);
    else
      for (std::size_t m = 1; m <= lifted.size(); ++m)
        all.back().push_back(reference::prefix(lifted, m, op));
  }
  return all;
}
/// The arguments of a call, on the emulator.
template <class A, class Op, class Sink>
[[nodiscard]] device::segment_results<A, Op, Sink> results_on_sim(Sink const& sink, Op const& op,
                                                                  std::optional<A> const& initial,
                                                                  std::optional<A> const& empty) {
  return {
      op, sink, initial.value_or(A{}), empty.value_or(A{}), initial.has_value(), empty.has_value()};
}

}  // namespace upsweep::test

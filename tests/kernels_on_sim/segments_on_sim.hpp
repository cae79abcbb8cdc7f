/// What the tests of segments and of runs on the emulator share.
#pragma once

#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/segments/call.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace upsweep::test {

/// Where segments begin, and the end of the last one.
using offsets_of = std::vector<std::size_t>;

/// Segments of lengths size(0), size(1), ... of n elements.
[[nodiscard]] inline offsets_of cut(std::size_t n,
                                    std::function<std::size_t(std::size_t)> const& size) {
  offsets_of offsets{0};
  for (std::size_t k = 0; offsets.back() < n; ++k)
    offsets.push_back(std::min(n, offsets.back() + size(k)));
  return offsets;
}
/// A launch over `work` of so many blocks, which draw their tiles, or if that is 0 of a wave.
template <class Shape>
[[nodiscard]] simt::launch_shape grid_over(char const* name, unsigned blocks, std::size_t work) {
  std::size_t const tiles = std::max<std::size_t>(1, (work + Shape::size - 1) / Shape::size);
  return {.name = name,
          .blocks = {blocks > 0 ? blocks : static_cast<unsigned>(tiles)},
          .threads = {Shape::threads}};
}
/// Room for the results of a verb, between two elements that no verb may store.
template <class A>
struct fenced_output {
  sim::machine& m;
  A poison;
  A* first;

  fenced_output(sim::machine& on, std::size_t size, A const& with)
      : m(on), poison(with), first(on.allocate<A>(size + 2, "out") + 1) {
    m.fill(first - 1, size + 2, poison);
  }
  /// Results are at `to`, which may be elsewhere in place.
  void expect(char const* verb, A const* to, std::vector<A> const& want) const {
    auto const got = m.to_host(to, want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], want[i]))
          << verb << ", result " << i << ": " << shown(got[i]) << " is not " << shown(want[i]);
    EXPECT_TRUE(same_bits(m.to_host(first - 1, 1)[0], poison) &&
                same_bits(m.to_host(first + want.size(), 1)[0], poison));
    expect_no_finding(m);
  }
};

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

/// The scan of a tile by the vector kernels where the elements are not plain memory: they are
/// transformed, converted, strided, reversed or generated.
#pragma once

#include <upsweep/host/blocks.hpp>

#include <cstddef>

namespace upsweep::host {

/// Built-in operators that are not exact (sums and products of floats, affine maps) over any
/// source; exact ones need no tree. The accumulators of a tile are stored in a buffer, which the
/// compiled kernels reduce and scan in place. One store and one load of the buffer, in L1, is what
/// it costs over plain memory; the source is read once.
template <scan_kind kind, class Scan>
class buffer_engine {
 public:
  using A = typename Scan::accumulator;

  explicit buffer_engine(Scan const& scan) : scan_(scan), room_(scan.nodes) {}

  A up(std::size_t position, int k) {
    fill(values(), scan_.in, position, std::size_t{1} << k);
    compiled_reduce<Op, A> const& reduce = compiled<Op>::verbs;
    return reduce.total(values(), std::size_t{1} << k, mode::reproducible);
  }

  void down(std::size_t position, int k, A const* before, A const& after) {
    std::size_t const n = std::size_t{1} << k;
    compiled_scan<Op, A> const& scan = compiled<Op>::verbs;
    auto const run = kind == scan_kind::inclusive ? scan.inclusive_block : scan.exclusive_block;
    run(values(), values(), n, before, after, scan_.initial, scan_.first);
    by_64(n, [&](std::size_t i) {
      return [out = results_from(scan_.out, position + i), from = values() + i](int j) {
        out(j, from[j]);
      };
    });
  }

 private:
  using Op = typename Scan::operation;

  [[nodiscard]] A* values() { return &room_[0].value(); }

  Scan const& scan_;
  detail::uninitialized_array<A> room_;
};

}  // namespace upsweep::host

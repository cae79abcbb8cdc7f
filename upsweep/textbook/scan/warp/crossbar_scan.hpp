/// Inclusive scan of a warp over a lane crossbar that is set to read from earlier lanes: the
/// lecture's prefix configuration.
/// Cost: 32 elements: 32·5 - 31 applications · 5 steps · 5 passes through the crossbar ·
/// no barrier, no shared memory, no identity padding
/// Source: ETH Zurich, P&S Heterogeneous Systems, lecture on prefix sum, "configurable crossbar"
/// Page: docs/algorithms/crossbar_scan.md
///
/// Runs on the emulator only. The configuration, which lane each lane reads from, is all that
/// differs from crossbar_reduce, whose file has the kernel.
#pragma once

#include <upsweep/textbook/reduce/block/crossbar_reduce.hpp>
#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <int threads>
struct crossbar_scan_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = 32;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, const T* in, T* out, std::size_t n, Op op) {
    scan_by_tiles<T, tile, exclusive>(
        machine, in, out, n, op, [&](const T* x, T* y, std::size_t count, unsigned) {
          machine.launch(free_blocks("crossbar_scan", blocks_for(count, threads), threads),
                         crossbar_prefix<T, Op>, x, y, count, op);
        });
  }
};

}  // namespace upsweep::textbook

/// The table of contents of the textbook: one row for each algorithm, from which the tool lists,
/// explains and checks them.
#pragma once

#include <upsweep/textbook/catalog_scans.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace upsweep::textbook {

inline constexpr std::array reductions{
    // Reductions of one block.
    entry{.stem = "serial_reduce",
          .what = kind::reduce,
          .where = scope::block,
          .file = "reduce/block/serial_reduce.hpp",
          .sentence = "One thread adds up all elements in a loop.",
          .applications = "N - 1",
          .steps = "N - 1",
          .traffic = "N loads, 1 store; 1 of 32 lanes works",
          .source = "PMPP 4th ed., ch. 10, fig. 10.1-10.2",
          .improves_on = "",
          .improved_by = "interleaved"},
    entry{
        .stem = "interleaved",
        .what = kind::reduce,
        .where = scope::block,
        .file = "reduce/block/interleaved.hpp",
        .sentence = "A tree in global memory: thread t owns element 2t, and only threads whose "
                    "index is a multiple of the stride stay active.",
        .applications = "n - 1",
        .steps = "log2 n",
        .traffic =
            "n = 256: 864 lane slots, 141 lines of 128 bytes for 4-byte elements; log2 n barriers",
        .source = "PMPP 4th ed., ch. 10, fig. 10.6",
        .improves_on = "serial_reduce",
        .improved_by = "interleaved_index"},
    entry{.stem = "interleaved_index",
          .what = kind::reduce,
          .where = scope::block,
          .file = "reduce/block/interleaved_index.hpp",
          .sentence = "A tree in shared memory with consecutive active threads, so whole warps "
                      "retire; bank conflicts appear.",
          .applications = "n - 1",
          .steps = "log2 n",
          .traffic =
              "n loads, 1 store; the conflict degree doubles with each step; 1 + log2 n barriers",
          .source = "Harris 2007, reduction step 2",
          .improves_on = "interleaved",
          .improved_by = "convergent"},
    entry{.stem = "convergent",
          .what = kind::reduce,
          .where = scope::block,
          .file = "reduce/block/convergent.hpp",
          .sentence = "The stride halves from the block size down: active threads and their "
                      "elements stay adjacent.",
          .applications = "n - 1",
          .steps = "log2 n",
          .traffic =
              "n = 256: 384 lane slots, 36 lines of 128 bytes for 4-byte elements; log2 n barriers",
          .source = "PMPP 4th ed., ch. 10, fig. 10.9",
          .improves_on = "interleaved",
          .improved_by = "shared_reduce",
          .keeps_order = false},
    entry{.stem = "shared_reduce",
          .what = kind::reduce,
          .where = scope::block,
          .file = "reduce/block/shared_reduce.hpp",
          .sentence = "The halving stride in shared memory, with the first application made while "
                      "loading: global memory is read once.",
          .applications = "n - 1",
          .steps = "log2 n",
          .traffic = "n global loads, 1 global store; log2 T barriers; no bank conflict",
          .source = "PMPP 4th ed., ch. 10, fig. 10.11",
          .improves_on = "convergent",
          .improved_by = "unrolled_warp",
          .keeps_order = false},
    entry{.stem = "unrolled_warp",
          .what = kind::reduce,
          .where = scope::block,
          .file = "reduce/block/unrolled_warp.hpp",
          .sentence = "Once a single warp is left, its five steps need no block barrier.",
          .applications = "n - 1",
          .steps = "log2 n",
          .traffic = "n global loads, 1 store; 5 fewer barriers than shared_reduce",
          .source = "Harris 2007, reduction step 5",
          .improves_on = "shared_reduce",
          .improved_by = "shuffle_reduce",
          .keeps_order = false},
    entry{.stem = "shuffle_reduce",
          .what = kind::reduce,
          .where = scope::block,
          .file = "reduce/block/shuffle_reduce.hpp",
          .sentence =
              "Five shuffles reduce each warp in registers, and five more reduce the aggregates.",
          .applications = "T + 5 T + 160: every lane of a shuffle computes (928 at T = 128)",
          .steps = "11",
          .traffic = "n global loads, 1 store; 5 shuffles per warp and 5 at the end; 1 barrier",
          .source = "ETH Zurich, P&S Heterogeneous Systems, lecture on prefix sum; Harris 2014",
          .improves_on = "unrolled_warp",
          .improved_by = "warp_reduce_sync"},
    entry{.stem = "warp_reduce_sync",
          .what = kind::reduce,
          .where = scope::block,
          .file = "reduce/block/warp_reduce_sync.hpp",
          .sentence = "The hardware reduces a warp in one instruction: add, min, max, and, or, xor "
                      "of 32-bit integers.",
          .applications = "T, while loading; the instruction does the rest",
          .steps = "1, and two reduce instructions",
          .traffic =
              "n global loads, 1 store; 1 reduce instruction per warp and 1 at the end; 1 barrier",
          .source = "CUDA C++ Programming Guide, warp reduce functions (compute capability 8.0)",
          .improves_on = "shuffle_reduce",
          .improved_by = "",
          .keeps_order = false},
    entry{.stem = "crossbar_reduce",
          .what = kind::reduce,
          .where = scope::warp,
          .file = "reduce/block/crossbar_reduce.hpp",
          .sentence = "Reduces a warp over a lane crossbar with valid bits; in the other "
                      "direction, the crossbar gives the prefix sums.",
          .applications = "n - 1; for prefix sums n log2 n - (n - 1)",
          .steps = "log2 n",
          .traffic =
              "5 passes through the crossbar; no barrier, no shared memory, no identity padding",
          .source = "ETH Zurich, P&S Heterogeneous Systems, lecture on prefix sum, \"configurable "
                    "crossbar\"",
          .improves_on = "shuffle_reduce",
          .improved_by = "",
          .emulator_only = true},
    // Reductions of a whole array.
    entry{.stem = "segmented_atomic",
          .what = kind::reduce,
          .where = scope::device,
          .file = "reduce/device/segmented_atomic.hpp",
          .sentence = "One segment per block; each block adds its aggregate to the result with "
                      "one atomic operation.",
          .applications = "N - B, and one per block in the atomic",
          .steps = "log2 2T, then the serialized atomics of the blocks",
          .traffic = "N loads, B = N / 2T atomics on one address",
          .source = "PMPP 4th ed., ch. 10, fig. 10.13",
          .improves_on = "shared_reduce",
          .improved_by = "coarsened",
          .keeps_order = false},
    entry{.stem = "coarsened",
          .what = kind::reduce,
          .where = scope::device,
          .file = "reduce/device/coarsened.hpp",
          .sentence =
              "Each thread combines several elements in a register before the block combines.",
          .applications = "N - B, and one per block in the atomic",
          .steps = "2 c - 1 + log2 T for the factor c",
          .traffic = "N loads; blocks, atomics and barriers divided by the factor c",
          .source = "PMPP 4th ed., ch. 10, fig. 10.15",
          .improves_on = "segmented_atomic",
          .improved_by = "two_pass",
          .keeps_order = false},
    entry{.stem = "partials_on_host",
          .what = kind::reduce,
          .where = scope::device,
          .file = "reduce/device/partials_on_host.hpp",
          .sentence = "Each block writes one partial, and the host reduces the partials.",
          .applications = "6 T + 160 per block on the device, B - 1 on the host",
          .steps = "11 on the device, B - 1 on the host",
          .traffic = "N loads, B stores, B values over the bus; 1 launch",
          .source = "CUDA laboratory report: 1024 threads, 2 items per thread, zero padding",
          .improves_on = "shuffle_reduce",
          .improved_by = "two_pass"},
    entry{.stem = "two_pass",
          .what = kind::reduce,
          .where = scope::device,
          .file = "reduce/device/two_pass.hpp",
          .sentence = "A second launch of a single block reduces the partials.",
          .applications = "T (items + 4) + 160 per block: every lane of a shuffle computes",
          .steps = "items + 9 in the blocks, ceil(B / T) + 9 for their partials",
          .traffic = "N + B loads, B + 1 stores; 2 launches",
          .source = "beyond the sources; Harris 2007 reduces level by level",
          .improves_on = "partials_on_host",
          .improved_by = "last_block"},
    entry{
        .stem = "grid_stride",
        .what = kind::reduce,
        .where = scope::device,
        .file = "reduce/device/grid_stride.hpp",
        .sentence = "A grid of fixed size strides through the array, so the number of partials "
                    "does not grow with N.",
        .applications = "N + B (4 T + 160), B fixed",
        .steps = "ceil(N / B T) + 9 in the blocks, ceil(B / T) + 9 for their partials",
        .traffic = "N + B loads, B + 1 stores, B fixed; 2 launches; every load is fully coalesced",
        .source =
            "beyond the sources; Harris 2007, reduction step 7; Harris 2013 on grid-stride loops",
        .improves_on = "two_pass",
        .improved_by = "last_block",
        .keeps_order = false},
    entry{.stem = "last_block",
          .what = kind::reduce,
          .where = scope::device,
          .file = "reduce/device/last_block.hpp",
          .sentence = "The block that finishes last reduces all partials, in the same launch.",
          .applications = "T (items + 4) + 160 per block, and once more for the partials",
          .steps = "items + 9, then ceil(B / T) + 9",
          .traffic = "N + B loads, B + 1 stores, B tickets; 1 launch",
          .source = "beyond the sources; CUDA sample threadFenceReduction",
          .improves_on = "two_pass",
          .improved_by = ""},
    entry{
        .stem = "cluster_reduce",
        .what = kind::reduce,
        .where = scope::device,
        .file = "reduce/device/cluster_reduce.hpp",
        .sentence =
            "The blocks of a cluster read each other's aggregates in distributed shared memory.",
        .applications = "6 T + 160 per block, and C - 1 per cluster of C blocks",
        .steps = "11 in a block, then C - 1 through the cluster",
        .traffic =
            "N loads, 1 store per cluster: no global partials inside a cluster; 2 cluster barriers",
        .source = "ETH Zurich, P&S Heterogeneous Systems, H100 slide (compute capability 9.0)",
        .improves_on = "two_pass",
        .improved_by = ""},
};

/// Every algorithm, the reductions first.
inline constexpr auto algorithms = [] {
  std::array<entry, reductions.size() + scans.size()> all{};
  std::copy(scans.begin(), scans.end(),
            std::copy(reductions.begin(), reductions.end(), all.begin()));
  return all;
}();

/// The row of `stem`, or nothing.
[[nodiscard]] constexpr entry const* find(std::string_view stem) {
  for (entry const& row : algorithms)
    if (row.stem == stem) return &row;
  return nullptr;
}

}  // namespace upsweep::textbook

/// The shared memory of select_ring.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/scan/stages.hpp>
#include <upsweep/cuda/select/marks.hpp>
#include <upsweep/cuda/select/outputs.hpp>

#include <cstddef>

namespace upsweep::device {

/// The warps and the shared memory of a block.
template <class Shape, class T, class Marks, class... Outputs>
struct select_layout {
  using traits = select_traits<Marks, Outputs...>;
  static constexpr unsigned chunks = Shape::warps, rows = Shape::rows, items = Shape::items;
  static_assert(items == items_of<T>);
  static constexpr unsigned chunk = Shape::chunk, size = Shape::size;
  static constexpr unsigned threads = 32 * (2 + 2 * chunks), slots = 8, most_stages = slots - 1;
  /// Elements in front of a tile, of which only the last is needed.
  static constexpr unsigned halo = Marks::needs_earlier ? items : 0;
  static constexpr std::size_t flag_bytes = [] {
    if constexpr (Marks::has_flags)
      return size * sizeof(typename Marks::flag);
    else
      return std::size_t{0};
  }();
  static constexpr std::size_t stage_bytes = (halo + size) * sizeof(T) + flag_bytes;
  static_assert(stage_bytes % 16 == 0, "copies move multiples of 16 bytes");

  using marks = lane_marks<Marks::sets, rows, items>;
  using counts = typename traits::counts;
  using join = typename traits::join;
  static constexpr std::size_t fixed_bytes =
      slots *
          (chunks * 32 * sizeof(marks) + 2 * sizeof(counts) + 4 * chunks * traits::numbers + 40) +
      lookback<counts, join>::memory_size * sizeof(counts) + 2048;

  [[nodiscard]] static constexpr ring_plan plan(std::size_t available, unsigned copies = 3) {
    std::size_t const fit = available > fixed_bytes ? (available - fixed_bytes) / stage_bytes : 0;
    unsigned const stages = fit < most_stages ? static_cast<unsigned>(fit) : most_stages;
    return {stages, copies < stages ? copies : stages};
  }
  [[nodiscard]] static constexpr std::size_t shared_bytes(ring_plan const& plan) {
    return plan.stages * stage_bytes + slots * chunks * 32 * sizeof(marks);
  }
};

/// The shared memory of a block; as ring_memory.
template <class Shape, class T, class Marks, class... Outputs>
struct select_memory {
  using layout = select_layout<Shape, T, Marks, Outputs...>;
  unsigned char* stages;
  ticket* drawn;
  boxed<typename layout::marks>* marks;    ///< [slot][chunk][lane]
  unsigned* chunk_counts;                  ///< [number][slot][chunk]
  boxed<typename layout::counts>* totals;  ///< of tiles
  boxed<typename layout::counts>* before;  ///< of the tiles in front
  boxed<typename layout::counts>* lookback_memory;
  word *full, *empty, *summed, *prefixed;
  unsigned* group;
};

}  // namespace upsweep::device

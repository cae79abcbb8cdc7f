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
  using marks = lane_marks<Marks::sets, rows, items>;
  using counts = typename traits::counts;
  using join = typename traits::join;

  /// A stage: elements before the tile, of which only the last is needed; the tile; its flags;
  /// the marks of all lanes. A copy whose source and target differ modulo 128 bytes is slow, so
  /// each of these begins at a multiple of 128.
  static constexpr std::size_t elements_at = Marks::needs_earlier ? 128 : 0,
                               flags_at = elements_at + size * sizeof(T);
  static constexpr std::size_t marks_at = [] {
    if constexpr (Marks::has_flags)
      return flags_at + size * sizeof(typename Marks::flag);
    else
      return flags_at;
  }();
  static constexpr std::size_t stage_bytes = marks_at + chunks * 32 * sizeof(marks);
  static_assert(flags_at % 128 == 0 && marks_at % 128 == 0 && stage_bytes % 128 == 0);

  static constexpr std::size_t fixed_bytes =
      slots * (2 * sizeof(counts) + 4 * chunks * traits::numbers + 40) +
      lookback<counts, join>::memory_size * sizeof(counts) + 2048;

  [[nodiscard]] static UPSWEEP_BOTH constexpr ring_plan plan(std::size_t available,
                                                             unsigned copies = 3) {
    std::size_t const fit = available > fixed_bytes ? (available - fixed_bytes) / stage_bytes : 0;
    unsigned const stages = fit < most_stages ? static_cast<unsigned>(fit) : most_stages;
    return {stages, copies < stages ? copies : stages};
  }
  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t shared_bytes(ring_plan const& plan) {
    return plan.stages * stage_bytes;
  }
};

/// The shared memory of a block; as ring_memory.
template <class Shape, class T, class Marks, class... Outputs>
struct select_memory {
  using layout = select_layout<Shape, T, Marks, Outputs...>;
  unsigned char* stages;
  ticket* drawn;
  unsigned* chunk_counts;                  ///< [number][slot][chunk]
  boxed<typename layout::counts>* totals;  ///< of tiles
  boxed<typename layout::counts>* before;  ///< of the earlier tiles
  boxed<typename layout::counts>* lookback_memory;
  word *full, *empty, *landed, *summed, *prefixed;
  unsigned* group;

  __device__ T* elements(unsigned stage) const {
    return reinterpret_cast<T*>(in(stage) + layout::elements_at);
  }
  __device__ auto* flags(unsigned stage) const {
    return reinterpret_cast<typename Marks::flag*>(in(stage) + layout::flags_at);
  }
  /// [chunk][lane]
  __device__ auto* marks(unsigned stage) const {
    return reinterpret_cast<boxed<typename layout::marks>*>(in(stage) + layout::marks_at);
  }

 private:
  __device__ unsigned char* in(unsigned stage) const {
    return stages + stage * layout::stage_bytes;
  }
};

}  // namespace upsweep::device

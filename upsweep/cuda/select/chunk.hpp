/// The shared memory of select_ring, and one warp's chunk of a tile: marked in its stage, later
/// compressed there and stored.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/scan/stages.hpp>
#include <upsweep/cuda/select/marks.hpp>
#include <upsweep/cuda/select/outputs.hpp>
#include <upsweep/cuda/select/ranks.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

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

/// The elements of one lane in a row, as one access moves them.
template <class T, unsigned items>
class lane_row {
  using vector = vector_of<T, items>;
  static constexpr bool in_words = !std::is_same_v<vector, simt::packed<T, items>>;

 public:
  /// Those of x[at], x[at + 1], ... that are before `count`; `whole`: all are.
  template <bool whole>
  __device__ void load(T const* x, unsigned at, unsigned count) {
    if (whole || at + items <= count) {
      row_ = simt::pointer_cast<vector const>(x)[at / items];
    } else {
      if constexpr (in_words) row_ = {};
#pragma unroll
      for (unsigned j = 0; j < items; ++j)
        if (at + j < count) put(j, x[at + j]);
    }
  }
  /// Element j, or a word whose low bytes are those of an element that is narrower.
  __device__ auto low(unsigned j) const {
    if constexpr (in_words)
      return row_.value[j / in_word] >> shift(j);
    else
      return row_.value[j];
  }
  __device__ T operator[](unsigned j) const {
    if constexpr (in_words) {
#ifdef __NVCC__  // one instruction, where a shift and a mask are two or three
      unsigned const bits = __byte_perm(row_.value[j / in_word], 0,
                                        sizeof(T) == 1     ? 0x4440 + j % in_word
                                        : j % in_word == 0 ? 0x4410
                                                           : 0x4432);
#else
      unsigned const bits = low(j);
#endif
      T x;
      std::memcpy(static_cast<void*>(&x), &bits, sizeof(T));
      return x;
    } else {
      return row_.value[j];
    }
  }

 private:
  static constexpr unsigned in_word = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  __device__ static unsigned shift(unsigned j) {
    return j % in_word * 8 * static_cast<unsigned>(sizeof(T));
  }
  __device__ void put(unsigned j, T const& x) {
    if constexpr (in_words) {
      unsigned bits = 0;
      std::memcpy(&bits, &x, sizeof(T));
      row_.value[j / in_word] |= bits << shift(j);
    } else {
      row_.value[j] = x;
    }
  }

  vector row_;
};

template <class Shape, class T, class Marks, class... Outputs>
class staged_chunk {
  using layout = select_layout<Shape, T, Marks, Outputs...>;
  using memory = select_memory<Shape, T, Marks, Outputs...>;
  using counts = typename layout::counts;
  using traits = typename layout::traits;
  using lane_bits = typename layout::marks;
  static constexpr unsigned sets = Marks::sets, rows = layout::rows, items = layout::items;
  using ranks = lane_ranks<sets, rows, items>;
  /// Positions of two bytes are written over the elements, so many rows at a time.
  static constexpr unsigned place_rows = sizeof(T) > 1 ? rows : rows / 2;

 public:
  /// Chunk `chunk` of the tile in `stage`, which begins at `begin` of n elements.
  __device__ staged_chunk(memory const& shared, unsigned stage, unsigned chunk, std::size_t begin,
                          std::size_t n, unsigned lane)
      : shared_(shared),
        stage_(stage),
        first_(chunk * layout::chunk),
        begin_(begin + first_),
        count_(begin_ < n ? at_most_chunk(n - begin_) : 0),
        lane_(lane),
        marks_(shared.marks(stage) + chunk * 32 + lane) {}

  /// Marks the elements, which are in the stage or, if there are flags, still at `in`; then those
  /// that an output takes are copied to the stage.
  __device__ lane_bits mark(Marks const& marks, T const* in) const {
    lane_bits bits;
    if (count_ == layout::chunk)
      mark_rows<true>(bits, marks, in);
    else
      mark_rows<false>(bits, marks, in);
    marks_[0] = bits;
    return bits;
  }
  __device__ lane_bits marked() const { return marks_[0]; }
  __device__ ranks ranked(lane_bits const& bits) const {
    if constexpr (traits::has_values || traits::has_positions) return ranks(bits, count_, lane_);
    return {};
  }

  /// Moves the elements within the stage: those of each part, one part after another.
  __device__ void compress(lane_bits const& bits, ranks const& ranked) const {
    if (count_ == layout::chunk)
      compress_rows<true>(bits, ranked);
    else
      compress_rows<false>(bits, ranked);
  }

  /// Stores what the outputs take; `before` is what is before the chunk.
  __device__ void store(lane_bits const& bits, ranks const& ranked, counts const& before,
                        Outputs const&... outputs) const {
    part_places<sets> at(before, begin_);
    (store_values(outputs, ranked, at), ...);
    if (count_ > 0) (store_marks(outputs, bits, before), ...);
    if constexpr (traits::has_positions) {
      std::size_t last = traits::has_last ? before.of[traits::numbers - 1] : 0;
      store_places<0>(bits, ranked, at.of[0], last, outputs...);
      if constexpr (place_rows < rows)
        store_places<place_rows>(bits, ranked, at.of[0], last, outputs...);
    }
  }

 private:
  __device__ static unsigned at_most_chunk(std::size_t left) {
    return left < layout::chunk ? static_cast<unsigned>(left) : layout::chunk;
  }
  __device__ T* elements() const { return shared_.elements(stage_) + first_; }
  __device__ unsigned place(unsigned r) const { return (r * 32 + lane_) * items; }

  template <bool whole>
  __device__ void mark_rows(lane_bits& bits, Marks const& marks, T const* in) const {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      unsigned const at = place(r);
      if (!whole && at >= count_) continue;
      if constexpr (Marks::has_flags) {
        lane_row<typename Marks::flag, items> flags;
        flags.template load<whole>(shared_.flags(stage_) + first_, at, count_);
        mark_row<whole>(bits, r, [&](unsigned j) { return static_cast<bool>(flags[j]) ? 1U : 0; });
        if (traits::takes_rest || bits.row(0, r) != 0)
          copy_vector(elements() + at, in + begin_ + at,
                      whole || at + items <= count_ ? items : count_ - at);
      } else {
        lane_row<T, items> x;
        x.template load<whole>(elements(), at, count_);
        if constexpr (Marks::needs_earlier) {
          bool const is_first = begin_ == 0 && at == 0;
          T const earlier = is_first ? x[0] : elements()[static_cast<int>(at) - 1];
          mark_row<whole>(bits, r, [&](unsigned j) {
            return j == 0 && is_first ? 1 : marks.of(j == 0 ? earlier : x[j - (j > 0)], x[j]);
          });
        } else {
          mark_row<whole>(bits, r, [&](unsigned j) { return marks.of(x[j]); });
        }
      }
    }
  }
  template <bool whole, class Mark>
  __device__ void mark_row(lane_bits& bits, unsigned r, Mark const& mark) const {
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (whole || place(r) + j < count_) bits.add(r, j, mark(j));
  }

  template <bool whole>
  __device__ void compress_rows(lane_bits const& bits, ranks const& ranked) const {
    lane_row<T, items> x[rows];
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
      if (!Marks::has_flags || traits::takes_rest || bits.row(0, r) != 0)
        x[r].template load<whole>(elements(), place(r), count_);
    __syncwarp();  // every lane has read its elements
    ranked.template store<traits::takes_rest, whole>(
        elements(), bits, count_, lane_, [&](unsigned r, unsigned j) { return x[r].low(j); });
    hand_back_to_copies();  // here, where it need not wait for stores to global memory
    __syncwarp();           // the parts are complete
  }

  template <class Output>
  __device__ void store_values(Output const& output, ranks const& ranked,
                               part_places<sets> const& at) const {
    if constexpr (Output::what == taken::values)
      copy_out(output, elements() + ranked.begin(Output::part), ranked.part[Output::part],
               at.of[Output::part], lane_);
  }
  template <class Output>
  __device__ void store_marks(Output const& output, lane_bits const& bits,
                              counts const& before) const {
    if constexpr (Output::what == taken::heads) store_heads(output, bits, begin_, before, lane_);
  }
  /// Stores what follows from the positions of the elements of place_rows rows. `at` and `last` are
  /// the number and 1 + the position of those before them, and afterwards of the next.
  template <unsigned row>
  __device__ void store_places(lane_bits const& bits, ranks const& ranked, std::size_t& at,
                               std::size_t& last, Outputs const&... outputs) const {
    constexpr unsigned end = row + place_rows;
    auto* const places = reinterpret_cast<std::uint16_t*>(elements());
    unsigned const count = ranked.template before_row<end>() - ranked.template before_row<row>();
    __syncwarp();  // what was here has been read
    ranked.template store<false, false, row, end>(
        places, bits, count_, lane_, [&](unsigned r, unsigned j) { return place(r) + j; });
    hand_back_to_copies();
    __syncwarp();  // the positions are complete
    (store_from_places(outputs, places, count, at, last), ...);
    at += count;
    if (traits::has_last && end < rows && count > 0) last = begin_ + places[count - 1] + 1;
  }
  template <class Output>
  __device__ void store_from_places(Output const& output, std::uint16_t const* places,
                                    unsigned count, std::size_t at, std::size_t last) const {
    if constexpr (Output::what == taken::lengths)
      store_lengths(output, places, count, at, begin_, last, lane_);
    else if constexpr (Output::what == taken::positions)
      store_positions(output, places, count, at, begin_, lane_);
  }

  memory const& shared_;
  unsigned stage_, first_;
  std::size_t begin_;
  unsigned count_, lane_;
  boxed<lane_bits>* marks_;
};

}  // namespace upsweep::device

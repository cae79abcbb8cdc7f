/// select and its relatives on the CPU: each tile's elements are marked, and compressed into
/// memory of the thread's own; when the tiles before it have been counted, they are copied to their
/// positions. The input is read once, before anything after it is stored, so the output may be its
/// memory.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/core/call_memory.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/host/schedule.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// The marks of a tile, a byte each.
template <class Marks>
class tile_marks {
 public:
  tile_marks(Marks const& marks, std::size_t tile) : marks_(marks), memory_(tile) {}

  void find(std::size_t begin, std::size_t n) {
    auto const find = [this, begin, n]() UPSWEEP_INLINED { marks_(begin, begin + n, first()); };
    if constexpr (detail::marks_numbers<Marks>)
      in_widest_registers(find);
    else
      find();
  }

  [[nodiscard]] bool is(detail::mark wanted, std::size_t i) const { return first()[i] == wanted; }
  [[nodiscard]] std::size_t count(detail::mark wanted, std::size_t n) const {
    return simd::count_marks(first(), wanted, n);
  }
  /// Stores those of the tile's n elements that have this mark, as simd::compress.
  template <class T>
  std::size_t compress(detail::mark wanted, T const* x, std::size_t n, std::byte* to) const {
    return compress(first(), wanted, x, n, to);
  }
  /// Stores begin + i for each element i of n that has this mark.
  template <class T>
  std::size_t positions(detail::mark wanted, std::size_t begin, std::size_t n,
                        std::byte* to) const {
    constexpr std::size_t block = 256;
    T here[block];
    std::size_t count = 0;
    for (std::size_t i = 0; i < n; i += block) {
      std::size_t const size = detail::at_most(block, n - i);
      if (std::memchr(first() + i, wanted, size) == nullptr)
        continue;  // most blocks, where few positions are taken
      for (std::size_t j = 0; j < block; ++j) here[j] = static_cast<T>(begin + i + j);
      count += compress(first() + i, wanted, here, size, to + count * sizeof(T));
    }
    return count;
  }

 private:
  [[nodiscard]] detail::mark* first() const {
    return reinterpret_cast<detail::mark*>(memory_.first());
  }
  template <class T>
  static std::size_t compress(detail::mark const* marks, detail::mark wanted, T const* x,
                              std::size_t n, std::byte* to) {
    if constexpr (simd::compresses(sizeof(T)))
      return simd::compress(x, sizeof(T), marks, wanted, n, to);
    std::size_t added = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(to + added * sizeof(T), static_cast<void const*>(x + i), sizeof(T));
      added += marks[i] == wanted;
    }
    return added;
  }

  Marks const& marks_;
  detail::aligned_memory<> memory_;
};

/// Where neighbors differ, as bits; all outputs take the mark 0.
template <class Marks>
  requires detail::marks_neighbors<Marks>
class tile_marks<Marks> {
 public:
  tile_marks(Marks const& marks, std::size_t tile)
      : marks_(marks), memory_(tile / 8 + 1 + simd::heads_slack) {}

  void find(std::size_t begin, std::size_t n) {
    auto const [x, follows] = marks_.numbers(begin);
    simd::find_heads(x, n, follows, bits());
  }

  [[nodiscard]] bool is(detail::mark, std::size_t i) const { return bits()[i / 8] >> i % 8 & 1; }
  [[nodiscard]] std::size_t count(detail::mark, std::size_t n) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < n; i += 8)
      sum += static_cast<std::size_t>(std::popcount(bits()[i / 8]));
    return sum;
  }
  template <class T>
  std::size_t compress(detail::mark, T const* x, std::size_t n, std::byte* to) const {
    return simd::compress_bits(x, sizeof(T), bits(), n, to);
  }
  template <class T>
  std::size_t positions(detail::mark, std::size_t begin, std::size_t n, std::byte* to) const {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 4) {
      return simd::positions_of_bits(bits(), n, static_cast<std::uint32_t>(begin),
                                     reinterpret_cast<std::uint32_t*>(to));
    } else {
      constexpr std::size_t block = 512;
      std::uint32_t at[block + simd::compress_slack / sizeof(std::uint32_t)];
      std::size_t count = 0;
      for (std::size_t i = 0; i < n; i += block) {
        std::size_t const size = detail::at_most(block, n - i),
                          more = simd::positions_of_bits(bits() + i / 8, size, 0, at);
        auto* const place = reinterpret_cast<T*>(to) + count;
        for (std::size_t j = 0; j < more; ++j) place[j] = static_cast<T>(begin + i + at[j]);
        count += more;
      }
      return count;
    }
  }

 private:
  [[nodiscard]] std::uint8_t* bits() const {
    return reinterpret_cast<std::uint8_t*>(memory_.first());
  }

  Marks const& marks_;
  detail::aligned_memory<> memory_;
};

/// An output of a call, and the most elements in a tile.
template <class Output>
struct tiled_output {
  Output const& output;
  std::size_t tile;
};

/// What one output takes of a tile, until its position is known.
template <class Output>
class gathered {
 public:
  explicit gathered(tiled_output<Output> of) : output_(of.output) {}  // it keeps nothing

  template <class Marks>
  std::size_t gather(std::size_t, std::size_t n, tile_marks<Marks> const& marks) const {
    return marks.count(output_.takes, n);
  }
  /// Stores what the output takes of the n elements from `begin` on, from position `to` on.
  template <class Marks>
  void store(std::size_t begin, std::size_t n, tile_marks<Marks> const& marks, std::size_t,
             std::size_t to) const {
    for (std::size_t i = 0; i < n && to < output_.room; ++i)
      if (marks.is(output_.takes, i)) output_.put(to++, begin + i);
  }

 private:
  Output const& output_;
};

/// The same for bytes in memory.
template <class Output>
  requires(Output::is_plain)
class gathered<Output> {
 public:
  explicit gathered(tiled_output<Output> of)
      : output_(of.output), memory_(of.tile * size + simd::compress_slack) {}

  template <class Marks>
  std::size_t gather(std::size_t begin, std::size_t n, tile_marks<Marks> const& marks) const {
    if constexpr (requires { output_.in; })
      return marks.compress(output_.takes, std::to_address(output_.in) + begin, n, memory_.first());
    else
      return marks.template positions<element>(output_.takes, begin, n, memory_.first());
  }
  template <class Marks>
  void store(std::size_t begin, std::size_t n, tile_marks<Marks> const&, std::size_t count,
             std::size_t to) const {
    if (to >= output_.room || count == 0) return;
    // In place, the thread of the next tile may read elements that stay where they are.
    if (output_.in_place && to == begin && count == n) return;
    std::memcpy(static_cast<void*>(output_.out + to), memory_.first(),
                detail::at_most(count, output_.room - to) * size);
  }

 private:
  using element = typename Output::element;
  static constexpr std::size_t size = sizeof(element);

  Output const& output_;
  detail::aligned_memory<> memory_;
};

/// The work of one thread on one tile after another.
template <class Marks, class... Outputs>
class selector {
 public:
  using counts = detail::selected_counts<sizeof...(Outputs)>;

  selector(Marks const& marks, std::size_t tile, Outputs const&... outputs)
      : marks_(marks, tile), parts_(tiled_output<Outputs>{outputs, tile}...) {}

  counts gather(std::size_t begin, std::size_t n) {
    marks_.find(begin, n);
    counts taken;
    for_each_part([&](auto& part, std::size_t k) { taken.of[k] = part.gather(begin, n, marks_); });
    return taken;
  }
  void store(std::size_t begin, std::size_t n, counts const& taken, counts const& before) {
    for_each_part([&](auto& part, std::size_t k) {
      part.store(begin, n, marks_, taken.of[k], before.of[k]);
    });
  }

 private:
  template <class F>
  void for_each_part(F const& f) {
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (f(std::get<k>(parts_), k), ...);
    }(std::index_sequence_for<Outputs...>());
  }

  tile_marks<Marks> marks_;
  std::tuple<gathered<Outputs>...> parts_;
};

/// How far a call has come.
template <std::size_t outputs>
struct selection_state {
  std::size_t position = 0;
  detail::selected_counts<outputs> taken;
};

/// The bytes of the largest elements that are stored.
template <class... Outputs>
constexpr std::size_t largest_element() {
  std::size_t largest = 0;
  for (std::size_t const size : {sizeof(typename Outputs::element)...})
    if (size > largest) largest = size;
  return largest;
}

/// Continues the call up to `end` on the calling thread, in tiles that fit L1 twice: the input and
/// what is taken of it.
template <std::size_t k, class Marks, class... Outputs>
void select_serially(Marks const& marks, std::size_t end, selection_state<k>& state,
                     Outputs const&... outputs) {
  constexpr std::size_t bytes = largest_element<Outputs...>(),
                        in_tile = bytes < 256 ? (std::size_t{1} << 14) / bytes : 64;
  std::size_t const tile = detail::at_most(in_tile, end - state.position);
  selector<Marks, Outputs...> work(marks, tile, outputs...);
  while (state.position < end) {
    std::size_t const n = detail::at_most(tile, end - state.position);
    auto const taken = work.gather(state.position, n);
    work.store(state.position, n, taken, state.taken);
    state.taken += taken;
    state.position += n;
  }
}

/// The same on the threads of the plan. A tile's elements are stored when the number of those
/// before it is known; all earlier tiles have been read by then.
template <std::size_t k, class Marks, class... Outputs>
void select_by_tickets(Marks const& marks, std::size_t end, plan const& p,
                       selection_state<k>& state, Outputs const&... outputs) {
  std::size_t const begin = state.position, size = std::size_t{1} << p.tile_log2,
                    count = (end - begin + size - 1) / size;
  tickets tiles(count);
  turns order(tiles, count, p.threads);
  detail::uninitialized_array<detail::selected_counts<k>> taken(count), before(count);
  auto const append = [&](std::size_t tile) {
    before[tile].construct(state.taken);
    state.taken += taken[tile].value();
  };
  auto select_tile = [&](selector<Marks, Outputs...>& mine, std::size_t tile) {
    std::size_t const first = begin + tile * size, n = detail::at_most(size, end - first);
    taken[tile].construct(mine.gather(first, n));
    order.publish(tile);
    if (order.wait(tile, append) == turns::answer::ended) return;
    mine.store(first, n, taken[tile].value(), before[tile].value());
  };
  auto work = [&](int) {
    auto tile = tiles.take();
    if (!tile) return;
    try {
      selector<Marks, Outputs...> mine(marks, size, outputs...);
      for (; tile; tile = tiles.take()) select_tile(mine, *tile);
    } catch (...) {
      tiles.fail(*tile);
    }
  };
  threads::run(p.threads, work);
  tiles.rethrow();
  state.position = end;
}

/// select of an executor (selection.hpp). Outputs whose neighbors share a word, and those in place
/// that are not bytes in memory, are stored by one thread.
template <class Marks, class... Outputs>
auto select(Marks const& marks, std::size_t n, int threads, Outputs const&... outputs) {
  selection_state<sizeof...(Outputs)> state;
  bool const one_thread = (... || (Outputs::is_packed || (outputs.in_place && !Outputs::is_plain)));
  plan const p = plan_selection(largest_element<Outputs...>(), n, one_thread ? 1 : threads);
  auto const run = [&](std::size_t end, plan const& by) {
    if (by.threads == 1)
      select_serially(marks, end, state, outputs...);
    else
      select_by_tickets(marks, end, by, state, outputs...);
  };
  run(n, p.trial == 0 ? p : after_trial(p, 0, n, run));
  return state.taken;
}

}  // namespace upsweep::host

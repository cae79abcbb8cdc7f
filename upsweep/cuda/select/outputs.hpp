/// The parameters and the outputs of a selection, and how the elements that a warp has compressed
/// get there.
#pragma once

#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/select/marks.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace upsweep::device {

struct selection_call : bounded_size {
  word* counts;   ///< where the number of elements of each part goes
  bool in_place;  ///< an output begins where the input does
};

/// How many elements earlier tiles, or all, have of each set; of runs the second number is 1 + the
/// position of the last head.
template <unsigned numbers>
struct selection_counts {
  word of[numbers];
};
/// Adds counts; the last of two is a position if `last_is_position`.
template <bool last_is_position>
struct join_counts {
  static constexpr bool commutative = true, exact = true;
  template <unsigned numbers>
  __device__ selection_counts<numbers> operator()(selection_counts<numbers> const& earlier,
                                                  selection_counts<numbers> const& later) const {
    selection_counts<numbers> sum;
#pragma unroll
    for (unsigned k = 0; k < numbers; ++k) sum.of[k] = earlier.of[k] + later.of[k];
    if constexpr (last_is_position && numbers > 1)
      sum.of[1] = later.of[1] > earlier.of[1] ? later.of[1] : earlier.of[1];
    return sum;
  }
};

/// Where the next element of each part goes if `before` are the counts of earlier ones.
template <unsigned sets>
struct part_places {
  std::size_t of[sets + 1];

  template <unsigned numbers>
  __device__ part_places(selection_counts<numbers> const& before, std::size_t position) {
    of[sets] = position;
#pragma unroll
    for (unsigned s = 0; s < sets; ++s) {
      of[s] = before.of[s];
      of[sets] -= of[s];
    }
  }
};

/// What an output takes: the elements of one part, their positions, the lengths of the runs that
/// begin with them, or for every element whether it is one of them (runs/heads.hpp).
enum class taken { values, positions, lengths, heads };

/// Takes elements of part `part`: 0 and 1 are the sets, and the last part is the rest.
template <taken what_, unsigned part_, class Out, class U>
struct selection_output {
  static constexpr taken what = what_;
  static constexpr unsigned part = part_;
  using element = U;
  static constexpr bool in_memory = is_memory<Out, U>;

  Out out;
  std::size_t room;
};

/// Where heads go: those of 32 elements to each word of `bits`, and what is before each
/// granule to two words of `earlier`, as in run_heads.
struct head_words {
  word *bits, *earlier;
};

/// What a call asks of the kernel.
template <class Marks, class... Outputs>
struct select_traits {
  static constexpr bool has_last = (... || (Outputs::what == taken::lengths ||
                                            Outputs::what == taken::heads)),
                        has_values = (... || (Outputs::what == taken::values)),
                        has_positions = (... || (Outputs::what == taken::positions ||
                                                 Outputs::what == taken::lengths)),
                        takes_rest = (... || (Outputs::part == Marks::sets));
  static constexpr unsigned sets = Marks::sets, numbers = sets + (has_last ? 1 : 0);
  using counts = selection_counts<numbers>;
  using join = join_counts<has_last>;
};

/// After the last tile: stores how many elements each part has.
template <class Marks, class... Outputs>
__device__ void store_totals(selection_call const& call, std::size_t n,
                             typename select_traits<Marks, Outputs...>::counts const& all) {
  using traits = select_traits<Marks, Outputs...>;
  word rest = n;
#pragma unroll
  for (unsigned s = 0; s < traits::sets; ++s) {
    call.counts[s] = all.of[s];
    rest -= all.of[s];
  }
  if constexpr (traits::takes_rest) call.counts[traits::sets] = rest;
}
/// The length of the last run, if that is what the output takes; n >= 1.
template <class Output, class Counts>
__device__ void store_last_length(Output const& output, std::size_t n, Counts const& all) {
  if constexpr (Output::what == taken::lengths)
    if (all.of[0] <= output.room)
      output.out[all.of[0] - 1] = static_cast<typename Output::element>(n - (all.of[1] - 1));
}

/// Copies load(i) to `to`[i] for i = first, first + 32, ...: loads `batch` values before it stores
/// them, so that their latencies overlap. `whole`: all i are below `count`, which is not 0.
template <unsigned batch, bool whole, class Out, class Load>
__device__ void copy_batch(Out const& to, int first, unsigned count, Load const& load) {
  auto const is_in = [&](unsigned k) {
    return whole || static_cast<unsigned>(first) + 32 * k < count;  // not if it is negative
  };
  decltype(load(0U)) x[batch];
#pragma unroll
  for (unsigned k = 0; k < batch; ++k)
    x[k] = load(is_in(k) ? static_cast<unsigned>(first) + 32 * k : count - 1);
  auto const from_first = to + first;
#pragma unroll
  for (unsigned k = 0; k < batch; ++k)
    if (is_in(k)) from_first[32 * k] = x[k];
}
/// One warp copies load(i) to `to`[i] for i < count, by rows of 32 lanes of which the first begins
/// at i = -skew.
template <unsigned batch, class Out, class Load>
__device__ void copy_rows(Out const& to, unsigned count, unsigned skew, unsigned lane,
                          Load const& load) {
  if (count == 0) return;
  for (unsigned row = 0; row < count + skew; row += 32 * batch) {
    int const first = static_cast<int>(row + lane) - static_cast<int>(skew);
    if (row >= skew && row + 32 * batch <= count + skew)
      copy_batch<batch, true>(to, first, count, load);
    else
      copy_batch<batch, false>(to, first, count, load);
  }
}
/// How many rows of values of `size` bytes are loaded together.
template <std::size_t size>
inline constexpr unsigned rows_together = size <= 4    ? 8
                                          : size <= 8  ? 4
                                          : size <= 16 ? 2
                                                       : 1;

/// One warp stores value(0), value(1), ..., `count` of them, to out[at], out[at + 1], ... as far as
/// there is room. Rows are whole lines of the output, so that a store touches few sectors.
template <class Output, class Value>
__device__ void store_rows(Output const& output, unsigned count, std::size_t at, unsigned lane,
                           Value const& value) {
  if (at >= output.room) return;
  if (output.room - at < count) count = static_cast<unsigned>(output.room - at);
  using U = typename Output::element;
  copy_rows<rows_together<sizeof(U)>>(output.out + at, count, static_cast<unsigned>(at % 32), lane,
                                      [&](unsigned i) { return static_cast<U>(value(i)); });
}

/// One warp copies `count` elements of 1 or 2 bytes from shared memory, by words, however `to` and
/// `x` are aligned.
template <class T>
__device__ void copy_narrow(T* to, T const* x, unsigned count, unsigned lane) {
  using one_word = simt::packed<unsigned, 1>;
  constexpr unsigned in_word = 4 / sizeof(T);
  auto const offset = [](T const* p) {
    return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) / sizeof(T) % in_word);
  };
  unsigned const skew = (in_word - offset(to)) % in_word, head = skew < count ? skew : count;
  if (lane < head) to[lane] = x[lane];
  // Not the last word if it would be put together from one that is not all of x.
  unsigned const shift = offset(x + head), whole = (count - head) / in_word,
                 words = shift > 0 && whole > 0 ? whole - 1 : whole, done = head + words * in_word;
  if (lane < count - done) to[done + lane] = x[done + lane];
  auto const from = simt::pointer_cast<one_word const>(x + head - shift);
  auto const words_to = simt::pointer_cast<one_word>(to + head);
  unsigned const in_line =
      static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(words_to) / 4 % 32);
  copy_rows<8>(words_to, words, in_line, lane, [&](unsigned w) {
    return one_word{{__funnelshift_r(from[w].value[0], from[w + (shift > 0)].value[0],
                                     8 * shift * static_cast<unsigned>(sizeof(T)))}};
  });
}

/// One warp copies `count` elements x[0], x[1], ..., which are in shared memory, to out[at],
/// out[at + 1], ... as far as there is room.
template <class Output, class T>
__device__ void copy_out(Output const& output, T const* x, unsigned count, std::size_t at,
                         unsigned lane) {
  using U = typename Output::element;
  if constexpr (Output::in_memory && std::is_same_v<T, U> && sizeof(T) < 4 &&
                std::is_trivially_copyable_v<T>) {
    if (at >= output.room) return;
    if (output.room - at < count) count = static_cast<unsigned>(output.room - at);
    copy_narrow(output.out + at, x, count, lane);
  } else {
    store_rows(output, count, at, lane, [&](unsigned i) { return x[i]; });
  }
}

/// The lengths of the runs that end before the heads at x[0], x[1], ... + begin, of which the
/// first has the number `at`; `last` is 1 + the position of the head before them.
template <class Output>
__device__ void store_lengths(Output const& output, std::uint16_t const* x, unsigned count,
                              std::size_t at, std::size_t begin, std::size_t last, unsigned lane) {
  using U = typename Output::element;
  if (count == 0) return;
  if (lane == 0 && at > 0 && at - 1 < output.room)
    output.out[at - 1] = static_cast<U>(begin + x[0] - (last - 1));
  store_rows(output, count - 1, at, lane, [&](unsigned i) { return unsigned{x[i + 1]} - x[i]; });
}
/// The same for the positions themselves.
template <class Output>
__device__ void store_positions(Output const& output, std::uint16_t const* x, unsigned count,
                                std::size_t at, std::size_t begin, unsigned lane) {
  store_rows(output, count, at, lane, [&](unsigned i) { return begin + x[i]; });
}

/// The heads of the chunk that begins at `begin`, which are a lane's `bits`; `before` is what is
/// before it.
template <class Output, unsigned sets, unsigned rows, unsigned items, class Counts>
__device__ void store_heads(Output const& output, lane_marks<sets, rows, items> const& bits,
                            std::size_t begin, Counts const& before, unsigned lane) {
  constexpr unsigned lanes = 32 / items, chunk = rows * 32 * items;  // lanes that a word is of
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) {
    unsigned heads = bits.row(0, r) << (lane % lanes * items);
#pragma unroll
    for (unsigned k = 1; k < lanes; k *= 2) heads |= simt::shuffle_xor(whole_warp, heads, k);
    if (lane % lanes == 0) output.out.bits[begin / 32 + r * items + lane / lanes] = heads;
  }
  if (lane != 0) return;
  output.out.earlier[begin / chunk * 2] = before.of[0];
  output.out.earlier[begin / chunk * 2 + 1] = before.of[1];
}

}  // namespace upsweep::device

/// The outputs of a selection, and how the elements that a warp has compressed get there.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/select/call.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::device {

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

/// What an output takes: the elements of one part, their positions, or the lengths of the runs that
/// begin with them.
enum class taken { values, positions, lengths };

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

/// What a call asks of the kernel.
template <class Marks, class... Outputs>
struct select_traits {
  static constexpr bool has_lengths = (... || (Outputs::what == taken::lengths)),
                        has_values = (... || (Outputs::what == taken::values)),
                        has_positions = (... || (Outputs::what != taken::values)),
                        takes_rest = (... || (Outputs::part == Marks::sets));
  static constexpr unsigned sets = Marks::sets, numbers = sets + (has_lengths ? 1 : 0);
  using counts = selection_counts<numbers>;
  using join = join_counts<has_lengths>;
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
#pragma unroll 4
  for (unsigned w = lane; w < words; w += 32) {
    unsigned const low = from[w].value[0], high = shift > 0 ? from[w + 1].value[0] : 0;
    words_to[w] = {{__funnelshift_r(low, high, 8 * shift * static_cast<unsigned>(sizeof(T)))}};
  }
}

/// One warp copies `count` elements x[0], x[1], ..., which are in shared memory, to out[at],
/// out[at + 1], ... as far as there is room.
template <class Output, class T>
__device__ void copy_out(Output const& output, T const* x, unsigned count, std::size_t at,
                         unsigned lane) {
  using U = typename Output::element;
  if (at >= output.room) return;
  if (output.room - at < count) count = static_cast<unsigned>(output.room - at);
  if constexpr (Output::in_memory && std::is_same_v<T, U> && sizeof(T) < 4 &&
                std::is_trivially_copyable_v<T>) {
    copy_narrow(output.out + at, x, count, lane);
  } else {
    // Whole lines of 32 elements, so that a store of the warp touches as few sectors as it can.
    auto const skew = static_cast<unsigned>(at % 32);
    auto const to = output.out + at;
#pragma unroll 4
    for (unsigned i = lane; i < count + skew; i += 32)
      if (i >= skew) to[i - skew] = static_cast<U>(x[i - skew]);
  }
}

/// The lengths of the runs that end in front of the heads at x[0], x[1], ... + begin, of which the
/// first has the number `at`; `last` is 1 + the position of the head before them.
template <class Output>
__device__ void store_lengths(Output const& output, std::uint16_t const* x, unsigned count,
                              std::size_t at, std::size_t begin, std::size_t last, unsigned lane) {
  for (unsigned i = lane; i < count; i += 32) {
    std::size_t const head = begin + x[i], before = i > 0 ? begin + x[i - (i > 0)] : last - 1;
    if (at + i > 0 && at + i - 1 < output.room)
      output.out[at + i - 1] = static_cast<typename Output::element>(head - before);
  }
}
/// The same for the positions themselves.
template <class Output>
__device__ void store_positions(Output const& output, std::uint16_t const* x, unsigned count,
                                std::size_t at, std::size_t begin, unsigned lane) {
  for (unsigned i = lane; i < count; i += 32)
    if (at + i < output.room)
      output.out[at + i] = static_cast<typename Output::element>(begin + x[i]);
}

}  // namespace upsweep::device

/// Segments that cross borders of parts of the input: how a part publishes the totals of what it
/// has of them, and finds their prefixes.
///
/// A part publishes the total of each of its chunks of such a segment, and then, if it has the last
/// of 32 chunks, of 1024, and so on, that of all of them. So any prefix of chunks is at most 31
/// totals of each level, and there is no chain of dependences through the parts. Progress: a part
/// waits only for parts with lower tickets, which publish their chunks before they wait.
#pragma once

#include <upsweep/cuda/segments/call.hpp>

#include <cstddef>

namespace upsweep::device {

/// The totals of blocks of 32^level chunks, in temporary storage. Any `size(level)` consecutive
/// positions have the begin of at most one whole block, since it is the only one of its segment
/// there, and no segment after it begins there. So block j of the segment that begins at `begin`
/// has position begin / size(level) + j to itself.
template <class Shape, class A>
struct segment_levels {
  word* words;
  std::size_t n;    ///< at most
  unsigned levels;  ///< whose blocks the input can have

  /// The elements of a block.
  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t size(unsigned level) {
    return std::size_t{Shape::chunk} << (5 * level);
  }
  [[nodiscard]] static UPSWEEP_BOTH constexpr unsigned levels_of(std::size_t n) {
    unsigned count = 0;
    while (count < 10 && size(count) <= n) ++count;
    return count;
  }
  /// Words for so many levels, the first of which says that waiting is in vain.
  [[nodiscard]] static UPSWEEP_BOTH constexpr std::size_t needed(std::size_t n, unsigned levels) {
    std::size_t total = 0;
    for (unsigned k = 0; k < levels; ++k) total += n / size(k) + 1;
    return 2 + total * words_of<A>;
  }
  __device__ tile_totals<A> of(unsigned level, unsigned epoch) const {
    return {words + needed(n, level), epoch};
  }
};

/// One segment that crosses borders of parts, as one warp of the launch `epoch` sees it.
template <class Shape, class A, class Op>
class crossing_chunks {
  using levels_of = segment_levels<Shape, A>;

 public:
  /// The segment begins at `begin` of the whole input.
  __device__ crossing_chunks(levels_of const& levels, unsigned epoch, std::size_t begin,
                             unsigned lane, Op const& op)
      : levels_(levels), epoch_(epoch), begin_(begin), lane_(lane), op_(op) {}

  /// Called by one lane.
  __device__ void publish(unsigned level, std::size_t block, A const& total) const {
    levels_.of(level, epoch_).publish(place(level, block), total);
  }

  /// Publishes the blocks that end with one of `count` chunks from number `first` on, all of them
  /// this part's and published. Then calls take(c, prefix), in one lane each, with the prefix of
  /// first + c > 0 chunks, for 0 <= c <= count, or only for `count`.
  template <bool only_last = false, class Take>
  __device__ void look_back(std::size_t first, std::size_t count, Take const& take) const {
    std::size_t const last = first + count;
    for (std::size_t group = first / 32; group <= last / 32; ++group) {
      std::size_t const chunk = group * 32 + lane_;
      siblings<A> beside;
      A const total = butterfly<5>(await(0, chunk, chunk < last), beside, op_);
      if (group * 32 + 32 <= last) complete(group, total);
      if (only_last && group < last / 32) continue;
      auto prefix = prefix_before(group);
      beside.append_to(prefix, lane_, op_);
      if (chunk == last || (!only_last && first <= chunk && chunk < last))
        take(static_cast<unsigned>(chunk - first), prefix.value());
    }
  }

 private:
  [[nodiscard]] __device__ unsigned place(unsigned level, std::size_t block) const {
    std::size_t const size = levels_of::size(level);
    return static_cast<unsigned>(begin_ / size + block);
  }

  /// The total of a block, in each lane one that it has `wanted`; in others any value.
  __device__ A await(unsigned level, std::size_t block, bool wanted) const {
    tile_totals<A> const totals = levels_.of(level, epoch_);
    auto found = totals.tagged(A{});
    unsigned missing = wanted ? 1 : 0;
    for (unsigned looks = 1;; ++looks) {
      totals.look(place(level, block), missing, found);
      missing = wanted ? totals.missing(found) : 0;
      if (!__any_sync(whole_warp, missing != 0) || is_in_vain(looks)) return found.value();
      look_again();
    }
  }

  /// Publishes the total of 32 chunks, and of larger blocks that end there.
  __device__ void complete(std::size_t block, A total) const {
    for (unsigned level = 1;; ++level) {
      if (lane_ == 0) publish(level, block, total);
      if (block % 32 != 31) return;
      A mine = await(level, block - 31 + lane_, lane_ < 31);
      if (lane_ == 31) mine = total;
      siblings<A> beside;
      total = butterfly<5>(mine, beside, op_);
      block /= 32;
    }
  }

  /// The prefix of so many groups of 32 chunks, in every lane.
  __device__ prefix_of<A, Op> prefix_before(std::size_t groups) const {
    prefix_of<A, Op> total(A{}, false);
    bool there = false;
    for (unsigned level = levels_.levels; level-- > 1;) {
      std::size_t const blocks = groups >> (5 * (level - 1));
      auto const digit = static_cast<unsigned>(blocks % 32);
      if (digit == 0) continue;
      A const one = await(level, blocks - digit + lane_, lane_ < digit);
      siblings<A> beside;
      (void)butterfly<5>(one, beside, op_);
      beside.append_to(total, lane_, op_);
      total = total.from_lane(digit, there);
      there = true;
    }
    return total;
  }

  /// Whether no part will publish what this one waits for, as its offsets decrease somewhere: no
  /// part with right offsets waits for seconds. The first one to notice tells the others.
  __device__ bool is_in_vain(unsigned looks) const {
    if (looks % 256 != 0) return false;
    word told = 0;
    load_relaxed(levels_.words, 1, told);
    if (told == (word{epoch_} << 32 | 1)) return true;
    if (looks < most_looks) return false;
    if (lane_ == 0) store_relaxed(levels_.words, word{epoch_} << 32 | 1);
    return true;
  }
  static constexpr unsigned most_looks = 1U << 22;

  levels_of const& levels_;
  unsigned epoch_;
  std::size_t begin_;
  unsigned lane_;
  Op const& op_;
};

}  // namespace upsweep::device

/// The scan of a block by a user-defined operator, one level of the combine tree after another
/// through arrays in L1: loops of constant length, which compilers vectorize at -O2 whatever the
/// operator, if it is arithmetic.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/host/register_levels.hpp>
#include <upsweep/host/registers.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// What an accumulator is made of: itself if it is a number, else the bytes of 4 or 8, as it is
/// aligned.
template <class A>
struct word_of {
  using type [[gnu::may_alias]] =
      std::conditional_t<alignof(A) % 8 == 0, std::uint64_t, std::uint32_t>;
};
template <class A>
  requires std::is_arithmetic_v<A>
struct word_of<A> {
  using type = A;
};

/// The nodes of a level lie word by word, each word of an accumulator in an array of its own:
/// compilers do not vectorize operators over arrays of structures.
template <class A, class Op, bool is_small = false>
class scan_levels {
 public:
  using word = typename word_of<A>::type;
  static constexpr int words = sizeof(A) / sizeof(word);

  /// At most 8 KiB, so that the block, its nodes and its results stay in L1; a quarter of that for
  /// calls on fewer elements.
  static constexpr int log2 = (sizeof(A) == 4 ? 10 : sizeof(A) <= 16 ? 9 : 8) - (is_small ? 2 : 0);
  static constexpr std::size_t words_in_block = std::size_t{words} << log2;

  /// Whether accumulators may lie in such arrays. g++ copies more words one by one.
  static constexpr bool fits = std::is_trivially_copyable_v<A> && std::is_copy_assignable_v<A> &&
                               alignof(A) % 4 == 0 && words <= 4;

  /// The total of the elements. Keeps the left children, which are one less than the elements, at
  /// `left`.
  [[nodiscard]] static A up(A const* elements, A* left, Op const& op) {
    return in_widest_registers<widest>([=, &op]() UPSWEEP_INLINED {
      alignas(64) word to[words_in_block / 2], other[words_in_block];
      values const from = structures(as_words(elements));
      scan_levels const levels(left, op);
      if constexpr (std::has_single_bit(static_cast<unsigned>(words))) {
        return levels.template ascend<size / 2>(from, to, other);
      } else {
        values const parts = level(other, size);
        UPSWEEP_INDEPENDENT_STEPS
        for (int j = 0; j < size; ++j) parts.put(j, from.get(j));
        return levels.template ascend<size / 2>(parts, to, other);
      }
    });
  }
  /// Stores the results of the elements of the last up(), when the operator has been applied for
  /// all of them. `before` is the prefix before them (null at position 0, whose exclusive
  /// result is not specified), `after` that at their end. Changes what is at `left`.
  template <scan_kind kind>
  static void down(A* left, A const* before, A const& after, A* results, Op const& op) {
    in_widest_registers<widest>([=, &after, &op]() UPSWEEP_INLINED {
      alignas(64) word front[words_in_block + words * room];
      alignas(64) word other[words_in_block / 2 + words * room];
      scan_levels const levels(left, op);
      bool const begins_at_front = log2 % 2 == 0;  // where it ends
      word* const begin = begins_at_front ? front : other;
      fronts(begin, 1).put(0, before ? *before : after);
      levels.template descend<1>(begin, begins_at_front ? other : front, before != nullptr);
      constexpr int first = kind == scan_kind::inclusive;
      values const from = fronts(front, size), to = structures(as_words(results));
      from.put(size, after);
      UPSWEEP_INDEPENDENT_STEPS
      for (int j = 0; j < size; ++j) to.put(j, from.get(j + first));
    });
  }

 private:
  static constexpr int size = 1 << log2;
  /// Numbers whose operator is vectorized go in registers. Small blocks gain little from AVX-512. A
  /// copy of the loops takes 0.1 s to compile.
  static constexpr registers widest = fits_registers<A> ? registers::any
                                      : is_small        ? registers::avx2
                                                        : registers::avx512;
  static constexpr std::make_index_sequence<sizeof(A) / sizeof(word)> each{};
  struct bytes_of {
    word word_at[sizeof(A) / sizeof(word)];
  };

  /// Accumulators in memory: word w of number j is at[w * word_stride + j * stride].
  struct values {
    word* at;
    int word_stride, stride;

    UPSWEEP_INLINED A get(int j) const { return get(j, each); }
    UPSWEEP_INLINED void put(int j, A const& a) const { put(j, a, each); }

   private:
    template <std::size_t... w>
    UPSWEEP_INLINED A get(int j, std::index_sequence<w...>) const {
      return std::bit_cast<A>(bytes_of{at[static_cast<int>(w) * word_stride + j * stride]...});
    }
    template <std::size_t... w>
    UPSWEEP_INLINED void put(int j, A const& a, std::index_sequence<w...>) const {
      auto const bytes = std::bit_cast<bytes_of>(a);
      ((at[static_cast<int>(w) * word_stride + j * stride] = bytes.word_at[w]), ...);
    }
  };
  static values structures(word* at) { return {at, 1, words}; }
  static values level(word* at, int n) { return {at, n, 1}; }
  /// The prefixes before n nodes, with room for the one at their end.
  static values fronts(word* at, int n) { return {at, n + room, 1}; }
  static constexpr int room = 64 / sizeof(word);

  scan_levels(A* left, Op const& op) : left_(as_words(left)), op_(op) {}
  static word* as_words(A const* a) { return const_cast<word*>(reinterpret_cast<word const*>(a)); }
  /// The left ones of 2n nodes.
  [[nodiscard]] values lefts(int n) const { return level(left_ + words * (size - 2 * n), n); }

  /// Combines 2n nodes until one is left. `to` is room for n nodes, `other` for half.
  template <int n>
  UPSWEEP_INLINED A ascend(values from, word* to, word* other) const {
    values const left = lefts(n), up = level(to, n);
    UPSWEEP_INDEPENDENT_STEPS
    for (int j = 0; j < n; ++j) {
      A const earlier = from.get(2 * j);
      left.put(j, earlier);
      up.put(j, op_(earlier, from.get(2 * j + 1)));
    }
    if constexpr (n == 1)
      return up.get(0);
    else
      return ascend<n / 2>(up, other, to);
  }

  /// Computes the prefixes before 2n nodes from those before n nodes, level by level, down to the
  /// elements. If not `has_before`, node 0 has no prefix, and the prefix after its left child is
  /// that child. The loop then repeats node 1 for node 0, because the operator must only be
  /// applied to values of the call.
  template <int n>
  UPSWEEP_INLINED void descend(word* front, word* other, bool has_before) const {
    values const from = fronts(front, n), left = lefts(n), to = fronts(other, 2 * n);
    A const first = left.get(0);
    if (n > 1 && !has_before) from.put(0, from.get(1)), left.put(0, left.get(1));
    if (n > 1 || has_before) {
      UPSWEEP_INDEPENDENT_STEPS
      for (int j = 0; j < n; ++j) {
        A const before = from.get(j), after = op_(before, left.get(j));
        to.put(2 * j, before);
        to.put(2 * j + 1, after);
      }
    }
    if (!has_before) to.put(1, first);
    if constexpr (2 * n < size) descend<2 * n>(other, front, has_before);
  }

  word* left_;
  Op const& op_;
};

}  // namespace upsweep::host

/// Blocks of 64 rows of elements, for scans by user-defined operators. A block is stored by
/// columns of words, so that each step of the combine tree inside the rows is a loop over 64
/// neighbours, which compilers vectorise at -O2 whatever the operator, if it is arithmetic.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/host/registers.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace upsweep::host {

inline constexpr int block_rows = 64;

/// Stores 64 rows of `count` words, of 4 or 8 bytes each, by columns; `count` is a multiple of 4.
/// The two must not overlap.
UPSWEEP_API void to_columns(void const* rows, void* columns, std::size_t bytes, int count);
/// The inverse. The first `front` columns need not lie in front of the others.
UPSWEEP_API void to_rows(void const* first, int front, void const* others, void* rows,
                         std::size_t bytes, int count);

/// The bytes of any values.
template <std::size_t alignment>
struct word_of {
  using type [[gnu::may_alias]] = std::uint32_t;
};
template <>
struct word_of<8> {
  using type [[gnu::may_alias]] = std::uint64_t;
};

/// The scan of one block, in place: its columns are at `column`, 64 values each. An accumulator of
/// several words takes as many columns, one after another: compilers do not vectorise loops over
/// arrays of structures.
template <class A, class Op>
class row_block {
 public:
  using word = typename word_of<alignof(A) % 8 == 0 ? 8 : 4>::type;
  static constexpr int words = sizeof(A) / sizeof(word);

  /// At most 8 KiB, so that the block, its input and its results stay in L1.
  static constexpr int log2 = sizeof(A) == 4 ? 10 : 9;
  static constexpr int columns = (1 << log2) / block_rows;
  static constexpr std::size_t words_in_block = std::size_t{words} << log2;

  /// True for accumulators that may lie in such blocks. Those of more than 4 bytes gain only from
  /// AVX2: two lanes of 8 bytes are no faster than the recursion over the tree.
  static constexpr bool fits = std::is_trivially_copyable_v<A> && std::is_copy_assignable_v<A> &&
                               alignof(A) % 4 == 0 && sizeof(A) <= 16;
  [[nodiscard]] static bool pays() {
    return fits && (sizeof(A) == 4 || widest_registers() != registers::any);
  }

  /// Stores a block by columns, and back; `before` is the column in front of the first one.
  static void load(void const* rows, word* column) {
    to_columns(rows, column, sizeof(word), columns * words);
  }
  static void store_inclusive(word const* column, void* rows) {
    to_rows(column, words, column + words * block_rows, rows, sizeof(word), columns * words);
  }
  static void store_exclusive(word const* before, word const* column, void* rows) {
    to_rows(before, words, column, rows, sizeof(word), columns * words);
  }

  /// What is in the last row of the last column: the block's total after up(). It may be replaced
  /// before down(), which does not read it.
  [[nodiscard]] static A last(word const* column) {
    return node(column + last_column, block_rows - 1, all);
  }
  static void set_last(word* column, A const& a) {
    put(column + last_column, block_rows - 1, a, all);
  }

  /// Combines the nodes of the tree, each of which replaces the last of its elements; returns the
  /// total.
  [[nodiscard]] static A up(word* column, Op const& op) {
    return in_widest_registers<widest>([=, &op] { return row_block(column, op).ascend(); });
  }
  /// Replaces the nodes by the inclusive results, where `earlier` is the prefix in front of the
  /// block (null at position 0) and `later` the prefix at its end. The prefixes in front of the
  /// rows go to `before`.
  static void down(word* column, word* before, A const* earlier, A const& later, Op const& op) {
    in_widest_registers<widest>(
        [=, &later, &op] { row_block(column, op).descend(before, earlier, later); });
  }

 private:
  /// AVX-512 gains less than a twentieth: transpositions take half of the time.
  static constexpr registers widest = registers::avx2;

  row_block(word* column, Op const& op) : column_(column), op_(op) {}

  [[gnu::always_inline]] A ascend() const {
    for (int s = 1; s < columns; s *= 2)
      for (int c = 2 * s - 1; c < columns; c += 2 * s) combine(at(c - s), at(c), all);
    word* const total = at(columns - 1);  // of each row
    for (int s = 1; s < block_rows; s *= 2)
      for (int r = 2 * s - 1; r < block_rows; r += 2 * s)
        put(total, r, op_(node(total, r - s, all), node(total, r, all)), all);
    return node(total, block_rows - 1, all);
  }

  [[gnu::always_inline]] void descend(word* before, A const* earlier, A const& later) const {
    word* const after = at(columns - 1);  // the prefixes at the ends of the rows
    for (int s = block_rows / 2; s > 0; s /= 2) {
      if (earlier) put(after, s - 1, op_(*earlier, node(after, s - 1, all)), all);
      for (int r = 3 * s - 1; r < block_rows; r += 2 * s)
        put(after, r, op_(node(after, r - s, all), node(after, r, all)), all);
    }
    put(after, block_rows - 1, later, all);
    for (int w = 0; w < words; ++w)
      for (int r = 1; r < block_rows; ++r)
        before[w * block_rows + r] = after[w * block_rows + r - 1];
    put(before, 0, earlier ? *earlier : node(before, 1, all), all);
    for (int c = 0; c < columns - 1; ++c) {
      int const s = (c + 1) & -(c + 1);
      bool const from_start = s == c + 1;
      // At position 0 nothing precedes the first row, whose nodes from its start are results. In
      // their place the loop repeats the second row, because the operator must not meet values that
      // it would not meet otherwise.
      A const result = node(at(c), 0, all);
      if (from_start && !earlier) put(at(c), 0, node(at(c), 1, all), all);
      combine(from_start ? before : at(c - s), at(c), all);
      if (from_start && !earlier) put(at(c), 0, result, all);
    }
  }

  /// later[r] = op(earlier[r], later[r]) for each row.
  template <std::size_t... w>
  [[gnu::always_inline]] void combine(word const* earlier, word* later,
                                      std::index_sequence<w...> each) const {
    UPSWEEP_INDEPENDENT_STEPS
    for (int r = 0; r < block_rows; ++r)
      put(later, r, op_(node(earlier, r, each), node(later, r, each)), each);
  }
  /// The accumulator in row r of a column.
  template <std::size_t... w>
  [[gnu::always_inline]] static A const node(word const* column, int r, std::index_sequence<w...>) {
    return std::bit_cast<A>(bytes_of{column[static_cast<int>(w) * block_rows + r]...});
  }
  template <std::size_t... w>
  [[gnu::always_inline]] static void put(word* column, int r, A const& a,
                                         std::index_sequence<w...>) {
    auto const bytes = std::bit_cast<bytes_of>(a);
    ((column[static_cast<int>(w) * block_rows + r] = bytes.word_at[w]), ...);
  }
  struct bytes_of {
    std::conditional_t<sizeof(word) == 8, std::uint64_t, std::uint32_t>
        word_at[sizeof(A) / sizeof(word)];
  };
  static constexpr std::make_index_sequence<sizeof(A) / sizeof(word)> all{};

  static constexpr int last_column = (columns - 1) * words * block_rows;
  [[nodiscard]] word* at(int c) const { return column_ + c * words * block_rows; }

  word* column_;
  Op const& op_;
};

}  // namespace upsweep::host

/// Blocks of 64 rows of elements, for scans by user-defined operators. A block is stored by
/// columns, so that each step of the combine tree inside the rows is a loop over 64 neighbours,
/// which compilers vectorise at -O2 whatever the operator, if it is arithmetic.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::host {

inline constexpr int block_rows = 64;

/// Stores 64 rows of `count` values, of 4 or 8 bytes each, by columns; `count` is a multiple of 4.
/// The two must not overlap.
UPSWEEP_API void to_columns(void const* rows, void* columns, std::size_t bytes, int count);
/// The inverse. The first column need not lie in front of the others.
UPSWEEP_API void to_rows(void const* first, void const* others, void* rows, std::size_t bytes,
                         int count);

namespace simd {

/// Whether the processor has AVX2, or better, and forced_target allows it.
[[nodiscard]] UPSWEEP_API bool has_avx2();

}  // namespace simd

/// The scan of one block, in place: its columns are at `column`, 64 values each.
template <class A, class Op>
class row_block {
 public:
  /// 4 KiB, so that the block, its input and its results stay in L1.
  static constexpr int log2 = sizeof(A) == 4 ? 10 : 9;
  static constexpr int columns = (1 << log2) / block_rows;

  /// True for accumulators that may lie in such blocks. Those of 8 bytes gain only from AVX2:
  /// two lanes of them are no faster than the recursion over the tree.
  static constexpr bool fits = std::is_trivially_copyable_v<A> &&
                               std::is_trivially_default_constructible_v<A> &&
                               (sizeof(A) == 4 || sizeof(A) == 8);
  [[nodiscard]] static bool pays() { return fits && (sizeof(A) == 4 || simd::has_avx2()); }

  /// Combines the nodes of the tree, each of which replaces the last of its elements; returns the
  /// total.
  [[nodiscard]] static A up(A* column, Op const& op) {
    return simd::has_avx2() ? up_avx2(column, op) : up_anywhere(column, op);
  }
  /// Replaces the nodes by the inclusive results, where `earlier` is the prefix in front of the
  /// block (null at position 0) and `later` the prefix at its end. The prefixes in front of the
  /// rows go to `before`.
  static void down(A* column, A* before, A const* earlier, A const& later, Op const& op) {
    if (simd::has_avx2())
      down_avx2(column, before, earlier, later, op);
    else
      down_anywhere(column, before, earlier, later, op);
  }

 private:
  UPSWEEP_FLATTEN_AVX2 static A up_avx2(A* column, Op const& op) {
    return row_block(column, op).ascend();
  }
  UPSWEEP_FLATTEN static A up_anywhere(A* column, Op const& op) {
    return row_block(column, op).ascend();
  }
  UPSWEEP_FLATTEN_AVX2 static void down_avx2(A* column, A* before, A const* earlier, A const& later,
                                             Op const& op) {
    row_block(column, op).descend(before, earlier, later);
  }
  UPSWEEP_FLATTEN static void down_anywhere(A* column, A* before, A const* earlier, A const& later,
                                            Op const& op) {
    row_block(column, op).descend(before, earlier, later);
  }

  row_block(A* column, Op const& op) : column_(column), op_(op) {}

  [[gnu::always_inline]] A ascend() const {
    for (int s = 1; s < columns; s *= 2)
      for (int c = 2 * s - 1; c < columns; c += 2 * s) combine(at(c - s), at(c));
    A* const total = at(columns - 1);  // of each row
    for (int s = 1; s < block_rows; s *= 2)
      for (int r = 2 * s - 1; r < block_rows; r += 2 * s)
        total[r] = static_cast<A>(op_(node(total[r - s]), node(total[r])));
    return total[block_rows - 1];
  }

  [[gnu::always_inline]] void descend(A* before, A const* earlier, A const& later) const {
    A* const after = at(columns - 1);  // the prefixes at the ends of the rows
    for (int s = block_rows / 2; s > 0; s /= 2) {
      if (earlier) after[s - 1] = static_cast<A>(op_(*earlier, node(after[s - 1])));
      for (int r = 3 * s - 1; r < block_rows; r += 2 * s)
        after[r] = static_cast<A>(op_(node(after[r - s]), node(after[r])));
    }
    after[block_rows - 1] = later;
    for (int r = 1; r < block_rows; ++r) before[r] = after[r - 1];
    before[0] = earlier ? *earlier : before[1];
    for (int c = 0; c < columns - 1; ++c) {
      int const s = (c + 1) & -(c + 1);
      bool const from_start = s == c + 1;
      // At position 0 nothing precedes the first row, whose nodes from its start are results. In
      // their place the loop repeats the second row, because the operator must not meet values that
      // it would not meet otherwise.
      A const result = at(c)[0];
      if (from_start && !earlier) at(c)[0] = at(c)[1];
      combine(from_start ? before : at(c - s), at(c));
      if (from_start && !earlier) at(c)[0] = result;
    }
  }

  /// later[r] = op(earlier[r], later[r]) for each row.
  [[gnu::always_inline]] void combine(A const* earlier, A* later) const {
    UPSWEEP_INDEPENDENT_STEPS
    for (int r = 0; r < block_rows; ++r)
      later[r] = static_cast<A>(op_(node(earlier[r]), node(later[r])));
  }
  [[gnu::always_inline]] static A const& node(A const& a) { return a; }
  [[nodiscard]] A* at(int c) const { return column_ + c * block_rows; }

  A* column_;
  Op const& op_;
};

}  // namespace upsweep::host

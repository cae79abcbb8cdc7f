/// The combine tree over the rows of a matrix, all columns side by side. Each loop over columns is
/// free of dependences, so compilers vectorize it. The totals of aligned blocks of rows are kept
/// like the digits of a binary counter: digit k is that of a block of 2^k rows.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/monoid.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

/// How many columns are combined at a time, at most. The digits take at most 40 KB, and the
/// prefixes of a scan as much again.
template <class A>
inline constexpr std::size_t column_width = sizeof(A) <= 8 ? 128 : 1024 / sizeof(A);
inline constexpr int most_row_digits = 40;
inline constexpr std::size_t rows_of_leaf = 8;  // combined in registers

/// Columns of rows that are contiguous, at least one of each. In reverse, row 0 is the last.
template <class T>
struct column_rows {
  T* first;
  std::ptrdiff_t stride;
  std::size_t rows, columns;
  bool reverse = false;

  [[nodiscard]] std::size_t position(std::size_t r) const { return reverse ? rows - 1 - r : r; }
  [[nodiscard]] T* row(std::size_t r) const {
    return first + static_cast<std::ptrdiff_t>(position(r)) * stride;
  }
};

/// How columns are combined: by an operator of the user.
template <class Op, class A>
struct column_operator {
  Op const& op;

  template <class T>
  UPSWEEP_INLINED A lift(T const& x, std::size_t row) const {
    return detail::lift(op, x, row);
  }
  UPSWEEP_INLINED A combine(A const& earlier, A const& later) const {
    return static_cast<A>(without_branches<A>(op)(earlier, later));
  }
  UPSWEEP_INLINED A finish(A const& a) const { return detail::finish(op, a); }
};
/// Products that are right where they are finite.
template <class A>
struct column_operator<plain_multiplies, A> {
  template <class T>
  UPSWEEP_INLINED A lift(T const& x, std::size_t) const {
    return static_cast<A>(x);
  }
  UPSWEEP_INLINED A combine(A const& earlier, A const& later) const {
    return plain_multiplies{}(earlier, later);
  }
  UPSWEEP_INLINED A const& finish(A const& a) const { return a; }
};

/// f(c) for each column. At -O2 compilers vectorize loops of a constant length only.
template <class A, class F>
UPSWEEP_INLINED inline void for_columns(std::size_t columns, F const& f) {
  constexpr std::size_t together = sizeof(A) < 32 ? 32 / sizeof(A) : 1;
  std::size_t c = 0;
  for (; c + together <= columns; c += together) {
    UPSWEEP_ONE_REGISTER
    for (std::size_t i = 0; i < together; ++i) f(c + i);
  }
  for (; c < columns; ++c) f(c);
}

/// A value for each column. Specializations keep the parts of a value in arrays of their own.
template <class A>
class column_values {
 public:
  static constexpr std::size_t width = column_width<A>;
  /// Says that the values are those of so many rows.
  void of_rows(std::size_t) {}
  static std::size_t rows() { return 0; }
  [[nodiscard]] A at(std::size_t c) const { return value_[c]; }
  void put(std::size_t c, A const& a) { value_[c] = a; }

 private:
  std::array<A, width> value_;
};

template <class T>
class column_values<indexed<T>> {
 public:
  static constexpr std::size_t width = 64;
  void of_rows(std::size_t) {}
  static std::size_t rows() { return 0; }
  [[nodiscard]] indexed<T> at(std::size_t c) const { return {value_[c], index_[c]}; }
  void put(std::size_t c, indexed<T> const& a) { value_[c] = a.value, index_[c] = a.index; }

 private:
  std::array<T, width> value_;
  std::array<std::size_t, width> index_;
};

/// Blocks of rows, appended one after another. `Columns` has lift(x, row) and combine(a, b).
template <class Columns, class T>
class column_blocks {
 public:
  using accumulator = decltype(std::declval<Columns const&>().lift(std::declval<T const&>(), 0));
  using values = column_values<accumulator>;

  column_blocks(Columns const& op, std::size_t columns) : op_(op), columns_(columns) {}

  /// Combines the block of rows [r, r + 2^k) on the right of `total`, which is that of the `before`
  /// rows before them. Without rows before them, total = the block.
  template <int k, class Rows>
  UPSWEEP_INLINED void append(Rows const& in, std::size_t r, std::size_t before,
                              values& total) const {
    constexpr std::size_t size = std::size_t{1} << k;
    T const* rows[size];
    UPSWEEP_UNROLLED
    for (std::size_t j = 0; j < size; ++j) rows[j] = in.row(r + j);
    if (before == 0)
      for_columns<accumulator>(columns_, [&](std::size_t c) UPSWEEP_INLINED {
        total.put(c, block_of<k>(in, rows, r, c));
      });
    else
      for_columns<accumulator>(columns_, [&](std::size_t c) UPSWEEP_INLINED {
        total.put(c, op_.combine(total.at(c), block_of<k>(in, rows, r, c)));
      });
    total.of_rows(before + size);
  }
  /// Combines the aligned block of 2^k rows at row `at`, whose totals are in `block`, with the
  /// blocks before it that it completes, and returns the digit of the result, which is to be kept.
  UPSWEEP_INLINED std::size_t complete(std::size_t k, std::size_t at, values& block) const {
    for (; at >> k & 1; block.of_rows(std::size_t{1} << ++k)) combine(digit_[k], block);
    return k;
  }
  [[nodiscard]] values& digit(std::size_t k) { return digit_[k]; }
  /// Combines the digits of `rows` on the right of `total`, from the highest to the lowest. `total`
  /// is that of the `before` rows before them.
  UPSWEEP_INLINED void fold(std::size_t rows, std::size_t before, values& total) const {
    for (auto k = static_cast<std::size_t>(std::bit_width(rows)); k-- > 0;) {
      if (!(rows >> k & 1)) continue;
      if (before == 0)
        copy(digit_[k], total);
      else
        for_columns<accumulator>(columns_, [&](std::size_t c) UPSWEEP_INLINED {
          total.put(c, op_.combine(total.at(c), digit_[k].at(c)));
        });
      total.of_rows(before += std::size_t{1} << k);
    }
  }
  /// later = earlier ⊕ later.
  UPSWEEP_INLINED void combine(values const& earlier, values& later) const {
    for_columns<accumulator>(columns_, [&](std::size_t c) UPSWEEP_INLINED {
      later.put(c, op_.combine(earlier.at(c), later.at(c)));
    });
  }
  UPSWEEP_INLINED void copy(values const& from, values& to) const {
    to.of_rows(from.rows());
    for_columns<accumulator>(columns_,
                             [&](std::size_t c) UPSWEEP_INLINED { to.put(c, from.at(c)); });
  }

 private:
  /// The total of rows [r, r + 2^k) of a column.
  template <int k, class Rows>
  UPSWEEP_INLINED accumulator block_of(Rows const& in, T const* const* rows, std::size_t r,
                                       std::size_t c) const {
    if constexpr (k == 0) {
      return op_.lift((*rows)[c], in.position(r));
    } else {
      constexpr std::size_t half = std::size_t{1} << (k - 1);
      return op_.combine(block_of<k - 1>(in, rows, r, c),
                         block_of<k - 1>(in, rows + half, r + half, c));
    }
  }

  Columns const& op_;
  std::size_t columns_;
  std::array<values, most_row_digits> digit_;
};

/// Combines all rows of `in` on the right of `total`, which is that of the `before` rows before
/// them: aligned blocks of rows, if they are more than these. `in` has `rows`, `columns`, row(r)
/// and position(r), of which eight rows are used at a time.
template <class T, class Columns, class Rows>
UPSWEEP_INLINED inline void append_rows(Columns const& op, Rows const& in, std::size_t before,
                                        typename column_blocks<Columns, T>::values& total) {
  column_blocks<Columns, T> blocks(op, in.columns);
  std::size_t const in_leaves = in.rows - in.rows % rows_of_leaf;
  typename column_blocks<Columns, T>::values block;
  for (std::size_t r = 0; r < in_leaves; r += rows_of_leaf) {
    blocks.template append<3>(in, r, 0, block);
    blocks.copy(block, blocks.digit(blocks.complete(3, r, block)));
  }
  blocks.fold(in_leaves, before, total);
  std::size_t r = in_leaves;
  auto const append = [&]<int k>(std::integral_constant<int, k>) UPSWEEP_INLINED {
    if (!(in.rows >> k & 1)) return;
    blocks.template append<k>(in, r, before + r, total);
    r += std::size_t{1} << k;
  };
  append(std::integral_constant<int, 2>());
  append(std::integral_constant<int, 1>());
  append(std::integral_constant<int, 0>());
}

/// Calls put(column, total) for each column of `in`.
template <class Columns, class T, class Put>
UPSWEEP_INLINED inline void reduce_columns(Columns const& op, column_rows<T const> const& in,
                                           Put const& put) {
  typename column_blocks<Columns, T>::values total;
  append_rows<T>(op, in, 0, total);
  for (std::size_t c = 0; c < in.columns; ++c) put(c, total.at(c));
}

/// The scans of the columns of `in`, stored in the same columns of `out`, which may be the same
/// memory. has_initial: `initial` is combined on the left of each. `first` is the result at row 0
/// of exclusive scans.
template <scan_kind kind, bool has_initial, class Columns, class T, class R>
class column_scan {
  using blocks = column_blocks<Columns, T>;
  using A = typename blocks::accumulator;
  using values = typename blocks::values;

 public:
  column_scan(Columns const& op, column_rows<T const> const& in, column_rows<R> const& out,
              A const* initial, A const* first)
      : op_(op), in_(in), out_(out), initial_(initial), first_(first), blocks_(op, in.columns) {}

  UPSWEEP_INLINED void run() {
    values block;
    for (std::size_t r = 0; r < in_.rows;) {
      bool const whole = r > 0 && r % rows_of_leaf == 0 && r + rows_of_leaf <= in_.rows;
      whole ? scan_leaf(r, block) : scan_row(r, block);
      r += whole ? rows_of_leaf : 1;
    }
  }

 private:
  static constexpr bool inclusive = kind == scan_kind::inclusive;

  /// The prefixes of r rows, r >= 1: of the digit that ends there.
  [[nodiscard]] values const& prefix(std::size_t r) const {
    return prefix_[static_cast<std::size_t>(std::countr_zero(r))];
  }
  [[nodiscard]] UPSWEEP_INLINED R result(A const& prefix) const {
    if constexpr (has_initial)
      return static_cast<R>(op_.finish(op_.combine(*initial_, prefix)));
    else
      return static_cast<R>(op_.finish(prefix));
  }
  UPSWEEP_INLINED void store(values const& prefixes, std::size_t r) const {
    R* const to = out_.row(r);
    for_columns<A>(in_.columns,
                   [&](std::size_t c) UPSWEEP_INLINED { to[c] = result(prefixes.at(c)); });
  }
  /// Appends the block of 2^k rows at r and keeps the prefixes at its end.
  UPSWEEP_INLINED void push(std::size_t k, std::size_t r, values& block) {
    R* const to = out_.row(r + (std::size_t{1} << k) - 1);
    std::size_t const digit = blocks_.complete(k, r, block), begin = r >> digit << digit;
    begin > 0 ? keep(&prefix(begin), block, digit, to) : keep(nullptr, block, digit, to);
  }
  UPSWEEP_INLINED void keep(values const* before, values const& block, std::size_t digit, R* to) {
    values &total = blocks_.digit(digit), &prefixes = prefix_[digit];
    total.of_rows(block.rows());
    for_columns<A>(in_.columns, [&](std::size_t c) UPSWEEP_INLINED {
      A const own = block.at(c), all = before ? op_.combine(before->at(c), own) : own;
      total.put(c, own);
      prefixes.put(c, all);
      if constexpr (inclusive) to[c] = result(all);
    });
  }
  UPSWEEP_INLINED void scan_row(std::size_t r, values& block) {
    blocks_.template append<0>(in_, r, 0, block);
    if constexpr (!inclusive) {
      if (r > 0) {
        store(prefix(r), r);
      } else {
        R* const to = out_.row(0);
        for (std::size_t c = 0; c < in_.columns; ++c) to[c] = static_cast<R>(op_.finish(*first_));
      }
    }
    push(0, r, block);
  }
  /// Rows r to r + 7, where r > 0.
  UPSWEEP_INLINED void scan_leaf(std::size_t r, values& block) {
    T const* rows[rows_of_leaf];
    R* results[rows_of_leaf];
    for (std::size_t j = 0; j < rows_of_leaf; ++j) {
      rows[j] = in_.row(r + j);
      results[j] = out_.row(r + j);
    }
    values const& before = prefix(r);
    block.of_rows(rows_of_leaf);
    for_columns<A>(in_.columns, [&](std::size_t c) UPSWEEP_INLINED {
      // Without loops, which compilers unroll too late to vectorize this. All elements are read
      // before a result is stored, perhaps in the same memory.
      auto const x = [&](std::size_t j)
                         UPSWEEP_INLINED { return op_.lift(rows[j][c], in_.position(r + j)); };
      A const left = before.at(c), x0 = x(0), x1 = x(1), x2 = x(2), x3 = x(3), x4 = x(4), x5 = x(5),
              x6 = x(6), x7 = x(7);
      A const of_2 = op_.combine(x0, x1), of_4 = op_.combine(of_2, op_.combine(x2, x3)),
              next_2 = op_.combine(x4, x5), at_2 = op_.combine(left, of_2),
              at_4 = op_.combine(left, of_4), at_6 = op_.combine(at_4, next_2);
      auto const store = [&](std::size_t j, A const& prefix) UPSWEEP_INLINED {
        if constexpr (inclusive)
          results[j - 1][c] = result(prefix);
        else
          results[j][c] = result(prefix);
      };
      if constexpr (!inclusive) store(0, left);
      store(1, op_.combine(left, x0));
      store(2, at_2);
      store(3, op_.combine(at_2, x2));
      store(4, at_4);
      store(5, op_.combine(at_4, x4));
      store(6, at_6);
      store(7, op_.combine(at_6, x6));
      block.put(c, op_.combine(of_4, op_.combine(next_2, op_.combine(x6, x7))));
    });
    push(3, r, block);
  }

  Columns const& op_;
  column_rows<T const> in_;
  column_rows<R> out_;
  A const* initial_;
  A const* first_;
  blocks blocks_;
  std::array<values, most_row_digits> prefix_;
};

}  // namespace upsweep::detail

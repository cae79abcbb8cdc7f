/// Reductions and scans of all lines along an axis whose neighbors are adjacent in memory: row by
/// row, in blocks of columns that the threads of an executor share.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/lines.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/generic/lines/columns.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::detail {

/// Whether `Op` combines columns of T side by side: its accumulators are its results and are moved
/// as bytes.
template <class Op, class T>
inline constexpr bool combines_columns = [] {
  using A = accumulator_t<Op, T>;
  return std::is_same_v<A, result_t<Op, T>> && std::is_trivially_copyable_v<A> &&
         std::is_trivially_default_constructible_v<A> && sizeof(A) <= 64;
}();

/// f() in the widest registers that the executor knows of.
template <class E, class F>
void in_registers_of(F const& f) {
  if constexpr (requires { E::kernels::in_wide_registers(f); })
    E::kernels::in_wide_registers(f);
  else
    f();
}

/// How the columns of matrices are divided into blocks.
struct column_shares {
  std::size_t width, blocks;
  bool worth;  ///< false if the lines are better taken one after another, each on all threads

  template <class E, class T>
  column_shares(E const& on, matrices<T> const& x, std::size_t most) {
    constexpr std::size_t cache_line = at_least_one(64 / sizeof(T));
    std::size_t const threads = threads_for(on, x.planes * x.rows * x.columns);
    std::size_t const each = x.planes * x.columns / threads / cache_line * cache_line;
    width = at_most(each < cache_line ? cache_line : each, most);
    blocks = (x.columns + width - 1) / width;
    // Reading single lines with a stride costs four times as much.
    worth = x.planes * blocks * 4 >= threads;
  }

 private:
  static constexpr std::size_t at_least_one(std::size_t n) { return n > 0 ? n : 1; }
};

/// Calls f(plane, first column, columns) for all blocks.
template <class E, class T, class F>
void for_column_blocks(E const& on, matrices<T> const& x, column_shares const& shares, F const& f) {
  for_each_part(on, x.planes * shares.blocks, shares.width * x.rows, [&](std::size_t job) {
    std::size_t const plane = job / shares.blocks, begin = job % shares.blocks * shares.width;
    in_registers_of<E>(
        [&]() UPSWEEP_INLINED { f(plane, begin, at_most(shares.width, x.columns - begin)); });
  });
}

/// Rows of the columns [begin, begin + columns) of a plane.
template <class T>
[[nodiscard]] column_rows<T> rows_at(matrices<T> const& x, std::size_t plane, std::size_t begin,
                                     std::size_t columns, bool reverse) {
  return {x.first + static_cast<std::ptrdiff_t>(plane) * x.plane_stride +
              static_cast<std::ptrdiff_t>(begin),
          x.row_stride, x.rows, columns, reverse};
}

/// Whether lines along an axis are columns of rows without gaps, and enough of them: extrema
/// without branches are slower unless they fill a register.
template <class Op, class A, class T>
[[nodiscard]] bool are_columns(matrices<T> const& x, bool along_rows) {
  constexpr std::size_t fewest = has_branches<Op, A> ? 32 / sizeof(A) : 2;
  return !along_rows && x.column_stride == 1 && x.columns >= fewest &&
         x.rows >> most_row_digits == 0;
}

/// Stores the reductions of all lines, which fit matrices and are not empty, or returns false if
/// another way is better.
template <class E, class T, class R, class Op, class A>
bool reduce_columns(E const& on, line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                    A const* initial) {
  if (!are_columns<Op, A>(lines.in, lines.along_rows)) return false;
  column_shares const shares(on, lines.in, column_values<A>::width);
  if (!shares.worth) return false;
  column_operator<Op, A> const columns_by{op};
  auto const& out = lines.out;
  for_column_blocks(
      on, lines.in, shares,
      [&](std::size_t plane, std::size_t begin, std::size_t columns) UPSWEEP_INLINED {
        R* const to = out.first + static_cast<std::ptrdiff_t>(plane) * out.plane_stride +
                      static_cast<std::ptrdiff_t>(begin) * out.column_stride;
        auto const rows = rows_at(lines.in, plane, begin, columns, reverse);
        auto const reduce = [&](auto const& by) UPSWEEP_INLINED {
          bool all_finite = true;
          reduce_columns(by, rows, [&](std::size_t c, A const& total) UPSWEEP_INLINED {
            if constexpr (tries_plain<Op, A>) all_finite = all_finite && is_finite_value(total);
            to[static_cast<std::ptrdiff_t>(c) * out.column_stride] = static_cast<R>(
                columns_by.finish(initial ? columns_by.combine(*initial, total) : total));
          });
          return all_finite;
        };
        if constexpr (tries_plain<Op, A>)
          if (reduce(column_operator<plain_multiplies, A>{})) return;
        (void)reduce(columns_by);
      });
  return true;
}

/// Stores the scans of all lines, which fit matrices and are not empty, or returns false if another
/// way is better.
template <scan_kind kind, class E, class T, class R, class Op, class A>
bool scan_columns(E const& on, line_matrices<T const, R> const& lines, bool reverse, Op const& op,
                  A const* initial, A const* first) {
  if (!are_columns<Op, A>(lines.in, lines.along_rows) || lines.out.column_stride != 1) return false;
  column_shares const shares(on, lines.in, column_values<A>::width);
  if (!shares.worth) return false;
  column_operator<Op, A> const columns_by{op};
  for_column_blocks(
      on, lines.in, shares,
      [&](std::size_t plane, std::size_t begin, std::size_t columns) UPSWEEP_INLINED {
        auto const in = rows_at(lines.in, plane, begin, columns, reverse);
        auto const out = rows_at(lines.out, plane, begin, columns, reverse);
        auto const scan = [&]<bool has_initial, class By>(std::bool_constant<has_initial>,
                                                          By const& by) UPSWEEP_INLINED {
          column_scan<kind, has_initial, By, T, R>(by, in, out, initial, first).run();
        };
        auto const run = [&](auto const& by) UPSWEEP_INLINED {
          initial ? scan(std::true_type(), by) : scan(std::false_type(), by);
        };
        if constexpr (tries_plain<Op, A>)
          if (static_cast<void const*>(in.first) != static_cast<void const*>(out.first)) {
            run(column_operator<plain_multiplies, A>{});
            // If all blocks of rows are finite and not zero, no prefix is NaN.
            bool all_regular = true;
            for (R const *to = out.row(in.rows - 1), *const end = to + columns; to < end; ++to)
              all_regular =
                  all_regular && is_finite_value(static_cast<A>(*to)) && static_cast<A>(*to) != 0;
            if (all_regular) return;
          }
        run(columns_by);
      });
  return true;
}

}  // namespace upsweep::detail

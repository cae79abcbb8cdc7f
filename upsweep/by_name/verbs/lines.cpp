/// Reductions and scans along an axis by name. Many neighboring lines are combined row by row
/// (generic/lines), by forms of the operators that compilers vectorize; others line by line.
#include <upsweep/by_name/verbs/lines.hpp>

#include <upsweep/core/rounding.hpp>
#include <upsweep/generic/lines/columns.hpp>
#include <upsweep/generic/lines/lines.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::dynamic {
namespace {

/// The longest lines that are transposed in blocks: for most operators, and for moments, which take
/// more time for a line alone.
constexpr std::size_t short_line = 32, short_line_of_moments = 64;

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The means of moments alone: less than half of the arithmetic.
struct means_only {};
struct mean_of {
  std::uint64_t count;
  double mean;
};

template <class Op>
constexpr bool ignores_nan = std::is_same_v<Op, min_number> || std::is_same_v<Op, max_number>;

/// How columns are combined by `Op`, without branches. Means are those of `moments` while they are
/// finite, see checked().
template <class Op>
struct column_form {
  template <class A>
  [[gnu::always_inline]] A combine(A const& earlier, A const& later) const {
    if constexpr (std::is_same_v<Op, moments> || std::is_same_v<Op, means_only>) {
      std::uint64_t const count = earlier.count + later.count;
      double const right = static_cast<double>(later.count) / static_cast<double>(count);
      double const apart = later.mean - earlier.mean, mean = earlier.mean + apart * right;
      if constexpr (std::is_same_v<Op, means_only>) {
        return {count, mean};
      } else {
        double const between = apart * apart * (static_cast<double>(earlier.count) * right);
        return {count, mean, earlier.m2 + later.m2 + between};
      }
    } else if constexpr (std::is_floating_point_v<A> && ignores_nan<Op>) {
      constexpr bool greatest = std::is_same_v<Op, max_number>;
      auto const a = std::bit_cast<bits_of<A>>(earlier), b = std::bit_cast<bits_of<A>>(later),
                 both =
                     std::bit_cast<bits_of<A>>(detail::chosen_extremum<greatest>()(earlier, later)),
                 one = earlier != earlier ? b : both;
      return std::bit_cast<A>(later != later ? a : one);
    } else {
      return detail::without_branches<A>(Op{})(earlier, later);
    }
  }
  /// The same of extrema with their positions.
  template <class T>
  [[gnu::always_inline]] indexed<T> combine(indexed<T> const& earlier,
                                            indexed<T> const& later) const {
    bool const wins =
        std::is_same_v<Op, argmax> ? later.value > earlier.value : later.value < earlier.value;
    return {wins ? later.value : earlier.value, wins ? later.index : earlier.index};
  }
  /// An element with its position. Floats become integers of the same order, NaN the one that wins.
  template <class T>
  [[gnu::always_inline]] auto lift(T const& x, std::size_t row) const {
    constexpr bool is_argmax = std::is_same_v<Op, argmax>;
    if constexpr (std::is_floating_point_v<T> && (is_argmax || std::is_same_v<Op, argmin>)) {
      using key = std::make_signed_t<bits_of<T>>;
      using limits = std::numeric_limits<key>;
      auto const bits = std::bit_cast<key>(x);
      key const ordered = bits < 0 ? static_cast<key>(bits ^ limits::max()) : bits;
      return indexed<key>{x != x ? (is_argmax ? limits::max() : limits::min()) : ordered, row};
    } else if constexpr (std::is_same_v<Op, means_only>) {
      return mean_of{1, static_cast<double>(x)};
    } else {
      return detail::lift(Op{}, x, row);
    }
  }
};

/// All columns have the same count.
class counted {
 public:
  void of_rows(std::size_t n) { count_ = n; }
  [[nodiscard]] std::size_t rows() const { return count_; }

 protected:
  std::uint64_t count_ = 0;
};

}  // namespace
}  // namespace upsweep::dynamic

template <>
class upsweep::detail::column_values<upsweep::dynamic::mean_of> : public upsweep::dynamic::counted {
 public:
  static constexpr std::size_t width = 128;
  [[nodiscard]] dynamic::mean_of at(std::size_t c) const { return {count_, mean_[c]}; }
  void put(std::size_t c, dynamic::mean_of const& a) { mean_[c] = a.mean; }

 private:
  std::array<double, width> mean_;
};
template <>
class upsweep::detail::column_values<upsweep::detail::moments_of>
    : public upsweep::dynamic::counted {
 public:
  static constexpr std::size_t width = 64;
  [[nodiscard]] detail::moments_of at(std::size_t c) const { return {count_, mean_[c], m2_[c]}; }
  void put(std::size_t c, detail::moments_of const& a) { mean_[c] = a.mean, m2_[c] = a.m2; }

 private:
  std::array<double, width> mean_, m2_;
};

namespace upsweep::dynamic {
namespace {

/// The total of a column, by the operator if a mean was not finite: it remains so.
template <class Op, class T, class A>
[[gnu::noinline]] A by_operator(detail::column_rows<T const> const& in, std::size_t c) {
  std::vector<T> column(in.rows);
  for (std::size_t r = 0; r < in.rows; ++r) column[r] = in.row(r)[c];
  detail::moments_of const all = upsweep::reduce(cpu{.threads = 1}, column, moments{});
  if constexpr (std::is_same_v<Op, means_only>)
    return {all.count, all.mean};
  else
    return all;
}
template <class Op, class T, class A>
[[gnu::always_inline]] inline A checked(detail::column_rows<T const> const& in, std::size_t c,
                                        A const& total) {
  if constexpr (requires { total.mean; })
    if (total.mean - total.mean != 0) return by_operator<Op, T, A>(in, c);
  return total;
}

/// Calls f(first line, columns, rows, their memory) for blocks of neighboring lines, whose rows
/// are contiguous: they are transposed if they are not.
template <std::size_t width, class F>
void for_each_block(cpu const& on, axis_lines const& x, F const& f) {
  std::size_t const blocks = (x.inner + width - 1) / width;
  on.for_each_part(x.outer * blocks, width * x.size, [&](std::size_t job) {
    std::size_t const o = job / blocks, i = job % blocks * width;
    std::size_t const columns = std::min(width, x.inner - i);
    if (x.stride_inner == 1) return f(o * x.inner + i, columns, x, x.line(o, i));
    std::array<std::byte, short_line_of_moments * width * 8> rows;
    axis_lines across = x, moved = x;
    std::swap(across.inner, across.size), std::swap(across.stride_inner, across.stride);
    across.first = x.line(o, i), across.size = columns;
    copy_lines<true>(across, 0, 0, across.inner, rows.data());
    moved.stride = static_cast<std::ptrdiff_t>(columns);
    f(o * x.inner + i, columns, moved, rows.data());
  });
}

/// Calls put(line, total) for each line.
template <class Op, class T, class Put>
void reduce_columns_by(cpu const& on, axis_lines const& x, Put const& put) {
  constexpr std::size_t width = detail::column_blocks<column_form<Op>, T>::values::width;
  for_each_block<width>(
      on, x,
      [&](std::size_t line, std::size_t columns, axis_lines const& rows, std::byte const* first) {
        detail::column_rows<T const> const in{reinterpret_cast<T const*>(first), rows.stride,
                                              rows.size, columns};
        host::in_widest_registers<host::registers::avx2>([&]() UPSWEEP_INLINED {
          detail::reduce_columns(column_form<Op>{}, in,
                                 [&](std::size_t c, auto const& total) UPSWEEP_INLINED {
                                   put(line + c, checked<Op, T>(in, c, total));
                                 });
        });
      });
}

/// Others are reduced line by line.
using column_types = types<float, double, std::int32_t, std::int64_t, std::uint64_t, std::uint8_t>;

/// f<Op, T>() for an operator over elements that is reduced here, or otherwise().
template <class F, class Otherwise>
auto with_operator(call_entry const& e, F const& f, Otherwise const& otherwise) {
  auto const over = [&]<class Op>(Op) {
    return dispatch(
        column_types{}, e.element, [&]<class T>() { return f.template operator()<Op, T>(); },
        otherwise);
  };
  if (e.op == catalog::id::sum) return over(plus{});
  if (e.op == catalog::id::min) return over(min{});
  if (e.op == catalog::id::max) return over(max{});
  if (e.op == catalog::id::min_number) return over(min_number{});
  if (e.op == catalog::id::max_number) return over(max_number{});
  if (e.op == catalog::id::argmin) return over(argmin{});
  if (e.op == catalog::id::argmax) return over(argmax{});
  return otherwise();
}

/// Whether lines of one row are neighbors in memory, and enough of them, or short.
bool has_columns(axis_lines const& x, std::size_t longest) {
  if (x.size == 0 || x.inner < 8 || x.rows > 1) return false;
  return x.size <= longest || (x.stride_inner == 1 && !x.contiguous());
}

/// to[line] = the reduction of each line, on whose left `initial` is combined unless it is null.
void reduce_columns(call_entry const& e, request const& how, axis_lines const& x, void* to) {
  with_operator(
      e,
      [&]<class Op, class T>() {
        reduce_columns_by<Op, T>(how.on, x, [&]<class A>(std::size_t line, A const& total) {
          auto const* const before = static_cast<A const*>(how.initial);
          if constexpr (requires { total.index; })
            static_cast<std::uint64_t*>(to)[line] = total.index;
          else
            static_cast<A*>(to)[line] = before ? Op{}(*before, total) : total;
        });
      },
      [] {});
}

/// Whether elements and results have one type, and neighbors of lines are neighbors in memory.
bool are_columns(call_entry const& e, axis_lines const& x) {
  return e.element == e.result && x.size > 0 && x.rows == 1 && x.stride_inner == 1 &&
         !x.contiguous();
}
template <class T>
detail::matrices<T> matrices_of(axis_lines const& x) {
  return {reinterpret_cast<std::remove_const_t<T>*>(x.first),
          x.outer,
          x.size,
          x.inner,
          x.stride_outer,
          x.stride,
          x.stride_inner};
}

/// The same for products of floats, or false if these lines have another way.
bool reduce_products(call_entry const& e, request const& how, axis_lines const& x, void* to) {
  if (e.op != catalog::id::product || !are_columns(e, x)) return false;
  return dispatch(
      types<float, double>{}, e.element,
      [&]<class T>() {
        auto const columns = static_cast<std::ptrdiff_t>(x.inner);
        detail::matrices<T> const out{static_cast<T*>(to), x.outer, 1, x.inner, columns, 0, 1};
        return detail::reduce_columns(
            how.on, detail::line_matrices<T const, T>{true, matrices_of<T const>(x), out, false},
            how.reverse, multiplies{}, static_cast<T const*>(how.initial));
      },
      [] { return false; });
}

/// The scan of each line by sums, or false if these lines have another way.
template <scan_kind kind>
bool scan_sums(call_entry const& e, request const& how, axis_lines const& x,
               axis_lines const& out) {
  if (e.op != catalog::id::sum || !are_columns(e, x) || !are_columns(e, out)) return false;
  return dispatch(
      types<float, double, std::int64_t, std::uint64_t>{}, e.element,
      [&]<class T>() {
        options<T> o;
        if (how.initial) o.initial = *static_cast<T const*>(how.initial);
        detail::first_results<kind, plus, T> const begin(plus{}, o);
        return detail::scan_columns<kind>(
            how.on,
            detail::line_matrices<T const, T>{true, matrices_of<T const>(x), matrices_of<T>(out),
                                              false},
            how.reverse, plus{}, begin.initial, begin.first);
      },
      [] { return false; });
}

}  // namespace

bool reduces_columns(call_entry const& e, axis_lines const& x) {
  return has_columns(beside(x), short_line) &&
         with_operator(e, []<class Op, class T>() { return true; }, [] { return false; });
}

void reduce_lines(call_entry const& e, axis_lines const& given, request const& how, void* to) {
  detail::float_environment const ieee;
  axis_lines const x = beside(given);
  if (how.tree == tree::prefix) {
    if (!how.reverse && reduces_columns(e, x)) return reduce_columns(e, how, x, to);
    if (reduce_products(e, how, x, to)) return;
  }
  for_each_line(how.on, x, [&](std::size_t line, std::byte const* elements, cpu const& here) {
    request mine = how;
    mine.on = here;
    e.reduce(elements, x.size, mine, element_in(to, bytes_out(e), line));
  });
}

void scan_lines(verb v, call_entry const& e, axis_lines const& x, request const& how,
                axis_lines const& out) {
  detail::float_environment const ieee;
  bool const done = v == verb::inclusive_scan
                        ? scan_sums<scan_kind::inclusive>(e, how, beside(x), beside(out))
                        : scan_sums<scan_kind::exclusive>(e, how, beside(x), beside(out));
  if (done) return;
  for_each_line(how.on, x, out, [&](auto const* elements, auto* results, cpu const& here) {
    request mine = how;
    mine.on = here;
    e.run(v, elements, x.size, mine, results);
  });
}

bool find_column_moments(cpu const& on, dtype t, axis_lines const& x, double* means,
                         double* squares) {
  if (!has_columns(beside(x), short_line_of_moments)) return false;
  return dispatch(
      moment_types{}, t,
      [&]<class T>() {
        if (squares)
          reduce_columns_by<moments, T>(on, beside(x),
                                        [=](std::size_t line, detail::moments_of const& m) {
                                          means[line] = m.mean, squares[line] = m.m2;
                                        });
        else
          reduce_columns_by<means_only, T>(
              on, beside(x), [=](std::size_t line, mean_of const& m) { means[line] = m.mean; });
        return true;
      },
      [] { return false; });
}

}  // namespace upsweep::dynamic

/// Reductions of many neighbouring lines: the combine tree over rows, whose elements are combined
/// side by side. The totals of blocks of rows are kept as the digits of a binary counter.
#include <python/binding/columns.hpp>

#include <upsweep/generic/without_branches.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/reduce.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::python {
namespace {

constexpr std::size_t width = 128;  // columns at a time: all totals stay in the first cache
constexpr std::size_t leaf = 8;     // rows that are combined in registers
constexpr std::size_t short_line = 32;

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The means of moments alone: less than half of the arithmetic.
struct means {};
struct mean_of {
  std::uint64_t count;
  double mean;
};

/// What the operator makes of two, without branches, so that compilers vectorise loops over
/// columns. Means are those of `moments` while they are finite, see column_block::checked.
template <class Op, class A>
[[gnu::always_inline]] inline A combined(A const& earlier, A const& later) {
  if constexpr (std::is_same_v<Op, moments> || std::is_same_v<Op, means>) {
    std::uint64_t const count = earlier.count + later.count;
    double const right = static_cast<double>(later.count) / static_cast<double>(count);
    double const apart = later.mean - earlier.mean, mean = earlier.mean + apart * right;
    if constexpr (std::is_same_v<Op, means>) {
      return {count, mean};
    } else {
      double const between = apart * apart * (static_cast<double>(earlier.count) * right);
      return {count, mean, earlier.m2 + later.m2 + between};
    }
  } else {
    return detail::without_branches<A>(Op{})(earlier, later);
  }
}

/// The same of extrema with their positions: `earlier` lies in front of `later`.
template <class Op, class T>
[[gnu::always_inline]] inline indexed<T> combined(indexed<T> const& earlier,
                                                  indexed<T> const& later) {
  bool const wins =
      std::is_same_v<Op, argmax> ? later.value > earlier.value : later.value < earlier.value;
  return {wins ? later.value : earlier.value, wins ? later.index : earlier.index};
}
/// An element with its position. Floats become integers of the same order, NaN the one that wins.
template <class Op, class T>
[[gnu::always_inline]] inline auto lifted(T const& x, std::size_t row) {
  constexpr bool is_argmax = std::is_same_v<Op, argmax>;
  if constexpr (std::is_floating_point_v<T> && (is_argmax || std::is_same_v<Op, argmin>)) {
    using key = std::make_signed_t<bits_of<T>>;
    using limits = std::numeric_limits<key>;
    auto const bits = std::bit_cast<key>(x);
    key const ordered = bits < 0 ? static_cast<key>(bits ^ limits::max()) : bits;
    return indexed<key>{x != x ? (is_argmax ? limits::max() : limits::min()) : ordered, row};
  } else if constexpr (std::is_same_v<Op, means>) {
    return mean_of{1, static_cast<double>(x)};
  } else {
    return detail::lift(Op{}, x, row);
  }
}

/// The totals of a block of rows, one for each column.
template <class A>
class totals {
 public:
  void of_rows(std::size_t) {}
  static std::size_t rows() { return 0; }
  [[nodiscard]] A at(std::size_t c) const { return total_[c]; }
  void put(std::size_t c, A const& a) { total_[c] = a; }

 private:
  std::array<A, width> total_;
};
template <class T>
class totals<indexed<T>> {
 public:
  void of_rows(std::size_t) {}
  static std::size_t rows() { return 0; }
  [[nodiscard]] indexed<T> at(std::size_t c) const { return {value_[c], index_[c]}; }
  void put(std::size_t c, indexed<T> const& a) { value_[c] = a.value, index_[c] = a.index; }

 private:
  std::array<T, width> value_;
  std::array<std::size_t, width> index_;
};
/// All columns have the same count.
class counted {
 public:
  void of_rows(std::size_t n) { count_ = n; }
  [[nodiscard]] std::size_t rows() const { return count_; }

 protected:
  std::uint64_t count_ = 0;
};
template <>
class totals<mean_of> : public counted {
 public:
  [[nodiscard]] mean_of at(std::size_t c) const { return {count_, mean_[c]}; }
  void put(std::size_t c, mean_of const& a) { mean_[c] = a.mean; }

 private:
  std::array<double, width> mean_;
};
template <>
class totals<moments_of> : public counted {
 public:
  [[nodiscard]] moments_of at(std::size_t c) const { return {count_, mean_[c], m2_[c]}; }
  void put(std::size_t c, moments_of const& a) { mean_[c] = a.mean, m2_[c] = a.m2; }

 private:
  std::array<double, width> mean_, m2_;
};

/// Neighbouring columns of `size` rows, each of which is contiguous.
template <class Op, class T>
class column_block {
 public:
  using A = decltype(lifted<Op>(T{}, 0));

  column_block(std::byte const* first, std::ptrdiff_t stride, std::size_t size, std::size_t columns)
      : first_(reinterpret_cast<T const*>(first)),
        stride_(stride),
        size_(size),
        columns_(columns) {}

  /// Calls put(column, total) for each.
  template <class Put>
  [[gnu::always_inline]] void reduce(Put const& put) {
    totals<A> block;
    for (std::size_t r = 0; r < size_;) {
      bool const whole = r + leaf <= size_;
      whole ? combine_leaf(r, block) : lift_row(r, block);
      push(whole ? 3 : 0, r, block);
      r += whole ? leaf : 1;
    }
    fold(put);
  }

 private:
  [[gnu::always_inline]] static A op(A const& earlier, A const& later) {
    return combined<Op>(earlier, later);
  }
  [[gnu::always_inline]] static A lift(T const& x, std::size_t row) { return lifted<Op>(x, row); }
  [[nodiscard]] T const* row(std::size_t r) const {
    return first_ + static_cast<std::ptrdiff_t>(r) * stride_;
  }

  [[gnu::always_inline]] void combine_leaf(std::size_t r, totals<A>& block) const {
    T const* rows[leaf];
    for (std::size_t j = 0; j < leaf; ++j) rows[j] = row(r + j);
    UPSWEEP_INDEPENDENT_STEPS
    for (std::size_t c = 0; c < columns_; ++c) {
      auto const pair = [&](std::size_t j) UPSWEEP_INLINED {
        return op(lift(rows[j][c], r + j), lift(rows[j + 1][c], r + j + 1));
      };
      block.put(c, op(op(pair(0), pair(2)), op(pair(4), pair(6))));
    }
  }
  [[gnu::always_inline]] void lift_row(std::size_t r, totals<A>& block) const {
    T const* const mine = row(r);
    UPSWEEP_INDEPENDENT_STEPS
    for (std::size_t c = 0; c < columns_; ++c) block.put(c, lift(mine[c], r));
  }
  /// Appends the aligned block of 2^k rows whose totals are in `block`, at row `at`.
  [[gnu::always_inline]] void push(std::size_t k, std::size_t at, totals<A>& block) {
    block.of_rows(std::size_t{1} << k);
    for (; at >> k & 1; block.of_rows(std::size_t{1} << ++k)) put_behind(digit_[k], block);
    copy(block, digit_[k]);
  }
  /// The fold of the blocks, the largest first.
  template <class Put>
  [[gnu::always_inline]] void fold(Put const& put) {
    totals<A> all;
    std::size_t rows = 0;
    for (std::size_t k = digit_.size(); k-- > 0;)
      if (size_ >> k & 1) {
        if (rows > 0) put_behind(all, digit_[k]);
        copy(digit_[k], all);
        all.of_rows(rows += std::size_t{1} << k);
      }
    for (std::size_t c = 0; c < columns_; ++c) put(c, checked(all.at(c), c));
  }
  /// The total of a column, by the operator if a mean was not finite: it remains so.
  [[nodiscard]] A checked(A const& total, std::size_t c) const {
    if constexpr (requires { total.mean; })
      if (total.mean - total.mean != 0) return by_operator(c);
    return total;
  }
  [[gnu::noinline]] A by_operator(std::size_t c) const {
    std::vector<T> column(size_);
    for (std::size_t r = 0; r < size_; ++r) column[r] = row(r)[c];
    moments_of const all = upsweep::reduce(cpu{.threads = 1}, column, moments{});
    if constexpr (std::is_same_v<Op, means>)
      return {all.count, all.mean};
    else
      return all;
  }
  /// later = earlier op later.
  [[gnu::always_inline]] void put_behind(totals<A> const& earlier, totals<A>& later) const {
    UPSWEEP_INDEPENDENT_STEPS
    for (std::size_t c = 0; c < columns_; ++c) later.put(c, op(earlier.at(c), later.at(c)));
  }

  [[gnu::always_inline]] void copy(totals<A> const& from, totals<A>& to) const {
    to.of_rows(from.rows());
    for (std::size_t c = 0; c < columns_; ++c) to.put(c, from.at(c));
  }

  T const* first_;
  std::ptrdiff_t stride_;
  std::size_t size_, columns_;
  std::array<totals<A>, 64> digit_;  // of block k while bit k of the row is set
};

/// Calls f(first line, columns, rows, their memory) for blocks of neighbouring lines, whose rows
/// are contiguous: they are transposed if they are not.
template <class F>
void for_each_block(cpu const& on, axis_lines const& x, F const& f) {
  std::size_t const blocks = (x.inner + width - 1) / width;
  on.for_each_part(x.outer * blocks, width * x.size, [&](std::size_t job) {
    std::size_t const o = job / blocks, i = job % blocks * width;
    std::size_t const columns = std::min(width, x.inner - i);
    if (x.stride_inner == 1) return f(o * x.inner + i, columns, x, x.line(o, i));
    std::array<std::byte, short_line * width * 8> rows;
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
  for_each_block(
      on, x,
      [&](std::size_t line, std::size_t columns, axis_lines const& rows, std::byte const* first) {
        host::in_widest_registers<host::registers::avx2>([&]() UPSWEEP_INLINED {
          column_block<Op, T>(first, rows.stride, rows.size, columns)
              .reduce([&](std::size_t c, auto const& total) { put(line + c, total); });
        });
      });
}

/// Others are reduced line by line.
using column_types =
    dynamic::types<float, double, std::int32_t, std::int64_t, std::uint64_t, std::uint8_t>;

/// f<Op, T>() for an operator over elements that is reduced here, or otherwise().
template <class F, class Otherwise>
auto with_operator(dynamic::call_entry const& e, F const& f, Otherwise const& otherwise) {
  auto const over = [&]<class Op>(Op) {
    return dynamic::dispatch(
        column_types{}, e.element, [&]<class T>() { return f.template operator()<Op, T>(); },
        otherwise);
  };
  if (e.op == catalog::id::sum) return over(plus{});
  if (e.op == catalog::id::min) return over(min{});
  if (e.op == catalog::id::max) return over(max{});
  if (e.op == catalog::id::argmin) return over(argmin{});
  if (e.op == catalog::id::argmax) return over(argmax{});
  return otherwise();
}

/// Whether lines of one row are neighbours in memory, and enough of them, or short.
bool has_columns(axis_lines const& x) {
  if (x.size == 0 || x.inner < 8 || x.rows > 1) return false;
  return x.size <= short_line || (x.stride_inner == 1 && !x.contiguous());
}

}  // namespace

bool reduces_columns(dynamic::call_entry const& e, axis_lines const& x) {
  return has_columns(beside(x)) &&
         with_operator(e, []<class Op, class T>() { return true; }, [] { return false; });
}

void reduce_columns(dynamic::call_entry const& e, cpu const& on, axis_lines const& x,
                    void const* initial, void* to) {
  with_operator(
      e,
      [&]<class Op, class T>() {
        reduce_columns_by<Op, T>(on, beside(x), [=]<class A>(std::size_t line, A const& total) {
          auto const* const before = static_cast<A const*>(initial);
          if constexpr (requires { total.index; })
            static_cast<std::uint64_t*>(to)[line] = total.index;
          else
            static_cast<A*>(to)[line] = before ? Op{}(*before, total) : total;
        });
      },
      [] { detail::fail("_core: no reduction of columns by this operator"); });
}

bool find_column_moments(cpu const& on, dynamic::dtype t, axis_lines const& x, double* to,
                         double* squares) {
  if (!has_columns(beside(x))) return false;
  return dynamic::dispatch(
      moment_types{}, t,
      [&]<class T>() {
        if (squares)
          reduce_columns_by<moments, T>(on, beside(x), [=](std::size_t line, moments_of const& m) {
            to[line] = m.mean, squares[line] = m.m2;
          });
        else
          reduce_columns_by<means, T>(
              on, beside(x), [=](std::size_t line, mean_of const& m) { to[line] = m.mean; });
        return true;
      },
      [] { return false; });
}

}  // namespace upsweep::python

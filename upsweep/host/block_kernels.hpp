/// Totals of blocks in contiguous memory, for the operators that have compiled kernels and for
/// those that are made of such: both extrema, positions of extrema, several operators at once; and
/// for central moments.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/rounding.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/extrema.hpp>
#include <upsweep/ops/gcd.hpp>
#include <upsweep/ops/logical.hpp>
#include <upsweep/ops/tuple.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

UPSWEEP_IEEE_BEGIN
namespace upsweep::host {

/// total(op, x, n, index) is the total by `Op` of the n elements at x, n a power of two, the first
/// of which has the given index. `largest_log2` bounds n, so that what is read more than once stays
/// in L1.
template <class Op, class T>
struct block_kernel {
  static constexpr bool exists = false;
};

template <class Op, class T>
  requires has_compiled_reduce<Op, T>
struct block_kernel<Op, T> {
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = 10;
  using element = fixed_width_t<T>;
  using A = accumulator_t<Op, T>;

  static A total(Op const&, element const* x, std::size_t n, std::size_t) {
    return static_cast<A>(compiled_reductions<Op, element>().total(x, n, mode::reproducible));
  }
};

template <>
struct block_kernel<central_moments, double> {
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = 10;
  using element = double;

  static detail::central_moments_of total(central_moments const&, double const* x, std::size_t n,
                                          std::size_t) {
    double m[4];
    simd::find_central_moments(x, n, m);
    return {n, m[0], m[1], m[2], m[3]};
  }
};

/// True for 16-bit floats in an operator that selects one of them: its kernel takes floats.
template <class Op, class T>
inline constexpr bool selects_narrow =
    detail::is_narrow_float<T> &&
    (finds_extremum<Op> ||
     dynamic::is_in<Op, dynamic::join<dynamic::min_max_operators, dynamic::types<minmax>>>);

template <class Op>
inline constexpr bool has_moments = dynamic::is_in<Op, dynamic::types<moments, central_moments>>;

/// Elements of other types are converted to double, or to float if they are 16-bit floats (but not
/// for moments), as the operator's lift does.
template <class Op, class T>
  requires(((has_wide_accumulator<Op> || std::is_same_v<Op, central_moments>) &&
            !has_compiled_reduce<Op, T> && (detail::is_integer<T> || detail::is_float<T>)) ||
           selects_narrow<Op, T>)
struct block_kernel<Op, T> {
  using element = fixed_width_t<T>;
  using lane = std::conditional_t<detail::is_narrow_float<T> && !has_moments<Op>, float, double>;
  static constexpr bool exists = true, uses_index = block_kernel<Op, lane>::uses_index;
  static constexpr int largest_log2 = 10;

  static accumulator_t<Op, T> total(Op const& op, element const* x, std::size_t n,
                                    std::size_t index) {
    lane converted[std::size_t{1} << largest_log2];
    convert(converted, x, n);
    return block_kernel<Op, lane>::total(op, converted, n, index);
  }
};

template <class T>
  requires has_compiled_reduce<min, T> && has_compiled_reduce<max, T>
struct block_kernel<minmax, T> {
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = 11;
  using element = fixed_width_t<T>;

  static accumulator_t<minmax, T> total(minmax const&, element const* x, std::size_t n,
                                        std::size_t) {
    return {block_kernel<min, T>::total({}, x, n, 0), block_kernel<max, T>::total({}, x, n, 0)};
  }
};

/// The value of the extremum of each piece by a vector kernel, then the position inside the piece
/// that has won. Only that piece is read twice. Here n need not be a power of two.
template <finds_extremum Op, class T>
  requires has_compiled_reduce<min, T> && has_compiled_reduce<max, T>
struct block_kernel<Op, T> {
  static constexpr bool exists = true, uses_index = true;
  static constexpr int largest_log2 = 16;
  using element = fixed_width_t<T>;
  using value = detail::selected_t<T>;

  static indexed<value> total(Op const& op, element const* x, std::size_t n, std::size_t index) {
    constexpr std::size_t piece = 1024;
    auto const of_value =
        op.rule().largest ? [](element const* of,
                               std::size_t m) { return block_kernel<max, T>::total({}, of, m, 0); }
                          : [](element const* of, std::size_t m) {
                              return block_kernel<min, T>::total({}, of, m, 0);
                            };
    indexed<value> best{of_value(x, detail::at_most(n, piece)), 0};
    for (std::size_t i = piece; i < n; i += piece)
      best = op(best, {of_value(x + i, detail::at_most(n - i, piece)), i});
    best.index += position_of(best.value, x + best.index, detail::at_most(n - best.index, piece),
                              op.rule().last);
    return {best.value, index + best.index};
  }

 private:
  /// Where the element that was selected is: the one with these bits, or any NaN.
  static std::size_t position_of(value const& selected, element const* x, std::size_t n,
                                 bool last) {
    using word = detail::bits_of_size<sizeof(element)>;
    if constexpr (std::is_floating_point_v<value>)
      if (detail::is_nan_value(selected))
        return find(x, n, last, [](element const& e) -> word { return detail::is_nan_value(e); });
    auto const bits = std::bit_cast<word>(static_cast<element>(selected));
    return find(x, n, last,
                [bits](element const& e) -> word { return std::bit_cast<word>(e) == bits; });
  }
  /// The first element, or the last, for which f is not 0; there is one.
  template <class F>
  static std::size_t find(element const* x, std::size_t n, bool last, F const& f) {
    constexpr std::size_t piece = 64;
    std::size_t begin = 0, size = n % piece;
    in_widest_registers([&]() UPSWEEP_INLINED {
      for (std::size_t k = 0; k < n / piece; ++k) {
        std::size_t const at = last ? n - (k + 1) * piece : k * piece;
        word_for<F> any = 0;
        for (std::size_t j = 0; j < piece; ++j) any |= f(x[at + j]);
        if (any == 0) continue;
        begin = at, size = piece;
        return;
      }
      begin = last ? 0 : n - size;
    });
    std::size_t i = last ? begin + size - 1 : begin;
    while (f(x[i]) == 0) last ? --i : ++i;
    return i;
  }
  template <class F>
  using word_for = std::invoke_result_t<F const&, element const&>;
};

template <class... Op, class T>
  requires(block_kernel<Op, T>::exists && ...)
struct block_kernel<tuple_of<Op...>, T> {
  static constexpr bool exists = true, uses_index = (block_kernel<Op, T>::uses_index || ...);
  static constexpr int largest_log2 = 10;
  using element = fixed_width_t<T>;

  static accumulator_t<tuple_of<Op...>, T> total(tuple_of<Op...> const& op, element const* x,
                                                 std::size_t n, std::size_t index) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return accumulator_t<tuple_of<Op...>, T>(
          block_kernel<Op, T>::total(std::get<I>(op.parts()), x, n, index)...);
    }(std::index_sequence_for<Op...>{});
  }
};

/// The type in which a block of `Source`'s elements is given to a kernel: that of the elements
/// after their function where a kernel takes those, that of the accumulators where one takes those,
/// or void.
template <class Source>
struct block_element {
  static constexpr auto pick() {
    if constexpr (requires { typename Source::transformed; }) {
      using Op = typename Source::operation;
      using A = typename Source::accumulator;
      using Kernel = block_kernel<Op, typename Source::transformed>;
      if constexpr (Kernel::exists) {
        if constexpr (!(Source::reversed && Kernel::uses_index))
          return std::type_identity<typename Source::transformed>{};
        else
          return std::type_identity<void>{};
      } else if constexpr (has_compiled_reduce<Op, A> && std::is_same_v<accumulator_t<Op, A>, A>) {
        return std::type_identity<A>{};
      } else {
        return std::type_identity<void>{};
      }
    } else {
      return std::type_identity<void>{};
    }
  }
  using type = typename decltype(pick())::type;
};
template <class Source>
using block_element_t = typename block_element<Source>::type;

template <class Source>
inline constexpr bool has_block_kernel = !std::is_void_v<block_element_t<Source>>;

using detail::logical;

/// What it tells of the numbers in x[0, bytes), of 1, 2, 4 or 8 bytes each; `bytes` is a multiple
/// of 8. Stops where the rest changes nothing.
[[nodiscard]] UPSWEEP_API bool logical_total(logical what, void const* x, std::size_t bytes,
                                             std::size_t bytes_of_number, bool are_floats);

template <class Op, class T>
  requires((std::is_arithmetic_v<T> || detail::is_narrow_float<T>) && sizeof(T) <= 8 &&
           dynamic::is_in<Op, dynamic::logical_operators>)
struct block_kernel<Op, T> {
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = 16;
  using element = fixed_width_t<T>;

  static bool total(Op const&, element const* x, std::size_t n, std::size_t) {
    constexpr logical what = std::is_same_v<Op, logical_and>  ? logical::all
                             : std::is_same_v<Op, logical_or> ? logical::any
                                                              : logical::parity;
    return logical_total(what, x, n * sizeof(T), sizeof(T), detail::is_float<T>);
  }
};

template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct block_kernel<gcd, T> {
  static constexpr bool exists = true, uses_index = false;
  static constexpr int largest_log2 = 14;
  using element = fixed_width_t<T>;

  static std::uint64_t total(gcd const& op, element const* x, std::size_t n, std::size_t) {
    std::uint64_t divisor = 0;
    for (std::size_t i = 0; i < n && !op.is_final(divisor);) {
      divisor = op(divisor, op.lift(x[i]));
      ++i;
      i += detail::leading_multiples(divisor, x + i, n - i);
    }
    return divisor;
  }
};

/// The total of a block whose prefixes do not fit 64 bits.
template <class A, class Op, class T>
A checked_in_order(Op const& op, T const* x, std::size_t n, std::size_t index) {
  A a(int128{x[0]}, index);
  for (std::size_t i = 1; i < n; ++i) op.absorb(a, x[i], index + i);
  return a;
}

/// Checked sums: the prefixes of a block by the kernels of sums, minima and maxima, in as few bits
/// as hold them.
template <class R, class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct block_kernel<checked_plus<R>, T> {
  static constexpr bool exists = true, uses_index = true;
  static constexpr int largest_log2 = 10;
  using element = fixed_width_t<T>;
  using A = accumulator_t<checked_plus<R>, T>;

  static A total(checked_plus<R> const& op, element const* x, std::size_t n, std::size_t index) {
    std::size_t const last = index + n - 1;
    if constexpr (sizeof(T) <= 2 && std::is_signed_v<T>) {
      return total_in<std::int32_t>(x, n, last);
    } else if constexpr (std::is_signed_v<T>) {
      element const lowest = of<min>(x, n), highest = of<max>(x, n);
      if (holds_sums<std::int32_t>(lowest, highest)) return total_in<std::int32_t>(x, n, last);
      if (holds_sums<std::int64_t>(lowest, highest)) return total_in<std::int64_t>(x, n, last);
    } else if (sizeof(T) < 8 || holds_sums<element>(0, of<bit_or>(x, n))) {
      return A(int128{of<plus>(x, n)}, last);  // the highest prefix
    }
    return checked_in_order<A>(op, x, n, index);
  }

 private:
  template <class Op, class X>
  static auto of(X const* x, std::size_t n) {
    return block_kernel<Op, X>::total({}, x, n, 0);
  }
  /// Whether S holds all sums of a block of numbers that are not below or above these.
  template <class S>
  static constexpr bool holds_sums(element lowest, element highest) {
    return lowest >= detail::order::least<S>() >> largest_log2 &&
           highest <= detail::order::greatest<S>() >> largest_log2;
  }
  template <class S>
  static A total_in(element const* x, std::size_t n, std::size_t last) {
    S prefixes[std::size_t{1} << largest_log2];
    convert(prefixes, x, n);
    compiled_scans<plus, S>().inclusive(prefixes, prefixes, n, plan{}, nullptr, nullptr);
    A a(int128{prefixes[n - 1]}, last);
    S const lowest = of<min>(prefixes, n), highest = of<max>(prefixes, n);
    a.lowest = lowest < 0 ? lowest : 0;
    a.highest = highest > 0 ? highest : 0;
    return a;
  }
};

/// Checked products in 64 bits as long as all prefixes fit: of two halves, whose products need not
/// wait for each other.
template <class R, class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8)
struct block_kernel<checked_multiplies<R>, T> {
  static constexpr bool exists = true, uses_index = true;
  static constexpr int largest_log2 = 10;
  using element = fixed_width_t<T>;
  using A = accumulator_t<checked_multiplies<R>, T>;

  static A total(checked_multiplies<R> const& op, element const* x, std::size_t n,
                 std::size_t index) {
    std::size_t const half = n / 2;
    prefixes earlier, later;
    for (std::size_t i = 0; i < half; ++i)
      if (!(earlier.multiply(x[i]) && later.multiply(x[half + i])))
        return checked_in_order<A>(op, x, n, index);
    return op(earlier.range(index + half - 1), later.range(index + n - 1));
  }

 private:
  struct prefixes {
    using number = detail::widened_t<T>;
    number total = 1, lowest = 1, highest = 1;

    bool multiply(element x) {
      if (__builtin_mul_overflow(total, number{x}, &total)) return false;
      lowest = total < lowest ? total : lowest;
      highest = total > highest ? total : highest;
      return true;
    }
    [[nodiscard]] A range(std::size_t last) const {
      A a(int128{total}, last);
      a.lowest = lowest;
      a.highest = highest;
      return a;
    }
  };
};

}  // namespace upsweep::host
UPSWEEP_IEEE_END

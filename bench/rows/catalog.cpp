/// Input patterns and results of the rows by name.
#include <bench/harness/data.hpp>
#include <bench/harness/random.hpp>
#include <bench/plain/operators.hpp>
#include <bench/rows/catalog.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace upsweep::bench {
namespace {

/// Integers h(0) = 0, h(1), ..., h(pattern_elements) = 0, the others of 9 values around 0. If
/// element i is the step from h(i) to h(i + 1), prefixes stay as small as h, however often the
/// block is repeated.
int height(std::size_t i) {
  return i % pattern_elements == 0 ? 0 : static_cast<int>(random_word(i) % 9) - 4;
}
int sign(std::size_t i) {
  return i % pattern_elements != 0 && (random_word(i) >> 32) % 2 != 0 ? -1 : 1;
}

template <class T>
T number(int x) {
  if constexpr (detail::is_narrow_float<T>)
    return static_cast<T>(static_cast<float>(x));
  else
    return static_cast<T>(x);
}

template <class Op, class T>
T element_at(std::size_t i) {
  std::uint64_t const random = random_word(i);
  int const small = static_cast<int>(random % 16), step = height(i + 1) - height(i);
  int const turn = sign(i) * sign(i + 1);
  if constexpr (std::is_same_v<Op, affine>) {
    using U = decltype(T::a);
    return {number<U>(turn), number<U>(height(i + 1) - turn * height(i))};
  } else if constexpr (Op::about.takes == catalog::operand_kind::pairs) {
    using U = decltype(T::x);
    return {number<U>(step), number<U>(small)};
  } else if constexpr (std::is_same_v<Op, matrix2x2_product>) {
    using U = decltype(T::a);
    return {U{1}, number<U>(height(i + 1) - turn * height(i)), U{0}, number<U>(turn)};
  } else if constexpr (std::is_same_v<Op, logical_or>) {
    return number<T>(0);  // a reduction ends at the first element that decides it
  } else if constexpr (std::is_same_v<Op, logical_and>) {
    return number<T>(1 + small);
  } else if constexpr (std::is_same_v<Op, gcd>) {
    return number<T>(6 * (1 + small));
  } else if constexpr (std::is_same_v<Op, checked_multiplies<>>) {
    return number<T>(std::is_signed_v<T> ? turn : 1);
  } else if constexpr (std::is_same_v<Op, multiplies> && detail::is_float<T>) {
    return number<T>(turn);  // products of any of them are finite
  } else if constexpr (std::is_same_v<Op, exact_sum> && std::is_floating_point_v<T>) {
    T const mantissa = static_cast<T>(1 + static_cast<double>(random >> 12) * 0x1p-52);
    return std::ldexp(turn < 0 ? -mantissa : mantissa, step);
  } else if constexpr (dynamic::is_in<Op,
                                      dynamic::types<plus, checked_plus<>, exact_sum, log_sum_exp,
                                                     moments, central_moments, logical_xor>>) {
    return number<T>(std::is_integral_v<T> && !std::is_signed_v<T> ? small : step);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random >> 7 | 1);  // odd, so that products of many are not 0
  } else {
    return number<T>(static_cast<int>(random % 256));  // bf16 has 8 bits
  }
}

template <class Op, class T>
void write_pattern(void* block) {
  for (std::size_t i = 0; i < pattern_elements; ++i)
    static_cast<T*>(block)[i] = element_at<Op, T>(i);
}

/// Sums as integers in units of 2^-68, which all elements of the pattern have, rounded once.
template <class T>
struct fixed_point_sum {
  int128 units = 0;
  void add(T x, std::size_t) {
    units += static_cast<int128>(std::ldexp(static_cast<double>(x), 68));
  }
  [[nodiscard]] auto result() const {
    using R = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return static_cast<R>(std::ldexp(static_cast<R>(units), -68));
  }
};

/// What results are compared with: a plain loop if every order of the pattern gives its bits, else
/// the tree of the contract.
template <class Op, class T>
inline constexpr bool is_exact =
    std::is_same_v<Op, exact_sum> ||
    (plain::has_loop<Op, T> &&
     !dynamic::is_in<
         Op, dynamic::types<log_sum_exp, moments, central_moments, comoments, weighted_moments>>);
template <class Op, class T>
struct loop_of {
  using type = running_tree<Op, T>;
};
template <class Op, class T>
  requires is_exact<Op, T>
struct loop_of<Op, T> {
  using type = plain::running<Op, T>;
};
template <class T>
struct loop_of<exact_sum, T> {
  using type = fixed_point_sum<T>;
};

template <class Op, class T>
using result_of = decltype(std::declval<typename loop_of<Op, T>::type>().result());

template <class Op, class T>
void write_reference(verb v, void const* in, void* out, std::size_t n) {
  using loop = typename loop_of<Op, T>::type;
  plain::run<loop>(v, static_cast<T const*>(in), static_cast<result_of<Op, T>*>(out), n);
}

template <class Op, class T>
constexpr catalog_row row_of() {
  return {operation_of(catalog::id_of<Op>),
          element_of(dynamic::dtype_of<dynamic::number_of<T>>),
          sizeof(T),
          sizeof(result_of<Op, T>),
          is_exact<Op, T>,
          write_pattern<Op, T>,
          write_reference<Op, T>};
}

}  // namespace

std::span<catalog_row const> catalog_rows() {
  static std::vector<catalog_row> const rows = [] {
    std::vector<catalog_row> all;
    for_each_row_pair([&]<class Op, class T>() { all.push_back(row_of<Op, T>()); });
    return all;
  }();
  return rows;
}

catalog_row const* find_row(work const& w) {
  for (catalog_row const& row : catalog_rows())
    if (row.op == w.op && row.type == w.type) return &row;
  return nullptr;
}

}  // namespace upsweep::bench

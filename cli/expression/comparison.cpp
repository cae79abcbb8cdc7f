/// Comparisons, a block of rows at a time.
#include <cli/engine/string_order.hpp>
#include <cli/expression/values.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

using node = expression_node;
using enum expression_kind;

template <class T>
void compare(expression_kind kind, std::vector<T> const& a, std::vector<T> const& b,
             std::vector<std::uint8_t>& out) {
  auto const with = [&](auto const& holds) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (holds(a[i], b[i])) out[i] = 1;
  };
  switch (kind) {
    case unequal:
      return with([](T const& x, T const& y) { return x != y; });
    case less:
      return with([](T const& x, T const& y) { return x < y; });
    case less_or_equal:
      return with([](T const& x, T const& y) { return x <= y; });
    case greater:
      return with([](T const& x, T const& y) { return x > y; });
    case greater_or_equal:
      return with([](T const& x, T const& y) { return x >= y; });
    default:
      return with([](T const& x, T const& y) { return x == y; });
  }
}

/// -1, 0 or 1 as a is below, equal to or above b; NaN if b is.
template <class T, class U>
double order_of(T a, U b) {
  if constexpr (std::is_integral_v<U>) {
    return std::cmp_less(a, b) ? -1 : std::cmp_equal(a, b) ? 0 : 1;
  } else {
    if (std::isnan(b)) return b;
    constexpr double least = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double beyond = std::is_signed_v<T> ? 0x1p63 : 0x1p64;
    if (b < least || b >= beyond) return b < least ? 1 : -1;
    auto const whole = static_cast<T>(b);
    if (a != whole) return a < whole ? -1 : 1;
    double const rest = b - static_cast<double>(whole);
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
  }
}

/// Compares i64 with u64, and both with f64, exactly.
template <class T, class U>
void compare_mixed(expression_kind kind, std::vector<T> const& a, std::vector<U> const& b,
                   std::vector<std::uint8_t>& out) {
  std::vector<double> order, zeros(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    if constexpr (std::is_integral_v<T>)
      order.push_back(order_of(a[i], b[i]));
    else
      order.push_back(-order_of(b[i], a[i]));
  compare(kind, order, zeros, out);
}

/// Whether f64 rounds some of the numbers that a node is.
bool rounds(node const& of) {
  auto const* const its_column = column_of(of);
  return its_column != nullptr && its_column->place.written && its_column->place.rounds;
}

std::vector<place_of_number> places_of(node const& of, block_values const& values,
                                       block const& here) {
  std::vector<place_of_number> places;
  for (std::size_t i = 0; i < here.n; ++i)
    if (rounds(of)) {
      places.push_back(place_of(here.rows.keys[*column_of(of)->place.written][here.first + i]));
    } else if (of.type == expression_type::decimal) {
      places.push_back(place_of(values.decimals[i]));
    } else {
      auto& place = places.emplace_back(place_of(static_cast<double>(values.whole(i))));
      if (place.whole != 0) place.whole = values.whole(i);
    }
  return places;
}

/// Compares numbers of which f64 rounds some.
void compare_exactly(expression_kind kind, std::vector<place_of_number> const& a,
                     std::vector<place_of_number> const& b, std::vector<std::uint8_t>& out) {
  std::vector<double> order, zeros(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    double const x = a[i].value, y = b[i].value;
    bool const is_tie = x == y;
    order.push_back(std::isnan(x) || std::isnan(y) ? std::numeric_limits<double>::quiet_NaN()
                    : is_tie                       ? static_cast<double>(a[i].whole > b[i].whole) -
                                   static_cast<double>(a[i].whole < b[i].whole)
                             : static_cast<double>(x > y) - static_cast<double>(x < y));
  }
  compare(kind, order, zeros, out);
}

/// Refuses to compare strings, such as times, whose bytes are not ordered as they are. text(x) is
/// compared by bytes.
void expect_order(node const& of, node const& right, block_values const& a, block_values const& b,
                  block const& here) {
  bool const orders = of.kind == less || of.kind == less_or_equal || of.kind == greater ||
                      of.kind == greater_or_equal;
  if (!orders || of.parts[0]->called != nullptr || right.called != nullptr) return;
  for (std::size_t i = 0; i < here.n; ++i)
    if (!are_in_order(a.texts[i], b.texts[i]))
      throw io::data_error("{}: row {}: '{}' and '{}' have no order as text: {}.{}",
                           here.source.where, here.number(i), io::shown(a.texts[i]),
                           io::shown(b.texts[i]), order_hint(a.texts[i]),
                           caret_at(here.source, of.at));
}

/// Marks where a comparison of two parts holds.
void compare_parts(node const& of, node const& right, block_values const& a, block_values const& b,
                   block const& here, std::vector<std::uint8_t>& out) {
  auto const left = of.parts[0]->type;
  if (left == expression_type::text) return compare(of.kind, a.texts, b.texts, out);
  if (rounds(*of.parts[0]) || rounds(right))
    return compare_exactly(of.kind, places_of(*of.parts[0], a, here), places_of(right, b, here),
                           out);
  with_numbers(a, left, [&]<class T>(std::vector<T> const& x) {
    with_numbers(b, right.type, [&]<class U>(std::vector<U> const& y) {
      if constexpr (std::is_same_v<T, U>)
        compare(of.kind, x, y, out);
      else
        compare_mixed(of.kind, x, y, out);
    });
  });
}

}  // namespace

block_values comparison(node const& of, block& here) {
  block_values out;
  out.truths.assign(here.n, 0);
  auto const first = value_of(*of.parts[0], here);
  for (std::size_t p = 1; p < of.parts.size(); ++p) {
    auto const other = value_of(*of.parts[p], here);
    if (of.parts[0]->type == expression_type::text)
      expect_order(of, *of.parts[p], first, other, here);
    auto const unknown = unknown_of(first, other);
    if (unknown.empty()) {
      compare_parts(of, *of.parts[p], first, other, here, out.truths);
      continue;
    }
    std::vector<std::uint8_t> holds(here.n);
    compare_parts(of, *of.parts[p], first, other, here, holds);
    out.unknown.resize(here.n);
    for (std::size_t i = 0; i < here.n; ++i)
      if (unknown[i] != 0)
        out.unknown[i] = 1;
      else if (holds[i] != 0)
        out.truths[i] = 1;
  }
  for (std::size_t i = 0; i < out.unknown.size(); ++i)
    if (out.truths[i] != 0) out.unknown[i] = 0;
  return out;
}

}  // namespace upsweep::cli

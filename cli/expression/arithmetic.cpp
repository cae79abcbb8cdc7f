/// Arithmetic and functions of numbers, a block of rows at a time.
#include <cli/expression/values.hpp>
#include <io/error.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/min_max.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

using node = expression_node;

[[noreturn]] void refuse_zero(node const& of, block const& here, std::size_t i) {
  throw io::data_error(fmt::format("{}: row {} divides by 0 in '%'.{}", here.source.where,
                                   here.number(i), caret_at(here.source, of.at)));
}

[[noreturn]] void refuse_overflow(node const& of, block const& here, std::size_t i) {
  throw io::data_error(fmt::format(
      "{}: row {} overflows i64 at character {}; write a factor as a decimal, as in 2.0.{}",
      here.source.where, here.number(i), character_at(here.source, of.at),
      caret_at(here.source, of.at)));
}

/// x ** exponent, or nothing if it is beyond i64.
std::optional<std::int64_t> exact_power(std::int64_t x, std::int64_t exponent) {
  std::int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, x, &result)) return std::nullopt;
    if (exponent > 1 && __builtin_mul_overflow(x, x, &x)) return std::nullopt;
  }
  return result;
}

/// Appends f(a, b, result), which says whether there is an overflow, for all rows.
template <class F>
void append_exact(node const& of, block const& here, block_values const& a, block_values const& b,
                  block_values& out, F const& f) {
  out.integers.resize(here.n);
  bool overflows = false;
  for (std::size_t i = 0; i < here.n; ++i)
    overflows |= f(a.integers[i], b.integers[i], &out.integers[i]);
  if (!overflows) return;
  for (std::size_t i = 0; i < here.n; ++i) {
    std::int64_t result = 0;
    if (!out.is_unknown(i) && f(a.integers[i], b.integers[i], &result))
      refuse_overflow(of, here, i);
  }
}

void append_integers(node const& of, block const& here, block_values const& a,
                     block_values const& b, block_values& out) {
  using integer = std::int64_t;
  auto const exact = [&](auto const& f) { append_exact(of, here, a, b, out, f); };
  switch (of.kind) {
    case expression_kind::add:
      return exact(
          [](integer x, integer y, integer* z) { return __builtin_add_overflow(x, y, z); });
    case expression_kind::subtract:
      return exact(
          [](integer x, integer y, integer* z) { return __builtin_sub_overflow(x, y, z); });
    case expression_kind::multiply:
      return exact(
          [](integer x, integer y, integer* z) { return __builtin_mul_overflow(x, y, z); });
    case expression_kind::power:
      return exact([](integer x, integer y, integer* z) {
        auto const power = exact_power(x, y);
        *z = power.value_or(0);
        return !power;
      });
    default:
      break;
  }
  for (std::size_t i = 0; i < here.n; ++i) {
    integer const x = a.integers[i], y = b.integers[i];
    if (y == 0 && !out.is_unknown(i)) refuse_zero(of, here, i);
    out.integers.push_back(y == 0 || y == -1 ? 0 : x % y);
  }
}

/// Sums, products and remainders of integers of which one is natural, as decimals that are exact.
void append_naturals(node const& of, block const& here, block_values const& a,
                     block_values const& b, block_values& out) {
  auto const value = [](block_values const& all, std::size_t i) {
    return all.naturals.empty() ? int128{all.integers[i]} : int128{all.naturals[i]};
  };
  for (std::size_t i = 0; i < here.n; ++i) {
    int128 const x = value(a, i), y = value(b, i);
    int128 result = 0;
    if (of.kind == expression_kind::add)
      result = x + y;
    else if (of.kind == expression_kind::subtract)
      result = x - y;
    else if (of.kind == expression_kind::multiply && __builtin_mul_overflow(x, y, &result))
      result = std::numeric_limits<int128>::max();  // which f64 rounds
    else if (of.kind == expression_kind::remainder && y != 0)
      result = x % y;
    else if (of.kind == expression_kind::remainder && !out.is_unknown(i))
      refuse_zero(of, here, i);
    out.decimals.push_back(out.is_unknown(i) ? 0 : as_exact_decimal(result, of, here, i));
  }
}

bool is_of_naturals(node const& of) {
  using enum expression_kind;
  return of.kind != divide && of.kind != power &&
         std::ranges::none_of(
             of.parts, [](auto const& part) { return part->type == expression_type::decimal; });
}

void append_decimals(expression_kind kind, std::vector<double> const& a,
                     std::vector<double> const& b, std::vector<double>& out) {
  out.resize(a.size());
  auto const all = [&](auto const& f) {
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = f(a[i], b[i]);
  };
  switch (kind) {
    case expression_kind::add:
      return all([](double x, double y) { return x + y; });
    case expression_kind::subtract:
      return all([](double x, double y) { return x - y; });
    case expression_kind::multiply:
      return all([](double x, double y) { return x * y; });
    case expression_kind::divide:
      return all([](double x, double y) { return x / y; });
    case expression_kind::power:
      return all([](double x, double y) { return std::pow(x, y); });
    default:
      return all([](double x, double y) { return std::fmod(x, y); });
  }
}

block_values sign_changed(node const& of, block& here) {
  auto out = value_of(*of.parts[0], here);
  if (of.type == expression_type::decimal) out = as_decimals(std::move(out));
  for (std::size_t i = 0; i < out.integers.size(); ++i) {
    auto& x = out.integers[i];
    if (of.kind == expression_kind::abs && x >= 0) continue;
    if (__builtin_sub_overflow(std::int64_t{0}, x, &x) && !out.is_unknown(i))
      refuse_overflow(of, here, i);
  }
  for (double& x : out.decimals) x = of.kind == expression_kind::negate ? -x : std::abs(x);
  return out;
}

/// min or max of all parts: NaN if one is, as the operators of that name.
block_values extreme(node const& of, block& here) {
  auto out = converted(of, 0, value_of(*of.parts[0], here), here);
  auto const combine = [&](auto& all, auto const& others) {
    bool const least = of.kind == expression_kind::min;
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = least ? upsweep::min{}(all[i], others[i]) : upsweep::max{}(all[i], others[i]);
  };
  for (std::size_t p = 1; p < of.parts.size(); ++p) {
    auto const other = converted(of, p, value_of(*of.parts[p], here), here);
    out.unknown = unknown_of(out, other);
    combine(out.integers, other.integers);
    combine(out.naturals, other.naturals);
    combine(out.decimals, other.decimals);
  }
  return out;
}

bool is_integer(node const& of) {
  return of.type == expression_type::integer || of.type == expression_type::natural;
}
/// floor, ceil or round of a quotient of integers, which f64 would round first.
bool is_whole_quotient(node const& of) {
  using enum expression_kind;
  if (of.kind != floor && of.kind != ceil && of.kind != round) return false;
  auto const& part = *of.parts[0];
  return of.parts.size() == 1 && part.kind == divide && is_integer(*part.parts[0]) &&
         is_integer(*part.parts[1]);
}
/// The whole number of a quotient of integers.
int128 whole_quotient(expression_kind kind, int128 a, int128 b) {
  int128 const quotient = a / b, rest = a % b;
  int128 const away = (a < 0) == (b < 0) ? 1 : -1;  // of the quotient from 0
  bool const is_half = 2 * (rest < 0 ? -rest : rest) >= (b < 0 ? -b : b);
  bool const leaves = kind == expression_kind::floor  ? away < 0
                      : kind == expression_kind::ceil ? away > 0
                                                      : is_half;
  return rest != 0 && leaves ? quotient + away : quotient;
}
/// Makes exact those of the decimals `out` that are of large integers.
void correct_quotients(node const& of, block& here, block_values& out) {
  auto const& quotient = *of.parts[0];
  auto const a = value_of(*quotient.parts[0], here), b = value_of(*quotient.parts[1], here);
  auto const value = [](block_values const& all, std::size_t i) {
    return all.naturals.empty() ? int128{all.integers[i]} : int128{all.naturals[i]};
  };
  constexpr int128 exact = int128{1} << 52;  // up to here no rounding reaches a half
  for (std::size_t i = 0; i < here.n; ++i) {
    int128 const x = value(a, i), y = value(b, i);
    bool const is_exact = x <= exact && -x <= exact && y <= exact && -y <= exact;
    if (!is_exact && y != 0 && !out.is_unknown(i))
      out.decimals[i] = as_exact_decimal(whole_quotient(of.kind, x, y), of, here, i);
  }
}

/// round(x, digits): x * 10 ** digits, rounded, and divided again.
block_values rounded(node const& of, block& here) {
  auto out = as_decimals(value_of(*of.parts[0], here));
  auto const digits = value_of(*of.parts[1], here);
  out.unknown = unknown_of(out, digits);
  for (std::size_t i = 0; i < here.n; ++i) {
    double const scale = std::pow(10.0, std::abs(static_cast<double>(digits.integers[i])));
    double& x = out.decimals[i];
    double const scaled = digits.integers[i] < 0 ? x / scale : x * scale;
    if (!std::isfinite(scaled)) continue;  // x has no such digits
    x = digits.integers[i] < 0 ? std::round(scaled) * scale : std::round(scaled) / scale;
  }
  return out;
}

}  // namespace

block_values arithmetic(node const& of, block& here) {
  if (of.kind == expression_kind::negate) return sign_changed(of, here);
  auto a = value_of(*of.parts[0], here), b = value_of(*of.parts[1], here);
  block_values out;
  out.unknown = unknown_of(a, b);
  if (of.type == expression_type::integer) {
    append_integers(of, here, a, b, out);
    return out;
  }
  if (is_of_naturals(of)) {
    append_naturals(of, here, a, b, out);
    return out;
  }
  a = as_decimals(std::move(a));
  b = as_decimals(std::move(b));
  append_decimals(of.kind, a.decimals, b.decimals, out.decimals);
  return out;
}

block_values function_of_numbers(node const& of, block& here) {
  using enum expression_kind;
  if (of.kind == expression_kind::abs) return sign_changed(of, here);
  if (of.kind == expression_kind::min || of.kind == expression_kind::max) return extreme(of, here);
  if (of.parts.size() == 2) return rounded(of, here);
  auto out = value_of(*of.parts[0], here);
  if (of.type != expression_type::decimal) return out;  // floor, ceil, round of integers
  out = as_decimals(std::move(out));
  auto const all = [&](auto const& f) {
    for (double& x : out.decimals) x = f(x);
    return std::move(out);
  };
  if (is_whole_quotient(of)) {
    for (double& x : out.decimals)
      x = of.kind == floor ? std::floor(x) : of.kind == ceil ? std::ceil(x) : std::round(x);
    correct_quotients(of, here, out);
    return out;
  }
  switch (of.kind) {
    case expression_kind::floor:
      return all([](double x) { return std::floor(x); });
    case expression_kind::ceil:
      return all([](double x) { return std::ceil(x); });
    case expression_kind::round:
      return all([](double x) { return std::round(x); });
    case expression_kind::sqrt:
      return all([](double x) { return std::sqrt(x); });
    case expression_kind::exp:
      return all([](double x) { return std::exp(x); });
    default:
      return all([](double x) { return std::log(x); });
  }
}

}  // namespace upsweep::cli

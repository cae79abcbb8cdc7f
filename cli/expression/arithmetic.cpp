/// Arithmetic and functions of numbers, a block of rows at a time.
#include <cli/expression/values.hpp>
#include <io/error.hpp>
#include <upsweep/ops/min_max.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

using node = expression_node;

[[noreturn]] void refuse_zero(node const& of, block const& here, std::size_t i) {
  throw io::data_error("{}: row {} divides by 0 in '%'.{}", here.source.where, here.number(i),
                       caret_at(here.source, of.at));
}

[[noreturn]] void refuse_overflow(node const& of, block const& here, std::size_t i) {
  throw io::data_error(
      "{}: row {} overflows i64 at character {}; write a factor as a decimal, as in 2.0.{}",
      here.source.where, here.number(i), character_at(here.source, of.at),
      caret_at(here.source, of.at));
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
  for (std::size_t i = 0; i < here.n; ++i) {
    int128 const x = a.whole(i), y = b.whole(i);
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
  if (of.kind == expression_kind::negate && !out.naturals.empty()) {
    for (std::size_t i = 0; i < here.n; ++i)
      if (!out.is_unknown(i)) static_cast<void>(as_exact_decimal(-out.whole(i), of, here, i));
  }
  if (of.type == expression_type::decimal) out = as_decimals(std::move(out));
  for (std::size_t i = 0; i < out.integers.size(); ++i) {
    auto& x = out.integers[i];
    if (of.kind != expression_kind::negate && x >= 0) continue;
    if (__builtin_sub_overflow(std::int64_t{0}, x, &x) && !out.is_unknown(i))
      refuse_overflow(of, here, i);
  }
  for (double& x : out.decimals) x = of.kind == expression_kind::negate ? -x : std::abs(x);
  return out;
}

/// min or max of all parts: NaN if one is, as the operators of that name.
template <class Op>
block_values extreme(node const& of, block& here) {
  auto out = converted(of, 0, value_of(*of.parts[0], here), here);
  auto const combine = [&](auto& all, auto const& others) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = Op{}(all[i], others[i]);
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
/// Which whole number is made of another number.
enum class whole : std::uint8_t { below, above, nearest };

template <whole which>
double whole_of(double x) {
  return which == whole::below   ? std::floor(x)
         : which == whole::above ? std::ceil(x)
                                 : std::round(x);
}

/// The whole number of a quotient of integers.
template <whole which>
int128 whole_quotient(int128 a, int128 b) {
  int128 const quotient = a / b, rest = a % b;
  int128 const away = (a < 0) == (b < 0) ? 1 : -1;  // of the quotient from 0
  bool const is_half = 2 * (rest < 0 ? -rest : rest) >= (b < 0 ? -b : b);
  bool const leaves = which == whole::below ? away < 0 : which == whole::above ? away > 0 : is_half;
  return rest != 0 && leaves ? quotient + away : quotient;
}
/// Up to 2^52 no rounding of f64 reaches a half.
bool is_large(int128 x) {
  constexpr int128 exact = int128{1} << 52;
  return x > exact || -x > exact;
}

/// Makes exact those of the decimals `out` that are of large integers, whose quotient f64 would
/// round first.
template <whole which>
void correct_quotients(node const& of, block& here, block_values& out) {
  auto const& quotient = *of.parts[0];
  auto const a = value_of(*quotient.parts[0], here), b = value_of(*quotient.parts[1], here);
  for (std::size_t i = 0; i < here.n; ++i) {
    int128 const x = a.whole(i), y = b.whole(i);
    if ((is_large(x) || is_large(y)) && y != 0 && !out.is_unknown(i))
      out.decimals[i] = as_exact_decimal(whole_quotient<which>(x, y), of, here, i);
  }
}

/// A large integer, rounded to so many digits.
int128 rounded_integer(int128 x, std::int64_t digits) {
  if (digits >= 0) return x;
  int128 scale = 1;
  for (; digits < 0 && scale <= std::numeric_limits<std::int64_t>::max(); ++digits) scale *= 10;
  return digits < 0 ? 0 : whole_quotient<whole::nearest>(x, scale) * scale;
}

/// round(x, digits): x * 10 ** digits, rounded, and divided again.
block_values rounded(node const& of, block& here) {
  auto const in = value_of(*of.parts[0], here);
  auto out = as_decimals(in);
  auto const digits = value_of(*of.parts[1], here);
  out.unknown = unknown_of(out, digits);
  for (std::size_t i = 0; i < here.n; ++i) {
    double const scale = std::pow(10.0, std::abs(static_cast<double>(digits.integers[i])));
    double& x = out.decimals[i];
    double const scaled = digits.integers[i] < 0 ? x / scale : x * scale;
    if (!std::isfinite(scaled)) continue;  // x has no such digits
    double const whole = std::round(scaled);
    x = whole == 0 ? whole : digits.integers[i] < 0 ? whole * scale : whole / scale;
  }
  if (!is_integer(*of.parts[0])) return out;
  for (std::size_t i = 0; i < here.n; ++i)
    if (is_large(in.whole(i)) && !out.is_unknown(i))
      out.decimals[i] =
          as_exact_decimal(rounded_integer(in.whole(i), digits.integers[i]), of, here, i);
  return out;
}

/// f of each decimal. Integers, which a node of integers has, stay.
template <double (*f)(double)>
block_values each(node const& of, block& here) {
  auto out = value_of(*of.parts[0], here);
  if (of.type != expression_type::decimal) return out;
  out = as_decimals(std::move(out));
  for (double& x : out.decimals) x = f(x);
  return out;
}

template <whole which>
block_values whole_numbers(node const& of, block& here) {
  if (of.parts.size() == 2) return rounded(of, here);
  auto out = each<whole_of<which>>(of, here);
  auto const& part = *of.parts[0];
  bool const is_quotient = part.kind == expression_kind::divide && is_integer(*part.parts[0]) &&
                           is_integer(*part.parts[1]);
  if (is_quotient) correct_quotients<which>(of, here, out);
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

std::span<function const> functions_of_numbers() {
  static constexpr function all[] = {
      {"abs", 1, 1, "n", 'n', sign_changed},
      {"floor", 1, 1, "n", 'n', whole_numbers<whole::below>},
      {"ceil", 1, 1, "n", 'n', whole_numbers<whole::above>},
      {"round", 1, 2, "ni", 'n', whole_numbers<whole::nearest>},
      {"sqrt", 1, 1, "n", 'd', each<std::sqrt>},
      {"exp", 1, 1, "n", 'd', each<std::exp>},
      {"log", 1, 1, "n", 'd', each<std::log>},
      {"min", 2, many_arguments, "n", 'n', extreme<upsweep::min>},
      {"max", 2, many_arguments, "n", 'n', extreme<upsweep::max>},
  };
  return all;
}

}  // namespace upsweep::cli

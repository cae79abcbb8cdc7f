/// Formats numbers with {fmt} and parses them with from_chars and fast_float, under stricter rules.
/// Conversions are one loop for each pair of types: each value is widened to the largest type of
/// its kind, where its range is checked.
#include <io/number.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>
#include <upsweep/core/number_types.hpp>

#include <fast_float/fast_float.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/printf.h>

#include <charconv>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

namespace upsweep::io {
namespace {

template <class T>
T load(void const* from) noexcept {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void append_float(std::string& out, T value) {
  if (std::isnan(value)) {
    out += "nan";  // {fmt} would write its sign, which the contract leaves open
    return;
  }
  char text[64];
  auto const* const end = fmt::format_to(text, FMT_COMPILE("{}"), value);
  out.append(text, static_cast<std::size_t>(end - text));
}

/// The value of the shortest decimal that rounds to `value`: at most 5 digits for f16, 4 for bf16.
template <class Small>
double shortest_decimal(Small value) noexcept {
  auto const exact = static_cast<double>(value);
  if (!std::isfinite(exact)) return exact;
  for (int digits = 0; digits < 5; ++digits) {
    char text[32];
    auto const end =
        std::to_chars(text, text + sizeof text, exact, std::chars_format::scientific, digits).ptr;
    double decimal = 0;
    fast_float::from_chars(text, end, decimal);
    if (Small(decimal).bits == value.bits) return decimal;
  }
  return exact;
}

template <class T>
parsed parse_integer(std::string_view token, T& value) noexcept {
  auto const* const end = token.data() + token.size();
  if constexpr (std::is_unsigned_v<T>) {
    if (!token.empty() && token.front() == '-') {  // from_chars takes no sign for unsigned types
      std::int64_t negative = 0;
      auto const result = parse_integer(token, negative);
      if (result == parsed::good && negative != 0) return parsed::too_large;
      value = 0;
      return result;
    }
  }
  auto const [stop, error] = std::from_chars(token.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return parsed::malformed;
  return error == std::errc() ? parsed::good : parsed::too_large;
}

template <class T>
parsed parse_float(std::string_view token, T& value) noexcept {
  auto const* const end = token.data() + token.size();
  auto const [stop, error] = fast_float::from_chars(token.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return parsed::malformed;
  // An infinity is either spelled out, without a digit, or the result of a decimal that is too
  // large.
  if (std::isinf(value) && token.find_first_of("0123456789") != std::string_view::npos)
    return parsed::too_large;
  return parsed::good;
}

parsed parse_boolean(std::string_view token, bool& value) noexcept {
  bool const yes = token == "1" || is_word(token, "true");
  if (!yes && token != "0" && !is_word(token, "false")) return parsed::malformed;
  value = yes;
  return parsed::good;
}

template <class T>
using wide =
    std::conditional_t<is_small_float<T> || std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T, class Wide>
bool narrow(Wide value, T& out) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    out = value != Wide{0};
    return value == Wide{0} || value == Wide{1};
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<Wide>) {
    out = static_cast<T>(value);
    return std::in_range<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    auto const beyond =
        std::ldexp(1.0, std::numeric_limits<T>::digits);  // the smallest integer that does not fit
    if (!(value >= static_cast<double>(std::numeric_limits<T>::min()) && value < beyond))
      return false;
    out = static_cast<T>(value);
    return static_cast<double>(out) == value;
  } else if constexpr (is_small_float<T>) {
    auto const number = static_cast<double>(value);
    out = T(number);
    return !std::isinf(static_cast<double>(out)) || std::isinf(number);
  } else {
    out = static_cast<T>(value);
    if constexpr (std::is_integral_v<Wide>) {
      return true;
    } else {
      return !std::isinf(out) || std::isinf(value);
    }
  }
}

}  // namespace

void append_number(std::string& out, dtype type, void const* value) {
  dispatch_storage(type, [&]<class T>() {
    if constexpr (std::is_same_v<T, bool>) {
      out += load<std::uint8_t>(value) != 0 ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
      fmt::format_int const text(load<T>(value));
      out.append(text.data(), text.size());
    } else if constexpr (is_small_float<T>) {
      append_float(out, shortest_decimal(load<T>(value)));
    } else {
      append_float(out, load<T>(value));
    }
  });
}

std::string number_text(dtype type, void const* value) {
  std::string text;
  append_number(text, type, value);
  return text;
}

parsed parse_number(std::string_view token, dtype type, void* value) noexcept {
  if (token.size() > 1 && token[0] == '+' && token[1] != '+' && token[1] != '-')
    token.remove_prefix(1);
  return dispatch_storage(type, [&]<class T>() {
    T result{};
    auto outcome = parsed::good;
    if constexpr (std::is_same_v<T, bool>) {
      outcome = parse_boolean(token, result);
    } else if constexpr (std::is_integral_v<T>) {
      outcome = parse_integer(token, result);
    } else if constexpr (is_small_float<T>) {
      double number = 0;
      outcome = parse_float(token, number);
      if (outcome == parsed::good && !narrow(number, result)) outcome = parsed::too_large;
    } else {
      outcome = parse_float(token, result);
    }
    if (outcome == parsed::good) std::memcpy(value, &result, sizeof result);
    return outcome;
  });
}

void parse_option_number(std::string_view token, dtype type, void* value, std::string_view what) {
  auto const outcome = parse_number(token, type, value);
  if (outcome == parsed::good) return;
  bool const is_large = outcome == parsed::too_large;
  throw usage_error("{} is '{}', which {} {}.", what, token,
                    is_large ? "does not fit" : "is not a number of dtype", name_of(type));
}

number_format::number_format(std::string format) : format_(std::move(format)) {
  if (format_.empty()) return;
  auto const refuse = [&](std::string_view why) {
    throw usage_error("The number format '{}' {}; give one like '%.3f', '%8d' or '%g'.", format_,
                      why);
  };
  for (std::size_t i = 0; i < format_.size(); ++i) {
    if (format_[i] != '%') continue;
    if (i + 1 < format_.size() && format_[i + 1] == '%') {
      ++i;
      continue;
    }
    if (conversion_ != 0) refuse("has more than one number");
    auto const end = format_.find_first_not_of("-+ #0123456789.", i + 1);
    if (end == std::string::npos || !contains("diuoxXeEfFgGaA", format_[end])) {
      refuse("has a conversion that is not one of printf's conversions for numbers");
    }
    conversion_ = format_[end];
    conversion_at_ = end;
    for (std::size_t at = i, digits = 0; at < end; ++at) {
      digits = format_[at] >= '0' ? digits + 1 : 0;  // signs are less
      if (digits > 3) refuse("has a width or precision that is too large, above 999");
    }
    i = end;
  }
  if (conversion_ == 0) refuse("has no number in it");
  try {
    bool const whole = contains("diuoxX", conversion_);
    static_cast<void>(whole ? fmt::sprintf(format_, 1) : fmt::sprintf(format_, 1.0));
  } catch (fmt::format_error const& error) {
    refuse(fmt::format("is invalid ({})", error.what()));
  }
}

void number_format::append(std::string& out, dtype type, void const* value) const {
  if (format_.empty()) {
    append_number(out, type, value);
    return;
  }
  bool const whole = contains("diuoxX", conversion_);
  if (whole && is_float(type))
    throw usage_error(
        "The number format '{}' is for integers, but the values are {}; use %g or %.0f.", format_,
        name_of(type));
  dispatch_storage(type, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      auto const integer =
          load<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>(value);
      auto const rounded = static_cast<double>(integer);
      // long double has the 64 bits of an integer on x86.
      bool const is_long = std::abs(rounded) >= 0x1p53 && (conversion_ | 0x20) != 'a';
      if (std::is_unsigned_v<T> && contains("di", conversion_)) {
        auto natural = format_;  // sprintf would take the number for a signed one
        natural[conversion_at_] = 'u';
        out += fmt::sprintf(natural, integer);
        return;
      }
      out += whole     ? fmt::sprintf(format_, integer)
             : is_long ? fmt::sprintf(format_, static_cast<long double>(integer))
                       : fmt::sprintf(format_, rounded);
    } else {
      out += fmt::sprintf(format_, static_cast<double>(load<T>(value)));
    }
  });
}

std::size_t convert(dtype from, void const* in, dtype to, void* out, std::size_t count) noexcept {
  if (from == to) {
    std::memcpy(out, in, count * size_of(from));
    return count;
  }
  return dispatch_storage(from, [&]<class From>() {
    return dispatch_storage(to, [&]<class To>() {
      auto const* source = static_cast<char const*>(in);
      auto* target = static_cast<char*>(out);
      for (std::size_t i = 0; i < count; ++i) {
        From element;
        std::memcpy(&element, source + i * sizeof(From), sizeof element);
        To result{};
        if (!narrow<To>(static_cast<wide<From>>(element), result)) return i;
        std::memcpy(target + i * sizeof(To), &result, sizeof result);
      }
      return count;
    });
  });
}

void copy_elements(void* out, std::size_t out_stride, void const* in, std::size_t in_stride,
                   std::size_t size, std::size_t count) noexcept {
  if (out_stride == size && in_stride == size) {
    std::memcpy(out, in, size * count);
    return;
  }
  auto const copy = [&](auto bytes) {
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(static_cast<char*>(out) + i * out_stride,
                  static_cast<char const*>(in) + i * in_stride, bytes);
  };
  if (size == 4)
    copy(std::integral_constant<std::size_t, 4>{});
  else if (size == 8)
    copy(std::integral_constant<std::size_t, 8>{});
  else
    copy(size);
}

void swap_bytes(void* values, std::size_t size, std::size_t count) noexcept {
  auto const reverse = [&]<class T>(T) {
    auto* bytes = static_cast<char*>(values);
    for (std::size_t i = 0; i < count; ++i, bytes += sizeof(T)) {
      T element;
      std::memcpy(&element, bytes, sizeof element);
      if constexpr (sizeof(T) == 2) element = __builtin_bswap16(element);
      if constexpr (sizeof(T) == 4) element = __builtin_bswap32(element);
      if constexpr (sizeof(T) == 8) element = __builtin_bswap64(element);
      std::memcpy(bytes, &element, sizeof element);
    }
  };
  if (size == 2) reverse(std::uint16_t{});
  if (size == 4) reverse(std::uint32_t{});
  if (size == 8) reverse(std::uint64_t{});
}

std::size_t find_bad_boolean(std::span<std::byte const> bytes) noexcept {
  auto const bad =
      std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  return static_cast<std::size_t>(bad - bytes.begin());
}

bool has_integer_form(std::string_view token) noexcept {
  if (!token.empty() && (token.front() == '-' || token.front() == '+')) token.remove_prefix(1);
  return !token.empty() && std::ranges::all_of(token, is_digit);
}

bool is_rounded(std::string_view token) {
  if (token.size() < digits_of_largest_exact || !has_integer_form(token)) return false;
  double value = 0;
  if (parse_number(token, dtype::f64, &value) != parsed::good) return false;
  if (std::abs(value) >= largest_compared) return true;
  int128 exact = 0;
  for (char const c : token)
    if (is_digit(c)) exact = 10 * exact + (c - '0');
  return static_cast<int128>(std::abs(value)) != exact;
}

bool has_long_integer(std::string_view text) noexcept {
  constexpr std::uint64_t high = 0xf0f0f0f0f0f0f0f0, zeros = 0x3030303030303030,
                          six = 0x0606060606060606;
  constexpr std::size_t step = sizeof high;  // 16 digits have such a word
  for (std::size_t at = 0; at + step <= text.size();) {
    auto const word = load<std::uint64_t>(text.data() + at);
    bool const are_digits = (word & high) == zeros && ((word + six) & high) == zeros;
    if (!are_digits) {
      at += step;
      continue;
    }
    auto begin = at, end = at + step;
    while (end < text.size() && is_digit(text[end])) ++end;
    while (begin > 0 && is_digit(text[begin - 1])) --begin;
    bool const is_decimal =
        (begin > 0 && text[begin - 1] == '.') || (end < text.size() && text[end] == '.');
    if (end - begin >= digits_of_largest_exact && !is_decimal) return true;
    at = end / step * step;
  }
  return false;
}

void append_spelling(std::string& out, std::string_view number) {
  double value = 0;
  if (has_integer_form(number)) {
    if (number.front() == '-') out += '-';
    auto const digits = number.find_first_not_of("+-0");
    out += number.substr(std::min(digits, number.size() - 1));
  } else if (parse_number(number, dtype::f64, &value) != parsed::good) {
    out += number;
  } else if (std::abs(value) >= 0x1p53 && std::abs(value) < largest_compared) {
    fmt::format_to(std::back_inserter(out), "{}", static_cast<int128>(value));
  } else {
    append_number(out, dtype::f64, &value);
  }
}

}  // namespace upsweep::io

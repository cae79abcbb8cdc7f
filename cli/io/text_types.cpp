/// Classification of tokens, cheap for the common ones: short runs of digits are recognised without being converted.
#include "text_types.hpp"

#include <algorithm>
#include <cctype>

#include "number.hpp"

namespace upsweep::cli::io {
namespace {

/// Digits behind an optional sign.
bool has_integer_form(std::string_view token) noexcept {
  if (!token.empty() && (token.front() == '-' || token.front() == '+')) token.remove_prefix(1);
  return !token.empty() && std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "-0" is a float: as an integer it would lose its sign.
bool is_negative_zero(std::string_view token) noexcept {
  return token.front() == '-' && token.find_first_not_of('0', 1) == std::string_view::npos;
}

}  // namespace

bool is_missing(std::string_view token) noexcept {
  if (token.size() > 4) return false;
  char lower[4] = {};
  std::transform(token.begin(), token.end(), lower,
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  std::string_view const word(lower, token.size());
  return word.empty() || word == "na" || word == "n/a" || word == "null";
}

bool is_number(std::string_view token) noexcept {
  double value = 0;
  return has_integer_form(token) || parse_number(token, dtype::f64, &value) != parsed::malformed;
}

bool is_truth(std::string_view token) noexcept {
  bool value = false;
  return token.size() > 1 && parse_number(token, dtype::boolean, &value) == parsed::good;
}

void type_guess::observe(std::string_view token) noexcept {
  if (has_integer_form(token)) {
    if (is_negative_zero(token)) {
      decimals_ = true;
      return;
    }
    integers_ = true;
    negatives_ = negatives_ || token.front() == '-';
    if (token.size() < 19) return;  // fits whatever it is
    std::int64_t value = 0;
    beyond_i64_ = beyond_i64_ || parse_number(token, dtype::i64, &value) != parsed::good;
    return;
  }
  double value = 0;
  if (parse_number(token, dtype::f64, &value) != parsed::malformed) {
    decimals_ = true;
    return;
  }
  booleans_ = booleans_ || is_truth(token);
}

dtype type_guess::type() const noexcept {
  if (decimals_) return dtype::f64;
  if (integers_) return beyond_i64_ && !negatives_ ? dtype::u64 : dtype::i64;
  return booleans_ ? dtype::boolean : dtype::f64;
}

}  // namespace upsweep::cli::io

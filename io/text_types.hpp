/// Infers the type of a column of text from its tokens.
#pragma once

#include <io/dtype.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {

/// True for the empty token, NA, N/A and null in any case.
[[nodiscard]] bool is_missing(std::string_view token) noexcept;

/// True also for what other programs write for a missing value: "-", "None", "#N/A" and others,
/// which only the user can say.
[[nodiscard]] bool may_be_missing(std::string_view token) noexcept;

/// The words for a missing value: is_missing, and words of the user's own, which are compared as
/// they stand.
class missing_words {
 public:
  missing_words() = default;
  explicit missing_words(std::vector<std::string> own) : own_(std::move(own)) {}
  [[nodiscard]] bool is_own(std::string_view token) const noexcept {
    return !own_.empty() && std::find(own_.begin(), own_.end(), token) != own_.end();
  }
  [[nodiscard]] bool operator()(std::string_view token) const noexcept {
    return is_own(token) || is_missing(token);
  }

 private:
  std::vector<std::string> own_;
};

/// True for integers of any length, decimals, inf and nan. False for "true".
[[nodiscard]] bool is_number(std::string_view token) noexcept;
/// True for "true" and "false" in any case.
[[nodiscard]] bool is_truth(std::string_view token) noexcept;
/// True for a number with a leading zero: "07306", "005.133".
[[nodiscard]] bool is_code(std::string_view token) noexcept;
/// True for '+' and at least 7 digits: "+4930123".
[[nodiscard]] bool is_telephone(std::string_view token) noexcept;

/// True for a possible column name: valid UTF-8 whose first character, after an optional opening
/// quote, is '_' or a letter of any script. "$1.50", "5kg", "(3)" and "12:30" are not names but
/// values in a human-readable format.
[[nodiscard]] bool is_name(std::string_view token) noexcept;

/// True for "-0", which is a float: as an integer it would lose its sign.
[[nodiscard]] bool is_negative_zero(std::string_view token) noexcept;

/// The narrowest of bool, i64, u64 and f64 that holds all tokens observed so far.
class type_guess {
 public:
  void observe(std::string_view token) noexcept;
  /// Adds the tokens that `other` has observed.
  void merge(type_guess const& other) noexcept;
  /// True if a token that is not a missing value was observed.
  [[nodiscard]] bool has_seen() const noexcept {
    return decimals_ || integers_ || booleans_ || strange_;
  }
  /// True if no further token can change the type, or none needs to: a column that begins with text
  /// is text, or an error where numbers are needed.
  [[nodiscard]] bool settled() const noexcept {
    return decimals_ || (begins_with_text_ && begins_like_number_.has_value());
  }
  /// True if the first token that is not a missing value is neither a number nor a Boolean.
  [[nodiscard]] bool begins_with_text() const noexcept { return begins_with_text_; }
  /// True if the first token that is no missing value looks like a number.
  [[nodiscard]] bool begins_like_number() const noexcept {
    return begins_like_number_.value_or(false);
  }
  /// True for numbers of which some have leading zeros, or are telephone numbers; of decimals the
  /// first tells.
  [[nodiscard]] bool are_codes() const noexcept { return codes_ && !negatives_; }
  /// f64 if nothing was observed. Tokens that no type can hold are ignored; the reader reports
  /// them.
  [[nodiscard]] dtype type() const noexcept;

 private:
  bool decimals_ = false;
  bool integers_ = false;
  bool negatives_ = false;
  bool beyond_i64_ = false;
  bool booleans_ = false;
  bool strange_ = false;  ///< a token that is neither a value of any type nor a missing value
  bool begins_with_text_ = false;
  bool codes_ = false;  ///< a code or a telephone number
  std::optional<bool> begins_like_number_ = {};
};

}  // namespace upsweep::io

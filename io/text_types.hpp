/// What the tokens of text are: numbers, also with thousands separators or another decimal
/// separator, as people and spreadsheets write them; amounts of money as in bank statements:
/// "$1,234.50",
/// "(12.00)", "3.00- EUR"; missing values; names. The type of a column by its tokens.
#pragma once

#include <io/dtype.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
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
  void observe(std::string_view token);
  /// Adds the tokens that `other` has observed.
  void merge(type_guess const& other) noexcept;
  /// True if a token that is not a missing value was observed.
  [[nodiscard]] bool has_seen() const noexcept {
    return has(decimals | integers | booleans | strange);
  }
  /// True if no further token can change the type, or none needs to: a column that begins with text
  /// is text, or an error where numbers are needed. `exact`: nor rounds().
  [[nodiscard]] bool settled(bool exact) const noexcept {
    return (has(decimals) && (has(rounded) || !exact)) ||
           (begins_with_text_ && begins_like_number_.has_value());
  }
  [[nodiscard]] bool has_decimals() const noexcept { return has(decimals); }
  /// True if there are decimals, and integers that f64 rounds.
  [[nodiscard]] bool rounds() const noexcept { return has(decimals) && has(rounded); }
  /// True if the first token that is not a missing value is neither a number nor a Boolean.
  [[nodiscard]] bool begins_with_text() const noexcept { return begins_with_text_; }
  /// True if the first token that is no missing value looks like a number.
  [[nodiscard]] bool begins_like_number() const noexcept {
    return begins_like_number_.value_or(false);
  }
  /// True for numbers of which some have leading zeros, or are telephone numbers; of decimals the
  /// first tells.
  [[nodiscard]] bool are_codes() const noexcept { return has(codes) && !has(negatives); }
  /// f64 if nothing was observed. Tokens that no type can hold are ignored; the reader reports
  /// them.
  [[nodiscard]] dtype type() const noexcept;

 private:
  static constexpr unsigned decimals = 1, integers = 2, negatives = 4, beyond_i64 = 8,
                            booleans = 16;
  static constexpr unsigned strange = 32;  ///< neither a value of any type nor a missing value
  static constexpr unsigned codes = 64;    ///< a code or a telephone number
  static constexpr unsigned rounded = 128;
  [[nodiscard]] bool has(unsigned any) const noexcept { return (seen_ & any) != 0; }

  unsigned seen_ = 0;
  bool begins_with_text_ = false;
  std::optional<bool> begins_like_number_ = {};
};

struct amount {
  std::string_view number;  ///< between currency and signs
  bool is_negative = false;
  std::string currency{};  ///< as written, before and after the number; empty if there is none
};

/// Takes an amount apart: currency signs and codes before or after it, and for a negative a
/// minus before or after it, or parentheses. Nothing if it has other words or two signs of one
/// kind, or if a minus follows the decimal separator: "5.-" may be 5 or -5.
[[nodiscard]] std::optional<amount> parse_amount(std::string_view text, char decimal);

/// The currency of the amounts of a column: that of the first that has one.
class one_currency {
 public:
  /// False if another is known. Several threads may call it.
  [[nodiscard]] bool takes(std::string_view currency) noexcept;
  [[nodiscard]] std::string name() const;

 private:
  std::atomic<std::uint64_t> bytes_ = 0;  // its first eight
};

/// The currency of each column by its name, in all files that are read as one.
class column_currencies {
 public:
  /// Several threads may call it; the result stays where it is.
  [[nodiscard]] one_currency& of(std::string const& column) {
    std::lock_guard const lock(mutex_);
    return columns_[column];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, one_currency> columns_;
};

struct number_spelling {
  std::string thousands = {};  ///< one UTF-8 character between groups of three digits, or empty
  char decimal = '.';
  /// Not null: numbers are amounts of money, which have `thousands`.
  std::shared_ptr<column_currencies> currencies = {};
  bool says_decimal = false;  ///< an amount such as 1.234 may be meant with these separators

  [[nodiscard]] bool is_standard() const noexcept { return thousands.empty() && decimal == '.'; }
  /// That of a column; null if numbers are no amounts.
  [[nodiscard]] one_currency* currency_of(std::string const& column) const {
    return currencies ? &currencies->of(column) : nullptr;
  }
  /// False for an amount in another currency than those before.
  [[nodiscard]] bool is_in(one_currency* currency, std::string_view token) const;
};

/// What is wrong with an amount in another currency; `in` says of which column it is.
[[nodiscard]] std::string currency_error(std::string_view token, std::string_view in,
                                         one_currency const& currency);

/// The number `token` without separators and with a decimal point, in `buffer`, or `token` itself
/// if it needs no change or does not begin like a number. A token that breaks the rules becomes
/// "?", which is not a number: a separator that is not before three digits (or, of an
/// amount, as in 12,34,567), a point that is not the decimal separator, or an amount such as 1.234,
/// whose point may be either.
[[nodiscard]] std::string_view standard_form(std::string_view token,
                                             number_spelling const& spelling, std::string& buffer);

/// True for a number, and for a text that people read as one: "$900", "1.234,5", "9 %", "8.0K",
/// "<5", "0x1F". Strings in their own order would not be in that of these numbers.
[[nodiscard]] bool looks_like_number(std::string_view token);

/// "; for decimal commas use --decimal ,", or what else would make a number of `token`, for an
/// error message; empty if nothing would.
[[nodiscard]] std::string spelling_hint(std::string_view token,
                                        number_spelling const& spelling = {});

}  // namespace upsweep::io

/// Decides from its tokens which type a column of text has.
#pragma once

#include <io/dtype.hpp>

#include <string_view>

namespace upsweep::io {

/// True for the empty token, NA, N/A and null in any case.
[[nodiscard]] bool is_missing(std::string_view token) noexcept;
/// True for what some numeric type reads: integers of any length, decimals, inf, nan. Not for
/// "true".
[[nodiscard]] bool is_number(std::string_view token) noexcept;
/// True for "true" and "false" in any case.
[[nodiscard]] bool is_truth(std::string_view token) noexcept;

/// True for what may name a column: valid UTF-8 whose first character, behind an opening quote, is
/// a letter of any script or '_'. "$1.50", "5kg", "(3)" and "12:30" are no names: they are values
/// that somebody wrote for people.
[[nodiscard]] bool is_name(std::string_view token) noexcept;

/// True for "-0", which is a float: as an integer it would lose its sign.
[[nodiscard]] bool is_negative_zero(std::string_view token) noexcept;

/// The narrowest of bool, i64, u64, f64 that reads all tokens shown so far.
class type_guess {
 public:
  void observe(std::string_view token) noexcept;
  /// Adds what the other one was shown.
  void merge(type_guess const& other) noexcept;
  /// A token that is no missing value has been shown.
  [[nodiscard]] bool has_seen() const noexcept {
    return decimals_ || integers_ || booleans_ || strange_;
  }
  /// No further token can change the answer.
  [[nodiscard]] bool settled() const noexcept { return decimals_; }
  /// f64 if nothing was shown. Tokens that no type reads count for nothing: the reader will report
  /// them.
  [[nodiscard]] dtype type() const noexcept;

 private:
  bool decimals_ = false;
  bool integers_ = false;
  bool negatives_ = false;
  bool beyond_i64_ = false;
  bool booleans_ = false;
  bool strange_ = false;  ///< a token that no type reads, and that is no missing value
};

}  // namespace upsweep::io

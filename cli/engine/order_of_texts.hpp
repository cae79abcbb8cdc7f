/// The order of strings, among which numbers are in that of their values.
#pragma once

#include <io/error.hpp>
#include <io/order_forms.hpp>
#include <upsweep/core/number_types.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace upsweep::cli {

/// A number in its order: a NaN is the extreme in both directions, integers are exact.
struct place_of_number {
  double value = 0;
  int128 whole = 0;  // of numbers that f64 takes for equal

  [[nodiscard]] bool precedes(place_of_number const& other) const;
};

/// `number` is in the standard form.
[[nodiscard]] place_of_number place_of(std::string_view number);

/// Whether `a` comes before `b`: numbers by value and, among equals ("07", "7"), as they are
/// written; then strings, byte by byte.
[[nodiscard]] bool comes_before(std::string_view a, std::string_view b);

/// Whether the user has said that a column is to be compared as text: text(COLUMN).
[[nodiscard]] bool is_compared_as_text(std::string_view column) noexcept;

/// Refuses the strings of a column, such as times, whose bytes are in another order than what they
/// say.
class strings_in_order {
 public:
  explicit strings_in_order(std::string column) : column_(std::move(column)) {}
  void restart() noexcept { forms_ = {}; }
  /// False if `text` has no place among those before; error() says why.
  [[nodiscard]] bool take(std::string_view text) {
    return is_compared_as_text(column_) || forms_.take(text);
  }
  /// `place` is "Row 3: " or empty.
  [[nodiscard]] io::data_error error(std::string_view text, std::string_view place = "") const;

 private:
  std::string column_;
  io::order_forms forms_;
};

}  // namespace upsweep::cli

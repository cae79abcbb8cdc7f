/// The order of strings: numbers by their values, others byte by byte; and whether the bytes of
/// strings made of numbers, such as times and versions, are in the meant order.
#pragma once

#include <io/error.hpp>
#include <upsweep/core/number_types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::cli {

/// A number in its order: a NaN is the extreme in both directions, integers of up to 38 digits are
/// exact.
struct place_of_number {
  double value = 0;
  int128 whole = 0;  // of numbers that f64 takes for equal

  [[nodiscard]] bool precedes(place_of_number const& other) const;
};

[[nodiscard]] place_of_number place_of(double number);
/// `number` is in the standard form.
[[nodiscard]] place_of_number place_of(std::string_view number);

/// Whether `a` comes before `b`: numbers by value and, among equals ("07", "7"), as they are
/// written; then strings, byte by byte.
[[nodiscard]] bool comes_before(std::string_view a, std::string_view b);

/// How the numbers of a string are written, as far as the order of its bytes depends on it.
struct order_form {
  enum class kind : std::uint8_t {
    none,       ///< no text of numbers
    unordered,  ///< "3/4/2024", "5 Jan 2024", "9:30 PM": bytes are not ordered as times
    time,       ///< in order among strings of the same form
    version     ///< the same: "1.10.0", "v2.3", "192.168.0.1"
  };
  kind is = kind::none;
  std::uint32_t numbers = 0;  ///< the widths and separators, of a time those of its date
  std::uint32_t clock = 0;    ///< the same of the time of day, with its zone; 0: there is none

  [[nodiscard]] bool operator==(order_form const&) const = default;
};

[[nodiscard]] order_form order_form_of(std::string_view token) noexcept;

/// False if both are such strings, and their bytes are not in the order of what they say.
[[nodiscard]] bool are_in_order(std::string_view a, std::string_view b) noexcept;

/// What a message says of a string that is refused, and advises.
[[nodiscard]] char const* order_hint(std::string_view token);

/// Whether the user has said that a column is to be compared as text: text(COLUMN).
[[nodiscard]] bool is_compared_as_text(std::string_view column) noexcept;

/// Refuses the strings of a column, such as times, whose bytes are in another order than what they
/// say.
class strings_in_order {
 public:
  explicit strings_in_order(std::string column) : column_(std::move(column)) {}
  void restart() noexcept { common_ = {}; }
  /// False if `text` has no place among those before; error() says why.
  [[nodiscard]] bool take(std::string_view text) noexcept;
  /// `place` is "Row 3: " or empty.
  [[nodiscard]] io::data_error error(std::string_view text, std::string_view place = "") const;

 private:
  std::string column_;
  order_form common_;  // of the first, with the time of day of the first that has one
};

}  // namespace upsweep::cli

/// Whether the bytes of strings made of numbers, such as times and versions, are in the meant
/// order.
#pragma once

#include <cstdint>
#include <string_view>

namespace upsweep::io {

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

/// The forms of the strings that are compared with each other.
class order_forms {
 public:
  /// False if the bytes of the strings so far and of `token` are not in the order of what they say.
  [[nodiscard]] bool take(std::string_view token) noexcept;

 private:
  order_form common_;  ///< of the first, with the time of day of the first that has one
};

/// False if both are such strings, and their bytes are not in the order of what they say.
[[nodiscard]] bool are_in_order(std::string_view a, std::string_view b) noexcept;

/// What a message says of a string that is refused, and advises.
[[nodiscard]] char const* order_hint(std::string_view token);

}  // namespace upsweep::io

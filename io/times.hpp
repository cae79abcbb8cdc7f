/// Dates and times as ISO 8601 writes them; and whether the bytes of strings made of numbers, such
/// as times and versions, are in the meant order.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::io {

/// 2024-03-31, or with a time after 'T' or a blank: 2024-03-31T12:30, with seconds, which may have
/// a fraction, and with 'Z' or an offset from UTC such as +02:00.
struct written_time {
  std::chrono::year_month_day date;
  int hour = 0, minute = 0, second = 0;
  std::int64_t nanoseconds = 0;  ///< further digits are dropped
  std::optional<int> offset{};   ///< minutes east of UTC
  char separator = 'T';          ///< before the time
  bool has_time = false;
  std::string_view zone{};  ///< "Z" or the offset, as written

  /// Days since 1970-01-01 of the date as written.
  [[nodiscard]] std::int64_t days() const;
  /// Since 1970 in UTC, which a time without an offset is in.
  [[nodiscard]] double seconds() const;
  /// The same in nanoseconds; nothing before 1678 and after 2261, where they are no integer of 64
  /// bits.
  [[nodiscard]] std::optional<std::int64_t> since_1970() const;

 private:
  [[nodiscard]] std::int64_t whole_seconds() const;
};

/// Nothing if `text` is no such time, or no day of the calendar.
[[nodiscard]] std::optional<written_time> parse_time(std::string_view text);
/// The ISO week, from 1.
[[nodiscard]] int week_of(std::chrono::sys_days day);
/// 1 to 4.
[[nodiscard]] int quarter_of(std::chrono::year_month_day date);
/// The beginning of the unit ("year" ... "second") in which the time lies: a date, or for units of
/// the time a time, with the offset as it was written.
[[nodiscard]] std::string truncated(written_time const& time, std::string_view unit);
/// The time in UTC of so many seconds since 1970, to the microsecond; nothing if its year has not
/// four digits.
[[nodiscard]] std::optional<std::string> time_text(double seconds);

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

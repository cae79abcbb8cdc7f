/// Dates and times as ISO 8601 writes them.
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

}  // namespace upsweep::io

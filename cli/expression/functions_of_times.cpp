/// The functions of times.
#include <cli/expression/values.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <io/times.hpp>

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace upsweep::cli {

namespace {

using node = expression_node;

std::int64_t number_of(expression_kind kind, io::written_time const& time) {
  switch (kind) {
    case expression_kind::year:
      return static_cast<int>(time.date.year());
    case expression_kind::quarter:
      return io::quarter_of(time.date);
    case expression_kind::month:
      return static_cast<unsigned>(time.date.month());
    case expression_kind::week:
      return io::week_of(std::chrono::sys_days(time.date));
    case expression_kind::weekday:
      return std::chrono::weekday(std::chrono::sys_days(time.date)).iso_encoding();
    case expression_kind::day:
      return static_cast<unsigned>(time.date.day());
    case expression_kind::hour:
      return time.hour;
    case expression_kind::minute:
      return time.minute;
    case expression_kind::second:
      return time.second;
    default:
      return time.days();
  }
}

block_values texts_of_seconds(node const& of, block& here) {
  auto const seconds = as_decimals(value_of(*of.parts[0], here));
  block_values out;
  out.unknown = seconds.unknown;
  for (std::size_t i = 0; i < here.n; ++i) {
    auto text = io::time_text(out.is_unknown(i) ? 0 : seconds.decimals[i]);
    if (!text)
      throw io::data_error(fmt::format(
          "{}: row {}: {} seconds since 1970 are not in the years 0 to 9999.{}", here.source.where,
          here.number(i), seconds.decimals[i], caret_at(here.source, of.at)));
    out.owned.push_back(*std::move(text));
  }
  refer_to_owned(out);
  return out;
}

}  // namespace

block_values function_of_times(node const& of, block& here) {
  if (of.kind == expression_kind::time_text) return texts_of_seconds(of, here);
  auto const from = value_of(*of.parts[0], here);
  block_values out;
  out.unknown = from.unknown;
  if (here.missing != nullptr) out.unknown.resize(here.n);
  for (std::size_t i = 0; i < here.n; ++i) {
    bool const is_missing = here.missing != nullptr && (*here.missing)(from.texts[i]);
    if (is_missing) out.unknown[i] = 1;
    auto const time = out.is_unknown(i) ? io::written_time{} : io::parse_time(from.texts[i]);
    if (!time)
      throw io::data_error(fmt::format(
          "{}: row {}: '{}' is not a date or time such as 2024-01-31 or 2024-01-31T12:30:00Z.{}",
          here.source.where, here.number(i), io::shown(from.texts[i]),
          caret_at(here.source, of.at)));
    if (of.kind == expression_kind::trunc)
      out.owned.push_back(io::truncated(*time, of.parts[1]->text));
    else if (of.kind == expression_kind::seconds)
      out.decimals.push_back(time->seconds());
    else
      out.integers.push_back(number_of(of.kind, *time));
  }
  refer_to_owned(out);
  return out;
}

}  // namespace upsweep::cli

/// Functions of strings and of times, a block of rows at a time.
#include <cli/expression/values.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/times.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

using node = expression_node;
using enum expression_kind;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

std::string changed_case(expression_kind kind, std::string_view text) {
  char const first = kind == lower ? 'A' : 'a', last = kind == lower ? 'Z' : 'z';
  std::string made(text);
  for (char& c : made)
    if (c >= first && c <= last) c = static_cast<char>(c ^ 0x20);
  return made;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// `length` characters from the one at `start`, counted from 1. Positions before the first
/// are skipped.
std::string_view part_of(std::string_view text, std::int64_t start, std::int64_t length) {
  std::int64_t const last = start > 0 && length > INT64_MAX - start ? INT64_MAX : start + length;
  std::size_t begin = text.size(), end = text.size();
  std::int64_t number = 0;  // of the character at i
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!begins_character(text[i])) continue;
    ++number;
    if (number >= start && begin == text.size()) begin = i;
    if (number >= last) {
      end = i;
      break;
    }
  }
  return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string made;
  while (!from.empty()) {
    auto const at = text.find(from);
    if (at == std::string_view::npos) break;
    made.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return made.append(text);
}

/// The values of all parts as strings, one after the other.
void append_texts(block_values const& part, expression_type type, std::vector<std::string>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (part.is_unknown(i)) continue;
    if (type == expression_type::text)
      to[i] += part.texts[i];
    else if (type == expression_type::integer)
      to[i] += io::number_text(part.integers[i]);
    else if (type == expression_type::natural)
      to[i] += io::number_text(part.naturals[i]);
    else
      to[i] += io::number_text(part.decimals[i]);
  }
}

bool holds(node const& of, std::string_view text, std::string_view other) {
  switch (of.kind) {
    case matches:
      return of.pattern.occurs_in(text);
    case starts_with:
      return text.starts_with(other);
    case ends_with:
      return text.ends_with(other);
    default:
      return text.find(other) != std::string_view::npos;
  }
}

std::string made_text(node const& of, std::span<block_values const> parts, std::size_t i) {
  auto const text = parts[0].texts[i];
  switch (of.kind) {
    case trim:
      return std::string(trimmed(text));
    case substring:
      return std::string(
          part_of(text, parts[1].integers[i],
                  parts.size() > 2 ? std::max<std::int64_t>(parts[2].integers[i], 0) : INT64_MAX));
    case replace:
      return replaced(text, parts[1].texts[i], parts[2].texts[i]);
    default:
      return changed_case(of.kind, text);
  }
}

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

block_values function_of_texts(node const& of, block& here) {
  std::vector<block_values> parts;
  block_values out;
  for (auto const& part : of.parts) {
    parts.push_back(value_of(part->with_codes ? *part->with_codes : *part, here));
    out.unknown = unknown_of(out, parts.back());
  }
  switch (of.kind) {
    case field_text:
      return std::move(parts[0]);
    case length:
      for (auto const text : parts[0].texts)
        out.integers.push_back(std::ranges::count_if(text, begins_character));
      return out;
    case matches:
    case starts_with:
    case ends_with:
    case contains:
      for (std::size_t i = 0; i < here.n; ++i)
        out.truths.push_back(
            holds(of, parts[0].texts[i], parts.size() > 1 ? parts[1].texts[i] : "") ? 1 : 0);
      return out;
    case concat:
      out.owned.resize(here.n);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        auto const is_text = of.parts[p]->with_codes != nullptr;
        append_texts(parts[p], is_text ? expression_type::text : of.parts[p]->type, out.owned);
      }
      break;
    default:
      for (std::size_t i = 0; i < here.n; ++i) out.owned.push_back(made_text(of, parts, i));
  }
  refer_to_owned(out);
  return out;
}

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

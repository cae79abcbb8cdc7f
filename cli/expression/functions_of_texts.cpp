/// Functions of strings and of times, a block of rows at a time.
#include <cli/expression/values.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>
#include <io/times.hpp>

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

/// The letters from `first` to `last`, which are 26, in the other case.
std::string changed_case(std::string_view text, char first, char last) {
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

/// Calls f(parts, out) with the values of all parts, and returns `out`.
template <class F>
block_values of_texts(node const& of, block& here, F const& f) {
  std::vector<block_values> parts;
  block_values out;
  for (auto const& part : of.parts) {
    parts.push_back(value_of(part->with_codes ? *part->with_codes : *part, here));
    out.unknown = unknown_of(out, parts.back());
  }
  f(parts, out);
  return out;
}

block_values unchanged(node const& of, block& here) {
  return value_of(of.parts[0]->with_codes ? *of.parts[0]->with_codes : *of.parts[0], here);
}

block_values lengths(node const& of, block& here) {
  return of_texts(of, here, [](auto const& parts, block_values& out) {
    for (auto const text : parts[0].texts)
      out.integers.push_back(std::ranges::count_if(text, begins_character));
  });
}

/// Whether holds(text, other).
template <auto holds>
block_values truths(node const& of, block& here) {
  return of_texts(of, here, [](auto const& parts, block_values& out) {
    for (std::size_t i = 0; i < parts[0].texts.size(); ++i)
      out.truths.push_back(holds(parts[0].texts[i], parts[1].texts[i]) ? 1 : 0);
  });
}

/// The strings made(parts, i).
template <auto made>
block_values made_texts(node const& of, block& here) {
  return of_texts(of, here, [&](auto const& parts, block_values& out) {
    for (std::size_t i = 0; i < here.n; ++i) out.owned.emplace_back(made(parts, i));
    refer_to_owned(out);
  });
}

using arguments = std::vector<block_values>;

std::string_view substring(arguments const& parts, std::size_t i) {
  return part_of(parts[0].texts[i], parts[1].integers[i],
                 parts.size() > 2 ? std::max<std::int64_t>(parts[2].integers[i], 0) : INT64_MAX);
}

void append_texts(block_values const& part, expression_type type, std::vector<std::string>& to) {
  if (type == expression_type::text) {
    for (std::size_t i = 0; i < to.size(); ++i)
      if (!part.is_unknown(i)) to[i] += part.texts[i];
    return;
  }
  with_numbers(part, type, [&](auto const& numbers) {
    for (std::size_t i = 0; i < to.size(); ++i)
      if (!part.is_unknown(i)) to[i] += io::number_text(dtype_of(type), &numbers[i]);
  });
}

/// The values of all parts as strings, one after the other.
block_values concatenated(node const& of, block& here) {
  return of_texts(of, here, [&](auto const& parts, block_values& out) {
    out.owned.resize(here.n);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      auto const& part = *of.parts[p];
      append_texts(parts[p], part.with_codes ? expression_type::text : part.type, out.owned);
    }
    refer_to_owned(out);
  });
}

/// Calls add(of, time, out) for each time; where it is missing, for some time.
template <auto add>
block_values of_times(node const& of, block& here) {
  auto const from = value_of(*of.parts[0], here);
  block_values out;
  out.unknown = from.unknown;
  if (here.missing != nullptr) out.unknown.resize(here.n);
  for (std::size_t i = 0; i < here.n; ++i) {
    bool const is_missing = here.missing != nullptr && (*here.missing)(from.texts[i]);
    if (is_missing) out.unknown[i] = 1;
    auto const time = out.is_unknown(i) ? io::written_time{} : io::parse_time(from.texts[i]);
    if (!time)
      throw io::data_error(
          "{}: row {}: '{}' is not a date or time such as 2024-01-31 or 2024-01-31T12:30:00Z.{}",
          here.source.where, here.number(i), io::shown(from.texts[i]),
          caret_at(here.source, of.at));
    add(of, *time, out);
  }
  refer_to_owned(out);
  return out;
}

/// The integers part(time).
template <auto part>
block_values parts_of_times(node const& of, block& here) {
  return of_times<[](node const&, io::written_time const& time, block_values& out) {
    out.integers.push_back(part(time));
  }>(of, here);
}

block_values texts_of_seconds(node const& of, block& here) {
  auto const seconds = as_decimals(value_of(*of.parts[0], here));
  block_values out;
  out.unknown = seconds.unknown;
  for (std::size_t i = 0; i < here.n; ++i) {
    auto text = io::time_text(out.is_unknown(i) ? 0 : seconds.decimals[i]);
    if (!text)
      throw io::data_error("{}: row {}: {} seconds since 1970 are not in the years 0 to 9999.{}",
                           here.source.where, here.number(i), seconds.decimals[i],
                           caret_at(here.source, of.at));
    out.owned.push_back(*std::move(text));
  }
  refer_to_owned(out);
  return out;
}

}  // namespace

block_values where_pattern_occurs(node const& of, block& here) {
  return of_texts(of, here, [&](auto const& parts, block_values& out) {
    for (auto const text : parts[0].texts) out.truths.push_back(of.pattern.occurs_in(text) ? 1 : 0);
  });
}

std::span<function const> functions_of_texts() {
  using text = std::string_view;
  using time = io::written_time;
  using std::chrono::sys_days;
  static constexpr function all[] = {
      {"length", 1, 1, "t", 'i', lengths},
      {"text", 1, 1, "t", 't', unchanged},
      {"lower", 1, 1, "t", 't', made_texts<[](arguments const& of, std::size_t i) {
         return changed_case(of[0].texts[i], 'A', 'Z');
       }>},
      {"upper", 1, 1, "t", 't', made_texts<[](arguments const& of, std::size_t i) {
         return changed_case(of[0].texts[i], 'a', 'z');
       }>},
      {"trim", 1, 1, "t", 't',
       made_texts<[](arguments const& of, std::size_t i) { return trimmed(of[0].texts[i]); }>},
      {"substring", 2, 3, "tii", 't', made_texts<substring>},
      {"replace", 3, 3, "t", 't', made_texts<[](arguments const& of, std::size_t i) {
         return replaced(of[0].texts[i], of[1].texts[i], of[2].texts[i]);
       }>},
      {"concat", 2, many_arguments, "x", 't', concatenated},
      {"starts_with", 2, 2, "t", 'b', truths<[](text a, text b) { return a.starts_with(b); }>},
      {"ends_with", 2, 2, "t", 'b', truths<[](text a, text b) { return a.ends_with(b); }>},
      {"contains", 2, 2, "t", 'b', truths<[](text a, text b) { return a.find(b) != a.npos; }>},
      {"year", 1, 1, "t", 'i', parts_of_times<[](time const& t) { return int{t.date.year()}; }>},
      {"quarter", 1, 1, "t", 'i',
       parts_of_times<[](time const& t) { return io::quarter_of(t.date); }>},
      {"month", 1, 1, "t", 'i',
       parts_of_times<[](time const& t) { return unsigned{t.date.month()}; }>},
      {"week", 1, 1, "t", 'i',
       parts_of_times<[](time const& t) { return io::week_of(sys_days(t.date)); }>},
      {"weekday", 1, 1, "t", 'i', parts_of_times<[](time const& t) {
         return std::chrono::weekday(sys_days(t.date)).iso_encoding();
       }>},
      {"day", 1, 1, "t", 'i', parts_of_times<[](time const& t) { return unsigned{t.date.day()}; }>},
      {"hour", 1, 1, "t", 'i', parts_of_times<[](time const& t) { return t.hour; }>},
      {"minute", 1, 1, "t", 'i', parts_of_times<[](time const& t) { return t.minute; }>},
      {"second", 1, 1, "t", 'i', parts_of_times<[](time const& t) { return t.second; }>},
      {"days", 1, 1, "t", 'i', parts_of_times<[](time const& t) { return t.days(); }>},
      {"seconds", 1, 1, "t", 'd', of_times<[](node const&, time const& t, block_values& out) {
         out.decimals.push_back(t.seconds());
       }>},
      {"trunc", 2, 2, "t", 't', of_times<[](node const& of, time const& t, block_values& out) {
         out.owned.push_back(io::truncated(t, of.parts[1]->text));
       }>},
      {"time", 1, 1, "n", 't', texts_of_seconds},
  };
  return all;
}

}  // namespace upsweep::cli

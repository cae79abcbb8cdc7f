/// Functions of strings, a block of rows at a time.
#include <cli/expression/values.hpp>
#include <io/number.hpp>

#include <algorithm>
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

}  // namespace upsweep::cli

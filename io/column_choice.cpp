/// Names, positions and ranges of columns.
#include <io/column_choice.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

namespace upsweep::io {
namespace {

std::optional<std::size_t> number_of(std::string_view text) noexcept {
  std::size_t number = 0;
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The column of that name, or at that position; nothing if there is none.
std::optional<std::size_t> find_one(std::string_view wanted, column_table const& table) {
  auto const& names = table.names;
  auto const found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) {
    if (std::find(found + 1, names.end(), wanted) != names.end())
      throw usage_error(
          fmt::format("{} has more than one column '{}'; choose it by position, for example 1.",
                      table.file, shown(wanted)));
    return static_cast<std::size_t>(found - names.begin());
  }
  auto const position = number_of(wanted);
  if (!position || *position < 1 || *position > table.width) return std::nullopt;
  return *position - 1;
}

[[noreturn]] void refuse(std::string_view column, std::string const& wanted,
                         column_table const& table) {
  auto const of = column == wanted ? std::string() : fmt::format(" (of '{}')", shown(wanted));
  if (number_of(column) == std::size_t{0})
    throw usage_error(
        fmt::format("{} has no column 0{}; columns are numbered from 1.", table.file, of));
  throw no_such_column(
      fmt::format("{} has no column '{}'{}; {}", table.file, shown(column), of, table.there),
      std::string(column), table.names);
}

/// The range that `wanted` is if it is divided at one of its hyphens; nothing if neither end is
/// there.
std::optional<chosen_columns> find_range(std::string const& wanted, column_table const& table) {
  std::optional<chosen_columns> range;
  for (auto at = wanted.find('-', 1); at != std::string::npos; at = wanted.find('-', at + 1)) {
    auto const from = std::string_view(wanted).substr(0, at);
    auto const to = std::string_view(wanted).substr(at + 1);
    auto const first = find_one(from, table);
    auto const last = to.empty() ? table.width - 1 : find_one(to, table);
    if (!first || !last) continue;
    if (range)
      throw usage_error(fmt::format(
          "The range '{}' has more than one meaning in {}; give its columns by position.",
          shown(wanted), table.file));
    if (*first > *last)
      throw usage_error(fmt::format(
          "The range '{}' is reversed: in {} column '{}' comes after column '{}'; write {}-{}.",
          shown(wanted), table.file, shown(from), shown(to), shown(to), shown(from)));
    range.emplace();
    range->columns.resize(*last + 1 - *first);
    std::iota(range->columns.begin(), range->columns.end(), *first);
    range->open = to.empty();
  }
  return range;
}

}  // namespace

chosen_columns find_columns(std::string const& wanted, column_table const& table) {
  if (auto const one = find_one(wanted, table)) return {{*one}};
  if (wanted == "all") {
    chosen_columns every{std::vector<std::size_t>(table.width), true, true};
    std::iota(every.columns.begin(), every.columns.end(), std::size_t{0});
    return every;
  }
  if (wanted.size() > 1)
    if (auto const range = find_range(wanted, table)) return *range;
  auto const hyphen = wanted.find('-');
  if (hyphen != std::string::npos && !chooses_by_name(wanted))
    for (auto const end :
         {std::string_view(wanted).substr(0, hyphen), std::string_view(wanted).substr(hyphen + 1)})
      if (!find_one(end, table)) refuse(end, wanted, table);
  refuse(wanted, wanted, table);
}

std::vector<chosen_columns> find_each(std::vector<std::string> const& wanted, std::size_t single,
                                      column_table const& table) {
  std::vector<chosen_columns> each;
  for (auto const& one : wanted) {
    auto const n = each.emplace_back(find_columns(one, table)).columns.size();
    if (n > 1 && each.size() + single > wanted.size())
      throw usage_error(
          fmt::format("'{}' is a range of {} columns of {}, but one column is needed here; give "
                      "its name or position, or write a difference as a - b.",
                      shown(one), n, table.file));
  }
  return each;
}

bool is_position(std::string_view wanted) noexcept {
  return number_of(wanted).has_value();
}

bool chooses_by_name(std::string_view wanted) noexcept {
  if (is_position(wanted) || wanted == "all") return false;
  auto const hyphen = wanted.find('-');
  if (hyphen == std::string_view::npos) return true;
  auto const to = wanted.substr(hyphen + 1);
  return !is_position(wanted.substr(0, hyphen)) || !(to.empty() || is_position(to));
}

}  // namespace upsweep::io

/// Names, positions and ranges of columns, and the rules for headers.
#include <io/column_choice.hpp>

#include <io/shown.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

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
      throw usage_error("{} has more than one column '{}'; choose it by position, for example 1.",
                        table.file, shown(wanted));
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
    throw usage_error("{} has no column 0{}; columns are numbered from 1.", table.file, of);
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
      throw usage_error(
          "The range '{}' has more than one meaning in {}; give its columns by position.",
          shown(wanted), table.file);
    if (*first > *last)
      throw usage_error(
          "The range '{}' is reversed: in {} column '{}' comes after column '{}'; write {}-{}.",
          shown(wanted), table.file, shown(from), shown(to), shown(to), shown(from));
    range.emplace();
    range->columns.resize(*last + 1 - *first);
    std::iota(range->columns.begin(), range->columns.end(), *first);
    range->open = to.empty();
  }
  return range;
}

/// Appends the columns that `wanted` chooses to the values of `layout`. "all" leaves out the
/// columns that are keys, unless those are all columns.
void choose_values(input_options const& options, column_table const& table,
                   std::vector<std::size_t> const& left_out, text_layout& layout) {
  auto const each = find_each(options.columns, options.single, table);
  for (std::size_t c = 0; c < each.size(); ++c) {
    auto const& chosen = each[c];
    layout.every_field = layout.every_field || chosen.open;
    for (auto const column : chosen.columns)
      if (!chosen.all || std::find(left_out.begin(), left_out.end(), column) == left_out.end())
        layout.values.push_back(column);
    layout.uses.resize(layout.values.size(),
                       c < options.uses.size() ? options.uses[c] : column_use());
    layout.as_text.resize(layout.values.size(), c < options.as_text.size() && options.as_text[c]);
  }
}

/// Appends the columns that `wanted` chooses to the keys of `layout`, and returns those that are
/// not chosen by "all".
std::vector<std::size_t> choose_keys(std::vector<std::string> const& wanted,
                                     column_table const& table, text_layout& layout) {
  std::vector<std::size_t> listed;
  for (auto const& each : wanted) {
    auto const chosen = find_columns(each, table);
    layout.every_field = layout.every_field || chosen.open;
    layout.keys.insert(layout.keys.end(), chosen.columns.begin(), chosen.columns.end());
    if (!chosen.all) listed.insert(listed.end(), chosen.columns.begin(), chosen.columns.end());
    layout.key_counts.push_back(chosen.columns.size());
  }
  return listed;
}

text_layout one_column(text_layout layout, text_form form) {
  layout.form = form;
  layout.width = 1;
  layout.names = {"column 1"};
  layout.values = {0};
  return layout;
}

text_layout empty_layout(input_options const& options, std::string const& file) {
  text_layout layout;
  auto const choose = [&](std::string const& wanted) {
    if (!is_position(wanted))
      throw data_error("{} is empty, so it has no column '{}'.", file, wanted);
    layout.names.push_back(fmt::format("column {}", wanted));
    return layout.names.size() - 1;
  };
  for (std::size_t c = 0; c < options.columns.size(); ++c) {
    auto const& wanted = options.columns[c];
    if (wanted != "all") {
      layout.values.push_back(choose(wanted));
      layout.as_text.resize(layout.values.size(), c < options.as_text.size() && options.as_text[c]);
    } else if (c + options.single >= options.columns.size()) {
      throw data_error("{} is empty, so 'all' chooses no column, but one column is needed here.",
                       file);
    }
  }
  for (auto const& wanted : options.keys) {
    layout.key_counts.push_back(wanted == "all" ? 0 : 1);
    if (wanted != "all") layout.keys.push_back(choose(wanted));
  }
  if (layout.values.empty() && !options.keys_only) {
    layout.names.emplace_back("column 1");
    layout.values.push_back(layout.names.size() - 1);
  }
  return layout;
}

bool chooses_by_names(input_options const& options) {
  auto const by_name = [&](auto const& list) {
    return std::any_of(list.begin(), list.end(), [&](std::string const& wanted) {
      return options.computed ? options.computed->needs_header(wanted) : chooses_by_name(wanted);
    });
  };
  return by_name(options.columns) || by_name(options.keys);
}

/// A sentence about the only field of each record, if other characters divide it alike.
std::string separator_hint(first_records const& records, input_options const& options,
                           bool white_space) {
  if (records[0].size() != 1 || options.delimiter != 0) return "";
  auto const parts = [](std::string const& text, char separator) {
    std::size_t count = 0;
    bool inside = false;
    for (char const c : text) {
      if (separator == ' ' ? c != ' ' && !inside : c == separator) ++count;
      inside = c != ' ';
    }
    return separator == ' ' ? count : count + 1;
  };
  static constexpr std::pair<char, char const*> ways[] = {
      {'\t', "tabs; give --delimiter tab or --from tsv"},
      {',', "commas; give --delimiter , or --from csv"},
      {';', "semicolons; give --delimiter ';'"},
      {'|', "bars; give --delimiter '|'"},
      {':', "colons; give --delimiter :"},
      {'^', "carets; give --delimiter '^'"},
      {'~', "tildes; give --delimiter '~'"},
      {'\x01', "control characters; give --delimiter $'\\x01'"},
      {'\x1f', "control characters; give --delimiter $'\\x1f'"},
      {' ', "blanks; give --from text"}};
  for (auto const& [separator, what] : ways) {
    if (separator == ' ' && white_space) continue;
    auto const count = parts(records[0][0], separator);
    bool const alike = std::ranges::all_of(
        records, [&](auto const& record) { return parts(record[0], separator) == count; });
    if (count > 1 && alike) return fmt::format(" Its fields may be separated by {}.", what);
  }
  return "";
}

/// The columns, and how an error message names them.
column_table table_of(text_layout const& layout, first_records const& records,
                      input_options const& options, bool white_space, std::string const& name) {
  auto const numbered = [&] {
    return fmt::format("{} column{} and no header", layout.width, layout.width == 1 ? "" : "s");
  };
  return {
      layout.has_header ? layout.names : std::vector<std::string>(), layout.width, name,
      fmt::format("it has {}.{}{}",
                  layout.has_header ? fmt::format("columns {}", list_of(layout.names)) : numbered(),
                  comment_hint(layout.hash_first), separator_hint(records, options, white_space))};
}

/// Decides whether there is a header, and names the columns.
void find_names(first_records const& records, input_options const& options, bool white_space,
                text_layout& layout) {
  using enum header_verdict;
  if (!knows_header(options, records[0])) {
    header_evidence evidence(records[0], options, white_space);
    for (std::size_t i = 1; i < records.size() && !evidence.settled(); ++i)
      evidence.add(records[i]);
    layout.guess = evidence.guess();
  } else if (options.header != header_line::absent) {
    layout.guess.what = header;
  }
  layout.has_header = layout.guess.what == header;
  for (std::size_t i = 0; i < layout.width; ++i)
    layout.names.push_back(layout.has_header ? records[0][i] : fmt::format("column {}", i + 1));
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
          "'{}' is a range of {} columns of {}, but one column is needed here; give its name or "
          "position, or write a difference as a - b.",
          shown(one), n, table.file);
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

std::string comment_hint(bool hash_first) {
  return hash_first ? " The first line begins with '#'; if that is a comment, give --comment '#'."
                    : "";
}

std::string list_of(std::vector<std::string> const& names) {
  constexpr std::size_t most = 12;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    list += (i == 0 ? "" : ", ") + shown(names[i]);
  if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
  return list;
}

bool knows_header(input_options const& options, std::vector<std::string> const& first) {
  if (options.header != header_line::automatic || chooses_by_names(options)) return true;
  auto const is_name_here = [&](std::string const& wanted) {
    return is_position(wanted) && std::ranges::find(first, wanted) != first.end() &&
           (wanted.size() > 9 || std::stoul(wanted) > first.size());
  };
  return std::ranges::any_of(options.columns, is_name_here) ||
         std::ranges::any_of(options.keys, is_name_here);
}

text_layout find_layout(first_records const& records, input_options& options, bool white_space,
                        std::string const& name) {
  if (options.list && !white_space)
    throw usage_error("--list: {} is not text of numbers separated by white space.", name);
  bool const one = std::all_of(options.columns.begin(), options.columns.end(),
                               [](auto const& column) { return column == "1"; });
  if (options.list && (!options.keys.empty() || !one))
    throw usage_error(
        "--list: all numbers are one column, so no other can be chosen; omit --list.");
  if (records.empty()) {
    if (options.computed) options.computed->replace(options, {{}, 0, name, {}});
    return empty_layout(options, name);
  }
  if (options.list) return one_column({}, text_form::list);
  text_layout layout;
  layout.width = records[0].size();
  layout.hash_first = !white_space && !options.comment && records[0][0].starts_with('#');
  find_names(records, options, white_space, layout);
  if (!layout.is_clear()) {
    layout.hint = separator_hint(records, options, white_space);
    return layout;
  }
  column_table const table = table_of(layout, records, options, white_space, name);
  if (options.computed) options.computed->replace(options, table);
  auto const listed_keys = choose_keys(options.keys, table, layout);
  choose_values(options, table, listed_keys, layout);
  if (!options.columns.empty() && layout.values.empty())
    throw usage_error("{} has no column besides the keys.", name);
  if (options.whole_rows && (!layout.values.empty() || options.keys_only))
    for (std::size_t i = 0; i < layout.width; ++i) layout.keys.push_back(i);
  if (!layout.values.empty() || options.keys_only) return layout;
  bool const several = layout.width > 1;
  bool const rows_agree = several && records.size() > 1 && records[1].size() == layout.width;
  if (white_space && !layout.has_header && layout.keys.empty() && !rows_agree) {
    return one_column(std::move(layout), several ? text_form::list : text_form::one_per_line);
  }
  for (std::size_t i = 0; i < layout.width; ++i)
    if (!several || std::find(listed_keys.begin(), listed_keys.end(), i) == listed_keys.end())
      layout.values.push_back(i);
  if (layout.values.size() == 1) return layout;
  if (options.rows_suffice) {
    layout.values.clear();
    return layout;
  }
  auto const there =
      layout.has_header ? fmt::format(" ({})", list_of(layout.names)) : std::string();
  throw usage_error("{} has {} columns{}; choose with --column NAME or --column POSITION{}.{}",
                    name, layout.width, there,
                    white_space ? ", or read all numbers as one column with --list" : "",
                    comment_hint(layout.hash_first));
}

}  // namespace upsweep::io

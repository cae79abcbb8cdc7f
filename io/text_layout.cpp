/// The rules for headers and for choosing columns.
#include <io/text_layout.hpp>

#include <io/column_choice.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <io/text_types.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace upsweep::io {
namespace {

struct header_guess {
  bool header = false;
  bool numbers_as_names = false;  ///< `unclear` is the first number of a record of possible names
  std::optional<std::size_t> unclear =
      {};  ///< a field that is neither a value nor a name, if nothing else decides
};

bool is_value(std::string const& token) {
  return is_missing(token) || is_number(token);
}

/// The values of the fields that have numbers, or nothing if one is no plain integer below 10^6.
std::optional<std::vector<int>> integers_of(std::vector<std::string> const& record) {
  std::vector<int> found;
  for (auto const& token : record) {
    if (!is_number(token)) continue;
    bool const plain = token.size() <= 6 && std::all_of(token.begin(), token.end(), [](char c) {
                         return c >= '0' && c <= '9';
                       });
    if (!plain) return std::nullopt;
    found.push_back(std::stoi(token));
  }
  return found;
}

bool are_years(std::vector<int> const& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](int x) { return x >= 1500 && x < 2200; });
}

/// True if the numbers of the first record may be names: years, or beside names three or more that
/// ascend one by one, over numbers in the second record.
bool numbers_may_be_names(std::vector<std::string> const& first,
                          std::vector<std::string> const& second) {
  auto const numbers = integers_of(first);
  if (!numbers || numbers->empty() || first.size() != second.size()) return false;
  bool has_name = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (is_number(first[i]) ? !is_value(second[i]) : !is_missing(first[i]) && !is_name(first[i]))
      return false;
    has_name = has_name || !is_number(first[i]);
  }
  bool ascend = numbers->size() > 1;
  for (std::size_t i = 1; i < numbers->size(); ++i)
    ascend = ascend && (*numbers)[i] == (*numbers)[i - 1] + 1;
  auto const below = integers_of(second);
  bool const years_below = below && are_years(*below);
  if (are_years(*numbers)) return has_name ? ascend || !years_below : ascend && !years_below;
  return has_name && ascend && numbers->size() > 2;
}

/// The automatic rule of input.hpp. A field is evidence for a header if it is text where the second
/// record has a number, or if neither record has a number. At least one such field must look like a
/// name.
header_guess guess_header(first_records const& records, bool white_space) {
  auto const& first = records[0];
  // A line of nothing but true and false is data.
  auto const second = records.size() < 2 ? std::vector<std::string>() : records[1];
  auto const may_be_names = [&]() -> header_guess {
    if (!numbers_may_be_names(first, second)) return {};
    auto const number = std::find_if(first.begin(), first.end(), is_number);
    return {.numbers_as_names = true, .unclear = static_cast<std::size_t>(number - first.begin())};
  };
  if (std::all_of(first.begin(), first.end(),
                  [](auto const& token) { return is_value(token) || is_truth(token); }))
    return may_be_names();
  if (records.size() < 2 && white_space)
    return {};  // a single word in text is more likely a mistake than a table without rows
  bool const all_text = std::none_of(first.begin(), first.end(), is_number) &&
                        std::none_of(second.begin(), second.end(), is_number);
  header_guess guess;
  for (std::size_t i = 0; i < first.size(); ++i) {
    bool const over_value = i < second.size() && (is_value(second[i]) || is_truth(second[i]));
    if (is_value(first[i]) || !(all_text || over_value)) continue;
    if (is_name(first[i])) return {.header = true};
    if (!guess.unclear) guess.unclear = i;
  }
  return guess.unclear ? guess : may_be_names();
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
    layout.numeric.resize(layout.values.size(),
                          c < options.as_numbers.size() && options.as_numbers[c]);
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
      throw data_error(fmt::format("{} is empty, so it has no column '{}'.", file, wanted));
    layout.names.push_back(fmt::format("column {}", wanted));
    return layout.names.size() - 1;
  };
  for (std::size_t c = 0; c < options.columns.size(); ++c) {
    auto const& wanted = options.columns[c];
    if (wanted != "all") {
      layout.values.push_back(choose(wanted));
      layout.as_text.resize(layout.values.size(), c < options.as_text.size() && options.as_text[c]);
    } else if (c + options.single >= options.columns.size()) {
      throw data_error(fmt::format(
          "{} is empty, so 'all' chooses no column, but one column is needed here.", file));
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

/// The records with their numbers in the standard form, and nothing for the user's words for a
/// missing value.
first_records standard_records(first_records records, input_options const& options) {
  missing_words const missing(options.missing);
  std::string buffer;
  for (auto& record : records)
    for (auto& token : record)
      token =
          missing.is_own(token) ? "" : std::string(standard_form(token, options.numbers, buffer));
  return records;
}

}  // namespace

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

bool second_record_matters(std::vector<std::string> const& first, input_options const& options,
                           bool white_space) {
  if (options.header == header_line::present) return false;
  bool const plain = white_space && options.columns.empty() && options.keys.empty();
  auto const numbers = integers_of(first);
  bool const may_be_years = numbers && numbers->size() > 1 && are_years(*numbers);
  return (plain && first.size() > 1) ||
         (options.header == header_line::automatic &&
          (may_be_years || !std::all_of(first.begin(), first.end(), [&](auto const& token) {
             std::string buffer;
             return is_value(std::string(standard_form(token, options.numbers, buffer)));
           })));
}

namespace {

/// The columns, and how an error message names them.
column_table table_of(text_layout const& layout, std::string const& name) {
  auto const numbered = [&] {
    return fmt::format("{} column{} and no header", layout.width, layout.width == 1 ? "" : "s");
  };
  return {
      layout.has_header ? layout.names : std::vector<std::string>(), layout.width, name,
      fmt::format("it has {}.{}",
                  layout.has_header ? fmt::format("columns {}", list_of(layout.names)) : numbered(),
                  comment_hint(layout.hash_first))};
}

/// Decides whether there is a header, and names the columns.
void find_names(first_records const& records, input_options const& options, bool white_space,
                text_layout& layout) {
  auto const chosen_by_name = [&](auto const& list) {
    return std::any_of(list.begin(), list.end(), [&](std::string const& wanted) {
      return options.computed ? options.computed->needs_header(wanted) : chooses_by_name(wanted);
    });
  };
  layout.has_header = options.header == header_line::present;
  if (options.header == header_line::automatic) {
    bool const named = chosen_by_name(options.columns) || chosen_by_name(options.keys);
    auto const guess = named ? header_guess{.header = true}
                             : guess_header(standard_records(records, options), white_space);
    layout.has_header = guess.header;
    layout.unclear = guess.unclear;
    layout.numbers_as_names = guess.numbers_as_names;
  }
  for (std::size_t i = 0; i < layout.width; ++i)
    layout.names.push_back(layout.has_header ? records[0][i] : fmt::format("column {}", i + 1));
}

}  // namespace

text_layout find_layout(first_records const& records, input_options& options, bool white_space,
                        std::string const& name) {
  if (options.list && !white_space)
    throw usage_error(
        fmt::format("--list: {} is not text of numbers separated by white space.", name));
  bool const one = std::all_of(options.columns.begin(), options.columns.end(),
                               [](auto const& column) { return column == "1"; });
  if (options.list && (!options.keys.empty() || options.columns.size() > 1 || !one))
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
  if (layout.unclear) return layout;
  column_table const table = table_of(layout, name);
  if (options.computed) options.computed->replace(options, table);
  auto const listed_keys = choose_keys(options.keys, table, layout);
  choose_values(options, table, listed_keys, layout);
  if (!options.columns.empty() && layout.values.empty())
    throw usage_error(fmt::format("{} has no column besides the keys.", name));
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
  throw usage_error(fmt::format(
      "{} has {} columns{}; choose with --column NAME or --column POSITION{}.{}", name,
      layout.width, there, white_space ? ", or read all numbers as one column with --list" : "",
      comment_hint(layout.hash_first)));
}

}  // namespace upsweep::io

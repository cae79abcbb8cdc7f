/// Replaces expressions among the chosen columns by the columns that they use.
#include <cli/expression/computed_columns.hpp>
#include <cli/expression/node.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace upsweep::cli {

namespace {

std::string quoted(std::string const& text) {
  return fmt::format("'{}'", io::shown(text));
}

/// The expression that `word` is, alone; nothing if it is none or a constant.
std::optional<expressions> parsed(std::string const& word) try {
  expressions one;
  one.add(word, quoted(word));
  return one.is_constant() ? std::nullopt : std::optional(std::move(one));
} catch (io::usage_error const&) {
  return std::nullopt;
}

/// Splits "EXPRESSION as NAME".
std::pair<std::string, std::string> split_name(std::string const& word) {
  auto const as = word.rfind(" as ");
  if (as == std::string::npos) return {word, ""};
  return {word.substr(0, as), word.substr(as + 4)};
}

bool has_name(io::column_table const& table, std::string const& word) {
  return std::ranges::find(table.names, word) != table.names.end();
}

bool has_column(io::column_table const& table, std::string const& word) {
  if (has_name(table, word)) return true;
  return io::is_position(word) && word.size() < 10 && std::stoul(word) <= table.width;
}

/// Whether `word` is a name with a typing mistake rather than an expression, which it is if it can
/// be parsed and all its columns are there, or if a sign says so. `row` beside a column `rows` is
/// one.
bool is_mistyped(std::string const& word, std::optional<expressions> const& expression,
                 io::column_table const& table) {
  bool const is_like_a_name = !text::nearest(word, table.names).empty();
  if (!expression) {
    bool const has_sign = word.find_first_of("+*/%<>=!~\"'`$") != std::string::npos;
    return !has_sign && (is_like_a_name || word.find_first_of("()") == std::string::npos);
  }
  auto const& columns = expression->columns();
  auto const is_there = [&](used_column const& column) { return has_column(table, column.name); };
  return is_like_a_name && (columns.empty() || !std::ranges::all_of(columns, is_there));
}

/// A name with hyphens or a range, even if the file has neither: a difference has blanks.
bool is_hyphenated(std::string const& word) {
  return word.find('-', 1) != std::string::npos &&
         word.find_first_of(" +*/%<>=!~()\"'`$") == std::string::npos;
}

}  // namespace

bool expression_columns::needs_header(std::string const& wanted) const {
  if (!io::chooses_by_name(wanted)) return false;
  if (is_hyphenated(wanted)) return true;
  auto const expression = parsed(split_name(wanted).first);
  return !expression ||
         std::ranges::any_of(expression->columns(), io::chooses_by_name, &used_column::name);
}

/// Changes `word` to the column that it means, if it is not an expression.
expression_columns::item expression_columns::item_of(std::string& word,
                                                     io::column_table const& table) {
  if (has_name(table, word) || !io::chooses_by_name(word) || is_hyphenated(word)) return {};
  auto const [text, name] = split_name(word);
  auto const expression = parsed(text);
  if (has_name(table, text) || is_mistyped(text, expression, table)) {
    word = text;
    return {.name = name};
  }
  // Columns alone need not be computed: `any name` and $3.
  expressions whole;
  whole.add(text, quoted(text));
  if (auto const column = whole.only_column()) {
    word = *column;
    return {.name = name};
  }
  if (whole.is_constant())
    throw io::usage_error("{}: an expression needs a column; {}", quoted(text), table.there);
  all_.add(text, quoted(text));
  return {.expression = all_.size() - 1, .name = name.empty() ? text : name};
}

void expression_columns::replace(io::input_options& options, io::column_table const& table) {
  all_ = expressions();
  columns_.clear();
  keys_.clear();
  places_.clear();
  singles_ = options.single;
  skips_ = false;
  bool const may_compute = options.as_text.empty();
  for (std::size_t c = 0; may_compute && c < options.columns.size(); ++c) {
    auto& found = columns_.emplace_back(item_of(options.columns[c], table));
    if (c < options.uses.size()) found.use = options.uses[c];
    found.use.as_numbers = found.use.as_numbers || !options.may_be_text;
  }
  for (auto& key : options.keys) keys_.push_back(item_of(key, table));
  auto const count_columns = [&](item& of, std::string const& word) {
    if (!of.expression && table.width > 0 && word != "all")
      of.columns = io::find_columns(word, table).columns.size();
    if (of.columns > 1 && !of.name.empty())
      throw io::usage_error("{} columns cannot have one name, '{}'.", of.columns,
                            io::shown(of.name));
  };
  if (!has_names()) return;
  for (std::size_t c = 0; c < columns_.size(); ++c) count_columns(columns_[c], options.columns[c]);
  for (std::size_t k = 0; k < keys_.size(); ++k) count_columns(keys_[k], options.keys[k]);
  choose_rest(options, table);
  if (all_.size() == 0) return;
  // The value of an expression says whether it is missing, not the columns in it.
  skips_ = options.skip_missing;
  options.mark_missing = options.mark_missing || skips_;
  options.skip_missing = false;
  missing_ =
      options.mark_missing ? std::make_shared<io::missing_words const>(options.missing) : nullptr;
  add_columns(options);
}

/// Whether there is an expression, which always has a name, or another name for a column.
bool expression_columns::has_names() const {
  auto const is_named = [](item const& of) { return !of.name.empty(); };
  return std::ranges::any_of(columns_, is_named) || std::ranges::any_of(keys_, is_named);
}

/// Without chosen columns, and with keys that need some: the only column that is not a key.
void expression_columns::choose_rest(io::input_options& options, io::column_table const& table) {
  if (!options.columns.empty() || options.keys_only || all_.size() == 0) return;
  std::vector<bool> is_key(std::max<std::size_t>(table.width, 1));
  for (std::size_t k = 0; k < keys_.size(); ++k)
    if (!keys_[k].expression && table.width > 1)
      for (auto const column : io::find_columns(options.keys[k], table).columns)
        is_key[column] = true;
  auto const rest = std::ranges::count(is_key, false);
  if (rest != 1 && !options.rows_suffice)
    throw io::usage_error("{} has {} columns; choose with --column NAME or --column POSITION.",
                          table.file, rest);
  if (rest != 1) return;
  auto const only = std::ranges::find(is_key, false) - is_key.begin();
  options.columns.push_back(std::to_string(only + 1));
  auto use = options.uses.empty() ? io::column_use() : options.uses[0];
  use.as_numbers = use.as_numbers || !options.may_be_text;
  columns_.push_back({.use = use});
}

/// Reads the columns of the expressions instead of these.
void expression_columns::add_columns(io::input_options& options) {
  std::vector<std::string> words;
  std::vector<io::column_use> uses;
  std::vector<bool> texts = options.as_text;
  std::vector<std::string> keys;
  std::size_t singles = 0;
  auto const general = options.columns.size() - options.single;
  for (std::size_t c = 0; c < options.columns.size(); ++c) {
    bool const is_plain = columns_.empty() || !columns_[c].expression;
    if (!is_plain) continue;
    words.push_back(options.columns[c]);
    uses.push_back(columns_.empty() ? io::column_use() : columns_[c].use);
    singles += c >= general;
  }
  std::size_t const before = words.size() - singles;
  bool const shows =
      std::ranges::any_of(keys_, [](item const& of) { return of.expression.has_value(); }) ||
      std::ranges::any_of(columns_,
                          [](item const& of) { return of.expression && of.use.as_written; });
  texts.resize(words.size());
  for (auto const& column : all_.columns()) {
    auto const same =
        std::find(words.begin() + static_cast<std::ptrdiff_t>(before), words.end(), column.name);
    auto at = static_cast<std::size_t>(same - words.begin());
    if (same == words.end() || column.as_text || texts[at]) {
      at = words.size();
      words.push_back(column.name);
      uses.emplace_back();
      texts.push_back(column.as_text);
      ++singles;
    }
    uses[at].in_order = uses[at].in_order || column.in_order;
    uses[at].computes = true;
    uses[at].compares = uses[at].compares || (!texts[at] && column.compares);
    uses[at].as_written =
        uses[at].as_written || (!texts[at] && ((shows && column.is_value) || column.in_string));
    places_.push_back(at - before);
  }
  for (std::size_t k = 0; k < keys_.size(); ++k)
    if (!keys_[k].expression) keys.push_back(options.keys[k]);
  options.columns = std::move(words);
  options.single = singles_ = singles;
  options.uses = std::move(uses);
  options.as_text = std::move(texts);
  options.keys = std::move(keys);
  options.may_be_text = true;
  options.keys_only = true;
}

}  // namespace upsweep::cli

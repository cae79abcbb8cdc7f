/// Parses expressions that may use earlier ones, evaluates them a block of rows at a time, and
/// shows a position of one: the text around it, and a caret under it.
#include <cli/expression/expression.hpp>

#include <cli/expression/values.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace upsweep::cli {

namespace {

/// Characters of UTF-8, which are columns of a terminal in most scripts.
std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// The last or first `most` characters of `text`.
std::string_view last_of(std::string_view text, std::size_t most) {
  while (count_characters(text) > most) text.remove_prefix(1);
  return text;
}
std::string_view first_of(std::string_view text, std::size_t most) {
  while (count_characters(text) > most) text.remove_suffix(1);
  return text;
}

}  // namespace

struct expressions::parsed {
  std::unique_ptr<expression_text> source;
  std::string name;
  std::shared_ptr<expression_node> root;
};

expressions::expressions() = default;
expressions::~expressions() = default;
expressions::expressions(expressions&&) noexcept = default;
expressions& expressions::operator=(expressions&&) noexcept = default;

void expressions::add(std::string const& text, std::string const& where, std::string const& name) {
  std::vector<defined_name> earlier;
  for (auto const& each : parsed_)
    if (!each.name.empty()) earlier.push_back({each.name, each.root, each.source.get()});
  auto source = std::make_unique<expression_text>(expression_text{where, text});
  auto root = parse_expression(*source, earlier);
  list_columns(*root, columns_);
  parsed_.push_back({std::move(source), name, std::move(root)});
}

std::size_t expressions::size() const noexcept {
  return parsed_.size();
}

std::optional<std::string> expressions::only_column() const {
  if (parsed_.size() != 1 || parsed_[0].root->kind != expression_kind::column) return std::nullopt;
  return columns_[0].name;
}

bool expressions::is_constant() const {
  return columns_.empty() &&
         std::ranges::none_of(parsed_, [](parsed const& each) { return find_row(*each.root); });
}

bool expressions::may_mean_text(std::string const& column) const {
  return std::ranges::any_of(parsed_, [&](parsed const& each) {
    return has_bare_word(*each.root, each.source->text, column);
  });
}

void expressions::resolve(std::span<std::string const> names, std::vector<io::chosen_column> places,
                          std::vector<io::column_info> types) {
  if (std::ranges::find(names, "row") != names.end())
    for (auto const& each : parsed_)
      if (auto const* row = find_row(*each.root))
        refuse(*each.source, row->at,
               "'row' is the number of the row and a column too; write `row` in backquotes for the "
               "column");
  places_ = std::move(places);
  types_ = std::move(types);
  set_all_types();
}

void expressions::set_all_types() {
  for (auto& each : parsed_) {
    set_types(*each.root, *each.source, places_, types_);
    each.root->with_codes = as_written(each.root);
  }
}

expression_type expressions::type(std::size_t expression) const {
  return parsed_[expression].root->type;
}

bool expressions::shows_codes(std::size_t expression) const {
  return parsed_[expression].root->with_codes != nullptr;
}

bool expressions::has_codes() const {
  return std::ranges::any_of(places_, [](io::chosen_column const& place) {
    return place.written.has_value() && !place.rounds;
  });
}

void expressions::expect_truth(std::size_t expression) const {
  cli::expect_truth(*parsed_[expression].root, *parsed_[expression].source);
}

/// A decimal makes the rest of a column of integers f64, and the operations on it too.
void expressions::follow_types(io::chunk const& rows) {
  if (std::ranges::equal(types_, rows.columns, {}, &io::column_info::type, &io::typed_column::type))
    return;
  for (std::size_t c = 0; c < types_.size(); ++c) types_[c].type = rows.columns[c].type;
  set_all_types();
}

template <class F>
void expressions::evaluate(std::size_t expression, io::chunk const& rows,
                           io::missing_words const* missing, F const& f, bool as_written) {
  constexpr std::size_t most_rows = 4096;
  follow_types(rows);
  auto const& [source, name, root] = parsed_[expression];
  auto const& of = as_written && root->with_codes ? *root->with_codes : *root;
  for (std::size_t first = 0; first < rows.rows; first += most_rows) {
    block here{rows, first, std::min(most_rows, rows.rows - first), *source, missing};
    f(first, value_of(of, here));
  }
}

void expressions::mark(std::size_t condition, io::chunk const& rows,
                       io::missing_words const* missing, std::span<std::uint8_t> marks) {
  evaluate(condition, rows, missing, [&](std::size_t first, block_values const& values) {
    for (std::size_t i = 0; i < values.truths.size(); ++i)
      marks[first + i] = values.is_unknown(i) ? 2 : values.truths[i];
  });
}

void expressions::append_numbers(std::size_t expression, io::chunk const& rows,
                                 io::missing_words const* missing, column_buffer& to,
                                 column_buffer& present) {
  evaluate(expression, rows, missing, [&](std::size_t, block_values const& values) {
    with_numbers(values, type(expression), [&]<class T>(std::vector<T> const& numbers) {
      using element = std::conditional_t<std::is_same_v<T, std::uint8_t>, bool, T>;
      std::ranges::copy(numbers, to.extend<element>(numbers.size()).begin());
      if (missing == nullptr) return;
      auto const known = present.extend<bool>(numbers.size());
      for (std::size_t i = 0; i < known.size(); ++i) known[i] = !values.is_unknown(i);
    });
  });
}

void expressions::append_texts(std::size_t expression, io::chunk const& rows,
                               io::missing_words const* missing, text_buffer& to,
                               column_buffer* present) {
  std::string text;
  auto const append = [&](std::size_t, block_values const& values) {
    auto const before = to.size();
    auto const its_type = type(expression);
    for (std::size_t i = 0; i < values.texts.size(); ++i)
      to.push(values.is_unknown(i) ? std::string_view() : values.texts[i]);
    with_numbers(values, its_type, [&](auto const& numbers) {
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        text.clear();
        auto const value = numbers[i] == 0 ? std::decay_t<decltype(numbers[i])>() : numbers[i];
        if (!values.is_unknown(i)) io::append_number(text, dtype_of(its_type), &value);
        to.push(text);
      }
    });
    if (present == nullptr) return;
    auto const known = present->extend<bool>(to.size() - before);
    for (std::size_t i = 0; i < known.size(); ++i) known[i] = !values.is_unknown(i);
  };
  evaluate(expression, rows, missing, append, true);
}

std::size_t character_at(expression_text const& source, std::size_t at) {
  return count_characters(std::string_view(source.text).substr(0, at)) + 1;
}

std::string caret_at(expression_text const& source, std::size_t at) {
  constexpr std::size_t most = 35;  // on either side
  std::string_view const text = source.text;
  if (text.empty()) return "";
  at = std::min(at, text.size());
  auto const before = last_of(text.substr(0, at), most), after = first_of(text.substr(at), most);
  std::string const shown = (before.size() < at ? "..." : "") + io::shown(before);
  return fmt::format("\n  {}{}{}\n  {}^", shown, io::shown(after),
                     at + after.size() < text.size() ? "..." : "",
                     std::string(count_characters(shown), ' '));
}

void refuse(expression_text const& source, std::size_t at, std::string const& what) {
  throw io::usage_error("{}: {} at character {}.{}", source.where, what, character_at(source, at),
                        caret_at(source, at));
}

}  // namespace upsweep::cli

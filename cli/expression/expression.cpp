/// Parses expressions that may use earlier ones, and evaluates them a block of rows at a time.
#include <cli/expression/expression.hpp>
#include <cli/expression/node.hpp>
#include <cli/expression/values.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace upsweep::cli {

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
  list_columns(*root, used_);
  columns_.clear();
  texts_.clear();
  in_order_.clear();
  are_values_.clear();
  in_strings_.clear();
  for (auto const& each : used_) {
    columns_.push_back(each.name);
    texts_.push_back(each.as_text);
    in_order_.push_back(each.in_order);
    are_values_.push_back(each.is_value);
    in_strings_.push_back(each.in_string);
  }
  parsed_.push_back({std::move(source), name, std::move(root)});
}

std::size_t expressions::size() const noexcept {
  return parsed_.size();
}

std::optional<std::string> expressions::only_column() const {
  if (parsed_.size() != 1 || parsed_[0].root->kind != expression_kind::column) return std::nullopt;
  return columns_[0];
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

block_values expressions::block_of(std::size_t expression, io::chunk const& rows, std::size_t first,
                                   io::missing_words const* missing, bool as_written) const {
  auto const& [source, name, root] = parsed_[expression];
  block here{rows, first, std::min(most_rows, rows.rows - first), *source, missing};
  return value_of(as_written && root->with_codes ? *root->with_codes : *root, here);
}

void expressions::mark(std::size_t condition, io::chunk const& rows,
                       io::missing_words const* missing, std::span<std::uint8_t> marks) {
  evaluate(condition, rows, missing, [&](std::size_t first, block_values const& values) {
    for (std::size_t i = 0; i < values.truths.size(); ++i)
      marks[first + i] = values.is_unknown(i) ? 2 : values.truths[i];
  });
}

}  // namespace upsweep::cli

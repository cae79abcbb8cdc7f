/// The types of a condition's parts, which follow from those of the columns.
#include <cli/condition/node.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace upsweep::cli {

namespace {

using node = condition_node;
using enum condition_kind;

char const* name_of(condition_type type) {
  return type == condition_type::text ? "text" : type == condition_type::truth ? "truth" : "number";
}

bool is_number(condition_type type) {
  return type == condition_type::integer || type == condition_type::natural ||
         type == condition_type::decimal;
}

bool gives_text(node const& of) {
  return of.kind == text_literal || of.kind == field_text || of.kind == lower || of.kind == upper;
}

/// Whether columns among the parts are used as texts. For an order, numbers in quotes would be
/// compared as texts without a word, so there the columns decide.
bool uses_texts(node const& of) {
  switch (of.kind) {
    case equal:
    case unequal:
    case in_list:
      return std::ranges::any_of(of.parts, [](auto const& part) { return gives_text(*part); });
    case matches:
    case length:
    case field_text:
    case lower:
    case upper:
    case starts_with:
    case ends_with:
    case contains:
      return true;
    default:
      return false;
  }
}

/// Sets the types of the node and its parts.
class type_check {
 public:
  type_check(std::string const& text, std::vector<io::chosen_column> const& columns,
             std::vector<io::column_info> const& types)
      : text_(text), columns_(columns), types_(types) {}

  void operator()(node& of) const {
    for (auto const& part : of.parts) (*this)(*part);
    of.type = type_of(of);
  }
  void expect(node const& of, condition_type type, char const* what) const {
    if (of.type == type || (is_number(type) && is_number(of.type))) return;
    refuse_condition(
        text_, of.at,
        fmt::format("{} needs a {}, but this is a {}", what, name_of(type), name_of(of.type)));
  }

 private:
  condition_type type_of(node& of) const {
    using enum condition_type;
    switch (of.kind) {
      case integer_literal:
      case condition_kind::row:
        return integer;
      case natural_literal:
        return natural;
      case decimal_literal:
        return decimal;
      case text_literal:
        return condition_type::text;
      case truth_literal:
        return truth;
      case condition_kind::column:
        return column_type(of);
      case negate:
      case condition_kind::abs:
        expect(*of.parts[0], integer, "this");
        return of.parts[0]->type == integer ? integer : decimal;
      case add:
      case subtract:
      case multiply:
      case divide:
      case remainder:
        return arithmetic_type(of);
      case length:
        expect(*of.parts[0], condition_type::text, "length");
        return integer;
      case field_text:
      case lower:
      case upper:
        expect(*of.parts[0], condition_type::text, "this function");
        return condition_type::text;
      case starts_with:
      case ends_with:
      case contains:
        for (auto const& part : of.parts) expect(*part, condition_type::text, "this function");
        return truth;
      case matches:
        expect(*of.parts[0], condition_type::text, "'~'");
        return truth;
      case both:
      case either:
      case negation:
        for (auto const& part : of.parts) expect(*part, truth, "this");
        return truth;
      default:
        compare_types(of);
        return truth;
    }
  }
  condition_type column_type(node& of) const {
    of.place = columns_[of.column];
    if (of.place.is_text) return condition_type::text;
    io::dtype const type = types_[of.place.index].type;
    if (type == io::dtype::boolean) return condition_type::truth;
    if (type == io::dtype::u64) return condition_type::natural;
    return io::is_float(type) ? condition_type::decimal : condition_type::integer;
  }
  condition_type arithmetic_type(node const& of) const {
    bool exact = of.kind != divide;
    for (auto const& part : of.parts) {
      expect(*part, condition_type::integer, "arithmetic");
      exact = exact && part->type == condition_type::integer;
    }
    return exact ? condition_type::integer : condition_type::decimal;
  }
  void compare_types(node const& of) const {
    for (auto const& part : of.parts) {
      bool const same = part->type == of.parts[0]->type ||
                        (is_number(part->type) && is_number(of.parts[0]->type));
      if (!same)
        refuse_condition(text_, of.at,
                         fmt::format("a {} is compared with a {} (numbers have no quotes; text(x) "
                                     "is the field of a column as it stands)",
                                     name_of(of.parts[0]->type), name_of(part->type)));
    }
  }

  std::string const& text_;
  std::vector<io::chosen_column> const& columns_;
  std::vector<io::column_info> const& types_;
};

}  // namespace

void list_columns(node& root, std::vector<std::string>& columns, std::vector<bool>& texts) {
  for (auto const& part : root.parts) {
    if (part->kind == column) part->used_as_text = uses_texts(root);
    list_columns(*part, columns, texts);
  }
  if (root.kind != column) return;
  std::size_t& at = root.column;
  while (at < columns.size() && (columns[at] != root.text || texts[at] != root.used_as_text)) ++at;
  if (at < columns.size()) return;
  columns.push_back(root.text);
  texts.push_back(root.used_as_text);
}

void set_types(condition_node& root, std::string const& text,
               std::vector<io::chosen_column> const& columns,
               std::vector<io::column_info> const& types) {
  type_check const check(text, columns, types);
  check(root);
  check.expect(root, condition_type::truth, "--where");
}

void refuse_row(condition_node const& root, std::string const& text) {
  if (root.kind == condition_kind::row)
    refuse_condition(text, root.at,
                     "'row' is the number of the row and a column too; write `row` in backquotes "
                     "for the column");
  for (auto const& part : root.parts) refuse_row(*part, text);
}

bool has_bare_word(node const& of, std::string const& text, std::string const& word) {
  bool const compares = of.kind == equal || of.kind == unequal || of.kind == in_list;
  for (std::size_t p = 0; p < of.parts.size(); ++p) {
    auto const& part = *of.parts[p];
    bool const is_word = part.kind == column && part.text == word && text[part.at] == word[0];
    if ((compares && p > 0 && is_word) || has_bare_word(part, text, word)) return true;
  }
  return false;
}

}  // namespace upsweep::cli

/// The types of an expression's parts, which follow from those of the columns.
#include <cli/expression/node.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

namespace {

using node = expression_node;
using enum expression_kind;

char const* name_of(expression_type type) {
  return type == expression_type::text    ? "text"
         : type == expression_type::truth ? "Boolean"
                                          : "number";
}

bool gives_text(node const& of) {
  return of.kind == text_literal || (of.called != nullptr && of.called->gives == 't');
}

/// Whether a column that is part `p` is used as text. For an order, numbers in quotes would be
/// compared as strings without a word, so there the columns decide.
bool uses_text(node const& of, std::size_t p) {
  if (of.called != nullptr) return of.called->takes_at(p) == 't' || of.called->takes_at(p) == 'x';
  if (of.kind == equal || of.kind == unequal || of.kind == in_list)
    return std::ranges::any_of(of.parts, [](auto const& part) { return gives_text(*part); });
  return of.kind == matches;
}

/// Sets the types of the node and its parts.
class type_check {
 public:
  type_check(expression_text const& source, std::vector<io::chosen_column> const& columns,
             std::vector<io::column_info> const& types)
      : source_(source), columns_(columns), types_(types) {}

  void operator()(node& of) const {
    if (of.kind != defined)
      for (auto const& part : of.parts) (*this)(*part);
    of.type = type_of(of);
    of.with_codes.reset();
    for (std::size_t p = 0; p < of.parts.size(); ++p)
      if (of.parts[p]->kind != column && uses_text(of, p))
        of.parts[p]->with_codes = as_written(of.parts[p]);
  }

 private:
  void expect(node const& of, expression_type type, std::string_view what) const {
    if (of.type == type || (is_number(type) && is_number(of.type))) return;
    refuse(source_, of.at,
           fmt::format("{} needs a {}, but this is a {}", what, name_of(type), name_of(of.type)));
  }
  expression_type type_of(node& of) const {
    using enum expression_type;
    if (of.called != nullptr) return type_of_call(of);
    switch (of.kind) {
      case integer_literal:
      case expression_kind::row:
        return integer;
      case natural_literal:
        return natural;
      case decimal_literal:
        return decimal;
      case text_literal:
        return expression_type::text;
      case truth_literal:
        return truth;
      case expression_kind::column:
        return column_type(of);
      case defined:
        return of.parts[0]->type;
      case negate:
        expect(*of.parts[0], integer, "'-'");
        return of.parts[0]->type == integer ? integer : decimal;
      case add:
      case subtract:
      case multiply:
      case divide:
      case remainder:
      case power:
        return arithmetic_type(of);
      case matches:
        expect(*of.parts[0], expression_type::text, "'~'");
        return truth;
      case both:
      case either:
      case negation:
        for (auto const& part : of.parts) expect(*part, truth, "this");
        return truth;
      default:
        for (auto const& part : of.parts) expect_like(of, *of.parts[0], *part, "is compared");
        return truth;
    }
  }
  expression_type column_type(node& of) const {
    of.place = columns_[of.column];
    if (of.place.is_text) return expression_type::text;
    io::dtype const type = types_[of.place.index].type;
    if (type == io::dtype::boolean) return expression_type::truth;
    if (type == io::dtype::u64) return expression_type::natural;
    return io::is_float(type) ? expression_type::decimal : expression_type::integer;
  }
  /// Integers stay integers, except in quotients and powers; x ** 2 is one.
  expression_type arithmetic_type(node const& of) const {
    bool exact = of.kind != divide;
    for (auto const& part : of.parts) {
      expect(*part, expression_type::integer, "arithmetic");
      exact = exact && part->type == expression_type::integer;
    }
    if (of.kind == power) exact = exact && of.parts[1]->kind == integer_literal;
    return exact ? expression_type::integer : expression_type::decimal;
  }
  /// That of numbers that become one: their own if it is the same, otherwise decimal.
  static expression_type joined(expression_type a, expression_type b) {
    return a == b ? a : expression_type::decimal;
  }
  expression_type type_of_call(node const& of) const {
    using enum expression_type;
    auto const name = of.called->name;
    char const gives = of.called->gives;
    expression_type all = of.parts.back()->type;
    for (std::size_t p = 0; p < of.parts.size(); ++p) {
      auto const& part = *of.parts[p];
      switch (of.called->takes_at(p)) {
        case 'n':
          expect(part, decimal, name);
          all = p == 0 ? part.type : joined(all, part.type);
          break;
        case 'i':
          expect(part, integer, name);
          if (part.type != integer)
            refuse(source_, part.at, fmt::format("{} needs an integer here", name));
          break;
        case 't':
          expect(part, text, name);
          break;
        case 'b':
          expect(part, truth, name);
          break;
        case '.':
          expect_like(of, *of.parts.back(), part, "stands beside");
          if (is_number(part.type)) all = joined(all, part.type);
          break;
        default:
          if (part.type == truth)
            refuse(source_, part.at, fmt::format("{} needs strings and numbers", name));
      }
    }
    bool const keeps = name != "round" || of.parts.size() == 1;
    return gives == 'i'             ? integer
           : gives == 'd' || !keeps ? decimal
           : gives == 't'           ? text
           : gives == 'b'           ? truth
                                    : all;
  }
  void expect_like(node const& of, node const& first, node const& part,
                   std::string_view what) const {
    if (part.type == first.type || (is_number(part.type) && is_number(first.type))) return;
    std::string_view const with = what == "is compared" ? " with" : "";
    refuse(source_, of.at,
           fmt::format("a {} {}{} a {} (write numbers without quotes; text(x) is the unchanged "
                       "text of a column)",
                       name_of(first.type), what, with, name_of(part.type)));
  }

  expression_text const& source_;
  std::vector<io::chosen_column> const& columns_;
  std::vector<io::column_info> const& types_;
};

/// Whether the value of a part is one of the node's values.
bool gives_value_of(node const& of, std::size_t part) {
  return of.called != nullptr && of.called->takes_at(part) == '.';
}

bool may_show_code(node const& of) {
  if (of.kind == column) return of.place.written.has_value();
  for (std::size_t p = 0; p < of.parts.size(); ++p)
    if ((of.kind == defined || gives_value_of(of, p)) && may_show_code(*of.parts[p])) return true;
  return false;
}

/// A number as a string of its digits.
std::shared_ptr<node> digits_of(std::shared_ptr<node> const& number) {
  auto text = std::make_shared<node>(node{.kind = call, .at = number->at});
  text->called = find_function("concat");
  text->type = expression_type::text;
  text->parts = {number};
  return text;
}

std::shared_ptr<node> with_codes(std::shared_ptr<node> const& of) {
  if (!may_show_code(*of)) return digits_of(of);
  if (of->kind == defined) return with_codes(of->parts[0]);
  auto texts = std::make_shared<node>(*of);
  texts->type = expression_type::text;
  texts->as_written = of->kind == column;
  for (std::size_t p = 0; p < of->parts.size(); ++p)
    if (gives_value_of(*of, p)) texts->parts[p] = with_codes(of->parts[p]);
  return texts;
}

}  // namespace

std::shared_ptr<node> as_written(std::shared_ptr<node> const& root) {
  return is_number(root->type) && may_show_code(*root) ? with_codes(root) : nullptr;
}

node const* column_of(node const& of) {
  if (of.kind == defined) return column_of(*of.parts[0]);
  return of.kind == column ? &of : nullptr;
}

void list_columns(node& root, std::vector<used_column>& columns, bool is_value, bool in_string) {
  if (root.kind == defined) return;  // listed before
  bool const orders = root.kind == less || root.kind == less_or_equal || root.kind == greater ||
                      root.kind == greater_or_equal;
  for (std::size_t p = 0; p < root.parts.size(); ++p) {
    auto& part = *root.parts[p];
    if (part.kind == column) part.used_as_text = uses_text(root, p);
    bool const gives = gives_value_of(root, p);
    list_columns(part, columns, is_value && gives, uses_text(root, p) || (in_string && gives));
    if (part.kind == column && orders) columns[part.column].in_order = true;
    bool const compares = root.kind >= equal && root.kind <= in_list && root.kind != matches;
    if (auto const* const of = compares ? column_of(part) : nullptr)
      columns[of->column].compares = true;
  }
  if (root.kind != column) return;
  auto const same = std::ranges::find_if(columns, [&](used_column const& each) {
    return each.name == root.text && each.as_text == root.used_as_text;
  });
  root.column = static_cast<std::size_t>(same - columns.begin());
  if (same == columns.end()) columns.push_back({root.text, root.used_as_text});
  columns[root.column].is_value = columns[root.column].is_value || is_value;
  columns[root.column].in_string = columns[root.column].in_string || in_string;
}

void set_types(node& root, expression_text const& source,
               std::vector<io::chosen_column> const& columns,
               std::vector<io::column_info> const& types) {
  type_check(source, columns, types)(root);
}

void expect_truth(node const& root, expression_text const& source) {
  if (root.type == expression_type::truth) return;
  refuse(source, root.at,
         fmt::format("{} needs a Boolean, but this is a {}", source.where, name_of(root.type)));
}

node const* find_row(node const& root) {
  if (root.kind == expression_kind::row) return &root;
  if (root.kind != defined)
    for (auto const& part : root.parts)
      if (auto const* found = find_row(*part)) return found;
  return nullptr;
}

bool has_bare_word(node const& of, std::string const& text, std::string const& word) {
  if (of.kind == defined) return false;
  bool const compares = of.kind == equal || of.kind == unequal || of.kind == in_list;
  for (std::size_t p = 0; p < of.parts.size(); ++p) {
    auto const& part = *of.parts[p];
    bool const is_word = part.kind == column && part.text == word && text[part.at] == word[0];
    if ((compares && p > 0 && is_word) || has_bare_word(part, text, word)) return true;
  }
  return false;
}

}  // namespace upsweep::cli

/// A recursive descent parser: a function for each level of precedence.
#include <cli/expression/node.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

using node = expression_node;
using pointer = std::shared_ptr<node>;
using enum expression_kind;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class parser {
 public:
  parser(expression_text const& source, std::span<defined_name const> defined)
      : source_(source), text_(source.text), defined_(defined) {}

  pointer whole() {
    auto result = any();
    if (!at_end())
      refuse(source_, at_,
             text_[at_] == ')' ? "no '(' is open" : "an operator such as && is missing");
    return result;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  /// Takes `symbol` if it comes next.
  bool take(std::string_view symbol) {
    skip_blanks();
    if (!std::string_view(text_).substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  /// The same for a word, after blanks that were skipped.
  bool take_word(std::string_view word) {
    std::size_t const end = at_ + word.size();
    if (!std::string_view(text_).substr(at_).starts_with(word)) return false;
    if (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) return false;
    at_ = end;
    return true;
  }
  void expect(std::string_view symbol) {
    if (!take(symbol)) refuse(source_, at_, fmt::format("'{}' is missing", symbol));
  }
  pointer make(expression_kind kind, std::size_t at) const {
    return std::make_shared<node>(node{kind, at});
  }
  /// Every part of the tree is visited by recursion.
  void attach(node& to, pointer part) const {
    constexpr int most = 500;
    to.levels = std::max(to.levels, part->levels + 1);
    if (to.levels > most)
      refuse(source_, to.at, fmt::format("more than {} nested operations", most));
    to.parts.push_back(std::move(part));
  }
  pointer join(expression_kind kind, std::size_t at, pointer left, pointer right) const {
    auto joined = make(kind, at);
    attach(*joined, std::move(left));
    attach(*joined, std::move(right));
    return joined;
  }
  /// Like `join`, but a || b || c is one node.
  pointer chain(expression_kind kind, std::size_t at, pointer left, pointer right) const {
    if (left->kind != kind) return join(kind, at, std::move(left), std::move(right));
    attach(*left, std::move(right));
    return left;
  }
  void enter(std::size_t at) {
    if (++depth_ > 200) refuse(source_, at, "too many nested parentheses or signs");
  }

  /// Parts of one precedence, which `next` parses, with a symbol or a word between them.
  pointer chained(expression_kind kind, std::string_view symbol, std::string_view word,
                  pointer (parser::*next)()) {
    auto left = (this->*next)();
    for (;;) {
      skip_blanks();
      std::size_t const at = at_;
      if (!take(symbol) && !take_word(word)) return left;
      left = chain(kind, at, std::move(left), (this->*next)());
    }
  }
  /// The same with one of several signs.
  using sign = std::pair<std::string_view, expression_kind>;
  pointer joined(std::initializer_list<sign> signs, pointer (parser::*next)()) {
    auto left = (this->*next)();
    for (;;) {
      skip_blanks();
      std::size_t const at = at_;
      auto const found = std::ranges::find_if(signs, [&](sign const& s) { return take(s.first); });
      if (found == signs.end()) return left;
      left = join(found->second, at, std::move(left), (this->*next)());
    }
  }

  pointer any() { return chained(either, "||", "or", &parser::all); }
  pointer all() { return chained(both, "&&", "and", &parser::inverted); }
  pointer inverted() {
    skip_blanks();
    std::size_t const at = at_;
    bool const here = at_ < text_.size() && text_[at_] == '!';
    if (!here && !take_word("not")) return comparison();
    if (here) ++at_;
    enter(at);
    auto result = inverse(at, inverted());
    --depth_;
    return result;
  }
  pointer comparison() {
    auto left = sum();
    skip_blanks();
    std::size_t const at = at_;
    constexpr sign signs[] = {
        {"==", equal},   {"!=", unequal}, {"<=", less_or_equal}, {">=", greater_or_equal},
        {"<>", unequal}, {"<", less},     {">", greater},        {"=", equal}};
    if (take("!~")) return inverse(at, matching(at, std::move(left)));
    if (take("~")) return matching(at, std::move(left));
    for (auto const& [symbol, kind] : signs)
      if (take(symbol)) return join(kind, at, std::move(left), sum());
    if (take_word("in")) return member(at, std::move(left));
    return left;
  }
  pointer inverse(std::size_t at, pointer of) const {
    auto result = make(negation, at);
    attach(*result, std::move(of));
    return result;
  }
  pointer matching(std::size_t at, pointer left) {
    auto result = make(matches, at);
    attach(*result, std::move(left));
    skip_blanks();
    std::size_t const begin = at_;
    auto const pattern = quoted(true);
    if (!pattern) refuse(source_, begin, "'~' needs a regular expression in quotes");
    try {
      result->pattern = text_pattern(*pattern);
    } catch (std::invalid_argument const& e) {
      refuse(source_, begin, fmt::format("not a regular expression {}", e.what()));
    }
    return result;
  }
  pointer member(std::size_t at, pointer left) {
    auto result = make(in_list, at);
    attach(*result, std::move(left));
    expect("(");
    do attach(*result, sum());
    while (take(","));
    expect(")");
    return result;
  }
  pointer sum() { return joined({{"+", add}, {"-", subtract}}, &parser::product); }
  pointer product() {
    return joined({{"*", multiply}, {"/", divide}, {"%", remainder}}, &parser::factor);
  }
  pointer factor() {
    skip_blanks();
    std::size_t const at = at_;
    enter(at);
    pointer result;
    if (take("-")) {
      result = make(negate, at);
      attach(*result, factor());
    } else {
      result = raised();
    }
    --depth_;
    return result;
  }
  /// x ** y binds closer than a sign before it, and to the right: -2 ** 2 ** 3 is -(2 ** (2 ** 3)).
  pointer raised() {
    auto base = primary(at_);
    skip_blanks();
    std::size_t const at = at_;
    if (!take("**")) return base;
    return join(power, at, std::move(base), factor());
  }
  pointer primary(std::size_t at) {
    if (at_end()) refuse(source_, at_, "the expression ends where a value is expected");
    char const c = text_[at_];
    if (take("(")) {
      auto inner = any();
      expect(")");
      return inner;
    }
    if (is_digit(c) || c == '.') return number(at);
    if (auto const text = quoted(false)) {
      auto result = make(text_literal, at);
      result->text = *text;
      return result;
    }
    if (c == '`') return backquoted(at);
    if (c == '$') {
      std::size_t const begin = ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      if (at_ == begin) refuse(source_, at, "'$' needs the position of a column, as in $1");
      return column_named(at, text_.substr(begin, at_ - begin));
    }
    if (!is_letter(c))
      refuse(source_, at, fmt::format("'{}' is not expected", io::shown(text_.substr(at_, 1))));
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
      ++at_;
    return named(at, text_.substr(at, at_ - at));
  }
  pointer named(std::size_t at, std::string const& word) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') return called(at, word);
    if (word == "true" || word == "false") {
      auto result = make(truth_literal, at);
      result->integer = word == "true";
      return result;
    }
    if (word == "row") return make(row, at);
    return column_named(at, word);
  }
  pointer called(std::size_t at, std::string const& word) {
    auto const* const found = find_function(word);
    if (found == nullptr) {
      std::vector<std::string> names;
      for (auto const& each : functions()) names.emplace_back(each.name);
      refuse(source_, at,
             fmt::format("'{}' is not a function{}", word, text::did_you_mean(word, names)));
    }
    auto result = make(expression_kind::call, at);
    result->called = found;
    expect("(");
    for (std::size_t a = 0; a < found->most; ++a) {
      if (a >= found->least && !take(",")) break;
      if (a > 0 && a < found->least && !take(","))
        refuse(source_, at_,
               fmt::format("{} needs {}{} arguments, and ',' is missing", word,
                           found->least < found->most ? "at least " : "", found->least));
      attach(*result, any());
    }
    expect(")");
    if (found->name == "trunc") expect_unit(*result->parts[1]);
    return result;
  }
  void expect_unit(node const& unit) const {
    static constexpr std::string_view units[] = {"year", "quarter", "month",  "week",
                                                 "day",  "hour",    "minute", "second"};
    if (unit.kind == text_literal && std::ranges::find(units, unit.text) != std::end(units)) return;
    refuse(source_, unit.at,
           fmt::format("trunc needs a unit in quotes: {}", fmt::join(units, ", ")));
  }
  pointer number(std::size_t at) {
    char const *const begin = text_.data() + at, *const end = text_.data() + text_.size();
    auto result = make(integer_literal, at);
    auto const integer = std::from_chars(begin, end, result->integer);
    auto const decimal = std::from_chars(begin, end, result->decimal);
    if (decimal.ec != std::errc{}) refuse(source_, at, "not a number");
    auto const natural = std::from_chars(begin, end, result->natural);
    bool const is_natural = natural.ec == std::errc{} && natural.ptr == decimal.ptr;
    if (integer.ec != std::errc{} || !is_natural)
      result->kind = is_natural ? natural_literal : decimal_literal;
    at_ += static_cast<std::size_t>(decimal.ptr - begin);
    if (at_ < text_.size() && is_letter(text_[at_]))
      refuse(source_, at, "not a number; write names that begin with a digit as `name`");
    return result;
  }
  /// A text in single or double quotes, in which \" and \' are quotes and \\ is a backslash; any
  /// other backslash stays. A pattern keeps both of \\, which is its own word for a backslash.
  std::optional<std::string> quoted(bool is_pattern) {
    skip_blanks();
    if (at_ == text_.size() || (text_[at_] != '"' && text_[at_] != '\'')) return std::nullopt;
    std::size_t const begin = at_;
    char const quote = text_[at_++];
    std::string content;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        char const next = text_[at_ + 1];
        if (next == '\\' && is_pattern) content += next;
        if (next == '\\' || next == quote) ++at_;
      }
      content += text_[at_++];
    }
    if (at_ == text_.size()) refuse(source_, begin, "the quote is not closed");
    ++at_;
    return content;
  }
  pointer backquoted(std::size_t at) {
    std::size_t const end = text_.find('`', at_ + 1);
    if (end == std::string::npos) refuse(source_, at, "the '`' is not closed");
    std::string const name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return column_named(at, name);
  }
  pointer column_named(std::size_t at, std::string const& name) const {
    auto const earlier = std::ranges::find(defined_, name, &defined_name::name);
    if (earlier != defined_.end()) {
      auto result = make(defined, at);
      attach(*result, earlier->root);
      result->defined_by = earlier->source;
      return result;
    }
    auto result = make(column, at);
    result->text = name;
    return result;
  }

  expression_text const& source_;
  std::string const& text_;
  std::span<defined_name const> defined_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::shared_ptr<expression_node> parse_expression(expression_text const& source,
                                                  std::span<defined_name const> defined) {
  return parser(source, defined).whole();
}

}  // namespace upsweep::cli

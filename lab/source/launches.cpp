/// Finds the kernel backwards from <<< as a postfix expression, and the >>> that ends the shape.
#include <lab/source/edits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

namespace {

constexpr auto nowhere = static_cast<std::size_t>(-1);

bool is_keyword(std::string_view word) {
  constexpr std::string_view before_expressions[] = {
      "return",    "else",      "do",       "case",   "goto",  "throw",
      "co_return", "co_await",  "co_yield", "if",     "for",   "while",
      "switch",    "constexpr", "new",      "delete", "sizeof"};
  return std::find(std::begin(before_expressions), std::end(before_expressions), word) !=
         std::end(before_expressions);
}

/// The < that the > at `close` closes, or nowhere.
std::size_t opening_angle(token_view const& t, std::size_t close) {
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (t.is(i, ";") || t.is(i, "{") || t.is(i, "(") || t.is(i, "[") || t.opens_brackets(i) > 0)
      return nowhere;
    if (t.is(i, ")") || t.is(i, "]") || t.is(i, "}")) {
      i = t.opening(i);
      if (i == t.size()) return nowhere;
    } else if (t.is(i, ">")) {
      ++depth;
    } else if (t.is(i, "<") && --depth == 0) {
      return i;
    }
  }
  return nowhere;
}

/// The first token of the postfix expression that ends before `end`: `ns::kernel<a, b>`,
/// `table[i]`, `(*pointer)`, `object->get(x)`. `end` itself if there is none.
std::size_t expression_before(token_view const& t, std::size_t end) {
  std::size_t i = end;
  for (bool wants_operand = true; i > 0;) {
    std::size_t last = i - 1;
    if (!wants_operand) {
      bool const joins =
          t.is(last, "::") || t.is(last, ".") || t.is(last, "->") || t.is(last, "##");
      if (!joins) return i;
      i = last;
      bool const leading =
          t.is(last, "::") && (last == 0 || !(t.is_word(last - 1) || t.is(last - 1, ">")) ||
                               is_keyword(t.text(last - 1)));
      if (leading) return i;
      wants_operand = true;
      continue;
    }
    std::size_t first = last;
    if (t.is(last, ">")) {
      first = opening_angle(t, last);
      if (first == nowhere || first == 0) return end;
      i = first;  // the template's name is the operand
      continue;
    }
    if (t.is(last, ")") || t.is(last, "]")) {
      first = t.opening(last);
      if (first == t.size()) return end;
      bool const applies = first > 0 && ((t.is_word(first - 1) && !is_keyword(t.text(first - 1))) ||
                                         t.is(first - 1, ">") || t.is(first - 1, "]"));
      i = first;
      if (!applies) return i;  // a primary expression in parentheses
      continue;
    }
    if (!t.is_word(last) || is_keyword(t.text(last))) return end;
    i = t.is_word(last) && last > 0 && t.is(last - 1, "template") ? last - 1 : last;
    wants_operand = false;
  }
  return i;
}

/// The same, but the comparison in `kernel<n < 32>` does not begin the expression: no launch is
/// the operand of < or the second argument of a template.
std::size_t kernel_before(token_view const& t, std::size_t end) {
  std::size_t first = expression_before(t, end);
  while (first != end && first > 0 && (t.is(first - 1, "<") || t.is(first - 1, ","))) {
    std::size_t i = first, open = nowhere;
    while (i-- > 0) {
      if (t.is(i, ")") || t.is(i, "]") || t.is(i, "}")) {
        i = t.opening(i);
        if (i == t.size()) break;
      } else if (t.is(i, ";") || t.is(i, "(") || t.is(i, "{") || t.is(i, ">") || t.is(i, "[")) {
        break;
      } else if (t.is(i, "<") && i > 0 && t.is_word(i - 1)) {
        open = i;
      }
    }
    if (open == nowhere) break;
    first = expression_before(t, open);
  }
  return first;
}

/// The first of the three > that end the shape which begins at `first`, or nowhere.
std::size_t end_of_shape(token_view const& t, std::size_t first) {
  std::vector<std::size_t> candidates;
  std::size_t fallback = nowhere, best = nowhere;
  std::size_t open_angles = 0;
  for (std::size_t i = first; i < t.size(); ++i) {
    if (t.is(i, "(") || t.is(i, "[") || t.is(i, "{")) {
      i = t.closing(i);
      continue;
    }
    if (t.is(i, ";") || t.is(i, ")") || t.is(i, "]") || t.is(i, "}") || t.opens_brackets(i) > 0)
      break;
    if (t.is(i, "<") && i > 0 && t.is_word(i - 1)) ++open_angles;
    if (t.ends_brackets(i) && !t.is(i + 3, ">")) {
      if (!t.is(i + 3, "("))
        fallback = fallback == nowhere ? i : fallback;  // LAUNCH(k, g, b)(arguments)
      else if (open_angles == 0)
        return i;
      else if (best == nowhere)
        best = i;
    }
    if (t.is(i, ">") && open_angles > 0) --open_angles;
  }
  return best != nowhere ? best : fallback;
}

/// The parameters of `#define NAME(a, b) ...`; the body may name them.
std::vector<std::string_view> parameters(token_view const& t) {
  std::vector<std::string_view> names;
  if (!t.is(1, "define") || !t.is(3, "(") || t[2].end != t[3].begin) return names;
  for (std::size_t i = 4; i < t.size() && !t.is(i, ")"); ++i)
    if (t.is_word(i)) names.push_back(t.text(i));
  return names;
}

/// The kernel's name as a string literal, in a macro with its parameters filled in: "run<" #T ">".
std::string name_literal(token_view const& t, std::size_t first, std::size_t last,
                         std::vector<std::string_view> const& filled_in) {
  std::string text = t.joined(first, last), all = "\"";
  if (filled_in.empty()) {
    for (char const c : text) all += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return all + '"';
  }
  all.clear();
  for (std::size_t i = first; i < last; ++i) {
    if (t.is(i, "##")) continue;
    bool const parameter =
        std::find(filled_in.begin(), filled_in.end(), t.text(i)) != filled_in.end();
    if (t[i].kind == token_kind::string) continue;
    all += parameter ? fmt::format("#{} ", t.text(i))
                     : fmt::format("\"{}{}\" ", t.text(i), t.is(i, ",") ? " " : "");
  }
  all.pop_back();
  return all;
}

}  // namespace

void find_launches(token_view const& t, bool in_directive, device_code const& device,
                   std::vector<edit>& edits, std::vector<rewrite_finding>& findings) {
  auto const filled_in = in_directive ? parameters(t) : std::vector<std::string_view>{};
  std::size_t const body = !filled_in.empty() ? t.closing(3) + 1 : in_directive ? 3 : 0;
  for (std::size_t at = body; at < t.size(); ++at) {
    std::size_t const shape = at + t.opens_brackets(at);
    if (shape == at || (at > 0 && t.is(at - 1, "operator"))) continue;
    auto const line = line_of(t.source(), t[at].begin);
    std::size_t const first = std::max(kernel_before(t, at), body);
    std::size_t const end = end_of_shape(t, shape);
    if (first == at || end == nowhere) {
      findings.push_back({line,
                          first == at ? "there is no kernel before <<<"
                                      : "the launch has no >>> with its arguments after it",
                          true});
      continue;
    }
    std::string const kernel = t.joined(first, at);
    if (!in_directive && device.contains(t[at].begin)) {
      findings.push_back(
          {line,
           fmt::format("device code launches '{}', but the emulator runs only kernels that the "
                       "host launches (no dynamic parallelism)",
                       kernel),
           true});
      continue;
    }
    edits.push_back(
        {t[first].begin,
         t[end + 2].end,
         {{fmt::format("::upsweep::emulated::launch({}, {}::upsweep::emulated::shape(",
                       name_literal(t, first, at, filled_in),
                       line_breaks(t.source(), t[first].begin, t[at].begin, in_directive)),
           t[shape - 1].end, t[end].begin},
          {fmt::format("), UPSWEEP_EMULATED_CALL({}))", kernel), 0, 0}}});
  }
}

}  // namespace upsweep::lab::source

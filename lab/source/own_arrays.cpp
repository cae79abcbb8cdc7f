/// A declaration is a word, `>` or `*` and then a name with brackets. What only looks like one does
/// no harm, since the check asks the compiler for the array's type.
#include <lab/source/edits.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab::source {

namespace {

constexpr std::string_view no_types[] = {"return", "else",  "case",  "goto",   "new",     "delete",
                                         "throw",  "using", "while", "sizeof", "typename"};

/// The first token of the statement that `i` is in.
std::size_t begin_of_statement(token_view const& t, std::size_t i) {
  while (i > 0 && !t.is(i - 1, ";") && !t.is(i - 1, "{") && !t.is(i - 1, "}")) --i;
  return i;
}

/// The token after the brackets that begin at `open`.
std::size_t after_brackets(token_view const& t, std::size_t open) {
  while (t.is(open, "[")) open = t.closing(open) + 1;
  return open;
}

bool is_of_thread(token_view const& t, std::size_t statement, std::size_t name) {
  for (std::size_t i = statement; i < name; ++i)
    for (std::string_view const other :
         {"__shared__", "extern", "static", "__constant__", "__device__", "constexpr", "=", "("})
      if (t.is(i, other)) return false;
  return true;
}

/// Whether `name` is the first declarator of a declaration.
bool is_declared(token_view const& t, std::size_t name) {
  if (name == 0 || !t.is_word(name) || !t.is(name + 1, "[")) return false;
  bool const follows_type = (t.is_word(name - 1) &&
                             std::ranges::find(no_types, t.text(name - 1)) == std::end(no_types)) ||
                            t.is(name - 1, ">") || t.is(name - 1, "*");
  std::size_t const end = after_brackets(t, name + 1);
  bool const ends = t.is(end, ";") || t.is(end, "=") || t.is(end, ",") || t.is(end, "{");
  return follows_type && ends && is_of_thread(t, begin_of_statement(t, name), name);
}

/// The bracket that closes the scope of `i`.
std::size_t end_of_scope(token_view const& t, std::size_t i) {
  for (; i < t.size() && !t.is(i, "}"); ++i)
    if (t.is(i, "{")) i = t.closing(i);
  return std::min(i, t.size());
}

bool is_member(token_view const& t, std::size_t i) {
  return i > 0 && (t.is(i - 1, ".") || t.is(i - 1, "->") || t.is(i - 1, "::"));
}
/// The address of an element may be that after the last one.
bool has_its_address_taken(token_view const& t, std::size_t i) {
  return i > 1 && t.is(i - 1, "&") && !t.is_word(i - 2) && !t.is(i - 2, ")") && !t.is(i - 2, "]");
}

void check_uses(token_view const& t, std::string_view name, std::size_t first, std::size_t last,
                std::vector<edit>& edits) {
  for (std::size_t i = first; i < last; ++i) {
    if (!t.is(i, name) || !t.is(i + 1, "[") || is_member(t, i) || is_declared(t, i) ||
        has_its_address_taken(t, i))
      continue;
    unsigned dimension = 0;
    for (std::size_t open = i + 1; t.is(open, "["); ++dimension) {
      std::size_t const close = t.closing(open);
      if (close >= t.size() || close == open + 1) break;
      edits.push_back(
          {t[open].begin,
           t[close].begin,
           {{fmt::format("[::upsweep::emulated::own_index<decltype({0}), {1}>(\"{0}\", (", name,
                         dimension),
             t[open].end, t[close].begin},
            {"))", 0, 0}}});
      open = close + 1;
    }
  }
}

}  // namespace

void find_own_arrays(token_view const& t, device_code const& device, std::vector<edit>& edits) {
  for (std::size_t i = 1; i < t.size(); ++i) {
    if (!is_declared(t, i) || !device.contains(t[i].begin)) continue;
    std::size_t const end = end_of_scope(t, i);
    // `int a[4], b[4];` declares two.
    for (std::size_t name = i; t.is_word(name) && name < end;) {
      std::size_t at = after_brackets(t, name + 1);
      if (at > name + 1) check_uses(t, t.text(name), at, end, edits);
      while (at < end && !t.is(at, ",") && !t.is(at, ";"))
        at = t.is(at, "{") || t.is(at, "(") ? t.closing(at) + 1 : at + 1;
      if (!t.is(at, ",")) break;
      name = at + 1;
      while (t.is(name, "*")) ++name;
    }
  }
}

void find_dynamic_arrays(token_view const& t, std::vector<rewrite_finding>& findings) {
  std::string_view first;
  std::size_t end = 0;  // of the scope of the first
  for (std::size_t i = 1; i < t.size(); ++i) {
    if (!t.is_word(i) || !t.is(i + 1, "[") || !t.is(i + 2, "]") || !t.is(i + 3, ";")) continue;
    bool is_extern = false, is_shared = false;
    for (std::size_t k = begin_of_statement(t, i); k < i; ++k) {
      is_extern = is_extern || t.is(k, "extern");
      is_shared = is_shared || t.is(k, "__shared__");
    }
    if (!is_extern || !is_shared) continue;
    if (i < end && t.text(i) != first) {
      rewrite_finding found{line_of(t.source(), t[i].begin), {}};
      found.is_hint = true;
      found.sentence = fmt::format(
          "'{0}' and '{1}' begin at one address, as all extern __shared__ arrays of a kernel do: "
          "declare one, and let the other point after the elements of the first",
          first, t.text(i));
      findings.push_back(std::move(found));
    }
    first = t.text(i);
    end = end_of_scope(t, i);
  }
}

}  // namespace upsweep::lab::source

/// Finds the values of macros without parameters, and of constants.
#include <lab/source/settings.hpp>

#include <algorithm>
#include <cstddef>

namespace upsweep::lab::source {

namespace {

/// Replaces tokens [first, last) if a setting has this name.
void set(token_view const& t, bool in_directive, std::size_t name, std::size_t first,
         std::size_t last, settings_of_run& settings, std::vector<edit>& edits) {
  settings.names.emplace_back(t.text(name));
  auto const wanted = std::ranges::find(settings.all, t.text(name), &setting::name);
  if (wanted == settings.all.end() || first == last) return;
  std::string const breaks = line_breaks(t.source(), t[first].begin, t[last - 1].end, in_directive);
  edits.push_back({t[first].begin, t[last - 1].end, {{wanted->value + breaks, 0, 0}}});
  ++wanted->places;
}

/// The end of the initializer that begins at `i`: a comma or a semicolon outside of brackets.
std::size_t end_of_initializer(token_view const& t, std::size_t i) {
  while (i < t.size() && !t.is(i, ",") && !t.is(i, ";") && !t.is(i, ")")) {
    if (t.is(i, "(") || t.is(i, "[") || t.is(i, "{")) i = t.closing(i);
    ++i;
  }
  return std::min(i, t.size());
}

/// The body of main.
bool is_in_main(token_view const& t, std::size_t i, std::size_t& end) {
  if (t.is(i, "main") && t.is(i + 1, "(")) {
    std::size_t const body = t.closing(i + 1) + 1;
    if (t.is(body, "{")) end = t.closing(body);
  }
  return i < end;
}

/// `int N` or `, N` of a declaration: the statement begins with two words in a row.
bool is_declared(token_view const& t, std::size_t begin, std::size_t i) {
  bool const has_type = t.is_word(begin) && begin < i && !t.is(begin, "return") &&
                        (t.is_word(begin + 1) || t.is(begin + 1, "::"));
  for (std::size_t k = begin; has_type && k < i; ++k)
    if (t.is(k, "(") && t.closing(k) >= i) return false;
  return has_type && (t.is_word(i - 1) || t.is(i - 1, ","));
}

}  // namespace

void find_settings(token_view const& t, bool in_directive, settings_of_run& settings,
                   std::vector<edit>& edits) {
  if (in_directive) {
    bool const has_value = t.is(1, "define") && t.size() > 3 && t.is_word(2);
    bool const has_parameters = has_value && t.is(3, "(") && t[2].end == t[3].begin;
    if (has_value && !has_parameters) set(t, true, 2, 3, t.size(), settings, edits);
    return;
  }
  bool is_constant = false;  // the statement says so
  std::size_t end_of_main = 0, begin = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t.is(i, ";") || t.is(i, "{") || t.is(i, "}")) is_constant = false;
    if (t.is(i, "const") || t.is(i, "constexpr")) is_constant = true;
    if (t.is(i, ";") || t.is(i, "{") || t.is(i, "}")) begin = i + 1;
    bool const can_be_set =
        is_in_main(t, i, end_of_main) ? is_constant || is_declared(t, begin, i) : is_constant;
    bool const has_value = can_be_set && t.is_word(i) && t.is(i + 1, "=") && !t.is(i + 2, "=");
    if (!has_value) continue;
    std::size_t const end = end_of_initializer(t, i + 2);
    set(t, false, i, i + 2, end, settings, edits);
    i = end - 1;
  }
}

}  // namespace upsweep::lab::source

/// Moves alignas before __shared__, drops the casts of kernels to void*, finds the values of macros
/// without parameters and of constants, and kernels.
#include <lab/source/edits.hpp>
#include <lab/source/rewrite.hpp>
#include <lab/source/tokens.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::source {

namespace {

bool takes_kernel(std::string_view word) {
  constexpr std::string_view calls[] = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel",
                                        "cudaFuncSetAttribute", "cudaFuncGetAttributes",
                                        "cudaFuncSetCacheConfig"};
  return std::find(std::begin(calls), std::end(calls), word) != std::end(calls) ||
         word.starts_with("cudaOccupancyMax");
}

/// The number of tokens of the cast to void* or void const* that begins at `i`, or 0.
std::size_t cast_at(token_view const& t, std::size_t i) {
  if (!t.is(i, "(")) return 0;
  std::size_t const end = t.closing(i);
  bool names_void = false;
  for (std::size_t j = i + 1; j < end; ++j) {
    names_void = names_void || t.is(j, "void");
    if (!t.is(j, "void") && !t.is(j, "const") && !(t.is(j, "*") && j + 1 == end)) return 0;
  }
  return names_void && t.is(end - 1, "*") ? end + 1 - i : 0;
}

}  // namespace

void find_alignments(token_view const& t, std::vector<edit>& edits) {
  for (std::size_t i = 0; i + 2 < t.size(); ++i) {
    if (!t.is(i, "__shared__")) continue;
    std::size_t last = i;
    while (t.is(last + 1, "alignas") && t.is(last + 2, "(") && t.closing(last + 2) < t.size())
      last = t.closing(last + 2);
    if (last == i) continue;
    // The words before it come after alignas too: `static`, `extern`, `volatile`.
    std::size_t first = i;
    while (first > 0 &&
           (t.is(first - 1, "static") || t.is(first - 1, "extern") || t.is(first - 1, "volatile")))
      --first;
    edits.push_back({t[first].begin,
                     t[last].end,
                     {{"", t[i + 1].begin, t[last].end},
                      {" ", t[first].begin, t[i].end},
                      {line_breaks(t.source(), t[i].end, t[i + 1].begin, false), 0, 0}}});
  }
}

void find_casts_of_kernels(token_view const& t, std::vector<edit>& edits) {
  for (std::size_t i = 0; i + 1 < t.size(); ++i) {
    if (!t.is_word(i) || !takes_kernel(t.text(i))) continue;
    std::size_t open = i + 1;
    if (t.is(open, "<")) continue;  // its template argument says the type
    if (!t.is(open, "(")) continue;
    for (std::size_t j = open + 1, end = t.closing(open); j < end; ++j) {
      std::size_t const cast = t.is(j - 1, "(") || t.is(j - 1, ",") ? cast_at(t, j) : 0;
      bool const of_name = cast > 0 && t.is_word(j + cast);
      if (of_name)
        edits.push_back({t[j].begin,
                         t[j + cast - 1].end,
                         {{line_breaks(t.source(), t[j].begin, t[j + cast].begin, false), 0, 0}}});
      if (of_name) break;
      if (t.is(j, "(") || t.is(j, "{")) j = t.closing(j);
    }
  }
}

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

// A kernel is the word before the first ( after __global__ that is no attribute.

namespace {

/// `float const* in` of tokens [first, last); a default value is left out.
kernel_parameter parameter_of(token_view const& t, std::size_t first, std::size_t last) {
  std::size_t end = first;
  while (end < last && !t.is(end, "=")) ++end;
  kernel_parameter p;
  for (std::size_t i = first; i < end; ++i)  // with the spaces of the source
    p.text += (i > first && t[i - 1].end != t[i].begin ? " " : "") + std::string(t.text(i));
  std::size_t name = end;
  while (name > first && t.is(name - 1, "]")) name = t.opening(name - 1);
  if (name > first + 1 && t.is_word(name - 1)) p.name = t.text(name - 1);
  return p;
}

/// Of the list in the parentheses at `open`.
std::vector<kernel_parameter> parameters_of(token_view const& t, std::size_t open) {
  std::vector<kernel_parameter> all;
  std::size_t const close = t.closing(open);
  std::size_t first = open + 1, angles = 0;
  for (std::size_t i = first; i <= close && i < t.size(); ++i) {
    if (i < close && (t.is(i, "(") || t.is(i, "[") || t.is(i, "{"))) {
      i = t.closing(i);
      continue;
    }
    if (t.is(i, "<")) ++angles;
    if (t.is(i, ">") && angles > 0) --angles;
    if (i != close && (!t.is(i, ",") || angles > 0)) continue;
    if (i > first && !(i == first + 1 && t.is(first, "void")))
      all.push_back(parameter_of(t, first, i));
    first = i + 1;
  }
  return all;
}

/// Whether the declaration that `at` is part of begins with `template`.
bool follows_template(token_view const& t, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    if (t.is(i, ")")) {
      i = t.opening(i);
      if (i == t.size()) return false;
    }
    if (t.is(i, ";") || t.is(i, "{") || t.is(i, "}")) return false;
    if (t.is(i, "template")) return true;
  }
  return false;
}

}  // namespace

std::vector<kernel_declaration> kernels_in(std::string_view text) {
  auto const tokens = split(text);
  token_view const t(text, tokens.code);
  std::vector<kernel_declaration> all;
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!t.is(i, "__global__")) continue;
    std::size_t at = i + 1;
    while (at < t.size() && !t.is(at, ";") && !t.is(at, "{")) {
      bool const is_name = t.is_word(at) && t.is(at + 1, "(");
      bool const is_attribute = t.text(at).starts_with("__") || t.is(at, "alignas");
      if (is_name && !is_attribute) break;
      at = is_name ? t.closing(at + 1) + 1 : at + 1;
    }
    if (!t.is_word(at) || !t.is(at + 1, "(")) continue;
    std::string const name(t.text(at));
    if (std::ranges::find(all, name, &kernel_declaration::name) != all.end()) continue;
    all.push_back(
        {name, follows_template(t, i), parameters_of(t, at + 1), line_of(text, t[at].begin)});
  }
  return all;
}

}  // namespace upsweep::lab::source

/// A kernel is the word before the first ( after __global__ that is no attribute.
#include <lab/source/kernels.hpp>

#include <lab/source/tokens.hpp>

#include <algorithm>

namespace upsweep::lab::source {

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

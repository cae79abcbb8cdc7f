/// Finds asm statements: their text, which it parses, and their operands as C++.
#include <lab/source/ptx.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab::source {

// PTX ends statements by semicolons; braces group them, or the registers of a vector.

namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string without_comments(std::string_view text) {
  std::string all;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string_view const rest = text.substr(at);
    std::string_view const end = rest.starts_with("//") ? "\n" : rest.starts_with("/*") ? "*/" : "";
    if (end.empty()) {
      all += text[at];
      continue;
    }
    auto const close = text.find(end, at);
    if (close == std::string_view::npos) break;
    at = close + end.size() - 1;
    all += ' ';
  }
  return all;
}

/// "LOOP: @!p add.u32 a, b, c" without its braces of scopes.
void add_statement(std::string text, std::vector<ptx_statement>& all) {
  text = trimmed(text);
  while (!text.empty() && (text.front() == '{' || text.front() == '}'))
    text = trimmed(std::string_view(text).substr(1));
  if (text.empty()) return;
  std::size_t word = 0;
  while (word < text.size() && (std::isalnum(static_cast<unsigned char>(text[word])) != 0 ||
                                text[word] == '_' || text[word] == '$'))
    ++word;
  if (word > 0 && word < text.size() && text[word] == ':' && !text.substr(word).starts_with("::")) {
    all.push_back({.label = text.substr(0, word), .predicate = {}, .opcode = {}, .operands = {}});
    return add_statement(text.substr(word + 1), all);
  }
  ptx_statement s;
  if (text.front() == '@') {
    std::size_t end = 1;
    while (end < text.size() && !is_space(text[end])) ++end;
    s.predicate = text.substr(1, end - 1);
    text = trimmed(std::string_view(text).substr(end));
  }
  std::size_t end = 0;
  while (end < text.size() && !is_space(text[end])) ++end;
  s.opcode = text.substr(0, end);
  s.operands = split_operands(std::string_view(text).substr(end), ',');
  all.push_back(std::move(s));
}

}  // namespace

std::vector<std::string> split_operands(std::string_view text, char by) {
  std::vector<std::string> all;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at == text.size() || (text[at] == by && depth == 0)) {
      auto part = trimmed(text.substr(begin, at - begin));
      if (!part.empty()) all.push_back(std::move(part));
      begin = at + 1;
    } else {
      depth += text[at] == '{' || text[at] == '[' ? 1 : 0;
      depth -= text[at] == '}' || text[at] == ']' ? 1 : 0;
    }
  }
  return all;
}

std::vector<ptx_statement> parse_ptx(std::string_view commented) {
  std::string text = without_comments(commented);
  for (std::size_t at = 0; (at = text.find("%%", at)) != std::string::npos; ++at) text.erase(at, 1);
  std::vector<ptx_statement> all;
  for (std::size_t begin = 0; begin < text.size();) {
    auto end = text.find(';', begin);
    if (end == std::string::npos) end = text.size();
    add_statement(text.substr(begin, end - begin), all);
    begin = end + 1;
  }
  return all;
}

namespace {

/// What a string literal says, without its quotes and escapes.
std::string unescaped(std::string_view literal) {
  if (auto const raw = literal.find("R\""); raw < 3) {
    auto const open = literal.find('('), close = literal.rfind(')');
    return close > open ? std::string(literal.substr(open + 1, close - open - 1)) : "";
  }
  std::string all;
  auto const begin = literal.find('"') + 1;
  for (std::size_t i = begin; i + 1 < literal.size(); ++i) {
    if (literal[i] == '\\' && i + 2 < literal.size()) {
      char const next = literal[++i];
      all += next == 'n' || next == 't' || next == '\n' ? ' ' : next;
      if (next == 'n') all.back() = '\n';
    } else {
      all += literal[i];
    }
  }
  return all;
}

struct asm_statement {
  std::string text;
  std::vector<asm_operand> operands;
  bool readable = true;  ///< the text is made of literals only
  std::size_t outputs = 0;
};

/// The statement whose parentheses are at `open` and `close`.
asm_statement read_asm(token_view const& t, std::size_t open, std::size_t close) {
  asm_statement s;
  std::size_t section = 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (t.is(i, ":") || t.is(i, "::")) {
      section += t.text(i).size();
    } else if (section == 0) {
      if (t[i].kind == token_kind::string)
        s.text += unescaped(t.text(i));
      else
        s.readable = false;
    } else if (section < 3 && t[i].kind == token_kind::string && t.is(i + 1, "(")) {
      auto const end = t.closing(i + 1);
      if (end >= close) break;
      auto const constraint = unescaped(t.text(i));
      auto const letter = std::find_if(constraint.begin(), constraint.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0;
      });
      s.operands.push_back(
          {letter == constraint.end() ? 'r' : *letter, fmt::format("({})", t.joined(i + 2, end))});
      s.outputs += section == 1 ? 1 : 0;
      i = end;
    }
  }
  return s;
}

bool is_asm(std::string_view word) {
  return word == "asm" || word == "__asm__" || word == "__asm";
}

/// The C++ for the statement. Inputs of several instructions are evaluated once, at the beginning.
std::string code_of(asm_statement s, std::string& unknown) {
  std::string before;
  if (std::count(s.text.begin(), s.text.end(), ';') > 1)
    for (std::size_t i = s.outputs; i < s.operands.size(); ++i) {
      before += fmt::format("auto const upsweep_in_{} = {}; ", i, s.operands[i].code);
      s.operands[i].code = fmt::format("upsweep_in_{}", i);
    }
  auto const done = translate_ptx(s.text, s.operands);
  unknown = s.readable ? done.unknown : "a text that macros put together";
  // Labels of a block come first in it.
  return fmt::format("do {{ {}{{ {}}} }} while (0)", before, done.code);
}

std::string literal_of(std::string_view text) {
  std::string all = "\"";
  for (char const c : text) all += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return all + '"';
}

}  // namespace

void find_ptx(token_view const& t, bool in_directive, device_code const& device,
              std::vector<edit>& edits, std::vector<rewrite_finding>& findings) {
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!t.is_word(i) || !is_asm(t.text(i))) continue;
    std::size_t open = i + 1;
    while (t.is(open, "volatile") || t.is(open, "__volatile__") || t.is(open, "__volatile")) ++open;
    if (!t.is(open, "(")) continue;
    auto const close = t.closing(open);
    if (close == t.size()) continue;
    auto const s = read_asm(t, open, close);
    bool const is_empty = std::all_of(s.text.begin(), s.text.end(), [](char c) {
      return std::isspace(static_cast<unsigned char>(c)) != 0;
    });
    if (s.readable && is_empty) continue;  // a barrier for the compiler
    std::string unknown;
    std::string code = code_of(s, unknown);
    if (!unknown.empty()) {
      bool const on_device =
          in_directive ? s.text.find(';') != std::string::npos : device.contains(t[i].begin);
      if (!on_device) continue;
      code = fmt::format("::upsweep::emulated::ptx::unknown({})", literal_of(unknown));
      findings.push_back(
          {line_of(t.source(), t[i].begin),
           fmt::format("the emulator does not know the PTX instruction '{}'", unknown), false});
    }
    edits.push_back(
        {t[i].begin,
         t[close].end,
         {{code + line_breaks(t.source(), t[i].begin, t[close].end, in_directive), 0, 0}}});
    i = close;
  }
}

}  // namespace upsweep::lab::source

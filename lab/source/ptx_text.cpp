/// PTX ends statements by semicolons; braces group them, or the registers of a vector.
#include <lab/source/ptx_text.hpp>

#include <cctype>
#include <cstddef>
#include <utility>

namespace upsweep::lab::source {

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

}  // namespace upsweep::lab::source

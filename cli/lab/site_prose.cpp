/// Markdown as HTML, line by line, then character by character.
#include <cli/lab/site.hpp>
#include <text/markup.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

using text::escaped;

constexpr std::string_view blanks = " \t\r";

bool is_blank(std::string_view line) {
  return line.find_first_not_of(blanks) == line.npos;
}

/// The position of `mark` outside of code; npos if there is none.
std::size_t find_outside_code(std::string_view text, std::string_view mark) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at).starts_with(mark)) return at;
    if (text[at] != '`') continue;
    if (auto const end = text.find('`', at + 1); end != text.npos) at = end;
  }
  return text.npos;
}

/// What `mark` encloses at the beginning of `text`; empty if it does not.
std::string_view enclosed(std::string_view text, std::string_view mark) {
  if (!text.starts_with(mark)) return {};
  text.remove_prefix(mark.size());
  auto const end = mark == "`" ? text.find('`') : find_outside_code(text, mark);
  return end == text.npos ? std::string_view() : text.substr(0, end);
}

struct link {
  std::string_view label, to;
};

/// "[label](to)" at the beginning of `text`.
std::optional<link> link_at(std::string_view text) {
  auto const middle = text.find("](");
  if (!text.starts_with('[') || middle == text.npos || text.find(']') != middle) return {};
  auto const end = text.find(')', middle);
  if (end == text.npos) return {};
  link const found{text.substr(1, middle - 1), text.substr(middle + 2, end - middle - 2)};
  bool const is_good =
      !found.label.empty() && !found.to.empty() && found.to.find_first_of(blanks) == found.to.npos;
  return is_good ? std::optional(found) : std::nullopt;
}

std::string line_html(std::string_view text, link_address const& address) {
  std::string html;
  while (!text.empty()) {
    std::size_t length = 1;
    if (auto const code = enclosed(text, "`"); !code.empty()) {
      html += fmt::format("<code>{}</code>", escaped(code));
      length = code.size() + 2;
    } else if (auto const strong = enclosed(text, "**"); !strong.empty()) {
      html += fmt::format("<strong>{}</strong>", line_html(strong, address));
      length = strong.size() + 4;
    } else if (auto const em = enclosed(text, "*"); !em.empty() && em.front() != ' ') {
      html += fmt::format("<em>{}</em>", line_html(em, address));
      length = em.size() + 2;
    } else if (auto const found = link_at(text)) {
      auto const label = line_html(found->label, address);
      auto const to = address(found->to);
      html += to ? fmt::format("<a href=\"{}\">{}</a>", escaped(*to), label) : label;
      length = found->label.size() + found->to.size() + 4;
    } else {
      html += escaped(text.substr(0, 1));
    }
    text.remove_prefix(length);
  }
  return html;
}

/// It scrolls, so the keyboard must reach it. A page may have several groups of one name.
std::string code_html(std::string_view text, std::string_view label) {
  return fmt::format("<pre tabindex=\"0\" role=\"group\" aria-label=\"{}\">{}</pre>",
                     escaped(label), escaped(text));
}

class prose_writer {
 public:
  prose_writer(link_address const& address, int level) : address_(address), level_(level) {}

  std::string of(std::string_view text) {
    while (!text.empty()) {
      auto const line = next_line(text);
      if (line.starts_with("```")) {
        end_block();
        std::string code;
        while (!text.empty() && !text.starts_with("```")) code.append(next_line(text)) += '\n';
        next_line(text);
        auto const language = line.substr(3);
        add(code_html(code, is_blank(language) ? "Code" : language));
      } else if (line.starts_with("<details>")) {
        end_block();
        add(folded_html(line, text));
      } else if (is_heading(line)) {
        end_block();
        int const depth = static_cast<int>(line.find(' ')) - 1 + level_;
        add(fmt::format("<h{0}>{1}</h{0}>", depth,
                        line_html(line.substr(line.find(' ') + 1), address_)));
      } else if (is_blank(line)) {
        end_block();
      } else {
        block_.push_back(line);
      }
    }
    end_block();
    return std::move(html_);
  }

 private:
  static std::string_view next_line(std::string_view& text) {
    auto const line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
  }

  static bool is_heading(std::string_view line) {
    auto const end = line.find_first_not_of('#');
    return end != 0 && end != line.npos && line[end] == ' ';
  }

  void add(std::string const& part) { html_ += (html_.empty() ? "" : "\n") + part; }

  std::string folded_html(std::string_view line, std::string_view& text) const {
    constexpr std::string_view begin = "<summary>", end = "</summary>", last = "</details>";
    std::string all(line);
    while (!text.empty() && all.find(last) == all.npos) all.append("\n").append(next_line(text));
    auto const summary = all.find(begin), after = all.find(end);
    if (summary == all.npos || after == all.npos || after < summary)
      return prose_writer(address_, level_).of(all.substr(std::string_view("<details>").size()));
    auto const from = summary + begin.size(), inner = after + end.size();
    return fmt::format(
        "<details><summary>{}</summary>{}</details>", escaped(all.substr(from, after - from)),
        html_of(std::string_view(all).substr(inner, all.find(last) - inner), address_, level_));
  }

  /// Lines joined by spaces.
  std::string joined(std::size_t begin, std::size_t end) const {
    std::string words;
    for (; begin < end; ++begin) {
      auto line = block_[begin];
      line.remove_prefix(line.find_first_not_of(blanks));
      line = line.substr(0, line.find_last_not_of(blanks) + 1);
      words += (words.empty() ? "" : " ") + std::string(line);
    }
    return line_html(words, address_);
  }

  void end_block() {
    if (block_.empty()) return;
    if (block_[0].starts_with("- "))
      add(list_html());
    else if (block_[0].starts_with("    "))
      add(indented_html());
    else
      add(fmt::format("<p>{}</p>", joined(0, block_.size())));
    block_.clear();
  }

  std::string list_html() {
    std::string rows;
    for (std::size_t begin = 0, end = 0; begin < block_.size(); begin = end) {
      block_[begin].remove_prefix(2);
      for (end = begin + 1; end < block_.size() && !block_[end].starts_with("- ");) ++end;
      rows += fmt::format("<li>{}</li>", joined(begin, end));
    }
    return fmt::format("<ul>{}</ul>", rows);
  }

  std::string indented_html() const {
    std::string code;
    for (auto line : block_) {
      if (line.starts_with("    ")) line.remove_prefix(4);
      code.append(line) += '\n';
    }
    code.pop_back();
    return code_html(code, "Code");
  }

  link_address const& address_;
  int level_;
  std::string html_;
  std::vector<std::string_view> block_;
};

}  // namespace

std::string html_of(std::string_view text, link_address const& address, int level) {
  return prose_writer(address, level).of(text);
}

}  // namespace upsweep::cli

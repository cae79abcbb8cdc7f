/// Renders the Markdown pages of help/ and the options of the commands, for a terminal and for man.
#include <cli/output/help.hpp>

#include <cli/registry.hpp>
#include <upsweep/core/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string_view>

namespace upsweep::cli {

namespace {

struct section {
  std::string title;  // empty before the first heading
  std::vector<std::string> lines;
};

/// The sections of a page, without its first line.
std::vector<section> sections(std::string const& markdown) {
  std::vector<section> all(1);
  std::istringstream in(markdown);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    if (line.starts_with("## "))
      all.push_back({line.substr(3), {}});
    else if (!line.empty() || !all.back().lines.empty())
      all.back().lines.push_back(line);
  }
  for (auto& s : all)
    while (!s.lines.empty() && s.lines.back().empty()) s.lines.pop_back();
  return all;
}

std::string name_of(CLI::App const& command) {
  return command.get_parent() ? command.get_parent()->get_name() + " " + command.get_name()
                              : command.get_name();
}

/// "-o,--output FILE"
std::string spelling(CLI::Option const& option) {
  std::string const value = option.get_type_size() != 0 ? option.get_type_name() : "";
  std::string names =
      option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  for (std::size_t at = 0; (at = names.find(',', at)) != std::string::npos; at += 2)
    names.replace(at, 1, ", ");
  if (option.get_positional()) return names;
  if (auto const brace = names.find('{'); brace != std::string::npos)  // a flag with a value
    return fmt::format("{}[={}]", names.substr(0, brace), option.get_type_name());
  return value.empty() ? names : names + " " + value;
}

std::vector<CLI::Option const*> visible_options(CLI::App const& command, bool positional) {
  return command.get_options([&](CLI::Option const* o) {
    return !o->get_group().empty() && o->get_positional() == positional;
  });
}

std::string usage(CLI::App const& command) {
  std::string text = name_of(command);
  if (!visible_commands(command).empty()) return text + " COMMAND [OPTIONS]";
  text += " [OPTIONS]";
  for (auto const* option : visible_options(command, true)) {
    std::string word = option->get_name(true);
    if (option->get_expected_max() > 1) word += "...";
    text += option->get_required() ? " " + word : " [" + word + "]";
  }
  return text;
}

/// `text` broken into lines of at most `width` characters, the second and later ones indented.
std::string wrapped(std::string const& text, std::size_t indent, std::size_t width) {
  std::istringstream words(text);
  std::string out, word;
  std::size_t column = indent;
  while (words >> word) {
    if (column > indent && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

/// Calls f(text, is_bold) for the parts of a paragraph: `code` and **words** are bold. As in
/// Markdown, code that holds backquotes stands between two of them and blanks.
template <class F>
void for_each_part(std::string_view text, F const& f) {
  while (!text.empty()) {
    auto const begin = std::min(text.find('`'), text.find("**"));
    f(text.substr(0, begin), false);
    if (begin == std::string_view::npos) return;
    std::string_view const mark =
        text.substr(begin).starts_with('`') && !text.substr(begin).starts_with("``")
            ? "`"
            : text.substr(begin, 2);
    text.remove_prefix(begin + mark.size());
    auto const end = text.find(mark);
    auto inner = text.substr(0, end);
    if (mark == "``") {
      inner.remove_prefix(1);
      inner.remove_suffix(1);
    }
    f(inner, true);
    text.remove_prefix(std::min(text.size(), inner.size() + (mark == "``" ? 2 : 0) + mark.size()));
  }
}

/// The text of a paragraph without its marks.
std::string plain(std::string_view text) {
  std::string words;
  for_each_part(text, [&](std::string_view part, bool) { words += part; });
  return words;
}

std::string row(std::string const& left, std::string const& right) {
  constexpr std::size_t indent = 30, width = 100;
  std::string const gap = left.size() + 4 > indent ? "\n" + std::string(indent, ' ')
                                                   : std::string(indent - left.size() - 2, ' ');
  return "  " + left + gap + wrapped(plain(right), indent, width) + "\n";
}

std::string option_rows(CLI::App const& command) {
  std::string text;
  if (auto const positionals = visible_options(command, true); !positionals.empty()) {
    text += "\nArguments:\n";
    for (auto const* option : positionals)
      text += row(spelling(*option), option->get_description());
  }
  for (std::string const& group : command.get_groups()) {
    std::string rows;
    for (auto const* option : visible_options(command, false))
      if (option->get_group() == group) rows += row(spelling(*option), option->get_description());
    if (!rows.empty()) text.append("\n").append(group).append(":\n").append(rows);
  }
  if (auto const commands = visible_commands(command); !commands.empty()) {
    text += "\nCommands:\n";
    for (auto const* c : commands) text += row(c->get_name(), c->get_description());
  }
  return text;
}

/// A part of a page: a paragraph, an item of a list, or lines of code.
struct block {
  enum class form : std::uint8_t { paragraph, item, code } is;
  std::string text;
};

/// Lines that are indented by four are code. The further lines of an item are indented by two.
std::vector<block> blocks(section const& s) {
  std::vector<block> all;
  bool open = false;  // the next line may continue the last block
  for (auto const& line : s.lines) {
    bool const is_code = line.starts_with("    "), starts_item = line.starts_with("- ");
    auto const last = all.empty() ? block::form::paragraph : all.back().is;
    if (line.empty() && !(open && last == block::form::code)) {
      open = false;
    } else if (is_code || line.empty()) {
      if (!open || last != block::form::code) all.push_back({block::form::code, ""});
      all.back().text += (line.empty() ? line : line.substr(4)) + "\n";
      open = true;
    } else {
      bool const continues = open && !starts_item && last != block::form::code;
      if (!continues) all.push_back({starts_item ? block::form::item : block::form::paragraph, ""});
      auto const words = line.substr(starts_item || line.starts_with("  ") ? 2 : 0);
      all.back().text += (continues ? " " : "") + words;
      open = true;
    }
  }
  for (auto& each : all)
    while (each.is == block::form::code && each.text.ends_with("\n\n")) each.text.pop_back();
  return all;
}

std::string terminal(section const& s) {
  std::size_t const indent = s.title.empty() ? 0 : 2;
  std::string const margin(indent, ' ');
  std::string text = s.title.empty() ? "" : "\n" + s.title + ":\n";
  auto const all = blocks(s);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& [is, content] = all[i];
    bool const in_list = is == block::form::item && i > 0 && all[i - 1].is == is;
    if (i > 0 && !in_list) text += "\n";
    if (is == block::form::code) {
      std::istringstream lines(content);
      for (std::string line; std::getline(lines, line);)
        text += line.empty() ? "\n" : margin + "    " + line + "\n";
      continue;
    }
    bool const item = is == block::form::item;
    text +=
        margin + (item ? "- " : "") + wrapped(plain(content), indent + (item ? 2 : 0), 100) + "\n";
  }
  return text;
}

/// Escapes a line of text for roff.
std::string roff_escaped(std::string_view line) {
  std::string out;
  for (char const c : line) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string roff_protected(std::string const& line) {
  return !line.empty() && (line[0] == '.' || line[0] == '\'') ? "\\&" + line : line;
}

/// The same, with `code` in bold.
std::string roff_line(std::string const& line) {
  std::string out;
  for_each_part(line, [&](std::string_view part, bool bold) {
    out += bold ? "\\fB" + roff_escaped(part) + "\\fR" : roff_escaped(part);
  });
  return roff_protected(out);
}

std::string roff(section const& s) {
  std::string out;
  for (auto const& [is, content] : blocks(s)) {
    if (is == block::form::code) {
      out += ".PP\n.RS 4\n.nf\n";
      std::istringstream lines(content);
      for (std::string line; std::getline(lines, line);)
        out += roff_protected(roff_escaped(line)) + "\n";
      out += ".fi\n.RE\n";
      continue;
    }
    out += is == block::form::item ? ".IP \\(bu 2\n" : ".PP\n";
    out += roff_line(content) + "\n";
  }
  return out;
}

std::string roff_options(CLI::App const& command) {
  std::string out;
  for (bool const positional : {true, false})
    for (auto const* option : visible_options(command, positional))
      out += ".TP\n\\fB" + roff_line(spelling(*option)) + "\\fR\n" +
             roff_line(option->get_description()) + "\n";
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

std::string help_page(std::string const& name) {
  for (auto const& page : pages())
    if (page.name == name) return page.text;
  return {};
}

std::string help_text(CLI::App const& command) {
  auto const page = sections(help_page(command.get_name()));
  std::string text = command.get_description() + "\n";
  for (auto const& s : page)
    if (s.title == "Examples") text += terminal(s);
  text += "\nUsage: " + usage(command) + "\n" + option_rows(command);
  for (auto const& s : page)
    if (s.title != "Examples" && !s.lines.empty())
      text += s.title.empty() ? "\n" + terminal(s) : terminal(s);
  return text;
}

std::string manual(CLI::App const& tool) {
  auto const front = sections(help_page(tool.get_name()));
  std::string out =
      fmt::format(".TH UPSWEEP 1 \"\" \"upsweep {}\" \"User Commands\"\n.SH NAME\nupsweep \\- {}\n",
                  version, roff_line(tool.get_description()));
  out += ".SH SYNOPSIS\n";
  for (auto const* c : visible_commands(tool)) out += ".B " + roff_line(usage(*c)) + "\n.br\n";
  out += ".SH DESCRIPTION\n" + roff(front.front());
  for (auto const* c : visible_commands(tool)) {
    out += ".SH " + upper(name_of(*c)) + "\n" + roff_line(c->get_description()) + "\n.PP\n";
    auto const page = sections(help_page(c->get_name()));
    out += roff(page.front()) + roff_options(*c);
    for (auto const& s : page)
      if (!s.title.empty()) out += ".SS " + roff_line(s.title) + "\n" + roff(s);
  }
  out += ".SH OPTIONS\n" + roff_options(tool);
  for (auto const& s : front)
    if (!s.title.empty()) out += ".SH " + upper(roff_line(s.title)) + "\n" + roff(s);
  return out;
}

}  // namespace upsweep::cli

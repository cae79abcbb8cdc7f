/// `upsweep completion bash|zsh|fish`: completion scripts generated from the definitions of the
/// options.
#include <cli/output/help.hpp>
#include <cli/registry.hpp>
#include <io/input.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct flag {
  std::vector<std::string> names;  // with their dashes
  std::string value;               // placeholder of its value, in capitals; empty if it has none
  std::string sentence;
  std::vector<std::string> choices;
  bool list = false;  // several choices, separated by commas
};

struct command {
  std::string name, sentence;
  std::vector<flag> flags;
  std::vector<std::string> words;  // the values of its first argument; empty if that is a file
};

std::vector<std::string> choices_of(registry const& tool, CLI::Option const* option) {
  auto const found = tool.choices.find(option);
  return found == tool.choices.end() ? std::vector<std::string>{} : found->second;
}

std::vector<flag> flags_of(registry const& tool, CLI::App const& app) {
  std::vector<flag> all;
  for (auto const* option : app.get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    flag f;
    for (auto const& name : option->get_snames()) f.names.push_back("-" + name);
    for (auto const& name : option->get_lnames()) f.names.push_back("--" + name);
    bool const takes = option->get_type_size() != 0 && option->get_items_expected_min() != 0;
    if (takes)  // not one that may stand without a value
      f.value = option->get_type_name().empty() ? "VALUE" : option->get_type_name();
    f.sentence = option->get_description();
    f.choices = choices_of(tool, option);
    f.list = option->get_delimiter() == ',';
    all.push_back(std::move(f));
  }
  return all;
}

std::vector<command> commands_of(registry const& tool) {
  std::vector<command> all;
  for (auto const* app : visible_commands(tool.app)) {
    command c{app->get_name(), app->get_description(), flags_of(tool, *app), {}};
    for (auto const* option : app->get_options())
      if (option->get_positional() && c.words.empty()) c.words = choices_of(tool, option);
    all.push_back(std::move(c));
  }
  return all;
}

std::vector<std::string> names_of(std::vector<command> const& commands) {
  std::vector<std::string> names;
  for (auto const& c : commands) names.push_back(c.name);
  return names;
}

std::string flag_names(std::vector<flag> const& flags) {
  std::vector<std::string> names;
  for (auto const& f : flags) names.insert(names.end(), f.names.begin(), f.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

constexpr char const* bash_script =
    R"sh(# bash completion for upsweep; add to ~/.bashrc:  source <(upsweep completion bash)
# The names of the columns of the first file on the command line.
_upsweep_columns() {{
  local word
  for word in "${{COMP_WORDS[@]:2}}"; do
    if [[ -f $word ]]; then "${{COMP_WORDS[0]}}" columns "$word" 2>/dev/null; return; fi
  done
}}
_upsweep() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command='' word flags words before=''
  [[ $cur == '=' ]] && cur=''
  [[ $prev == '=' ]] && prev=${{COMP_WORDS[COMP_CWORD-2]}}
  [[ $cur == *,* ]] && before=${{cur%,*}},
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {0}) command=$word; break ;; esac
  done
  COMPREPLY=()
  if [[ $cur == ':' || $prev == ':' ]]; then  # --op sum:price
    COMPREPLY=($(compgen -W "$(_upsweep_columns)" -- "${{cur#:}}"))
    return
  fi
  case "$command $prev" in
{1}  esac
  case $command in
{2}    *) flags='{3}' words='{4}' ;;
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    compopt -o default
  fi
}}
complete -F _upsweep upsweep
)sh";

std::string bash(registry const& tool) {
  auto const commands = commands_of(tool);
  std::string values, words;
  for (auto const& c : commands) {
    for (auto const& f : c.flags) {
      if (f.value.empty()) continue;
      std::vector<std::string> patterns;
      for (auto const& name : f.names) patterns.push_back(fmt::format("'{} {}'", c.name, name));
      std::string const list =
          f.list ? "COMPREPLY=(\"${COMPREPLY[@]/#/$before}\"); compopt -o nospace" : ":";
      std::string const action =
          f.value.starts_with("COLUMN")
              ? fmt::format("COMPREPLY=($(compgen -W \"$(_upsweep_columns)\" -- \"{}\")); {}",
                            f.list ? "${cur##*,}" : "$cur", list)
          : f.choices.empty()
              ? (f.value == "FILE" ? "compopt -o default" : ":")
              : fmt::format("COMPREPLY=($(compgen -W '{}' -- \"{}\")); {}",
                            fmt::join(f.choices, " "), f.list ? "${cur##*,}" : "$cur", list);
      values += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"), action);
    }
    words += fmt::format("    {}) flags='{}' words='{}' ;;\n", c.name, flag_names(c.flags),
                         fmt::join(c.words, " "));
  }
  auto const names = names_of(commands);
  return fmt::format(bash_script, fmt::join(names, "|"), values, words,
                     flag_names(flags_of(tool, tool.app)), fmt::join(names, " "));
}

/// `text` with a backslash before every character of `special`.
std::string escaped(std::string const& text, std::string_view special) {
  std::string out;
  for (char const c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// `text` in single quotes for a shell.
std::string quoted(std::string const& text) {
  std::string out = "'";
  for (char const c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string zsh_flags(std::vector<flag> const& flags) {
  std::string out;
  for (auto const& f : flags) {
    std::string action;
    if (f.value.starts_with("COLUMN"))
      action = ":_upsweep_columns";
    else if (!f.choices.empty())
      action = f.list ? fmt::format(":_sequence compadd - {}", fmt::join(f.choices, " "))
                      : fmt::format(":({})", fmt::join(f.choices, " "));
    else if (f.value == "FILE")
      action = ":_files";
    else
      action = ": ";
    std::string const exclusive = fmt::format("({})", fmt::join(f.names, " "));
    for (auto const& name : f.names) {
      bool const takes = !f.value.empty();
      std::string const text = exclusive + name +
                               (takes && name.starts_with("--") ? "="
                                : takes                         ? "+"
                                                                : "") +
                               "[" + escaped(f.sentence, "[]:\\") + "]" +
                               (takes ? ":" + f.value + action : "");
      out += " \\\n        " + quoted(text);
    }
  }
  return out;
}

std::string zsh(registry const& tool) {
  std::string commands, cases;
  for (auto const& c : commands_of(tool)) {
    commands += "    " + quoted(c.name + ":" + c.sentence) + "\n";
    std::string const rest =
        c.words.empty() ? "*:file:_files" : fmt::format("1:value:({})", fmt::join(c.words, " "));
    cases += fmt::format("    {})\n      _arguments -s{} \\\n        '{}' ;;\n", c.name,
                         zsh_flags(c.flags), rest);
  }
  constexpr char const* script = R"sh(#compdef upsweep
# zsh completion for upsweep; save it as _upsweep in a folder of $fpath, or:  source <(upsweep completion zsh)
# The names of the columns of the first file on the command line.
_upsweep_columns() {{
  local word names
  for word in $words; do
    [[ -f $word ]] && {{ names=(${{(f)"$(upsweep columns $word 2>/dev/null)"}}); break }}
  done
  _sequence compadd - $names
}}
_upsweep() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  [[ $command == -* ]] || {{ shift words; (( CURRENT-- )) }}
  case $command in
{}    *)
      _arguments -s{} ;;
  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _upsweep "$@"
else
  compdef _upsweep upsweep
fi
)sh";
  return fmt::format(script, commands, cases, zsh_flags(flags_of(tool, tool.app)));
}

std::string fish_flags(std::vector<flag> const& flags, std::string const& condition) {
  std::string out;
  for (auto const& f : flags) {
    out += fmt::format("complete -c upsweep -n {}", quoted(condition));
    for (auto const& name : f.names)
      out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (f.value.starts_with("COLUMN"))
      out += " -x -a '(__fish_complete_list , __upsweep_columns)'";
    else if (!f.choices.empty() && f.list)
      out += " -x -a " + quoted(fmt::format("(__fish_complete_list , 'string split \" \" \"{}\"')",
                                            fmt::join(f.choices, " ")));
    else if (!f.choices.empty())
      out += " -x -a " + quoted(fmt::format("{}", fmt::join(f.choices, " ")));
    else if (!f.value.empty())
      out += f.value == "FILE" ? " -r -F" : " -x";
    out += " -d " + quoted(f.sentence) + "\n";
  }
  return out;
}

std::string fish(registry const& tool) {
  std::string out =
      "# fish completion for upsweep; save it as ~/.config/fish/completions/upsweep.fish, or:  "
      "upsweep completion fish | source\n"
      "# The names of the columns of the first file on the command line.\n"
      "function __upsweep_columns\n"
      "  for word in (commandline -opc)\n"
      "    test -f $word; and upsweep columns $word 2>/dev/null; and return\n"
      "  end\n"
      "end\n";
  for (auto const& c : commands_of(tool)) {
    out += fmt::format("complete -c upsweep -n __fish_use_subcommand -f -a {} -d {}\n", c.name,
                       quoted(c.sentence));
    std::string const here = "__fish_seen_subcommand_from " + c.name;
    if (!c.words.empty())
      out += fmt::format("complete -c upsweep -n {} -f -a '{}'\n", quoted(here),
                         fmt::join(c.words, " "));
    out += fish_flags(c.flags, here);
  }
  return out + fish_flags(flags_of(tool, tool.app), "__fish_use_subcommand");
}

/// The names of a file's columns, a line each: those that a shell does not change.
void print_columns(std::string const& path) {
  io::input_options o;
  o.path = path;
  o.keys = {"all"};
  o.keys_only = true;
  io::input const in(std::move(o));
  for (auto const& name : in->all_names)
    if (std::ranges::all_of(name, [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
                 c == '-' || static_cast<unsigned char>(c) >= 0x80;
        }))
      fmt::print("{}\n", name);
}

struct completion_flags {
  std::string shell;
  registry const* tool = nullptr;
};

void run(completion_flags const& flags) {
  auto const& tool = *flags.tool;
  std::string const text = flags.shell == "bash"  ? bash(tool)
                           : flags.shell == "zsh" ? zsh(tool)
                                                  : fish(tool);
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_completion_command(registry& tool) {
  auto const [add, flags] = add_command<completion_flags>(tool, "completion");
  flags.tool = &tool;
  add("SHELL", flags.shell, "bash, zsh or fish", required, one_of({"bash", "zsh", "fish"}));
  CLI::App* const columns =
      tool.app.add_subcommand("columns", "Print the names of columns; completion asks for them");
  columns->group("");
  auto const path = std::make_shared<std::string>();
  columns->add_option("FILE", *path)->required();
  columns->callback([path] { print_columns(*path); });
  CLI::App* const roff = tool.app.add_subcommand(
      "manual", "Print the manual in roff; the build makes upsweep.1 with it");
  roff->group("");
  roff->callback([&tool] { std::fputs(manual(tool.app).c_str(), stdout); });
}

}  // namespace upsweep::cli

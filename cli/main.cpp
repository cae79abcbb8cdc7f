/// The tool `upsweep`: builds the commands, runs one, and turns an exception into a
/// message and an exit status.
///
///   0 done and correct        1 a check found a wrong result      2 usage        3 bad data
///                             4 input, output or memory
///   5 backend not available   6 numeric contract broken           130 and 141: ended by SIGINT and
///                             by a closed pipe
#include <cli/engine/operators.hpp>
#include <cli/output/help.hpp>
#include <cli/output/progress.hpp>
#include <cli/registry.hpp>
#include <io/column_choice.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <text/nearest.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/core/version.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

/// Highway's shared library measures the CPU's clock when it is loaded, for its benchmarks,
/// which the tool does not run: 4 of the 10 ms that the tool takes to start. This definition takes
/// the place of Highway's; it is weak, so that a static Highway's may take its.
namespace hwy::platform {
[[gnu::weak]] std::uint64_t TimerResolution();
std::uint64_t TimerResolution() {
  return 1;
}
}  // namespace hwy::platform

namespace upsweep::cli {

namespace {

int complain(int status, std::string const& sentence) {
  bool const color = may_color(STDERR_FILENO);
  auto const line = fmt::format("{}upsweep:{} {}\n", color ? "\033[1;31m" : "",
                                color ? "\033[0m" : "", io::printable(sentence));
  std::fputs(line.c_str(), stderr);  // fmt::print would throw if standard error is closed
  return status;
}

std::vector<std::string> command_names(CLI::App const& app) {
  std::vector<std::string> names;
  for (auto const* c : visible_commands(app)) names.push_back(c->get_name());
  return names;
}

std::vector<std::string> option_names(CLI::App const& command) {
  std::vector<std::string> names;
  for (auto const* option : command.get_options())
    for (auto const& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// What other tools call an option, in any command or in one.
std::string hint_for_option(std::string_view command, std::string_view word) {
  struct foreign {
    std::string_view command, words, hint;
  };
  static constexpr foreign all[] = {
      {"sort", "-n --numeric --numeric-sort -g", "numbers are sorted as numbers without an option"},
      {"sort", "-r --reverse --desc", "--descending is the other order"},
      {"sort", "-u", "--unique leaves out repeated ones"},
      {"sort", "-k --key --by", "--column chooses what is sorted"},
      {"sort", "--head --limit", "--top N shows the largest"},
      {"", "--where --filter",
       "select the rows first: upsweep select --where CONDITION FILE | upsweep ..."},
      {"", "--group-by --groupby --group -g", "--by COLUMN groups the rows"},
      {"", "-d -t --sep --separator --field-separator", "--delimiter CHARACTER separates fields"},
      {"", "-f --field --fields --columns -k --key", "--column chooses columns"},
      {"", "--narm --skipna --na-rm", "--skip-missing skips missing values"},
      {"", "--na-values --null --nullstr --na", "--missing WORD,... gives words of missing values"},
      {"", "--out -O", "-o FILE writes a file"}};
  for (auto const& [of, words, hint] : all) {
    auto const padded = fmt::format(" {} ", words);
    if ((of.empty() || of == command) &&
        padded.find(fmt::format(" {} ", word)) != std::string::npos)
      return fmt::format("; {}", hint);
  }
  return {};
}

/// The message for a command line that CLI11 rejected, with a suggestion.
std::string usage_error(CLI::App const& app, CLI::ParseError const& e,
                        std::vector<std::string> const& words) {
  auto const parsed = app.get_subcommands();
  if (parsed.empty()) {
    auto const& word = words.front();
    if (word.starts_with('-'))
      return fmt::format("unknown option {}{}; options of a command follow its name", word,
                         text::did_you_mean(word, option_names(app)));
    auto const operations = operator_names();
    if (std::find(operations.begin(), operations.end(), word) != operations.end())
      return fmt::format(
          "'{0}' is an operator, not a command; try upsweep reduce --op {0} or upsweep scan "
          "--op {0}",
          word);
    if (word != "upsweep" && !help_page(word).empty())
      return fmt::format("'{}' is part of the laboratory, which this tool was built without", word);
    return fmt::format("'{}' is not a command{}; upsweep --help lists them", word,
                       text::did_you_mean(word, command_names(app)));
  }
  CLI::App const& command = *parsed.front();
  auto const help = fmt::format("; upsweep {} --help shows the options", command.get_name());
  if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    auto const names = option_names(command);
    for (auto const& word : command.remaining()) {
      if (!word.starts_with('-')) continue;
      auto const option = word.substr(0, word.find('='));
      auto hint = hint_for_option(command.get_name(), option);
      if (hint.empty()) hint = text::did_you_mean(option, names);
      return fmt::format("{}: unknown option {}{}{}", command.get_name(), word, hint, help);
    }
    for (auto const& word : command.remaining())
      return fmt::format("{}: unexpected argument '{}'{}", command.get_name(), word, help);
  }
  std::string sentence = e.what();
  while (!sentence.empty() && (sentence.back() == '\n' || sentence.back() == '.'))
    sentence.pop_back();
  return command.get_name() + ": " + sentence + help;
}

/// The words of the command line, in which an option without a value, --column= or --column ,, has
/// an empty one: CLI11 would take the next word, most often another option.
std::vector<std::string> words_of(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv, argv + std::min(argc, 2));
  auto const named =
      app.get_subcommands([&](CLI::App const* c) { return argc > 1 && c->get_name() == words[1]; });
  auto* const command = named.empty() ? nullptr : named.front();
  auto const is_list = [&](std::string const& name) {
    auto const* const option = command ? command->get_option_no_throw(name) : nullptr;
    return option != nullptr && option->get_delimiter() == ',';
  };
  auto const is_blank = [](std::string_view text) {
    return text.find_first_not_of(',') == std::string_view::npos;
  };
  bool options = true;
  for (int i = 2; i < argc; ++i) {
    std::string const word = argv[i];
    auto const equals = word.find('=');
    std::string const name = word.substr(0, equals);
    options = options && word != "--";
    bool const has_value = options && word.starts_with("--") && equals != std::string::npos;
    bool const is_list_value = has_value && is_list(name);
    std::string const value = has_value ? word.substr(equals + 1) : word;
    if (has_value && (value.empty() || (is_list_value && is_blank(value))))
      words.insert(words.end(), {name, ""});
    else if (is_list_value)
      words.push_back(name + '=' + protect_commas(value));
    else if (options && is_list(words.back()))
      words.push_back(is_blank(word) ? "" : protect_commas(word));
    else
      words.push_back(word);
  }
  return words;
}

int run(int argc, char** argv) {
  CLI::App app{"", "upsweep"};
  app.description([] {
    std::string const page = help_page("upsweep");
    return page.substr(0, page.find('\n'));
  }());
  app.formatter(std::make_shared<CLI::FormatterLambda>(
      [](CLI::App const* command, std::string, CLI::AppFormatMode) {
        return help_text(*command);
      }));
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version",
                       fmt::format("upsweep {} (combine tree {})", version, tree_version),
                       "Print the version");
  app.require_subcommand(1);
  registry tool{app};
  for (auto const add : all_commands()) add(tool);
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    return 2;
  }
  auto const given = words_of(app, argc, argv);
  std::vector<char const*> words;
  for (auto const& word : given) words.push_back(word.c_str());
  if (words[1] == std::string_view("help")) {  // `help scan` means `scan --help`
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (CLI::CallForHelp const& e) {
    if (app.get_subcommands().empty() && words[1][0] != '-')  // help for an unknown command
      return complain(
          2, usage_error(app, e, std::vector<std::string>(words.begin() + 1, words.end())));
    std::fputs(app.help().c_str(), stdout);
  } catch (CLI::CallForVersion const& e) {
    fmt::print("{}\n", e.what());
  } catch (CLI::ParseError const& e) {
    return complain(2,
                    usage_error(app, e, std::vector<std::string>(words.begin() + 1, words.end())));
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return complain(4, "writing to standard output failed");
  return tool.status;
}

/// Keeps the memory of buffers that are filled again for each block of rows. glibc gives large ones
/// back when they are freed, and the pages of the next one are new: a quarter of the time of a
/// reduction by group.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 1 << 25);  // whole columns are larger
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

/// Where the caller has closed 0, 1 or 2, files that are opened later would get its number. Reads
/// and writes fail as if it were closed.
void keep_closed_descriptors() {
  for (int const each : {0, 1, 2})
    if (::fcntl(each, F_GETFD) < 0)
      static_cast<void>(::open("/dev/null", each == 0 ? O_WRONLY : O_RDONLY));
}

}  // namespace

}  // namespace upsweep::cli

int main(int argc, char** argv) {
  using namespace upsweep::cli;
  upsweep::detail::float_environment const ieee;  // a library that is loaded may have changed it
  keep_closed_descriptors();
  keep_freed_memory();
  std::signal(SIGPIPE,
              SIG_DFL);  // may be inherited as ignored; `| head` would then look like a write error
  try {
    return run(argc, argv);
  } catch (upsweep::io::pipe_closed const& e) {
    return e.exit_code();
  } catch (upsweep::io::no_such_column const& e) {
    auto const near = upsweep::text::nearest(e.column(), e.names());
    return complain(2,
                    near.empty() ? e.what() : fmt::format("{} Did you mean '{}'?", e.what(), near));
  } catch (upsweep::io::tool_error const& e) {
    return complain(e.exit_code(), e.what());
  } catch (upsweep::overflow_error const& e) {
    return complain(6, e.what());
  } catch (std::bad_alloc const&) {
    return complain(
        4, "not enough memory for this input; stream it, or use a machine with more memory");
  } catch (std::system_error const& e) {  // of {fmt}, whose output is a full disk
    return complain(4, e.what());
  } catch (std::exception const& e) {
    return complain(3, e.what());
  }
}

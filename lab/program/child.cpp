/// Loads the module, runs it, and reports each launch when it ends.
#include <lab/program/child.hpp>

#include <io/error.hpp>
#include <lab/program/kernel_entry.hpp>
#include <lab/program/report_lines.hpp>
#include <lab/program/reporter.hpp>
#include <upsweep/sim/modules/module.hpp>
#include <upsweep/sim/modules/runtime.hpp>

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab {

namespace {

/// Lives until the process ends: exit runs its last report.
program_reporter* reporter = nullptr;

/// "x.so: undefined symbol: _Z3foov" for a user.
std::string load_error(std::string const& file, std::string const& said) {
  constexpr std::string_view undefined = "undefined symbol: ";
  auto const at = said.find(undefined);
  if (at == std::string::npos) return fmt::format("'{}' cannot be loaded: {}", file, said);
  std::string name = said.substr(at + undefined.size());
  name = name.substr(0, name.find_first_of(" ,"));
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> const readable(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return fmt::format("'{}' uses '{}', which neither it nor the emulator defines", file,
                     status == 0 ? readable.get() : name.c_str());
}

}  // namespace

/// For checkers: upsweep/simt/check/upsweep_check.h.
extern "C" [[gnu::visibility("default")]] int upsweep_check_say(char const* line) {
  return reporter->take_note(line) ? 1 : 0;
}
extern "C" [[gnu::visibility("default")]] int upsweep_check_is_clean() {
  return reporter->machine.result().findings.empty() ? 1 : 0;
}

bool can_run_programs() {
  return true;
}

/// Reports a crash in a kernel with its position; any other is one of the host code.
static void tell_crash(int signal) {
  std::signal(signal, SIG_DFL);
  if (auto const where = sim::current_kernel_position())
    reporter->write_line(
        crash_line(fmt::format("{} crashed after {}:{}: {} (signal {})", where->thread,
                               where->last.file.substr(where->last.file.find_last_of('/') + 1),
                               where->last.line, ::strsignal(signal), signal)));
  std::raise(signal);
}

/// A limit has stopped the program.
static void tell_place(int) {
  if (auto const where = sim::current_kernel_position())
    reporter->write_line(running_line(fmt::format(
        "{} was running, after {}:{}", where->thread,
        where->last.file.substr(where->last.file.find_last_of('/') + 1), where->last.line)));
  std::raise(SIGKILL);
}

/// noexcept: an exception that main does not catch ends the program, as it would without us.
void become_program(program_request const& asked, int report) {
  reporter = new program_reporter{sim::machine(asked.machine), report,
                                  asked.printed == program_request::output::checked};
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, tell_crash);
  std::signal(signal_to_say_where, tell_place);
  static sim::runtime const runtime(reporter->machine, [] { reporter->report(); });
  std::atexit([] { reporter->report(); });
  int (*entry)(int, char**) = nullptr;
  try {
    sim::module const module(asked.module);
    if (asked.kernel) {
      auto const outputs = run_kernel(module, *asked.kernel);
      reporter->write_line(line_of(outputs));
      std::exit(0);
    }
    entry = module.function<int(int, char**)>("main");
  } catch (io::usage_error const& e) {
    reporter->write_line(error_line(e.what(), true));
    ::_exit(1);
  } catch (std::exception const& e) {
    reporter->write_line(error_line(load_error(asked.arguments.at(0), e.what())));
    ::_exit(1);
  }
  std::vector<char*> arguments;
  for (auto const& word : asked.arguments) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  auto const run = [&]() noexcept {
    return entry(static_cast<int>(asked.arguments.size()), arguments.data());
  };
  std::exit(run());
}

}  // namespace upsweep::lab

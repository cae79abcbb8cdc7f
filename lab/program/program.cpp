/// Forks, waits, and says why a program ended.
#include <lab/program/program.hpp>

#include <io/error.hpp>
#include <lab/program/report_lines.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace upsweep::lab {

namespace {

enum class ending { own, time, memory };

io::io_error refused(char const* what) {
  return io::io_error(fmt::format("cannot create {}: {}", what, std::strerror(errno)));
}

std::uint64_t resident_bytes(pid_t of) {
  std::ifstream statm(fmt::format("/proc/{}/statm", of));
  std::uint64_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Says that a program runs, once it has run for a while, and for how long.
class progress_line {
 public:
  explicit progress_line(bool is_on) : is_on_(is_on) {}
  ~progress_line() {
    if (shown_ > 0) fmt::print(stderr, "\r\033[K");
  }
  progress_line(progress_line const&) = delete;
  progress_line& operator=(progress_line const&) = delete;

  void update(double seconds) {
    constexpr int first = 5;
    auto const whole = static_cast<int>(seconds);
    if (!is_on_ || whole < first || whole == shown_) return;
    shown_ = whole;
    fmt::print(stderr,
               "\rupsweep: the program runs for {} s (Ctrl+C ends it; --time-limit S would)",
               whole);
    std::fflush(stderr);
  }

 private:
  bool is_on_;
  int shown_ = 0;
};

/// Waits until the process has ended, whose end closes `alive`, and kills it at a limit.
ending wait_for(pid_t child, int alive, program_request const& asked) {
  auto const begin = std::chrono::steady_clock::now();
  progress_line shown(asked.shows_progress);
  for (;;) {
    pollfd watched{alive, 0, 0};
    if (::poll(&watched, 1, 50) > 0) return ending::own;
    double const seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    shown.update(seconds);
    bool const late = asked.seconds > 0 && seconds > asked.seconds;
    bool const large = asked.memory > 0 && resident_bytes(child) > asked.memory;
    if (!late && !large) continue;
    ::kill(child, signal_to_say_where);
    ::poll(&watched, 1, 500);  // it ends itself then, unless the program has blocked the signal
    ::kill(child, SIGKILL);
    return late ? ending::time : ending::memory;
  }
}

std::string failure_of(ending how, int status, program_request const& asked,
                       std::string const& running) {
  std::string const where = running.empty() ? "" : fmt::format(", while {}", running);
  if (how == ending::time)
    return fmt::format("the program was stopped after {} s, its time limit (--time-limit){}",
                       asked.seconds, where);
  if (how == ending::memory)
    return fmt::format("the program was stopped: it used more than {} MiB (--memory-limit){}",
                       asked.memory >> 20, where);
  if (WIFSIGNALED(status)) {
    int const signal = WTERMSIG(status);
    return fmt::format("the program's host code crashed: {} (signal {})", ::strsignal(signal),
                       signal);
  }
  if (WEXITSTATUS(status) != 0)
    return fmt::format("the program ended with status {}", WEXITSTATUS(status));
  return {};
}

std::string text_of(int file, std::size_t most = ~std::size_t{0}) {
  std::string text;
  char part[1 << 16];
  ::lseek(file, 0, SEEK_SET);
  for (ssize_t n = 0; text.size() < most && (n = ::read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  return text.substr(0, most);
}

/// In the child: its output goes where the tool wants it.
void direct_output(program_request::output where, int to_keep) {
  using enum program_request::output;
  if (where == to_errors) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (where == kept || where == checked) ::dup2(to_keep, STDOUT_FILENO);
  if (where == none) ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  if (where != checked) return;
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  ::dup2(to_keep, STDERR_FILENO);
  std::setvbuf(stdout, nullptr, _IONBF, 0);  // a crash loses nothing
  rlimit const bytes{1 << 24, 1 << 24};
  ::setrlimit(RLIMIT_FSIZE, &bytes);
}

}  // namespace

program_outcome run_program(program_request const& asked) {
  int const report = ::memfd_create("report", MFD_CLOEXEC);
  int const output = ::memfd_create("output", MFD_CLOEXEC);
  if (report < 0 || output < 0) throw refused("a temporary file");
  int alive[2];
  if (::pipe2(alive, O_CLOEXEC) != 0) throw refused("a pipe");
  std::fflush(nullptr);  // else both processes would write it
  auto const begin = std::chrono::steady_clock::now();
  pid_t const child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive the tool
    ::close(alive[0]);
    rlimit const none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    direct_output(asked.printed, output);
    become_program(asked, report);
  }
  ::close(alive[1]);
  if (child < 0) throw refused("a process");
  ending const how = wait_for(child, alive[0], asked);
  ::close(alive[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  program_outcome out;
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (out.status == 128 + SIGPIPE) throw io::pipe_closed();
  std::string const text = text_of(report);
  ::close(report);
  bool const is_checked = asked.printed == program_request::output::checked;
  out.printed = is_checked ? text_of(output, 500) : text_of(output);
  ::close(output);
  read_lines(text, out);
  out.stopped_by_limit = how != ending::own;
  if (out.failure.empty()) out.failure = failure_of(how, status, asked, out.running);
  return out;
}

}  // namespace upsweep::lab

/// fork, limits, exec, and a pipe whose closing says that everybody who could still write is gone.
#include "process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "../io/error.hpp"

namespace upsweep::cli::grading {

namespace {

constexpr int no_program = 127;

void limit(int what, std::size_t value) {
  rlimit const both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

/// In the child, between fork and exec: nothing here allocates.
[[noreturn]] void become(char* const* words, char const* folder, int log, process_limits const& limits) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive the tool
  int const nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  if (limits.memory > 0) limit(RLIMIT_AS, limits.memory);
  if (limits.file_bytes > 0) limit(RLIMIT_FSIZE, limits.file_bytes);
  limit(RLIMIT_CPU, static_cast<std::size_t>(limits.seconds) + 2);
  std::signal(SIGPIPE, SIG_DFL);
  if (::chdir(folder) == 0) ::execvp(words[0], words);
  ::_exit(no_program);
}

io_error refused(char const* what) {
  return io_error(fmt::format("The system refuses {}: {}.", what, std::strerror(errno)));
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Waits until the process has ended; true if its time was over before.
bool wait_for_end(int alive, double seconds) {
  auto const begin = std::chrono::steady_clock::now();
  for (;;) {
    double const left = seconds - seconds_since(begin);
    if (left <= 0) return true;
    pollfd watched{alive, 0, 0};
    int const ready = ::poll(&watched, 1, static_cast<int>(left * 1000) + 1);
    if (ready > 0) return false;
    if (ready < 0 && errno != EINTR) return true;
  }
}

}  // namespace

process_end run_process(std::vector<std::string> const& words, std::string const& folder, std::string const& log,
                        process_limits const& limits) {
  std::vector<char*> arguments;
  for (auto const& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  int const out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) throw refused("a temporary file");
  int alive[2];  // whoever runs holds the writing end
  if (::pipe2(alive, O_CLOEXEC) != 0) {
    ::close(out);
    throw refused("a pipe");
  }
  auto const begin = std::chrono::steady_clock::now();
  pid_t const child = ::fork();
  if (child == 0) {
    ::fcntl(alive[1], F_SETFD, 0);
    become(arguments.data(), folder.c_str(), out, limits);
  }
  ::close(out);
  ::close(alive[1]);
  if (child < 0) {
    ::close(alive[0]);
    throw refused("a process");
  }
  process_end end;
  end.timed_out = wait_for_end(alive[0], limits.seconds);
  ::close(alive[0]);
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  end.seconds = seconds_since(begin);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace upsweep::cli::grading

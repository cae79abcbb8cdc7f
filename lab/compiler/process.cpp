/// fork, limits, exec, and a pipe that closes when the last process that could still write has
/// ended.
#include <lab/compiler/process.hpp>

#include <io/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace upsweep::lab {

namespace {

constexpr int no_program = 127;

sigset_t endings() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int const signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  return set;
}

void limit(int what, std::size_t value) {
  rlimit const both{value, value};
  ::setrlimit(static_cast<__rlimit_resource>(what), &both);
}

/// Runs in the child between fork and exec, so it must not allocate.
[[noreturn]] void become(char* const* words, char* const* environment, char const* folder, int log,
                         process_limits const& limits) {
  ::setpgid(0, 0);
  ::umask(077);                        // what it leaves in a cache is nobody else's
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it must not outlive the tool
  int const nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<std::size_t>(limits.seconds) + 2);
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t const held = endings();
  ::sigprocmask(SIG_UNBLOCK, &held, nullptr);
  if (::chdir(folder) == 0) ::execvpe(words[0], words, environment);
  ::_exit(no_program);
}

io::io_error refused(char const* what) {
  return io::io_error(fmt::format("Cannot create {}: {}.", what, std::strerror(errno)));
}

/// The descriptor, or a copy above those of standard input, output and error, which it has where
/// the caller has closed them; the child's own are put there.
int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  int const copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(descriptor);
  return copy;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

enum class ending { own, time_is_over, signal };

/// Waits until the process has ended, its time is over or a deferred signal is pending.
ending wait_for_end(int alive, int held, double seconds) {
  auto const begin = std::chrono::steady_clock::now();
  for (;;) {
    double const left = seconds - seconds_since(begin);
    if (left <= 0) return ending::time_is_over;
    pollfd watched[] = {{alive, 0, 0}, {held, POLLIN, 0}};
    int const ready = ::poll(watched, 2, static_cast<int>(left * 1000) + 1);
    if (ready > 0) return watched[1].revents != 0 ? ending::signal : ending::own;
    if (ready < 0 && errno != EINTR) return ending::time_is_over;
  }
}

/// The environment of the tool with another TMPDIR: a compiler that is killed leaves its
/// temporary files.
std::vector<std::string> environment_with(std::string const& temporary) {
  std::vector<std::string> all{"TMPDIR=" + temporary};
  for (char** e = environ; *e != nullptr; ++e)
    if (!std::string_view(*e).starts_with("TMPDIR=")) all.emplace_back(*e);
  return all;
}

std::vector<char*> pointers(std::vector<std::string> const& words) {
  std::vector<char*> all;
  for (auto const& w : words) all.push_back(const_cast<char*>(w.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace

held_signals::held_signals() {
  sigset_t const held = endings();
  ::pthread_sigmask(SIG_BLOCK, &held, &before_);
}
held_signals::~held_signals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

process_end run_process(std::vector<std::string> const& words, std::string const& folder,
                        std::string const& log, process_limits const& limits) {
  auto const arguments = pointers(words);
  auto const settings = environment_with(std::filesystem::path(log).parent_path().string());
  auto const environment = pointers(settings);
  int const out = above_standard(
      ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (out < 0) throw refused("a temporary file");
  int alive[2] = {-1, -1};  // the running processes hold the writing end
  if (::pipe2(alive, O_CLOEXEC) != 0 || (alive[1] = above_standard(alive[1])) < 0) {
    ::close(alive[0]);
    ::close(out);
    throw refused("a pipe");
  }
  auto const begin = std::chrono::steady_clock::now();
  pid_t const child = ::fork();
  if (child == 0) {
    ::fcntl(alive[1], F_SETFD, 0);
    become(arguments.data(), environment.data(), folder.c_str(), out, limits);
  }
  // Also here, so that the group is there whichever of the two runs first.
  if (child > 0) ::setpgid(child, child);
  ::close(out);
  ::close(alive[1]);
  if (child < 0) {
    ::close(alive[0]);
    throw refused("a process");
  }
  process_end end;
  sigset_t const held = endings();
  int const signals = ::signalfd(-1, &held, SFD_CLOEXEC);
  ending const how = wait_for_end(alive[0], signals, limits.seconds);
  end.timed_out = how == ending::time_is_over;
  if (signals >= 0) ::close(signals);
  ::close(alive[0]);
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (how == ending::signal) throw interrupted();
  end.seconds = seconds_since(begin);
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

}  // namespace upsweep::lab

/// Signals: temporary files are removed, and the parent process sees the signal. A mapped file that
/// shrinks gives an error message.
#include <sys/wait.h>
#include <io/output.hpp>

#include "files.hpp"

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>

namespace upsweep::io {
namespace {

using test::scratch;

/// Runs `action` in a child and returns its status as waitpid gives it; what it writes to standard
/// error goes to `errors`. Signals have their default effects, whatever the caller inherited.
template <class Action>
int status_of(Action&& action, std::string const& errors) {
  auto const child = ::fork();
  if (child == 0) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    auto const file = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, 2);
    action();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// Begins to write a file in `dir` and raises `signal` before it is complete.
void write_and_raise(scratch const& dir, int signal) {
  auto const out = open_output({.path = dir.path("a.csv")});
  auto const other = open_output({.path = dir.path("b.npy")});
  column_info const info{"n", dtype::i64};
  out->begin({&info, 1});
  other->begin({&info, 1});
  if (dir.names().size() != 2) ::_exit(99);
  ::raise(signal);
}

TEST(interruption, signals_leave_no_file_and_are_seen_by_the_shell) {
  scratch const logs;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    scratch const dir;
    auto const status = status_of([&] { write_and_raise(dir, signal); }, logs.path("log"));
    ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(dir.names().empty()) << "after signal " << signal;
  }
}

TEST(interruption, signals_that_the_caller_ignores_stay_ignored) {
  scratch const logs;
  scratch const dir;
  auto const status = status_of(
      [&] {
        std::signal(SIGHUP, SIG_IGN);
        write_and_raise(dir, SIGHUP);
      },
      logs.path("log"));
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(interruption, a_finished_file_is_not_touched) {
  scratch const logs;
  scratch const dir;
  auto const status = status_of(
      [&] {
        auto const out = open_output({.path = dir.path("a.csv")});
        column_info const info{"n", dtype::i64};
        out->begin({&info, 1});
        out->commit();
        ::raise(SIGTERM);
      },
      logs.path("log"));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(dir.read("a.csv"), "n\n");
}

TEST(interruption, a_mapped_file_that_shrinks_ends_in_a_sentence) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer handles SIGBUS itself";
#endif
  scratch const dir;
  auto const path = dir.write("a.f64", std::string(std::size_t{1} << 20, '\0'));
  auto const log = dir.path("log");
  auto const status = status_of(
      [&] {
        input from({.path = path});
        std::filesystem::resize_file(path, 4096);
        chunk rows;
        double sum = 0;
        while (from->next(rows))
          for (double value : rows.columns[0].as<double>()) sum += value;
        ::_exit(sum == 0 ? 98 : 97);
      },
      log);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 4);
  EXPECT_NE(dir.read("log").find("shrank while it was being read"), std::string::npos);
}

}  // namespace
}  // namespace upsweep::io

/// Contract 9: how many threads a call uses, and what happens when the system gives fewer, or none.
///
/// Tests that change the process run in a child process. This process starts no thread of the
/// library, so that each child makes the library's first parallel call.
#include <support/environment.hpp>
#include <support/faults.hpp>
#include <support/faulty_new.hpp>
#include <support/sizes.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace upsweep::test {
namespace {

auto const add = [](double a, double b) { return a + b; };

/// Reduces and scans a million ones by a user-defined operator on `count` threads, and returns
/// whether the results are right.
bool computes(int count) {
  std::vector<double> const in(1 << 20, 1.0);
  std::vector<double> out(in.size());
  cpu const on{.threads = count};
  upsweep::inclusive_scan(on, in, out, add);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (out[i] != static_cast<double>(i + 1)) return false;
  return upsweep::reduce(on, in, add) == static_cast<double>(in.size());
}

/// Runs `body` in a child process: it must end with status 0 within a minute, with nothing on
/// stderr.
void expect_in_a_child(std::function<bool()> const& body) {
  auto const child = [&] {
    alarm(60);
    try {
      std::_Exit(body() ? 0 : 1);
    } catch (std::exception const& e) {
      std::fprintf(stderr, "threw %s\n", e.what());
      std::_Exit(2);
    }
  };
  EXPECT_EXIT(child(), testing::ExitedWithCode(0), "^$");
}

/// Limits this process to `count` threads; for that it gives up root's identity.
bool allow_threads(rlim_t count) {
  rlimit const most{count, count};
  return setrlimit(RLIMIT_NPROC, &most) == 0 &&
         (getuid() != 0 || setresuid(65534, 65534, 65534) == 0);
}

TEST(threads_contract, calls_compute_where_fewer_threads_can_be_started_than_wanted) {
  for (rlim_t const allowed : {0u, 1u, 2u, 3u, 5u})
    for (int const wanted : {2, 4, 8}) {
      SCOPED_TRACE(testing::Message() << allowed << " threads allowed, " << wanted << " wanted");
      expect_in_a_child(
          [&] { return allow_threads(allowed) && computes(wanted) && computes(wanted); });
    }
}

TEST(threads_contract, a_failed_allocation_in_the_first_parallel_call_does_not_break_later_ones) {
  for (std::ptrdiff_t k = 0; k < 24; ++k) {
    SCOPED_TRACE(testing::Message() << "allocation " << k);
    expect_in_a_child([k] {
      std::vector<double> const in(1 << 16, 1.0);
      arm(k);
      try {
        (void)upsweep::reduce(cpu{.threads = 4}, in, add);
      } catch (std::bad_alloc const&) {
      }
      disarm();
      return computes(4) && computes(7);
    });
  }
}

TEST(threads_contract, an_operator_may_end_the_program) {
  for (std::size_t const at : {std::size_t{0}, std::size_t{1} << 19, (std::size_t{1} << 20) - 1}) {
    auto const child = [at] {
      alarm(60);
      std::vector<std::size_t> in(1 << 20);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = i;
      auto const leaves = [at](std::size_t a, std::size_t b) {
        if (a == at || b == at) std::exit(7);
        return b;
      };
      (void)upsweep::reduce(cpu{.threads = 4}, in, monoid(leaves, std::size_t{0}),
                            {.initial = std::size_t{0}});
    };
    EXPECT_EXIT(child(), testing::ExitedWithCode(7), "^$");
  }
}

TEST(threads_contract, a_negative_number_of_threads_is_refused_for_every_size) {
  for (std::size_t const n : {1u, 100u, 1u << 20}) {
    std::vector<float> x(n, 1.f), out(n);
    cpu const on{.threads = -3};
    auto const sentence = [&](auto const& call) {
      try {
        call();
      } catch (precondition_error const& e) {
        return std::string(e.what());
      }
      return std::string("nothing was thrown");
    };
    std::string const expected =
        "cpu: .threads is -3; give 0 for all available CPUs, or a positive number of threads";
    EXPECT_EQ(sentence([&] { (void)upsweep::reduce(on, x); }), expected);
    EXPECT_EQ(sentence([&] { (void)upsweep::reduce(on, x, add); }), expected);
    EXPECT_EQ(sentence([&] { upsweep::inclusive_scan(on, x, out); }), expected);
    EXPECT_EQ(sentence([&] { upsweep::exclusive_scan(on, x, out, max{}, {.initial = 0.f}); }),
              expected);
  }
}

TEST(threads_contract, a_million_threads_are_reduced_to_the_maximum) {
  EXPECT_EQ(host::threads::usable(1 << 20), host::threads::most);
  expect_in_a_child([] { return computes(1 << 20); });
}

TEST(threads_contract, available_processors_are_counted_at_each_call) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int const before = host::threads::available(), processors = CPU_COUNT(&all);
  double const quota = std::ceil(host::threads::quota());
  EXPECT_EQ(before, quota < processors ? std::max(1, static_cast<int>(quota)) : processors);
  std::size_t first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  int const restricted = host::threads::available();
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(restricted, 1);
  EXPECT_EQ(host::threads::available(), before);
}

TEST(threads_contract, parts_run_once_each_and_the_first_failure_reaches_the_caller) {
  constexpr std::size_t most = 20, size = std::size_t{1} << 14;
  for (std::size_t count = 0; count < most; ++count) {
    std::atomic<int> calls[most] = {};
    cpu{.threads = 4}.for_each_part(count, size, [&](std::size_t part) { ++calls[part]; });
    for (std::size_t part = 0; part < most; ++part) EXPECT_EQ(calls[part], part < count ? 1 : 0);
  }
  try {
    cpu{.threads = 4}.for_each_part(most, size, [](std::size_t part) {
      if (part >= 3) throw part;
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (std::size_t part) {
    EXPECT_EQ(part, 3u);
  }
}

TEST(threads_contract, a_failure_reaches_the_caller_also_if_a_later_part_has_failed_before_it) {
  constexpr std::size_t count = 20, size = std::size_t{1} << 14;
  std::atomic<bool> later_failed{false};
  try {
    cpu{.threads = 4}.for_each_part(count, size, [&](std::size_t part) {
      if (part == 19) {
        later_failed = true;
        throw part;
      }
      // Perhaps no other thread has begun.
      auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      while (part == 2 && !later_failed && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
      if (part == 2) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        throw part;
      }
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (std::size_t part) {
    EXPECT_EQ(part, 2u);
  }
}

TEST(threads_contract, long_lines_run_once_each_on_teams_of_threads) {
  constexpr std::size_t most = 20, size = std::size_t{1} << 18;
  std::vector<double> const x(size, 1.0);
  for (std::size_t count = 0; count < most; ++count) {
    std::atomic<int> calls[most] = {}, sums{0}, threads{0};
    cpu{.threads = 8}.for_each_line(count, size, [&](std::size_t line, cpu const& on) {
      ++calls[line];
      if (host::threads::usable(on.threads) == on.threads) threads += on.threads;
      if (upsweep::reduce(on, x) == static_cast<double>(size)) ++sums;
    });
    int const n = static_cast<int>(count);
    for (std::size_t line = 0; line < most; ++line) EXPECT_EQ(calls[line], line < count ? 1 : 0);
    EXPECT_EQ(sums, n);
    EXPECT_LE(threads, 8 * n);
    EXPECT_GE(threads, n);
    if (count == 2) {
      EXPECT_EQ(threads, 8);  // two teams of four
    }
  }
  try {
    cpu{.threads = 8}.for_each_line(13, size, [](std::size_t line, cpu const&) {
      if (line >= 9) throw line;
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (std::size_t line) {
    EXPECT_EQ(line, 9u);
  }
}

TEST(threads_contract, calls_inside_a_call_use_one_thread_or_those_of_their_team) {
  EXPECT_EQ(host::threads::usable(4), 4);
  host::threads::inside_call const team(3);
  EXPECT_EQ(host::threads::usable(2), 2);
  EXPECT_EQ(host::threads::usable(4), 3);
  host::threads::inside_call const call;
  EXPECT_EQ(host::threads::usable(4), 1);
}

TEST(threads_contract, the_smallest_quota_of_the_process_and_its_ancestors_counts) {
  namespace fs = std::filesystem;
  std::string folder = fs::temp_directory_path() / "upsweep-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  auto const write = [&](fs::path const& file, char const* text) {
    fs::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << text << '\n';
  };
  auto const quota_of = [&](char const* groups) {
    write("groups", groups);
    return host::threads::quota((folder + "/groups").c_str(), folder.c_str());
  };
  write("cpu.max", "max 100000");
  write("a/cpu.max", "150000 100000");
  write("a/b/cpu.max", "300000 100000");
  write("cpu/c/cpu.cfs_quota_us", "50000");
  write("cpu/c/cpu.cfs_period_us", "200000");
  write("cpu/d/cpu.cfs_quota_us", "-1");
  write("cpu/d/cpu.cfs_period_us", "200000");
  double const none = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quota_of("0::/a/b"), 1.5);
  EXPECT_EQ(quota_of("0::/other"), none);
  EXPECT_EQ(quota_of("3:cpu,cpuacct:/c\n2:memory:/c/d\n0::/"), 0.25);
  EXPECT_EQ(quota_of("3:memory:/c\n2:cpu:/d"), none);
  fs::remove_all(folder);
}

TEST(threads_contract, workers_have_the_librarys_name) {
  expect_in_a_child([] {
    std::atomic<bool> is_named{false};
    auto const caller = std::this_thread::get_id();
    auto const looks = [&](double a, double b) {
      char name[16] = "";
      if (std::this_thread::get_id() != caller &&
          pthread_getname_np(pthread_self(), name, sizeof name) == 0)
        is_named = std::string_view(name) == "upsweep";
      return a + b;
    };
    std::vector<double> const in(1 << 16, 1.0);
    while (!is_named) (void)upsweep::reduce(cpu{.threads = 2}, in, looks);
    return true;
  });
}

/// Whether a second thread comes to a call while the first waits for it, for some seconds.
bool two_threads_meet() {
  std::atomic<bool> came{false};
  auto waits = [&](int worker) {
    if (worker == 1) came = true;
    auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!came && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  };
  host::threads::run(2, waits);
  return came;
}
TEST(threads_contract, workers_that_sleep_are_woken_for_the_next_call) {
  expect_in_a_child([] {
    for (int call = 0; call < 3; ++call) {
      if (!two_threads_meet()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  });
}

TEST(threads_contract, a_forked_child_has_one_thread_and_its_parent_keeps_its_own) {
  if (under_tsan)
    GTEST_SKIP() << "ThreadSanitizer does not follow a fork of a process with threads";
  expect_in_a_child([] {
    if (!computes(3)) return false;
    pid_t const child = fork();
    if (child == 0) _exit(host::threads::usable(3) == 1 && computes(3) ? 0 : 1);
    int status = -1;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
           host::threads::usable(3) == 3;
  });
}

TEST(threads_contract, workers_run_with_their_callers_affinity) {
  expect_in_a_child([] {
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return false;
    std::size_t last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &all)) --last;
    if (!computes(4)) return false;  // the threads are there, and may run everywhere
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) return false;
    std::mutex mutex;
    std::set<int> processors;
    int looks = 0;
    auto const look = [&](double a, double b) {
      if (b == 2) {
        std::lock_guard const lock(mutex);
        processors.insert(sched_getcpu());
        // Lets the others in; each time takes milliseconds where the CPU has other work.
        if (++looks <= 1000) std::this_thread::yield();
      }
      return a + b;
    };
    (void)upsweep::reduce(cpu{.threads = 4}, std::vector<double>(1 << 16, 2.0), look);
    return processors == std::set<int>{static_cast<int>(last)};
  });
}

TEST(threads_contract,
     an_operator_that_changes_the_floating_point_environment_does_not_change_it_for_later_calls) {
  expect_in_a_child([] {
    std::vector<double> const in(1 << 18, 1.0);
    auto const caller = std::this_thread::get_id();
    static thread_local bool changed = false;
    std::atomic<bool> worker_looked{false};
    std::atomic<int> strange{0};
    auto const changes = [&](double a, double b) {
      if (!std::exchange(changed, true)) std::fesetround(FE_UPWARD);
      return a + b;
    };
    auto const looks = [&](double a, double b) {
      if (!in_default_environment()) ++strange;
      if (changed && std::this_thread::get_id() != caller) worker_looked = true;
      return a + b;
    };
    for (int turn = 0; turn < 10000 && !worker_looked; ++turn) {
      (void)upsweep::reduce(cpu{.threads = 2}, in, changes);
      (void)upsweep::reduce(cpu{.threads = 2}, in, looks);
    }
    return worker_looked && strange == 0;
  });
}

}  // namespace
}  // namespace upsweep::test

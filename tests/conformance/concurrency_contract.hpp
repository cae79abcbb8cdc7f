/// Contract 9: calls from many threads at once, calls inside calls, calls in a forked child.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/probes.hpp>
#include <support/sizes.hpp>
#include <support/types.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/padding.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace upsweep::test {

/// The inputs and expected results that all callers of one test share.
struct shared_task {
  explicit shared_task(std::size_t n)
      : in(random_elements<tree_name>(n)),
        expected(values_by_tree(in, name_tree{}, options<tree_name>{})),
        floats(random_elements<float>(n)),
        float_total(tree_prefixes(floats, plus{}).back()) {}

  template <class E>
  [[nodiscard]] testing::AssertionResult runs_on(E const& on) const {
    options<tree_name> const o;
    std::vector<tree_name> out(in.size());
    upsweep::inclusive_scan(on, in, out, name_tree{});
    if (auto const r = holds_scan<scan_kind::inclusive>(expected, out, name_tree{}, o); !r)
      return r;
    if (auto const r = reduce_is(expected, on, in, name_tree{}, o); !r) return r;
    return equal_at("reduce", in.size(), upsweep::reduce(on, floats), float_total);
  }

  std::vector<tree_name> in;
  tree_values<tree_name> expected;
  std::vector<float> floats;
  float float_total;
};

/// The verbs on scan over one input that all callers of a test share.
struct shared_verbs {
  explicit shared_verbs(std::size_t n) : x(random_elements<std::uint32_t>(n)), keys(n) {
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i / 3 % 7);
    expected = results_on(serial{});
  }

  template <class E>
  [[nodiscard]] std::vector<std::uint64_t> results_on(E const& on) const {
    std::size_t const n = x.size();
    std::vector<std::uint64_t> all;
    std::vector<std::uint32_t> a(n), b(n), c(n);
    auto const keep = [&] {
      for (auto* part : {&a, &b, &c}) all.insert(all.end(), part->begin(), part->end());
    };
    auto const odd = [](std::uint32_t v) { return v % 2 == 1; };
    auto const less = [](std::uint32_t v, std::uint32_t w) { return v % 1000 < w % 1000; };
    all.push_back(upsweep::select(on, x, a, odd));
    all.push_back(upsweep::partition(on, x, b, c, odd).yes);
    keep();
    all.push_back(upsweep::unique(on, keys, a));
    all.push_back(upsweep::runs(on, keys, b, c));
    keep();
    all.push_back(upsweep::reduce_runs(on, keys, x, a, b));
    upsweep::inclusive_scan_runs(on, keys, x, c);
    keep();
    upsweep::windowed(on, x, 100, std::span(a).first(n - 99), upsweep::max{});
    upsweep::inclusive_scan_segments(on, x, std::vector<std::size_t>{0, n / 2, n}, b);
    upsweep::histogram(on, x, std::span(c).first(100), even{0, 0x1p32});
    keep();
    a = x;
    upsweep::sort(on, a);
    upsweep::argsort(on, x, b, less);
    upsweep::top(on, x, std::span(c).first(100));
    keep();
    all.push_back(static_cast<std::uint64_t>(upsweep::quantile(on, x, 0.3)));
    upsweep::pad(on, a, 1, n - 1, n);
    keep();
    return all;
  }
  template <class E>
  [[nodiscard]] testing::AssertionResult runs_on(E const& on) const {
    auto const results = results_on(on);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (i >= results.size() || results[i] != expected[i])
        return testing::AssertionFailure() << "result " << i << " of " << x.size() << " elements";
    return testing::AssertionSuccess();
  }

  std::vector<std::uint32_t> x, keys;
  std::vector<std::uint64_t> expected;
};

/// Runs f(i) on `callers` threads that start together.
template <class F>
void together(int callers, F const& f) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i)
    threads.emplace_back([&, i] {
      for (++ready; ready.load() < callers;) std::this_thread::yield();
      f(i);
    });
  for (auto& t : threads) t.join();
}

template <class Backend>
class concurrency_contract : public testing::Test {};
TYPED_TEST_SUITE_P(concurrency_contract);

CONTRACT_TEST(concurrency_contract, many_threads_may_share_one_executor) {
  shared_task const task(slow_build ? 40009 : 200003);
  auto const on = TypeParam::make();
  std::vector<testing::AssertionResult> results(8, testing::AssertionSuccess());
  together(8, [&](int i) {
    for (int round = 0; round < 4 && results[static_cast<std::size_t>(i)]; ++round)
      results[static_cast<std::size_t>(i)] = task.runs_on(on);
  });
  for (auto const& result : results) EXPECT_TRUE(result);
}

CONTRACT_TEST(concurrency_contract, small_and_large_calls_may_overlap) {
  std::vector<std::size_t> const sizes{1, 17, 1000, 20011, 70001, 100003};
  std::vector<shared_task> tasks;
  for (std::size_t const n : sizes) tasks.emplace_back(n);
  std::vector<testing::AssertionResult> results(tasks.size(), testing::AssertionSuccess());
  together(static_cast<int>(tasks.size()), [&](int i) {
    auto const k = static_cast<std::size_t>(i);
    for (int round = 0; round < 8 && results[k]; ++round)
      results[k] = tasks[k].runs_on(TypeParam::make());
  });
  for (auto const& result : results) EXPECT_TRUE(result);
}

CONTRACT_TEST(concurrency_contract, verbs_on_scan_may_overlap) {
  std::vector<std::size_t> const sizes{1000, 20'011, slow_build ? 20'011u : 100'003u};
  std::vector<shared_verbs> tasks;
  for (std::size_t const n : sizes) tasks.emplace_back(n);
  std::vector<testing::AssertionResult> results(6, testing::AssertionSuccess());
  auto const on = TypeParam::make();
  together(6, [&](int i) {
    auto const k = static_cast<std::size_t>(i);
    for (int round = 0; round < 2 && results[k]; ++round) results[k] = tasks[k % 3].runs_on(on);
  });
  for (auto const& result : results) EXPECT_TRUE(result);
}

CONTRACT_TEST(concurrency_contract, predicates_and_orders_may_call_verbs_on_scan) {
  auto const on = TypeParam::make();
  shared_verbs const inner(1000);
  std::size_t const n = slow_build ? 20'011 : 70'001;
  std::atomic<std::size_t> calls{0};
  std::atomic<int> wrong{0};
  auto const call_rarely = [&] {
    if (calls.fetch_add(1, std::memory_order_relaxed) % (n / 8) == 0)
      wrong += inner.runs_on(TypeParam::make()) ? 0 : 1;
  };
  auto const odd = [&](std::uint32_t v) { return call_rarely(), v % 2 == 1; };
  auto const equal = [&](std::uint32_t v, std::uint32_t w) { return call_rarely(), v == w; };
  auto const less = [&](std::uint32_t v, std::uint32_t w) { return call_rarely(), v < w; };
  auto const largest =
      monoid([&](std::uint32_t v, std::uint32_t w) { return call_rarely(), std::max(v, w); }, 0u);
  std::vector<std::uint32_t> x = random_elements<std::uint32_t>(n), a(n), b(n), sorted = x;
  std::sort(sorted.begin(), sorted.end());
  auto const odds = static_cast<std::size_t>(
      std::count_if(x.begin(), x.end(), [](std::uint32_t v) { return v % 2 == 1; }));
  EXPECT_EQ(upsweep::select(on, x, a, odd), odds);
  EXPECT_EQ(upsweep::partition(on, x, a, b, odd).yes, odds);
  EXPECT_EQ(upsweep::unique(on, std::vector<std::uint32_t>(n), a, equal), 1u);
  EXPECT_EQ(upsweep::reduce_runs(on, std::vector<std::uint32_t>(n), x, a, b, largest, equal), 1u);
  EXPECT_EQ(b[0], sorted.back());
  upsweep::windowed(on, x, n, std::span(b).first(1), largest);
  EXPECT_EQ(b[0], sorted.back());
  upsweep::top(on, x, std::span(b).first(1), [&](auto v, auto w) { return less(w, v); });
  EXPECT_EQ(b[0], sorted.back());
  upsweep::sort(on, x, less);
  EXPECT_EQ(x, sorted);
  EXPECT_EQ(wrong, 0) << "calls inside";
}

CONTRACT_TEST(concurrency_contract, threads_that_throw_do_not_disturb_the_others) {
  shared_task const task(slow_build ? 40009 : 200003);
  std::vector<testing::AssertionResult> results(6, testing::AssertionSuccess());
  together(6, [&](int i) {
    auto& result = results[static_cast<std::size_t>(i)];
    for (std::size_t round = 0; round < 4 && result; ++round) {
      if (i % 2 == 0) {
        result = task.runs_on(TypeParam::make());
        continue;
      }
      auto const f = [&](tree_name const& x) {
        if (x == task.in[round * 5000]) throw bad_element(round * 5000);
        return x;
      };
      try {
        (void)upsweep::transform_reduce(TypeParam::make(), task.in, f, name_tree{});
        result = testing::AssertionFailure() << "no exception";
      } catch (bad_element const& e) {
        if (e.at != round * 5000)
          result = testing::AssertionFailure() << "an exception of another call";
      }
    }
  });
  for (auto const& result : results) EXPECT_TRUE(result);
}

CONTRACT_TEST(concurrency_contract, operator_may_call_the_library) {
  std::vector<std::vector<std::uint32_t>> rows;
  for (std::size_t i = 0; i < (slow_build ? 300 : 3000); ++i)
    rows.push_back(random_elements<std::uint32_t>(100, i));
  std::uint64_t expected = 0;
  for (auto const& row : rows)
    for (std::uint32_t const x : row) expected += x;
  auto const row_total = [](std::vector<std::uint32_t> const& row) {
    return upsweep::reduce(TypeParam::make(), row);
  };
  EXPECT_EQ(upsweep::transform_reduce(TypeParam::make(), rows, row_total), expected);
  std::vector<std::uint64_t> out(rows.size());
  upsweep::transform_inclusive_scan(TypeParam::make(), rows, out, row_total);
  EXPECT_EQ(out.back(), expected);
}

CONTRACT_TEST(concurrency_contract, large_calls_may_be_nested) {
  shared_task const task(slow_build ? 20011 : 70001);
  std::vector<int> const outer(16, 1);
  auto const inner = [&](int) { return task.runs_on(TypeParam::make()) ? 1 : 0; };
  EXPECT_EQ(upsweep::transform_reduce(TypeParam::make(), outer, inner), 16);
  std::vector<int> const many_outer(many,
                                    1);  // so many that the outer call itself uses several threads
  std::atomic<int> calls{0};
  auto const rarely = [&](int x) {
    if (calls.fetch_add(1, std::memory_order_relaxed) % static_cast<int>(many / 8) == 0)
      return inner(x);
    return x;
  };
  EXPECT_EQ(upsweep::transform_reduce(TypeParam::make(), many_outer, rarely),
            static_cast<std::int64_t>(many));
}

/// The threads that have called this.
class callers {
 public:
  void note() {
    std::lock_guard const lock(mutex_);
    ids_.insert(std::this_thread::get_id());
  }
  [[nodiscard]] std::size_t count() const { return ids_.size(); }
  [[nodiscard]] bool are_only(std::thread::id id) const { return ids_ == std::set{id}; }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> ids_;
};

CONTRACT_TEST(concurrency_contract, calls_use_no_more_threads_than_they_are_given) {
  auto const on = TypeParam::make();
  std::size_t most = 1;
  if constexpr (requires { on.threads; }) most = static_cast<std::size_t>(on.threads);
  callers seen;
  auto const add = monoid([&](int a, int b) { return seen.note(), a + b; }, 0);
  auto const expect_few = [&](char const* call) {
    if (most == 1)
      EXPECT_TRUE(seen.are_only(std::this_thread::get_id())) << call;
    else
      EXPECT_LE(seen.count(), most) << call;
  };
  std::vector<int> const in(many, 1);
  std::vector<int> out(many);
  for (int round = 0; round < 5; ++round) {
    (void)upsweep::reduce(on, in, add);
    expect_few("reduce");
    upsweep::inclusive_scan(on, in, out, add);
    expect_few("inclusive_scan");
    reduce_stream<int, decltype(add), decltype(on)> totals(on, add);
    totals.push(in);
    expect_few("reduce_stream");
    scan_stream<int, decltype(add), decltype(on)> running(on, add);
    running.exclusive(std::span(in), std::span(out));
    expect_few("scan_stream");
    upsweep::inclusive_scan(on, strided_view<int const>(in.data(), {many / 64, 64}),
                            strided_view<int>(out.data(), {many / 64, 64}), add);
    expect_few("inclusive_scan along an axis");
  }
}

CONTRACT_TEST(concurrency_contract, forked_child_computes) {
  if (under_tsan)
    GTEST_SKIP() << "ThreadSanitizer does not follow a fork of a process with threads";
  shared_task const task(many);
  ASSERT_TRUE(task.runs_on(TypeParam::make()));  // so that the parent has its threads
  pid_t const child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // a child that hangs dies of this, and the parent reports it
    _exit(task.runs_on(TypeParam::make()) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "the child died of signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the child got other bits";
  EXPECT_TRUE(task.runs_on(TypeParam::make())) << "the parent, after the fork";
}

REGISTER_TYPED_TEST_SUITE_P(concurrency_contract, many_threads_may_share_one_executor,
                            small_and_large_calls_may_overlap, verbs_on_scan_may_overlap,
                            predicates_and_orders_may_call_verbs_on_scan,
                            threads_that_throw_do_not_disturb_the_others,
                            operator_may_call_the_library, large_calls_may_be_nested,
                            calls_use_no_more_threads_than_they_are_given, forked_child_computes);

}  // namespace upsweep::test

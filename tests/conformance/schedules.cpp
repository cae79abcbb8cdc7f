/// Contract 2: a call has the same bits however its threads share the tiles, and wherever results
/// are stored.
#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/tiles.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

std::vector<host::plan> every_plan() {
  std::vector<host::plan> all;
  for (int threads : {2, 3, 7})
    for (int tile_log2 : {3, 6, 10})
      for (bool streamed : {false, true})
        for (bool ahead : {false, true})
          for (auto s : {host::tile_order::tickets, host::tile_order::shares})
            all.push_back({.strategy = host::strategy::compiled,
                           .threads = threads,
                           .tile_log2 = tile_log2,
                           .streamed = streamed,
                           .order = s,
                           .ahead = ahead});
  return all;
}

std::string text_of(host::plan const& p) {
  return std::string(host::name_of(p.order)) + ", " + std::to_string(p.threads) +
         " threads, tiles of 2^" + std::to_string(p.tile_log2) + (p.streamed ? ", streamed" : "") +
         (p.ahead ? ", ahead" : "");
}

template <class T>
bool all_same_bits(std::vector<T> const& got, std::vector<T> const& want) {
  return std::equal(got.begin(), got.end(), want.begin(), want.end(),
                    [](T a, T b) { return same_bits(a, b); });
}

template <class Op, class T>
void expect_the_references_bits(std::size_t n) {
  std::vector<T> x(n);
  random_bits next(test_seed() + n);
  for (T& e : x) e = static_cast<T>(next.below(1000)) / T{7};
  host::compiled_scan<Op, T> const& scan = host::compiled_scans<Op, T>();
  auto const want = reference::inclusive_scan(x, Op{});
  T const initial = T{3} / T{7};
  auto const after_initial =
      reference::exclusive_scan(x, Op{}, std::optional<accumulator_t<Op, T>>(initial));
  for (auto const& p : every_plan()) {
    std::vector<T> out(n, T{-1});
    scan.inclusive(x.data(), out.data(), n, p, nullptr, nullptr);
    ASSERT_TRUE(all_same_bits(out, want))
        << n << " elements, " << text_of(p) << "; " << seed_note();
    scan.exclusive(x.data(), out.data(), n, p, &initial, &initial);
    ASSERT_TRUE(all_same_bits(out, after_initial))
        << n << " elements, " << text_of(p) << "; " << seed_note();
  }
}

TEST(tickets, of_shares_are_those_of_the_worker_first_and_end_behind_a_failure) {
  host::tickets tiles(10, 3);  // shares [0, 4), [4, 7), [7, 10)
  std::vector<std::size_t> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(*tiles.take(1));
  EXPECT_EQ(taken, (std::vector<std::size_t>{4, 5, 6, 7}));
  try {
    throw 5;
  } catch (int) {
    tiles.fail(5);
  }
  taken.clear();
  while (auto const tile = tiles.take(2)) taken.push_back(*tile);
  EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_THROW(tiles.rethrow(), int);
}

TEST(turns, any_waiting_thread_appends_what_others_have_published) {
  host::tickets tiles(3);
  host::turns order(tiles, 3, 2);
  std::vector<std::size_t> appended;
  auto const append = [&](std::size_t tile) {
    if (tile == 2) throw 4;
    appended.push_back(tile);
  };
  using answer = host::turns::answer;
  EXPECT_TRUE(order.claim(1));
  EXPECT_FALSE(order.claim(1));
  order.publish(1);
  EXPECT_EQ(order.wait(1, append, 0), answer::late);
  order.publish(0);
  EXPECT_EQ(order.wait(1, append), answer::appended);
  EXPECT_EQ(appended, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(order.current(), 2u);
  order.publish(2);
  EXPECT_EQ(order.wait(2, append), answer::ended);
  EXPECT_EQ(order.wait(0, append), answer::appended);
  EXPECT_THROW(tiles.rethrow(), int);
}

TEST(schedules, of_reductions_have_the_references_bits) {
  for (std::size_t const n : std::initializer_list<std::size_t>{1, 2, 31, 1024, 1025, 5000}) {
    std::vector<float> x(n);
    random_bits next(test_seed() + n);
    for (float& e : x) e = static_cast<float>(next.below(1000)) / 7.0f;
    host::compiled_reduce<plus, float> const& sum = host::compiled_reductions<plus, float>();
    float const want = reference::reduce(x, plus{});
    for (auto const& p : every_plan())
      ASSERT_TRUE(same_bits(sum.reduce(x.data(), n, mode::reproducible, p), want))
          << n << " elements, " << text_of(p) << "; " << seed_note();
  }
}

/// The engines that copy their results past the caches do so without a trace in the results.
template <scan_kind kind, class F, class Op>
void expect_the_same_from_streams(std::size_t n, F const& f, Op const& op,
                                  std::optional<float> const& initial) {
  std::vector<float> x(n), out(n + 1);
  random_bits next(test_seed() + n);
  for (float& e : x) e = static_cast<float>(next.below(1000)) / 7.0f;
  std::vector<float> transformed;
  for (float const e : x) transformed.push_back(f(e));
  auto const want = [&] {
    if constexpr (kind == scan_kind::inclusive)
      return reference::inclusive_scan(transformed, op, initial);
    else
      return reference::exclusive_scan(transformed, op, initial);
  }();
  float const first = initial.value_or(0.0f);  // used by exclusive scans only
  for (int misaligned : {0, 1}) {
    float* const to = out.data() + misaligned;
    for (auto p : every_plan()) {
      p.strategy = host::strategy::levels;
      source<float const*, F, Op, false> const in(x.data(), n, f, op);
      sink<float*, Op, false> const results(to, n, op);
      call const c(in, n, op, mode::reproducible, initial ? &*initial : nullptr, &first);
      std::fill(out.begin(), out.end(), -1.0f);
      host::scan<kind>(c, results, p);
      ASSERT_TRUE(all_same_bits({to, to + n}, want))
          << n << " elements, " << text_of(p) << "; " << seed_note();
    }
  }
}

TEST(schedules, of_users_operators_and_functions_have_the_references_bits) {
  auto const user = [](float a, float b) { return a + b; };
  auto const square = [](float a) { return a * a; };
  auto const same = [](float a) { return a; };
  for (std::size_t const n : std::initializer_list<std::size_t>{1, 1023, 1024, 2049, 5000}) {
    for (auto const& initial : {std::optional<float>{}, std::optional<float>(0.5f)}) {
      expect_the_same_from_streams<scan_kind::inclusive>(n, same, user, initial);
      expect_the_same_from_streams<scan_kind::inclusive>(n, square, plus{}, initial);
    }
    expect_the_same_from_streams<scan_kind::exclusive>(n, square, plus{}, 0.5f);
  }
}

TEST(schedules, of_sums_have_the_references_bits) {
  for (std::size_t const n : std::initializer_list<std::size_t>{1, 2, 31, 1023, 1024, 1025, 5000}) {
    expect_the_references_bits<plus, float>(n);
    expect_the_references_bits<plus, double>(n);
  }
}

TEST(schedules, of_products_have_the_references_bits) {
  for (std::size_t const n : std::initializer_list<std::size_t>{3, 1025})
    expect_the_references_bits<multiplies, float>(n);
}

/// The plan itself: what fits three quarters of the threads' own caches is shared by position, the
/// rest is not.
TEST(schedules, are_picked_by_what_the_caches_hold) {
  host::workload const floats{host::strategy::compiled, 4, 4};
  std::size_t const cache = host::threads::own_cache_bytes();
  auto const plan_of = [&](std::size_t bytes, int threads = 8) {
    return host::plan_scan(floats, bytes / 4, threads);
  };
  EXPECT_EQ(plan_of((std::size_t{1} << 19) - 4).threads, 1);
  EXPECT_EQ(plan_of(std::size_t{1} << 19).threads, 5);
  EXPECT_EQ(plan_of(std::size_t{1} << 22, 2).threads, 1);
  EXPECT_EQ(plan_of(std::size_t{1} << 24, 2).threads, 2);
  EXPECT_EQ(plan_of(std::size_t{1} << 20, 64).threads, 8);
  EXPECT_EQ(plan_of(std::size_t{1} << 22, 64).threads, 16);
  EXPECT_EQ(plan_of(std::size_t{1} << 24, 64).threads, 32);
  EXPECT_EQ(plan_of(3 * cache).order, host::tile_order::shares);
  EXPECT_FALSE(plan_of(3 * cache).streamed);
  EXPECT_EQ(plan_of(3 * cache + 4096).order, host::tile_order::tickets);
  EXPECT_TRUE(plan_of(3 * cache + 4096).streamed);
  int const all = host::threads::usable(0);
  EXPECT_EQ(plan_of(std::size_t{1} << 34, 0).threads, all - all / 32 * 8);
  EXPECT_EQ(plan_of(std::size_t{1} << 34, 64).threads, 64);
}

/// Streaming stores past the caches would evict what a scan in place reads next.
TEST(schedules, in_place_write_through_the_caches) {
  std::size_t const n = std::size_t{1} << 26;
  for (int const threads : {1, 8})
    for (bool const in_place : {false, true}) {
      host::workload const vectors{host::strategy::compiled, 4, 4, in_place};
      host::workload const buffered{host::strategy::kernels, 4, 4, in_place, false, true};
      EXPECT_EQ(host::plan_scan(vectors, n, threads).streamed, !in_place) << threads;
      EXPECT_EQ(host::plan_scan(buffered, n, threads).streamed, !in_place) << threads;
      EXPECT_EQ(host::plan_distribution(vectors, n, threads).streamed, !in_place) << threads;
    }
}

/// How long an operator of the user's takes is not known before it has run.
TEST(schedules, wake_as_many_threads_as_a_trial_is_worth) {
  for (auto s : {host::strategy::nodes, host::strategy::objects, host::strategy::running}) {
    host::workload const floats{s, 4, 4};
    std::size_t const n = 1 << 14;
    for (auto const& p : {host::plan_reduce(floats, n, 8), host::plan_scan(floats, n, 8)}) {
      EXPECT_EQ(p.threads, 8);
      ASSERT_GT(p.trial, 0u);
      auto const after = [&](std::size_t nanoseconds_each) {
        return host::plan_after_trial(p, n, nanoseconds_each * p.trial);
      };
      EXPECT_EQ(host::plan_after_trial(p, n, p.trial / 8).threads, 1) << "an eighth of a ns each";
      EXPECT_EQ(host::plan_after_trial(p, n, p.trial / 2).threads, 1) << "7 us";
      EXPECT_EQ(after(1000).threads, 8);
      EXPECT_EQ(after(1000).trial, 0u);
      EXPECT_LE(after(1000).tile_log2, p.tile_log2);
      EXPECT_LE(after(1000).tile(n), n / 32);
    }
    EXPECT_EQ(host::plan_reduce(floats, (1 << 13) - 1, 8).threads, 1);
  }
}

/// More threads wait longer for each other, so they are worth it only for more work.
TEST(schedules, wake_threads_by_the_root_of_the_work) {
  host::workload const floats{host::strategy::levels, 4, 4};
  std::size_t const n = 1 << 20;
  auto const after = [](host::plan const& p, std::size_t elements, std::size_t elements_each_ns) {
    return host::plan_after_trial(p, elements, p.trial / elements_each_ns);
  };
  EXPECT_EQ(after(host::plan_reduce(floats, n, 64), n, 8).threads, 11) << "131 us";
  EXPECT_EQ(after(host::plan_scan(floats, n, 64), n, 2).threads, 14) << "523 us";
  EXPECT_EQ(after(host::plan_scan(floats, n, 64), n, 2).tile(n), n >> 6) << "four a thread";
  EXPECT_EQ(after(host::plan_reduce(floats, 1 << 14, 8), 1 << 14, 1).threads, 3) << "14 us";
  EXPECT_EQ(after(host::plan_scan(floats, 1 << 16, 8), 1 << 16, 1).threads, 5) << "63 us";
  // Even the fastest operators are worth all threads.
  EXPECT_EQ(host::plan_reduce(floats, 1 << 20, 8).trial, 0u);
  EXPECT_EQ(host::plan_scan(floats, 1 << 21, 8).trial, 0u);
  EXPECT_EQ(host::plan_scan(floats, std::size_t{1} << 27, 64).trial, 0u);
}

}  // namespace
}  // namespace upsweep::test

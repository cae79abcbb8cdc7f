/// Contract 1: every engine that takes a user's operator, on every schedule, is right for every
/// associative operator at the sizes tried: it makes [1, n + 1) of intervals. The engines of
/// built-in operators, vector and buffer, take numbers only; conformance/schedules.cpp compares
/// those with the reference.
#include <conformance/mutants.hpp>
#include <support/pieces.hpp>
#include <support/random.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/reduce.hpp>
#include <upsweep/host/scan.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

// The monoid of intervals of elements: an engine that combines [0, 1), [1, 2) ... to [0, n)
// combines any n elements correctly, whatever the associative operator is. Chong, Donaldson,
// Ketema, "A sound and complete abstraction for reasoning about parallel prefix sums", POPL 2014.

/// [begin, end), the identity, or an error, which remembers the two intervals that did not meet.
struct interval {
  enum class kind : std::uint32_t { nothing, identity, elements, apart };
  kind is = kind::nothing;
  std::int32_t begin = -7, end = -9, other_begin = -11, other_end = -13;

  static interval of(std::size_t begin, std::size_t end) {
    return {kind::elements, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), 0, 0};
  }
  static interval identity() { return {kind::identity, 0, 0, 0, 0}; }

  [[nodiscard]] interval then(interval const& later) const {
    if (is == kind::identity) return later;
    if (later.is == kind::identity) return *this;
    if (is == kind::apart) return *this;
    if (later.is == kind::apart) return later;
    bool const meet = is == kind::elements && later.is == is && end == later.begin;
    if (!meet) return {kind::apart, begin, end, later.begin, later.end};
    return {kind::elements, begin, later.end, 0, 0};
  }
  friend bool operator==(interval const&, interval const&) = default;
  friend std::ostream& operator<<(std::ostream& to, interval const& x) {
    if (x.is == kind::identity) return to << "the identity";
    if (x.is == kind::nothing) return to << "no value of this call";
    to << '[' << x.begin << ", " << x.end << ')';
    if (x.is == kind::apart)
      to << " op [" << x.other_begin << ", " << x.other_end << "), which do not meet";
    return to;
  }
};

/// The same, not trivial to copy: for engines of large elements.
struct copied_interval : interval {
  copied_interval() = default;
  copied_interval(interval const& x) : interval(x) {}  // NOLINT(google-explicit-constructor)
  copied_interval(copied_interval const& x) : interval(x) {}
  copied_interval& operator=(copied_interval const&) = default;
  ~copied_interval() {}  // NOLINT(modernize-use-equals-default)
};

/// Joins intervals that meet. `is_exact`: engines may group in any way, in order.
template <class T, bool is_exact = false>
struct join_intervals {
  static constexpr bool exact = is_exact;
  T operator()(T const& earlier, T const& later) const { return T(earlier.then(later)); }
  T identity() const { return T(interval::identity()); }
};

/// [1, 2), [2, 3) ... in the scan's direction; the initial value is [0, 1).
template <class T>
std::vector<T> single_intervals(std::size_t n, bool reverse = false) {
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const at = 1 + (reverse ? n - 1 - i : i);
    x.push_back(T(interval::of(at, at + 1)));
  }
  return x;
}

namespace {

using sizes = std::vector<std::size_t>;

/// Result `i` of `n` in the scan's direction, from `begin` on.
template <class T>
testing::AssertionResult is_joined(T const& got, std::size_t begin, std::size_t end,
                                   char const* what, std::size_t n) {
  T const want(begin == end ? interval::identity() : interval::of(begin, end));
  if (got == want) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << what << " of " << n << " intervals is " << got << " and not " << want;
}

/// out[i] joins [begin, ...) up to element i, or up to the one before it.
template <class T>
testing::AssertionResult is_scan(std::vector<T> const& out, std::size_t begin, bool exclusive,
                                 bool reverse) {
  std::size_t const n = out.size();
  for (std::size_t i = 0; i < n; ++i) {
    T const& got = out[reverse ? n - 1 - i : i];
    auto const r = is_joined(got, begin, i + (exclusive ? 1 : 2),
                             exclusive ? "exclusive result" : "inclusive result", n);
    if (!r) return testing::AssertionFailure() << r.message() << ", result " << i;
  }
  return testing::AssertionSuccess();
}

/// All forms of the verbs over arrays.
template <class T, class Op, class E>
testing::AssertionResult joins_intervals(E const& on, std::size_t n, Op const& op) {
  for (bool const reverse : {false, true})
    for (bool const with_initial : {false, true}) {
      options<T> o{.reverse = reverse};
      if (with_initial) o.initial = T(interval::of(0, 1));
      std::size_t const begin = with_initial ? 0 : 1;
      auto const x = single_intervals<T>(n, reverse);
      auto r = is_joined(upsweep::reduce(on, x, op, o), begin, n + 1, "the reduction", n);
      std::vector<T> out(n);
      upsweep::inclusive_scan(on, x, out, op, o);
      if (r) r = is_scan(out, begin, false, reverse);
      upsweep::exclusive_scan(on, x, out, op, o);
      if (r) r = is_scan(out, begin, true, reverse);
      if (!r)
        return r << (reverse ? ", reversed" : "")
                 << (with_initial ? ", with an initial value" : "");
    }
  return testing::AssertionSuccess();
}

std::vector<host::plan> every_plan() {
  std::vector<host::plan> all;
  for (int const threads : {1, 2, 3, 4, 5, 6, 7})
    for (int const tile_log2 : {3, 7})
      for (bool const streamed : {false, true})
        for (auto const order : {host::tile_order::tickets, host::tile_order::shares})
          all.push_back({.threads = threads,
                         .tile_log2 = tile_log2,
                         .streamed = streamed,
                         .order = order,
                         .ahead = streamed});
  return all;
}

/// One plan, which no call would choose for so few elements. Scans run by this strategy.
template <class T, class Op>
void expect_plan_joins(host::strategy by, host::plan p, std::size_t n, bool with_initial) {
  Op const op;
  auto const x = single_intervals<T>(n);
  T const initial(interval::of(0, 1)), none(interval::identity());
  std::size_t const begin = with_initial ? 0 : 1;
  detail::as_is const f;
  source<T const*, detail::as_is, Op, false> const in(x.data(), n, f, op);
  call const c(in, n, op, mode::reproducible, with_initial ? &initial : nullptr,
               with_initial ? &initial : &none);
  std::vector<T> out(n);
  sink<T*, Op, false> const results(out.data(), n, op);
  p.strategy = host::scan_strategy<std::remove_cvref_t<decltype(in)>,
                                   std::remove_cvref_t<decltype(results)>, Op>;
  ASSERT_EQ(p.strategy, by) << host::name_of(p.strategy);
  SCOPED_TRACE(testing::Message() << host::name_of(p.strategy) << ", " << host::name_of(p.order)
                                  << ", " << p.threads << " threads, tiles of 2^" << p.tile_log2
                                  << (p.streamed ? ", streamed" : ""));
  host::scan<scan_kind::inclusive>(c, results, p);
  ASSERT_TRUE(is_scan(out, begin, false, false));
  host::scan<scan_kind::exclusive>(c, results, p);
  ASSERT_TRUE(is_scan(out, begin, true, false));
  p.strategy = host::reduce_workload<std::remove_cvref_t<decltype(in)>>.strategy;
  T const total = host::reduce(c, p);
  ASSERT_TRUE(is_joined(with_initial ? op(initial, total) : total, begin, n + 1, "reduction", n));
}

template <class T, class Op>
void expect_every_plan_joins(host::strategy by) {
  for (auto const& p : every_plan())
    for (std::size_t const n : {1u, 2u, 31u, 129u, 1023u, 2500u})
      for (bool const with_initial : {false, true}) {
        expect_plan_joins<T, Op>(by, p, n, with_initial);
        if (testing::Test::HasFailure()) return;
      }
}

using plain = join_intervals<interval>;
using grouped = join_intervals<interval, true>;
using copied = join_intervals<copied_interval>;

TEST(intervals, are_joined_by_the_tree_engine_on_every_schedule) {
  expect_every_plan_joins<interval, plain>(host::strategy::nodes);
}
TEST(intervals, are_joined_by_the_fold_engine_on_every_schedule) {
  expect_every_plan_joins<interval, grouped>(host::strategy::running);
}
TEST(intervals, are_joined_by_the_object_engine_on_every_schedule) {
  expect_every_plan_joins<copied_interval, copied>(host::strategy::objects);
}

/// The plans that calls choose.
template <class T, class Op>
void expect_calls_join() {
  for (int threads = 1; threads <= 7; ++threads) {
    for (std::size_t n = 0; n <= 70; ++n)
      ASSERT_TRUE((joins_intervals<T>(cpu{.threads = threads}, n, Op{}))) << threads << " threads";
    for (std::size_t const n : sizes{127, 128, 129, 997, 2047, 2049, 8191, 8192, 20'011})
      ASSERT_TRUE((joins_intervals<T>(cpu{.threads = threads}, n, Op{}))) << threads << " threads";
  }
  ASSERT_TRUE((joins_intervals<T>(serial{}, 1000, Op{})));
}
TEST(intervals, are_joined_by_calls_on_one_to_seven_threads) {
  expect_calls_join<interval, plain>();
  expect_calls_join<interval, grouped>();
  expect_calls_join<copied_interval, copied>();
}

TEST(intervals, are_joined_by_streams_of_any_chunks) {
  random_bits next(test_seed());
  for (int threads = 1; threads <= 7; ++threads)
    for (std::size_t const n : sizes{1, 2, 33, 1000, 12'345})
      for (std::size_t const longest : sizes{1 + n / 50, n}) {
        cpu const on{.threads = threads};
        auto const x = single_intervals<interval>(n);
        scan_stream<interval, plain, cpu> scan(on, plain{});
        reduce_stream<interval, plain, cpu> reduction(on, plain{});
        for (std::size_t i = 0; i < n;) {
          std::size_t const count = std::min<std::size_t>(n - i, next.below(longest + 1));
          auto const chunk = std::span(x).subspan(i, count);
          std::vector<interval> out(count);
          bool const exclusive = next.below(2) == 0;
          exclusive ? scan.exclusive(chunk, out) : scan.inclusive(chunk, out);
          reduction.push(chunk);
          for (std::size_t k = 0; k < count; ++k)
            ASSERT_TRUE(is_joined(out[k], 1, i + k + (exclusive ? 1 : 2), "a stream", n))
                << threads << " threads, " << seed_note();
          i += count;
        }
        ASSERT_TRUE(is_joined(reduction.result(), 1, n + 1, "a stream", n)) << seed_note();
      }
}

TEST(intervals, are_joined_in_each_segment) {
  random_bits next(test_seed());
  for (int threads = 1; threads <= 7; ++threads)
    for (std::size_t const n : sizes{1, 100, 30'000})
      for (std::size_t const longest : sizes{4, 100, n}) {
        std::vector<std::size_t> offsets{0};
        while (offsets.back() < n)
          offsets.push_back(std::min<std::size_t>(n, offsets.back() + next.below(longest + 1)));
        cpu const on{.threads = threads};
        auto const x = single_intervals<interval>(n);
        std::vector<interval> totals(offsets.size() - 1), in(n), ex(n);
        upsweep::reduce_segments(on, x, offsets, totals, plain{});
        upsweep::inclusive_scan_segments(on, x, offsets, in, plain{});
        upsweep::exclusive_scan_segments(on, x, offsets, ex, plain{});
        for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
          std::size_t const begin = offsets[k] + 1, end = offsets[k + 1] + 1;
          ASSERT_TRUE(is_joined(totals[k], begin, end, "a segment", n)) << seed_note();
          for (std::size_t at = begin; at < end; ++at) {
            ASSERT_TRUE(is_joined(in[at - 1], begin, at + 1, "a segment's scan", n))
                << threads << " threads, " << seed_note();
            ASSERT_TRUE(is_joined(ex[at - 1], begin, at, "a segment's exclusive scan", n))
                << threads << " threads, " << seed_note();
          }
        }
      }
}

TEST(intervals, are_joined_by_partials_in_any_order) {
  random_bits next(test_seed());
  for (std::size_t const n : sizes{1, 2, 31, 1000, 5003})
    for (int round = 0; round < 20; ++round) {
      auto const x = single_intervals<interval>(n);
      std::vector<partial<interval, plain>> parts;
      for (std::size_t begin = 0; begin < n;) {
        std::size_t const count = std::min<std::size_t>(n - begin, 1 + next.below(1 + n / 4));
        parts.emplace_back(begin).push(cpu{.threads = 1 + round % 7},
                                       std::span(x).subspan(begin, count));
        begin += count;
      }
      auto const set = inserted_in_any_order(parts, next);
      ASSERT_TRUE(is_joined(set.whole(n).result(), 1, n + 1, "a set of partials", n))
          << seed_note();
    }
}

/// Wrong engines are refuted, and groupings other than the tree's, which intervals do not tell
/// apart, are not.
TEST(intervals, refute_engines_that_swap_or_lose_elements) {
  auto const joins = [](auto const& on, std::size_t n) {
    return joins_intervals<interval>(on, n, plain{});
  };
  EXPECT_TRUE(joins(model<right>{}, 100));
  EXPECT_TRUE(joins(model<left_fold>{}, 100));
  EXPECT_FALSE(joins(model<swapped_up_sweep>{}, 10));
  EXPECT_FALSE(joins(model<swapped_down_sweep>{}, 10));
  EXPECT_FALSE(joins(forgets_the_last{}, 50));
  auto const refuted = joins(model<swapped_up_sweep>{}, 2);
  EXPECT_NE(std::string(refuted.message()).find("[2, 3) op [1, 2), which do not meet"),
            std::string::npos)
      << refuted.message();
}

}  // namespace
}  // namespace upsweep::test

/// Contract 2: every verb computes in IEEE's default floating-point environment, whatever the
/// caller's is, and restores the caller's.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/environment.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/run_stream.hpp>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace upsweep::test {

/// An operator whose members count, in `*strange`, calls in another environment.
struct watchful {
  std::atomic<int>* strange;
  bool throws = false;

  void look() const {
    if (!in_default_environment()) ++*strange;
  }
  [[nodiscard]] double identity() const { return look(), 0; }
  template <class T>
  using accumulator = double;
  template <class T>
  [[nodiscard]] double lift(T const& x) const {
    return look(), static_cast<double>(x);
  }
  [[nodiscard]] double operator()(double a, double b) const {
    look();
    if (throws) throw std::runtime_error("the operator throws");
    return a + b;
  }
  [[nodiscard]] double finish(double a) const { return look(), a / 3; }
};

/// Calls select and its relatives, and sorts, with functions that count as the operator does.
template <class E, class Call>
void call_with_functions(E const& on, std::vector<double> const& in, watchful const& op,
                         Call const& call) {
  std::size_t const n = in.size();
  std::vector<double> out(n), second(n), third(n), sorted = in;
  std::vector<std::size_t> places(n);
  auto const watched = [&op](auto const& f) {
    return [&op, f](auto const&... x) {
      op.look();
      if (op.throws) throw std::runtime_error("the function throws");
      return f(x...);
    };
  };
  auto const keep = watched([](double x) { return x > 0; });
  auto const equal = watched([](double a, double b) { return a == b; });
  auto const less = watched([](double a, double b) { return a < b; });
  call([&] { (void)upsweep::select(on, in, out, keep); });
  call([&] { (void)upsweep::select_positions(on, in, places, keep); });
  call([&] { (void)upsweep::partition(on, in, out, second, keep); });
  call([&] { (void)upsweep::partition(on, in, out, second, third, keep, keep); });
  call([&] { (void)upsweep::unique(on, in, out, equal); });
  call([&] { (void)upsweep::run_starts(on, in, places, equal); });
  call([&] { (void)upsweep::runs(on, in, out, places, equal); });
  call([&] { (void)unique_stream<double, decltype(equal), E>(on, equal).push(in, out); });
  call([&] { (void)run_stream<double, decltype(equal), E>(on, equal).push(in, out, places); });
  call([&] { upsweep::argsort(on, in, places, less); });
  call([&] { (void)upsweep::top(on, in, std::span(out).first(1 + n / 100), less); });
  call([&] { upsweep::sort_by_key(on, sorted, second, less); });
  sorted = in;
  call([&] { upsweep::sort(on, sorted, less); });
}

/// Calls the verbs on segments, runs, windows and bins with the operator.
template <class E, class Call>
void call_on_parts(E const& on, std::vector<double> const& in, watchful const& op,
                   Call const& call) {
  std::size_t const n = in.size();
  std::vector<double> out(n), sums(1), keys(n, 7), keys_out(1);
  std::vector<std::size_t> const offsets{0, n};
  call([&] { upsweep::reduce_segments(on, in, offsets, sums, op); });
  call([&] { upsweep::inclusive_scan_segments(on, in, offsets, out, op); });
  call([&] { upsweep::exclusive_scan_segments(on, in, offsets, out, op); });
  call([&] { (void)upsweep::reduce_runs(on, keys, in, keys_out, sums, op); });
  call([&] { upsweep::inclusive_scan_runs(on, keys, in, out, op); });
  call([&] { upsweep::exclusive_scan_runs(on, keys, in, out, op); });
  call([&] { upsweep::windowed(on, in, 2, std::span(out).first(n - 1), op); });
  call([&] { (void)upsweep::weighted_histogram(on, in, in, sums, even{-1, 1e6}, op); });
  call([&] {
    reduce_runs_stream<double, double, watchful, upsweep::same, E> stream(on, op);
    (void)stream.push(keys, in, keys_out, sums);
    (void)stream.finish();
  });
  call([&] {
    scan_runs_stream<double, double, watchful, upsweep::same, E> stream(on, op);
    stream.exclusive(keys, in, out);
    stream.inclusive(keys, in, out);
  });
}

/// Calls every verb with that operator, on n elements. With `throws`, every call throws.
template <class E>
void call_every_verb(E const& on, std::size_t n, watchful const& op) {
  auto const call = [&](auto const& f) {
    if (!op.throws || n < 2) return f();
    EXPECT_THROW(f(), std::runtime_error);
  };
  std::vector<double> const in(n, 0.1);
  std::vector<double> out(n);
  auto const third = [&](double x) { return op.look(), x / 3; };
  options<double> const from_one{.initial = 1.0}, backwards{.initial = 1.0, .reverse = true};
  call([&] { (void)upsweep::reduce(on, in, op); });
  call([&] { (void)upsweep::transform_reduce(on, in, third, op, from_one); });
  call([&] { upsweep::inclusive_scan(on, in, out, op); });
  call([&] { upsweep::exclusive_scan(on, in, out, op); });
  call([&] { upsweep::transform_inclusive_scan(on, in, out, third, op, backwards); });
  call([&] { upsweep::transform_exclusive_scan(on, in, out, third, op, from_one); });
  call([&] {
    reduce_stream<double, watchful, E> stream(on, op, from_one);
    stream.push(in);
    (void)stream.result();
  });
  call([&] {
    scan_stream<double, watchful, E> stream(on, op);
    stream.exclusive(std::span(in), std::span(out));
    stream.inclusive(std::span(in), std::span(out));
    (void)stream.result();
  });
  if (n < 2) return;
  strided_view<double const> const rows(in.data(), {2, n / 2});
  strided_view<double> const same(out.data(), {2, n / 2}), totals(out.data(), {2});
  call([&] { upsweep::reduce(on, rows, totals, op, from_one); });
  call([&] { upsweep::inclusive_scan(on, rows, same, op, from_one); });
  call([&] { upsweep::exclusive_scan(on, rows, same, op, {.axis = 0}); });
  call([&] { (void)check_monoid(op, {0.1, 0.2, 0.3}); });
  std::vector<double> mixed(n);
  for (std::size_t i = 0; i < n; ++i) mixed[i] = static_cast<double>(i * 7919 % 1009);
  call_with_functions(on, mixed, op, call);
  call_on_parts(on, mixed, op, call);
}

/// Results of the verbs for built-in operators, over two numbers whose sum rounds or is subnormal.
template <class E>
std::vector<double> sums_of_two(E const& on, double a, double b) {
  std::vector<double> const one{b}, two{a, b};
  std::vector<double> results{upsweep::reduce(on, two),
                              upsweep::reduce(on, one, plus{}, {.initial = a}),
                              upsweep::reduce(on, std::deque<double>{b}, plus{}, {.initial = a})};
  auto const scanned = [&](auto const& scan) {
    std::vector<double> out(2);
    scan(out);
    results.insert(results.end(), out.begin(), out.end());
  };
  scanned([&](auto& out) { upsweep::inclusive_scan(on, two, out); });
  scanned([&](auto& out) { upsweep::inclusive_scan(on, two, out, plus{}, {.initial = a}); });
  scanned([&](auto& out) { upsweep::exclusive_scan(on, two, out, plus{}, {.initial = b}); });
  scanned([&](auto& out) { upsweep::cumulative_distribution(on, two, out, {.initial = a}); });
  scanned([&](auto& out) {
    scan_stream<double, plus, E> stream(on, {.initial = a});
    stream.inclusive(std::span(two), std::span(out));
    results.push_back(stream.result());
  });
  reduce_stream<double, plus, E> stream(on, {.initial = a});
  stream.push(one);
  results.push_back(stream.result());
  float narrow[2] = {};
  upsweep::reduce(on, strided_view<double const>(two.data(), {2, 1}),
                  strided_view<float>(narrow, {2}));
  for (float const x : narrow)
    results.push_back(std::bit_cast<std::uint32_t>(x));  // a conversion here would be the caller's
  return results;
}

/// Results of the verbs on scan over x.
template <class E>
std::vector<double> results_on_scan(E const& on, std::vector<double> const& x) {
  std::size_t const n = x.size();
  std::vector<double> results, out(n), more(n), rest(n);
  std::vector<std::uint32_t> places(n), lengths(n);
  std::vector<std::size_t> const offsets{0, n / 3, n};
  auto const keep = [&] {
    for (auto const* part : {&out, &more, &rest})
      results.insert(results.end(), part->begin(), part->end());
    results.insert(results.end(), places.begin(), places.end());
    results.insert(results.end(), lengths.begin(), lengths.end());
  };
  auto const less = [](double a, double b) { return a < b; };
  auto const positive = [](double v) { return v > 0; };
  upsweep::select(on, x, out, positive);
  upsweep::select_positions(on, x, places, positive);
  keep();
  upsweep::partition(on, x, out, more, rest, [](double v) { return v == 0; }, positive);
  keep();
  upsweep::unique(on, x, out);
  upsweep::runs(on, x, more, lengths, [](double a, double b) { return a == b; });
  upsweep::run_starts(on, x, places);
  keep();
  out = x;
  upsweep::sort(on, out, less);
  upsweep::argsort(on, x, places, less);
  more = x;
  upsweep::sort_by_key(on, more, rest, less);
  keep();
  upsweep::top(on, x, std::span(out).first(n / 2), less);
  upsweep::top(on, x, std::span(more).first(n / 20), less);
  rest[0] = upsweep::quantile(on, x, 0.3);
  std::vector<double> const several{.1, .11, .12, .13, .14, .15, .16, .17};
  upsweep::quantiles(on, x, several, std::span(rest).subspan(1, 8));
  upsweep::histogram(on, x, std::span(lengths).first(3), std::vector<double>{x[0], x[1], x[2], 9});
  keep();
  upsweep::reduce_segments(on, x, offsets, std::span(out).first(2));
  upsweep::inclusive_scan_segments(on, x, offsets, more);
  upsweep::inclusive_scan_runs(on, x, x, rest);
  keep();
  upsweep::windowed(on, x, 2, std::span(out).first(n - 1));
  upsweep::reduce_runs(on, x, x, more, rest);
  keep();
  return results;
}

template <class Backend>
class environment_contract : public testing::Test {};
TYPED_TEST_SUITE_P(environment_contract);

CONTRACT_TEST(environment_contract, results_do_not_depend_on_the_callers_environment) {
  auto const on = TypeParam::make();
  for (auto const& [a, b] :
       {std::pair{1.0, 0x1p-60}, std::pair{0x1p-1074, 0x1p-1074}, std::pair{0x1p-130, 0x1p-140}}) {
    std::vector<double> const expected = sums_of_two(on, a, b);
    for (environment const e : strange_environments) {
      std::vector<double> got;
      {
        environment_scope const strange(e);
        got = sums_of_two(on, a, b);
      }
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(same_bits(got[i], expected[i]))
            << "result " << i << " of " << a << " and " << b << " " << name_of(e);
    }
  }
}

CONTRACT_TEST(environment_contract, verbs_on_scan_do_not_depend_on_the_callers_environment) {
  auto const on = TypeParam::make();
  for (double const unit : {0x1p-1074, 0.1})
    for (std::size_t const n : {std::size_t{100}, std::size_t{40'000}}) {
      std::vector<double> x(n);
      for (std::size_t i = 3; i < n; ++i) x[i] = static_cast<double>(i / 2 * 7919 % 1009) * unit;
      x[0] = 2 * unit, x[1] = 5 * unit, x[2] = 6 * unit;
      std::vector<double> const expected = results_on_scan(on, x);
      for (environment const e : strange_environments) {
        std::vector<double> got;
        {
          environment_scope const strange(e);
          got = results_on_scan(on, x);
        }
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_TRUE(same_bits(got[i], expected[i]))
              << "result " << i << " of " << n << " multiples of " << unit << " " << name_of(e);
      }
    }
}

CONTRACT_TEST(environment_contract, every_part_of_an_operator_runs_in_the_default_environment) {
  for (environment const e : strange_environments) {
    std::atomic<int> strange{0};
    for (std::size_t const n :
         {std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{40'000}}) {
      environment_scope const scope(e);
      call_every_verb(TypeParam::make(), n, watchful{&strange});
    }
    EXPECT_EQ(strange, 0) << name_of(e);
  }
}

CONTRACT_TEST(environment_contract, the_callers_environment_is_restored_even_after_an_exception) {
  for (environment const e : strange_environments) {
    std::atomic<int> strange{0};
    for (bool const throws : {false, true}) {
      environment_scope const scope(e);
      call_every_verb(TypeParam::make(), 100, watchful{&strange, throws});
      EXPECT_TRUE(scope.is_still_set()) << name_of(e) << (throws ? ", after exceptions" : "");
      std::vector<float> two(2);
      EXPECT_THROW(upsweep::inclusive_scan(TypeParam::make(), std::vector<float>(3), two),
                   precondition_error);
      EXPECT_TRUE(scope.is_still_set()) << name_of(e) << ", after a refusal";
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(environment_contract, results_do_not_depend_on_the_callers_environment,
                            verbs_on_scan_do_not_depend_on_the_callers_environment,
                            every_part_of_an_operator_runs_in_the_default_environment,
                            the_callers_environment_is_restored_even_after_an_exception);

}  // namespace upsweep::test

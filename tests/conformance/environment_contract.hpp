/// Contract 2: every verb computes in IEEE's default floating-point environment, whatever the
/// caller's is, and restores the caller's.
#pragma once

#include <conformance/checks.hpp>
#include <support/environment.hpp>
#include <upsweep/ops/laws.hpp>

#include <atomic>
#include <bit>
#include <deque>
#include <stdexcept>

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
    reduce_stream<double, watchful, E> stream(op, from_one, on);
    stream.push(in);
    (void)stream.result();
  });
  call([&] {
    scan_stream<double, watchful, E> stream(op, {}, on);
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
    scan_stream<double, plus, E> stream({}, {.initial = a}, on);
    stream.inclusive(std::span(two), std::span(out));
    results.push_back(stream.result());
  });
  reduce_stream<double, plus, E> stream({}, {.initial = a}, on);
  stream.push(one);
  results.push_back(stream.result());
  float narrow[2] = {};
  upsweep::reduce(on, strided_view<double const>(two.data(), {2, 1}),
                  strided_view<float>(narrow, {2}));
  for (float const x : narrow)
    results.push_back(std::bit_cast<std::uint32_t>(x));  // a conversion here would be the caller's
  return results;
}

template <class Backend>
class environment_contract : public testing::Test {};
TYPED_TEST_SUITE_P(environment_contract);

TYPED_TEST_P(environment_contract, results_do_not_depend_on_the_callers_environment) {
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

TYPED_TEST_P(environment_contract, every_part_of_an_operator_runs_in_the_default_environment) {
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

TYPED_TEST_P(environment_contract, the_callers_environment_is_restored_even_after_an_exception) {
  for (environment const e : strange_environments) {
    std::atomic<int> strange{0};
    for (bool const throws : {false, true}) {
      environment_scope const scope(e);
      call_every_verb(TypeParam::make(), 100, watchful{&strange, throws});
      EXPECT_TRUE(scope.is_still_set()) << name_of(e) << (throws ? ", after exceptions" : "");
      EXPECT_THROW(
          upsweep::inclusive_scan(TypeParam::make(), std::vector<float>(3), std::vector<float>(2)),
          precondition_error);
      EXPECT_TRUE(scope.is_still_set()) << name_of(e) << ", after a refusal";
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(environment_contract, results_do_not_depend_on_the_callers_environment,
                            every_part_of_an_operator_runs_in_the_default_environment,
                            the_callers_environment_is_restored_even_after_an_exception);

}  // namespace upsweep::test

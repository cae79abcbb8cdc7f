/// Arguments in the wrong position or of the wrong type.
#include <upsweep/upsweep.hpp>

#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <vector>

struct device {};

void totals(std::vector<int> const& x, std::vector<double> const& y, std::vector<long>& out,
            std::vector<double>& running) {
#ifdef CORRECT
  long total = upsweep::reduce(x, {.initial = 3});
  double sum = upsweep::reduce({.threads = 2}, y, {.initial = 3});
  total += upsweep::reduce(x, upsweep::options<long>{.initial = 3}) + upsweep::reduce(x, {}) +
           upsweep::reduce(x, {}, {.initial = 3});
  sum += upsweep::transform_reduce(y, [](double a) { return a * a; }, {.initial = 3.0f}) +
         double(total);
  upsweep::inclusive_scan(x, out, {.initial = total});
  upsweep::exclusive_scan({.threads = 2}, y, running, {.initial = sum});
  upsweep::transform_inclusive_scan(y, running, [](double a) { return a * a; }, {.initial = 3});
  std::deque<int> numbers(x.begin(), x.end());
  total += upsweep::reduce(x, {.initial = std::nullopt}) +
           upsweep::reduce(x, {.initial = std::optional<int>{}});
  sum += upsweep::reduce(y, {.initial = std::optional<float>{}});
  total += upsweep::reduce(numbers) + upsweep::reduce(upsweep::serial{}, x);
  upsweep::inclusive_scan(upsweep::cpu{}, x, numbers);
#elif WRONG == 1
  (void)upsweep::reduce(x, 0, std::plus<>{});
#elif WRONG == 2
  (void)upsweep::reduce(x, 0);
#elif WRONG == 3
  (void)upsweep::reduce(x, std::plus<>{}, 0);
#elif WRONG == 4
  upsweep::exclusive_scan(x, out, 0, std::plus<>{});
#elif WRONG == 5
  upsweep::inclusive_scan(upsweep::cpu{}, x, out, std::plus<>{}, 0);
#elif WRONG == 6
  (void)upsweep::transform_reduce(x, 0, std::plus<>{}, [](int a) { return a * a; });
#elif WRONG == 7
  (void)upsweep::transform_reduce(x);
#elif WRONG == 8
  upsweep::transform_inclusive_scan(y, running, std::plus<>{}, [](double a) { return a * a; }, 0.0);
#elif WRONG == 9
  (void)upsweep::reduce(x, {.initial = 0.5});
#elif WRONG == 10
  (void)upsweep::reduce(y, upsweep::plus{}, {.initial = "0"});
#elif WRONG == 11
  (void)upsweep::reduce(x, {.threads = 2});
#elif WRONG == 12
  upsweep::inclusive_scan(x, out, upsweep::plus{}, {.initial = 3, .threads = 2});
#elif WRONG == 13
  (void)upsweep::reduce(std::list<int>{});
#elif WRONG == 14
  (void)upsweep::reduce(device{}, x);
#elif WRONG == 15
  std::list<int> numbers(x.begin(), x.end());
  upsweep::inclusive_scan(upsweep::cpu{}, x, numbers);
#endif
}

void misspelled(std::vector<int> const& x, std::vector<long>& out) {
#ifdef CORRECT
  upsweep::reduce_stream<int, upsweep::max> totals({}, {.initial = 3});
  upsweep::scan_stream<int> sums(upsweep::serial{}, {}, {.initial = 3});
  upsweep::inclusive_scan(x, out,
                          {.initial = totals.result() + long(sums.size()), .reverse = true});
#elif WRONG == 22
  (void)upsweep::reduce(x, {.init = 3});
#elif WRONG == 23
  upsweep::exclusive_scan(x, out, upsweep::max{}, {.initial_value = 3});
#elif WRONG == 24
  upsweep::inclusive_scan(x, out, {.reversed = true});
#elif WRONG == 25
  upsweep::reduce_stream<int, upsweep::max> totals(upsweep::max{}, upsweep::serial{});
#elif WRONG == 26
  upsweep::scan_stream<int> sums(upsweep::options<long>{}, upsweep::cpu{});
#elif WRONG == 27
  (void)upsweep::reduce(x, {.intial = 3});
#elif WRONG == 28
  upsweep::inclusive_scan(upsweep::strided_view<int const>(x.data(), {1}),
                          upsweep::strided_view<long>(out.data(), {1}), {.axes = 0});
#endif
}

void totals_of_two(std::vector<int> const& x, std::vector<double> const& y,
                   std::vector<double>& running) {
#ifdef CORRECT
  auto const product = [](double a, double b) { return a * b; };
  double const sum =
      upsweep::transform_reduce(x, y, product) + upsweep::transform_reduce(x, y, product, {}) +
      upsweep::transform_reduce(x, y, product, {}, {.initial = 3}) +
      upsweep::transform_reduce({.threads = 2}, x, y, product, {.initial = 3}) +
      upsweep::transform_reduce(upsweep::serial{}, y, std::deque<int>(x.begin(), x.end()), product,
                                upsweep::max{});
  upsweep::transform_inclusive_scan(x, y, running, product, {.initial = sum});
  upsweep::transform_exclusive_scan({.threads = 2}, x, y, running, product, {}, {.initial = 3});
  upsweep::transform_exclusive_scan(upsweep::cpu{}, x, y, running, product, upsweep::max{});
#elif WRONG == 16
  (void)upsweep::transform_reduce(x, y);
#elif WRONG == 17
  (void)upsweep::transform_reduce(x, y, 0.0, std::plus<>{}, std::multiplies<>{});
#elif WRONG == 18
  (void)upsweep::transform_reduce(upsweep::cpu{}, x, y, std::multiplies<>{}, std::plus<>{}, 0.0);
#elif WRONG == 19
  upsweep::transform_inclusive_scan(x, y, running);
#elif WRONG == 20
  upsweep::transform_inclusive_scan(x, y, running, std::multiplies<>{}, std::plus<>{}, 0.0);
#elif WRONG == 21
  upsweep::transform_exclusive_scan(x, std::list<int>{}, running, std::multiplies<>{});
#elif WRONG == 29
  (void)upsweep::reduce(x, {.initial = std::optional<double>(2.5)});
#endif
}

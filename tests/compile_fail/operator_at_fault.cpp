/// Operators that are nearly right.
#include <upsweep/upsweep.hpp>

#include <functional>
#include <string>
#include <vector>

struct larger {
#ifdef CORRECT
  int operator()(int a, int b) const {
#else
  int operator()(int a, int b) {
#endif
      return a < b ? b : a;
}
}
;

struct join {
  template <class>
  using accumulator = std::string;
#ifdef CORRECT
  std::string operator()(std::string const& x, std::string const& y) const { return x + y; }
#else
  std::vector<char> operator()(std::string const& x, std::string const& y) const {
    return {x.front(), y.front()};
  }
#endif
};

void totals(std::vector<int> const& x, std::vector<int>& out, std::vector<std::string>& words) {
#ifdef CORRECT
  (void)upsweep::reduce(x, larger{});
  upsweep::inclusive_scan(x, out, [](int a, int b) { return a < b ? b : a; });
  (void)upsweep::reduce(
      x, upsweep::monoid([](int const& a, int const& b) { return a < b ? b : a; }, 0));
  upsweep::inclusive_scan(words, words, join{});
  std::vector<bool> const truths(3);
  (void)(upsweep::reduce(truths, std::equal_to<>{}) || upsweep::reduce(truths, std::bit_xor<>{}) ||
         upsweep::reduce(x, [](int a, int b) { return a && b; }) ||
         upsweep::reduce(x, std::logical_or<>{}) ||
         upsweep::reduce(std::vector<float>(3), std::logical_and<>{}) ||
         upsweep::reduce(truths, std::not_equal_to<>{}) ||
         upsweep::reduce(x, [](bool a, bool b) { return a != b; }));
  (void)(upsweep::reduce(x, std::plus<>{}) + upsweep::reduce(x, std::multiplies<>{}) +
         upsweep::reduce(x, std::bit_or<int>{}));
#elif WRONG == 1
  (void)upsweep::reduce(x, larger{});
#elif WRONG == 2
  upsweep::inclusive_scan(x, out,
                          [last = 0](int a, int b) mutable { return last = a < b ? b : a; });
#elif WRONG == 3
  (void)upsweep::reduce(
      x, upsweep::monoid([last = 0](int a, int b) mutable { return last = a < b ? b : a; }, 0));
#elif WRONG == 4
  upsweep::scan_stream<int, larger> stream;
  stream.inclusive(x, out);
  (void)stream.result();
#elif WRONG == 5
  (void)upsweep::reduce(x, [](int& a, int& b) { return a < b ? b : a; });
#elif WRONG == 6
  upsweep::exclusive_scan(x, out, upsweep::monoid([](int& a, int b) { return a += b; }, 0));
#elif WRONG == 7
  upsweep::inclusive_scan(words, words, join{});
#elif WRONG == 8
  (void)upsweep::reduce(x, [](int a, int b) { return std::to_string(a + b); });
#elif WRONG == 9
  int total = upsweep::reduce(x, [](int a, int b) { (void)(a + b); });
  (void)total;
#elif WRONG == 10
  (void)upsweep::reduce(x, upsweep::monoid([](int a, int b) { return std::to_string(a + b); }, 0));
#elif WRONG == 11
  (void)upsweep::reduce(x, [](int a) { return a; });
#elif WRONG == 12
  (void)upsweep::reduce(x, std::minus<>{});
#elif WRONG == 13
  upsweep::inclusive_scan(x, out, std::divides<int>{});
#elif WRONG == 14
  (void)upsweep::reduce(x, upsweep::monoid(std::modulus<>{}, 1));
#elif WRONG == 15
  (void)upsweep::reduce(x, std::less<>{});
#elif WRONG == 16
  (void)upsweep::reduce(std::vector<double>{}, [](double a, double b) { return a < b; });
#elif WRONG == 17
  (void)upsweep::reduce(x, std::ranges::greater_equal{});
#elif WRONG == 18
  upsweep::reduce_stream<double, std::minus<> > stream;
  stream.push(std::vector<double>{});
#endif
}

void comparisons_of_numbers([[maybe_unused]] std::vector<int> const& x,
                            [[maybe_unused]] std::vector<int>& out) {
#if defined WRONG && WRONG == 19
  (void)upsweep::reduce(x, std::equal_to<>{});
#elif defined WRONG && WRONG == 20
  upsweep::inclusive_scan(x, out, std::not_equal_to<int>{});
#elif defined WRONG && WRONG == 21
  (void)upsweep::reduce(std::vector<double>{}, [](double a, double b) { return a == b; });
#endif
}

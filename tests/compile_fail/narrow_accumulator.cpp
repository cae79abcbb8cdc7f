/// Accumulators that do not hold the elements' values.
#include <upsweep/upsweep.hpp>

#include <vector>

using upsweep::monoid;

auto const add = [](auto a, auto b) { return a + b; };

void totals(std::vector<int> const& ints, std::vector<long> const& longs,
            std::vector<double> const& doubles, std::vector<double>& out,
            upsweep::strided_view<double> view, upsweep::strided_view<double> totals_of_view) {
#ifdef CORRECT
  (void)upsweep::reduce(doubles, monoid(add, 0.0));
  (void)upsweep::reduce(longs, monoid(add, 0L));
  (void)upsweep::reduce(
      longs, monoid(add,
                    0.0));  // an integer may become a floating-point number, and any number a bool
  (void)upsweep::reduce(ints, monoid(add, 0.0f));
  (void)upsweep::reduce(ints, monoid(add, 0LL));
  (void)upsweep::reduce(std::vector<unsigned char>{}, monoid(add, 0));
  (void)upsweep::reduce(std::vector<bool>{}, [](bool a, bool b) { return a != b; });
  (void)upsweep::reduce(doubles, upsweep::logical_or{});
  (void)upsweep::reduce(ints, [](int a, int b) { return a || b; });
  (void)upsweep::reduce(doubles,
                        upsweep::tuple_of{upsweep::plus{}, upsweep::argmax{}, monoid(add, 0.0)});
  (void)upsweep::reduce(std::vector<upsweep::bfloat16>{});
  (void)upsweep::transform_reduce(
      doubles, [](double x) { return static_cast<int>(x); }, monoid(add, 0));  // when it is meant
  upsweep::inclusive_scan(doubles, out, [](double a, double b) { return a < b ? b : a; });
  upsweep::reduce(view, totals_of_view, monoid(add, 0.0));
  using double_sums = monoid<decltype(add), double>;
  upsweep::reduce_stream<double, double_sums>(double_sums{add, 0.0}).push(doubles);
#elif WRONG == 1
  (void)upsweep::reduce(doubles, monoid(add, 0));
#elif WRONG == 2
  (void)upsweep::reduce(longs, monoid(add, 0));
#elif WRONG == 3
  (void)upsweep::reduce(doubles, monoid(add, 0.0f));
#elif WRONG == 4
  (void)upsweep::reduce(ints, monoid(add, 0u));
#elif WRONG == 5
  (void)upsweep::transform_reduce(ints, [](int x) { return 0.5 * x; }, monoid(add, 0));
#elif WRONG == 6
  upsweep::inclusive_scan(doubles, out, [](float a, float b) { return a < b ? b : a; });
#elif WRONG == 7
  upsweep::transform_exclusive_scan(ints, out, [](int x) { return 0.5 * x; }, monoid(add, 0));
#elif WRONG == 8
  upsweep::reduce(view, totals_of_view, monoid(add, 0), {.axis = 0});
#elif WRONG == 9
  using sums = monoid<decltype(add), int>;
  upsweep::reduce_stream<double, sums> stream(sums{add, 0});
  stream.push(doubles);
#elif WRONG == 10
  (void)upsweep::reduce(doubles, upsweep::tuple_of{upsweep::plus{}, monoid(add, 0)});
#endif
}

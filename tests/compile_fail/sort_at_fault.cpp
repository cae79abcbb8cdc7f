/// Sorts, order statistics and histograms whose order, elements or outputs do not fit.
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

struct point {
  double x, y;
};

void sorts(std::vector<point>& points, std::vector<double>& x, std::vector<std::string>& words,
           std::vector<std::size_t>& order) {
  std::vector<double> const& constant = x;
  auto const leftmost = [](point const& a, point const& b) { return a.x < b.x; };
  int calls = 0;
  auto counting = [calls](double a, double b) mutable { return ++calls > 0 && a < b; };
#ifdef CORRECT
  upsweep::sort(points, leftmost);
  upsweep::sort_by_key(x, words);
  upsweep::argsort(points, order, leftmost);
  std::vector<point> three(3);
  upsweep::top(points, three, leftmost);
  (void)upsweep::quantile(constant, 0.5);
  upsweep::histogram(constant, order, upsweep::even{0, 1});
  upsweep::weighted_histogram(constant, order, x, upsweep::even{0, 1}, upsweep::max{});
  upsweep::count_indices(order, order);
  (void)counting;
#elif WRONG == 1
  upsweep::sort(points);
#elif WRONG == 2
  upsweep::sort(x, leftmost);
#elif WRONG == 3
  upsweep::sort(x, counting);
#elif WRONG == 4
  upsweep::sort(constant);
#elif WRONG == 5
  upsweep::sort_by_key(words, constant);
#elif WRONG == 6
  upsweep::argsort(points, order);
#elif WRONG == 7
  upsweep::top(x, words);
#elif WRONG == 8
  (void)upsweep::quantile(words, 0.5);
#elif WRONG == 9
  upsweep::histogram(words, order, upsweep::even{0, 1});
#elif WRONG == 10
  upsweep::histogram(constant, x, upsweep::even{0, 1});
#elif WRONG == 11
  upsweep::count_indices(constant, order);
#elif WRONG == 12
  upsweep::weighted_histogram(constant, words, order, upsweep::even{0, 1});
#elif WRONG == 13
  std::vector<std::size_t> const& counts = order;
  upsweep::histogram(constant, counts, upsweep::even{0, 1});
#elif WRONG == 14
  std::vector<std::size_t> const& positions = order;
  upsweep::argsort(constant, positions);
#elif WRONG == 15
  upsweep::top(points, points);
#elif WRONG == 16
  std::vector<std::unique_ptr<int> > owners(4);
  upsweep::pad(owners, 2, 1, 2);
#endif
}

/// Elements that cannot be combined.
#include <upsweep/upsweep.hpp>

#include <memory>
#include <vector>

struct point {
  double x, y;
#ifdef CORRECT
  friend point operator+(point a, point b) { return {a.x + b.x, a.y + b.y}; }
#endif
};

void totals(std::vector<point> const& points, std::vector<point>& out,
            std::vector<std::unique_ptr<int>> const& pointers) {
#ifdef CORRECT
  point total = upsweep::reduce(points);
  upsweep::inclusive_scan(points, out);
  (void)upsweep::transform_reduce(pointers, [](std::unique_ptr<int> const& p) { return *p; });
#elif WRONG == 1
  point total = upsweep::reduce(points);
#elif WRONG == 2
  upsweep::inclusive_scan(points, out);
  point total{};
#elif WRONG == 3
  upsweep::reduce_stream<point> stream;
  stream.push(points);
  point total = stream.result();
#elif WRONG == 4
  (void)upsweep::reduce(pointers);
  point total{};
#elif WRONG == 5
  (void)upsweep::reduce(pointers,
                        [](auto const& a, auto const&) { return std::make_unique<int>(*a); });
  point total{};
#elif WRONG == 6
  (void)upsweep::reduce(points, upsweep::monoid([](double a, double b) { return a + b; }, 0.0));
  point total{};
#endif
  (void)total;
}

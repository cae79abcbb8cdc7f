/// Ten different calls of a user's file, as examples of what it costs to compile them.
#include <upsweep/by_key.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

using numbers = std::vector<double>;
using keys = std::vector<int>;
using offsets = std::vector<std::int64_t>;

double total(numbers const& x) {
  return upsweep::reduce(x);
}
void running_totals(numbers const& x, numbers& out) {
  upsweep::inclusive_scan(x, out);
}
double squares(numbers const& x) {
  return upsweep::transform_reduce(x, [](double a) { return a * a; });
}
void running_largest(numbers const& x, numbers& out) {
  upsweep::transform_inclusive_scan(
      x, out, [](double a) { return a * a; }, [](double a, double b) { return a > b ? a : b; });
}
std::size_t totals_by_key(keys const& k, numbers const& x, keys& keys_out, numbers& out) {
  return upsweep::reduce_runs(k, x, keys_out, out);
}
void order_by_key(keys& k, numbers& x) {
  upsweep::sort_by_key(k, x);
}
std::size_t positive(numbers const& x, numbers& out) {
  return upsweep::select(x, out, [](double a) { return a > 0; });
}
std::size_t different(keys const& x, keys& out) {
  return upsweep::unique(x, out);
}
void largest(numbers const& x, offsets const& begin, numbers& out) {
  upsweep::reduce_segments(x, begin, out, upsweep::max{});
}
void counts(numbers const& x, std::vector<std::uint64_t>& out) {
  upsweep::histogram(x, out, upsweep::even{0.0, 1.0});
}

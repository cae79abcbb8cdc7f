/// Cases of the golden set: sorts, the first elements of an order, quantiles.
#include "set_parts.hpp"

#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace upsweep::golden_set {

namespace {

template <class T, class Less>
std::string sorted_by(cpu const& on, std::vector<T> const& x, Less const& less) {
  room<std::uint64_t> const order(x.size());
  upsweep::argsort(on, x, order.all(), less);
  std::vector<T> sorted = x, keys = x;
  std::vector<std::uint64_t> positions(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) positions[i] = i;
  upsweep::sort(on, sorted, less);
  upsweep::sort_by_key(on, keys, positions, less);
  bool const agree = moved(keys) == moved(sorted) && listed(positions) == listed(order.all());
  return agree ? moved(sorted) + " " + listed(positions) : "sort, argsort, sort_by_key differ";
}

template <class T, class Less>
std::string first_by(cpu const& on, std::vector<T> const& x, std::size_t count, Less const& less) {
  room<T> const out(count);
  return moved(out.all().first(upsweep::top(on, x, out.all(), less)));
}

template <class T>
std::string ordered(cpu const& on, call_case const& c) {
  auto const x = elements<T>(c.get("kind"), c.n());
  bool const up = c.is("order", "up");
  if (c.verb == "sort") return up ? sorted_by(on, x, ascending{}) : sorted_by(on, x, descending{});
  if (c.verb == "top")
    return up ? first_by(on, x, c.number("count"), ascending{})
              : first_by(on, x, c.number("count"), descending{});
  return text_of([&] {
    double const q = std::strtod(c.get("q").c_str(), nullptr);
    return listed(std::vector<double>{upsweep::quantile(on, x, q)});
  });
}

}  // namespace

result_text order_case(cpu const& on, call_case const& c) {
  if (c.verb != "sort" && c.verb != "top" && c.verb != "quantile") return {};
  return dispatch_type(dynamic::numbers{}, c, [&]<class T>() { return ordered<T>(on, c); });
}

}  // namespace upsweep::golden_set

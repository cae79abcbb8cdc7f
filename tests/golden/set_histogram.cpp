/// Cases of the golden set: counts and sums of bins.
#include "set_parts.hpp"

#include <upsweep/histogram.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace upsweep::golden_set {

namespace {

/// Calls f with the bins of a case.
template <class F>
outside_counts with_bins(call_case const& c, F const& f) {
  auto const words = call_case::split(c.get("edges"), ':');
  if (words[0] == "even")
    return f(even{std::strtod(words[1].c_str(), nullptr), std::strtod(words[2].c_str(), nullptr)});
  std::vector<double> borders;
  for (std::size_t b = 0; b <= c.number("bins"); ++b)
    borders.push_back(-50 + 0.375 * static_cast<double>(b * (b + 1) / 2));
  return f(borders);
}

std::string with_outside(std::string const& results, outside_counts const& o) {
  return results + " " + listed(std::vector<std::uint64_t>{o.below, o.above, o.nan});
}

template <class T>
std::string counts(cpu const& on, call_case const& c) {
  auto const x = elements<T>(c.get("kind"), c.n());
  std::vector<std::uint64_t> out(c.number("bins"));
  histogram_options const how{.closed_right = c.is("closed", "right")};
  auto const outside =
      with_bins(c, [&](auto const& bins) { return upsweep::histogram(on, x, out, bins, how); });
  return with_outside(listed(out), outside);
}

template <class T, class W, class Op>
std::string weights(cpu const& on, call_case const& c, Op const& op) {
  auto const x = elements<T>(c.get("kind"), c.n());
  auto const w = elements<W>(c.get("wkind"), c.n(), 0, 1);
  std::vector<result_t<Op, W>> out(c.number("bins"));
  histogram_options const how{.closed_right = c.is("closed", "right")};
  auto const outside = with_bins(c, [&](auto const& bins) {
    return upsweep::weighted_histogram(on, x, w, out, bins, op, how);
  });
  return with_outside(listed(out), outside);
}

/// Counts of elements that lie below `bins`.
template <class T>
std::string indices(cpu const& on, call_case const& c) {
  std::size_t const bins = c.number("bins");
  auto x = elements<T>(c.get("kind"), c.n());
  for (T& e : x) e = of_bits<T>(bits_of(e) % bins);
  std::vector<std::uint64_t> out(bins);
  upsweep::count_indices(on, x, out);
  return listed(out);
}

}  // namespace

result_text histogram_case(cpu const& on, call_case const& c) {
  if (c.verb == "count_indices")
    return dispatch_type(dynamic::integers{}, c, [&]<class T>() { return indices<T>(on, c); });
  if (c.verb == "histogram")
    return dispatch_type(dynamic::numbers{}, c, [&]<class T>() { return counts<T>(on, c); });
  if (c.verb != "weighted_histogram") return {};
  return dispatch_type(types<float, std::int32_t>{}, c, [&]<class T>() {
    auto const of_weight = [&]<class W>() {
      return c.is("op", "sum") ? weights<T, W>(on, c, plus{}) : weights<T, W>(on, c, min{});
    };
    return *dispatch_type(types<float, double, std::int32_t>{}, c, of_weight, "weights");
  });
}

}  // namespace upsweep::golden_set

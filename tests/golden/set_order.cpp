/// Cases of the golden set: selections and runs, rows that become longer or shorter, sorts, the
/// first elements of an order, quantiles, and counts and sums of bins.
#include "set_dispatch.hpp"

#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace upsweep::golden_set {

namespace {

template <class T, class Test>
std::string selected_by(cpu const& on, call_case const& c, std::vector<T> const& x,
                        Test const& test) {
  room<T> const yes(x.size()), no(x.size());
  room<std::uint64_t> const at(x.size());
  if (c.verb == "select") return moved(yes.all().first(upsweep::select(on, x, yes.all(), test)));
  if (c.verb == "select_positions")
    return listed(at.all().first(upsweep::select_positions(on, x, at.all(), test)));
  auto const counts = upsweep::partition(on, x, yes.all(), no.all(), test);
  return moved(yes.all().first(counts.yes)) + " " + moved(no.all().first(counts.no));
}

template <class T, class Same>
std::string runs_by(cpu const& on, std::vector<T> const& x, Same const& equal) {
  room<T> const values(x.size()), again(x.size());
  room<std::uint64_t> const starts(x.size()), lengths(x.size());
  std::size_t const count = upsweep::runs(on, x, values.all(), lengths.all(), equal);
  upsweep::run_starts(on, x, starts.all(), equal);
  upsweep::unique(on, x, again.all(), equal);
  std::string const firsts = moved(again.all().first(count));
  return (firsts == moved(values.all().first(count)) ? firsts : "unique and runs differ") + " " +
         listed(starts.all().first(count)) + " " + listed(lengths.all().first(count));
}

template <class T>
std::string selection(cpu const& on, call_case const& c) {
  auto const x = elements<T>(c.get("kind"), c.n());
  if (c.verb == "runs")
    return c.is("equal", "value") ? runs_by(on, x, same{}) : runs_by(on, x, same_bits{});
  if (c.is("test", "positive")) return selected_by(on, c, x, [](T const& e) { return e > T(0); });
  return selected_by(on, c, x, [](T const& e) { return (bits_of(e) & 1) != 0; });
}

template <class T>
std::string rows(cpu const& on, call_case const& c) {
  auto const shape = c.shape();
  std::size_t const n = c.n();
  auto x = elements<T>(c.get("kind"), n, 1);
  T const behind = x.back();
  x.pop_back();
  if (c.verb == "pad") {
    std::size_t const padded = c.number("padded");
    x.resize(shape[0] * padded);
    upsweep::pad(on, x, shape[0], shape[1], padded, behind);
  } else {
    std::size_t const columns = c.number("columns");
    upsweep::unpad(on, x, shape[0], columns, shape[1]);
    x.resize(shape[0] * columns);
  }
  return moved(x);
}

}  // namespace

result_text selection_case(cpu const& on, call_case const& c) {
  if (c.verb == "pad" || c.verb == "unpad")
    return dispatch_type(types<std::uint8_t, double>{}, c,
                         [&]<class T>() { return rows<T>(on, c); });
  if (c.verb != "select" && c.verb != "select_positions" && c.verb != "partition" &&
      c.verb != "runs")
    return {};
  return dispatch_type(dynamic::numbers{}, c, [&]<class T>() { return selection<T>(on, c); });
}

// Sorts, the first elements of an order, quantiles.

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

// Counts and sums of bins.

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

/// Each verb, stream and executor in a few lines, with what it prints: the examples of the
/// reference.
#include <upsweep/histogram.hpp>
#include <upsweep/ops/decimal.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/ops/segmented.hpp>
#include <upsweep/ops/sessions.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/partial/bytes.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "print.hpp"

namespace {

std::vector<int> const x{3, 1, 4, 1, 5};
std::vector<char> const shop{'A', 'A', 'B', 'A', 'A'};

void reduce() {
  print(upsweep::reduce(x), upsweep::reduce(x, upsweep::max{}));
  print(upsweep::reduce(x, upsweep::plus{}, {.initial = 100}));
}
void transform_reduce() {
  auto const square = [](int v) { return v * v; };
  print(upsweep::transform_reduce(x, square));
  print(upsweep::transform_reduce(x, x, [](int a, int b) { return a * b; }, upsweep::max{}));
}
void inclusive_scan() {
  std::vector<int> y(5);
  upsweep::inclusive_scan(x, y);
  print(y);
  upsweep::inclusive_scan(x, y, upsweep::min{}, {.reverse = true});
  print(y);
}
void exclusive_scan() {
  std::vector<int> y(5);
  upsweep::exclusive_scan(x, y);
  print(y);
}
void transform_inclusive_scan() {
  std::vector<int> evens(5);
  upsweep::transform_inclusive_scan(x, evens, [](int v) { return v % 2 == 0; });
  print(evens);
}
void transform_exclusive_scan() {
  std::vector<int> y(5);
  upsweep::transform_exclusive_scan(x, y, [](int v) { return v * v; }, upsweep::max{},
                                    {.initial = 0});
  print(y);
}
void cumulative_distribution() {
  std::vector<double> const weight{1, 0, 2, 5};
  std::vector<double> sums(4);
  upsweep::cumulative_distribution(weight, sums);
  print(sums);
}
void select() {
  std::vector<int> y(5);
  y.resize(upsweep::select(x, y, [](int v) { return v > 2; }));
  print(y);
}
void select_positions() {
  std::vector<int> at(5);
  at.resize(upsweep::select_positions(x, at, [](int v) { return v > 2; }));
  print(at);
}
void partition() {
  std::vector<int> yes(5), no(5);
  auto const count = upsweep::partition(x, yes, no, [](int v) { return v > 2; });
  yes.resize(count.yes), no.resize(count.no);
  print(yes, no);
}
void unique() {
  std::vector<char> y(5);
  y.resize(upsweep::unique(shop, y));
  print(y);
}
void run_starts() {
  std::vector<int> y(5);
  y.resize(upsweep::run_starts(shop, y));
  print(y);
}
void runs() {
  std::vector<char> value(5);
  std::vector<int> length(5);
  std::size_t const n = upsweep::runs(shop, value, length);
  value.resize(n), length.resize(n);
  print(value, length);
}
void reduce_segments() {
  std::vector<int> const offsets{0, 2, 2, 5};  // the second segment is empty
  std::vector<int> totals(3);
  upsweep::reduce_segments(x, offsets, totals);
  print(totals);
}
void inclusive_scan_segments() {
  std::vector<int> const offsets{0, 2, 5};
  std::vector<int> y(5);
  upsweep::inclusive_scan_segments(x, offsets, y);
  print(y);
}
void exclusive_scan_segments() {
  std::vector<int> const offsets{0, 2, 5};
  std::vector<int> y(5);
  upsweep::exclusive_scan_segments(x, offsets, y);
  print(y);
}
void reduce_runs() {
  std::vector<char> key(5);
  std::vector<int> total(5);
  std::size_t const n = upsweep::reduce_runs(shop, x, key, total);
  key.resize(n), total.resize(n);
  print(key, total);
}
void inclusive_scan_runs() {
  std::vector<int> y(5);
  upsweep::inclusive_scan_runs(shop, x, y);
  print(y);
}
void exclusive_scan_runs() {
  std::vector<int> y(5);
  upsweep::exclusive_scan_runs(shop, x, y);
  print(y);
}
void windowed() {
  std::vector<int> y(3);
  upsweep::windowed(x, 3, y, upsweep::max{});
  print(y);
}
void sort() {
  auto y = x;
  upsweep::sort(y, upsweep::descending{});
  print(y);
}
void sort_by_key() {
  std::vector<int> key{2, 1, 2};
  std::vector<std::string> name{"Cid", "Ada", "Ben"};
  upsweep::sort_by_key(key, name);
  print(name);
}
void argsort() {
  std::vector<unsigned> order(5);
  upsweep::argsort(x, order);
  print(order);
}
void top() {
  std::vector<int> two(2);
  upsweep::top(x, two);
  print(two);
}
void quantile() {
  print(upsweep::quantile(x, 0.5), upsweep::quantile(x, 0.9));
}
void histogram() {
  std::vector<int> counts(2);
  auto const outside = upsweep::histogram(x, counts, upsweep::even{0, 4});  // [0, 2) and [2, 4)
  print(counts, outside.above);
}
void weighted_histogram() {
  std::vector<double> const weight{0.5, 1, 1, 2, 4};
  std::vector<double> sums(3);
  upsweep::weighted_histogram(x, weight, sums, upsweep::even{0, 6});
  print(sums);
}
void count_indices() {
  std::vector<int> counts(6);
  upsweep::count_indices(x, counts);
  print(counts);
}
void pad() {
  std::vector<int> y{1, 2, 3, 4, 0, 0};
  upsweep::pad(y, 2, 2, 3, 9);  // two rows of two columns become rows of three
  print(y);
}
void unpad() {
  std::vector<int> y{1, 2, 9, 3, 4, 9};
  upsweep::unpad(y, 2, 2, 3);
  y.resize(4);
  print(y);
}
void reduce_stream() {
  upsweep::reduce_stream<int> stream;
  stream.push(std::span(x).first(2));
  stream.push(std::span(x).subspan(2));
  print(stream.result());
}
void scan_stream() {
  upsweep::scan_stream<int> stream;
  std::vector<int> y(5);
  stream.inclusive(std::span(x).first(2), std::span(y).first(2));
  stream.inclusive(std::span(x).subspan(2), std::span(y).subspan(2));
  print(y);
}
void histogram_stream() {
  upsweep::histogram_stream<int, upsweep::even> stream(3, upsweep::even{0, 6});
  stream.push(x);
  stream.push(x);
  print(stream.counts());
}
void partial() {
  upsweep::partial<int> front(0), back(2);
  front.push(std::span(x).first(2));
  back.push(std::span(x).subspan(2));
  front.append(back);
  print(front.result(), upsweep::to_bytes(front).size());
}
void ranks() {
  // Two threads, each with its piece; upsweep::mpi(MPI_COMM_WORLD) would be processes.
  std::vector<int> y(5);
  upsweep::loopback::run(2, [&](upsweep::loopback const& c) {
    std::size_t const begin = c.rank() == 0 ? 0 : 2, size = c.rank() == 0 ? 2 : 3;
    upsweep::ranks const all(c, upsweep::serial{});
    upsweep::inclusive_scan(all, std::span(x).subspan(begin, size),
                            std::span(y).subspan(begin, size));
  });
  print(y);
}
void monoid() {
  auto const longer = [](std::string const& a, std::string const& b) {
    return b.size() > a.size() ? b : a;
  };
  std::vector<std::string> const words{"up", "sweep", "down"};
  print(upsweep::reduce(words, upsweep::monoid(longer, std::string())));
}
void check_monoid() {
  auto const difference = [](int a, int b) { return a - b; };
  print(upsweep::check_monoid(difference, x).value_or("no counter-example").substr(0, 16));
}
void tuple_of() {
  auto const [sum, low, high] =
      upsweep::reduce(x, upsweep::tuple_of{upsweep::plus{}, upsweep::min{}, upsweep::max{}});
  print(sum, low, high);
}
void segmented() {
  using element = upsweep::flagged<int>;
  std::vector<element> const flagged{{true, 3}, {false, 1}, {true, 4}};
  std::vector<int> y(3);
  upsweep::transform_inclusive_scan(flagged, y, std::identity{},
                                    upsweep::segmented(upsweep::plus{}));
  print(y);
}
void drawdown() {
  std::vector<double> const price{4, 5, 3, 6};
  print(upsweep::reduce(price, upsweep::drawdown{}).deepest);
}
void sessions() {
  std::vector<double> const seconds{0, 20, 60, 65};
  std::vector<int> visit(4);
  upsweep::inclusive_scan(seconds, visit, upsweep::sessions{30.0});
  print(visit);
}
void run_number() {
  std::vector<int> run(5);
  upsweep::inclusive_scan(shop, run, upsweep::run_number{});
  print(run);
}
void geometric_mean() {
  print(upsweep::reduce(std::vector<double>{2, 8}, upsweep::geometric_mean{}));
}
void harmonic_mean() {
  print(upsweep::reduce(std::vector<double>{2, 6}, upsweep::harmonic_mean{}));
}
void rms() {
  print(upsweep::reduce(std::vector<double>{1, 7}, upsweep::rms{}));
}
void decimal_sum() {
  std::vector<upsweep::decimal> prices;
  for (auto const* price : {"0.10", "0.20", "-0.30"})
    prices.push_back(*upsweep::parse_decimal(price));
  print(upsweep::to_string(upsweep::reduce(prices, upsweep::decimal_sum{})));
}
void cpu() {
  print(upsweep::reduce(upsweep::cpu{.threads = 2}, x));
}
void serial() {
  print(upsweep::reduce(upsweep::serial{}, x));
}

example const examples[] = {EXAMPLE(reduce),
                            EXAMPLE(transform_reduce),
                            EXAMPLE(inclusive_scan),
                            EXAMPLE(exclusive_scan),
                            EXAMPLE(transform_inclusive_scan),
                            EXAMPLE(transform_exclusive_scan),
                            EXAMPLE(cumulative_distribution),
                            EXAMPLE(select),
                            EXAMPLE(select_positions),
                            EXAMPLE(partition),
                            EXAMPLE(unique),
                            EXAMPLE(run_starts),
                            EXAMPLE(runs),
                            EXAMPLE(reduce_segments),
                            EXAMPLE(inclusive_scan_segments),
                            EXAMPLE(exclusive_scan_segments),
                            EXAMPLE(reduce_runs),
                            EXAMPLE(inclusive_scan_runs),
                            EXAMPLE(exclusive_scan_runs),
                            EXAMPLE(windowed),
                            EXAMPLE(sort),
                            EXAMPLE(sort_by_key),
                            EXAMPLE(argsort),
                            EXAMPLE(top),
                            EXAMPLE(quantile),
                            EXAMPLE(histogram),
                            EXAMPLE(weighted_histogram),
                            EXAMPLE(count_indices),
                            EXAMPLE(pad),
                            EXAMPLE(unpad),
                            EXAMPLE(reduce_stream),
                            EXAMPLE(scan_stream),
                            EXAMPLE(histogram_stream),
                            EXAMPLE(partial),
                            EXAMPLE(ranks),
                            EXAMPLE(monoid),
                            EXAMPLE(check_monoid),
                            EXAMPLE(tuple_of),
                            EXAMPLE(segmented),
                            EXAMPLE(drawdown),
                            EXAMPLE(sessions),
                            EXAMPLE(run_number),
                            EXAMPLE(geometric_mean),
                            EXAMPLE(harmonic_mean),
                            EXAMPLE(rms),
                            EXAMPLE(decimal_sum),
                            EXAMPLE(cpu),
                            EXAMPLE(serial)};

}  // namespace

int main() {
  run_all(examples);
}

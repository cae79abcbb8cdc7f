/// Options, views, streams, pieces, executors and number types in a few lines, with what they
/// print: examples of the reference.
#include <upsweep/anchored_scan.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/partial/bytes.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/ranks/select.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "print.hpp"

namespace {

std::vector<int> const x{3, 1, 4, 1, 5};
std::vector<float> const tenths(10, 0.1f);
std::vector<char> const shop{'A', 'A', 'B', 'A', 'A'};

void options() {
  std::vector<int> y(5);
  upsweep::inclusive_scan(x, y, upsweep::plus{}, {.initial = 100, .reverse = true});
  print(y);
  upsweep::options<double> const from_one{.initial = 1.0};  // a double is the accumulator
  print(upsweep::reduce(std::vector<double>{0.5, 2}, upsweep::plus{}, from_one));
}
void mode() {
  float const sum = upsweep::reduce(tenths, upsweep::plus{}, {.mode = upsweep::mode::reproducible});
  float const fast = upsweep::reduce(tenths, upsweep::plus{}, {.mode = upsweep::mode::fast});
  print(sum, fast - sum < 1e-5f);
}
void tree() {
  print(upsweep::reduce(x, upsweep::plus{}, {.tree = upsweep::tree::pairwise}));
}
auto mean(upsweep::elements auto const& numbers) {  // takes any range that a verb can read
  return static_cast<double>(upsweep::reduce(numbers)) / static_cast<double>(numbers.size());
}
void elements() {
  print(mean(x), mean(std::span(x).first(2)));
}

void partition_counts() {
  std::vector<int> yes(5), no(5), rest(5);
  auto const is_odd = [](int v) { return v % 2 == 1; };
  upsweep::partition_counts const two = upsweep::partition(x, yes, no, is_odd);
  print(two.yes, two.no);
  upsweep::three_way_counts const three =
      upsweep::partition(x, yes, no, rest, [](int v) { return v > 3; }, is_odd);
  print(three.first, three.second, three.rest);
}
void same_bits() {
  std::vector<double> const zeros{0.0, -0.0, -0.0};
  std::vector<double> y(3);
  print(upsweep::unique(zeros, y, upsweep::same{}),
        upsweep::unique(zeros, y, upsweep::same_bits{}));
}
void orders() {
  std::vector<int> y = x;
  upsweep::sort(y, upsweep::ascending{});
  print(y);
  upsweep::sort(y, upsweep::descending{});
  print(y);
}
void quantiles() {
  std::vector<double> const q{0.25, 0.5, 0.75};
  std::vector<double> y(3);
  upsweep::quantiles(x, q, y);
  print(y);
}
void histogram_bins() {
  std::vector<int> counts(2);
  upsweep::histogram_options const closed{.closed_right = true};
  upsweep::outside_counts const outside = upsweep::histogram(
      x, counts, upsweep::even{.low = 0, .high = 4}, closed);  // [0, 2) and [2, 4]
  print(counts, outside.below, outside.above, outside.nan);
}
void strided_view() {
  std::vector<int> const table{1, 2, 3, 4, 5, 6};  // two rows of three columns
  upsweep::strided_view<int const> const rows(table.data(), {2, 3});
  static_assert(upsweep::nd_view<upsweep::strided_view<int const>>);
  std::vector<int> sums(3);
  upsweep::reduce(rows, upsweep::strided_view<int>(sums.data(), {3}), upsweep::plus{}, {.axis = 0});
  print(sums, rows(1, 2));
}

void anchored_scan() {
  std::vector<int> y(5);
  upsweep::anchored_scan<int> sums;
  sums.inclusive(std::span(x).first(2), std::span(y).first(2));
  upsweep::anchored_scan<int> const saved = sums;
  sums.inclusive(std::span(x).subspan(2), std::span(y).subspan(2));
  print(y);
  print(saved.size(), saved.result());
}
void unique_stream() {
  upsweep::unique_stream<char> stream;
  std::vector<char> first(2), second(3);
  first.resize(stream.push(std::span(shop).first(2), first));
  second.resize(stream.push(std::span(shop).subspan(2), second));
  print(first, second);
}
void run_stream() {
  upsweep::run_stream<char> stream;
  std::vector<char> value(5);
  std::vector<int> length(5);
  std::size_t const ended = stream.push(shop, value, length);
  value.resize(ended), length.resize(ended);
  print(value, length);
  std::optional<std::pair<char, std::size_t>> const last = stream.finish();
  print(last->first, last->second);
}
void reduce_runs_stream() {
  upsweep::reduce_runs_stream<char, int> stream;
  std::vector<char> key(5);
  std::vector<std::int64_t> sum(5);
  std::size_t const ended = stream.push(shop, x, key, sum);
  key.resize(ended), sum.resize(ended);
  print(key, sum);
  auto const last = stream.finish();
  print(last->first, last->second);
}
void scan_runs_stream() {
  upsweep::scan_runs_stream<char, int> stream;
  std::vector<int> y(5);
  stream.inclusive(std::span(shop).first(1), std::span(x).first(1), std::span(y).first(1));
  stream.inclusive(std::span(shop).subspan(1), std::span(x).subspan(1), std::span(y).subspan(1));
  print(y);
}

void partial_set() {
  upsweep::partial<int> first(0), second(2);
  first.push(std::span(x).first(2));
  second.push(std::span(x).subspan(2));
  print(upsweep::merge(first, second).result());
  upsweep::partial_set<int> arrived;  // in any order
  arrived.insert(second);
  arrived.insert(first);
  print(arrived.whole(5).result());
}
void bytes() {
  upsweep::partial<int> part(0);
  part.push(x);
  std::vector<std::byte> const bytes = upsweep::to_bytes(part);
  upsweep::partial_header const header = upsweep::header_of(bytes);
  print(header.type, header.operation, header.begin, header.end);
  print(upsweep::from_bytes<int, upsweep::plus>(bytes).result());
}
// What one rank of a communicator does; loopback, mpi and nccl are communicators.
void report(upsweep::communicator auto const& c, std::span<int const> piece) {
  upsweep::ranks const all(c, upsweep::serial{});
  auto const is_odd = [](int v) { return v % 2 == 1; };
  std::vector<int> a(3), b(3), rest(3);
  upsweep::result_piece const kept = upsweep::select(all, piece, a, is_odd);
  upsweep::partition_pieces const two = upsweep::partition(all, piece, a, b, is_odd);
  upsweep::three_way_pieces const three =
      upsweep::partition(all, piece, a, b, rest, [](int v) { return v > 3; }, is_odd);
  if (c.rank() == 1) {
    print("results", kept.begin, "to", kept.begin + kept.count, "of", kept.total);
    print(two.yes.count, two.no.count, three.first.total, three.second.total);
  }
}
void loopback() {
  upsweep::loopback::run(2, [](upsweep::loopback const& c) {  // two threads
    report(c, c.rank() == 0 ? std::span(x).first(2) : std::span(x).subspan(2));
  });
}

// A call on any executor: cpu, serial, gpu, or ranks with their pieces.
auto sum_of_squares(upsweep::executor auto const& on, std::span<int const> numbers) {
  return upsweep::transform_reduce(on, numbers, [](int v) { return v * v; });
}
void executor() {
  print(sum_of_squares(upsweep::cpu{}, x), sum_of_squares(upsweep::serial{}, x));
}
// An executor that says what it is asked for, and leaves the work to another.
struct noisy : upsweep::serial {
  template <class Call>  // an upsweep::call: c.n elements, element i is c.in(i)
  auto reduce(Call const& c) const -> typename Call::accumulator {
    print("a reduction of", c.n, "elements");
    return upsweep::serial::reduce(c);
  }
  template <upsweep::scan_kind kind, class Call, class Sink>  // out(i, a) stores result i
  auto scan(Call const& c, Sink const& out) const {
    print(kind == upsweep::scan_kind::inclusive ? "an inclusive scan" : "an exclusive scan");
    return upsweep::serial::scan<kind>(c, out);
  }
};
void own_executor() {
  std::vector<int> y(5);
  print(upsweep::reduce(noisy{}, x));
  upsweep::inclusive_scan(noisy{}, x, y);
}
void carry() {
  upsweep::carry<int> sums;
  sums.push(1, 3 + 1, upsweep::plus{});  // a block of 2^1 elements by its sum
  sums.push(0, 4, upsweep::plus{});      // a block of 2^0
  print(sums.position(), *sums.prefix(), sums.total(1), sums.total(0));
}

void short_floats() {
  std::vector<upsweep::bfloat16> const b{1.0f, 0.1f};  // 8 bits of significand
  std::vector<upsweep::float16> const h{upsweep::float16(1.0f), upsweep::float16(0.1f)};  // 11 bits
  print(upsweep::reduce(b), upsweep::reduce(h));
}
void wide_integers() {
  std::vector<upsweep::int128> const large(4, upsweep::int128{1} << 100);
  std::vector<upsweep::uint128> const powers{upsweep::uint128{1} << 64, 3};
  print(static_cast<double>(upsweep::reduce(large)), static_cast<int>(upsweep::reduce(powers)));
}
void errors() {
  std::vector<int> y(4);
  try {
    upsweep::inclusive_scan(x, y);
  } catch (upsweep::precondition_error const&) {
    print("the sizes differ");
  }
  try {
    (void)upsweep::reduce(std::vector<int>{}, upsweep::argmin{});
  } catch (upsweep::error const& e) {  // any error of the library
    std::cerr << e.what() << '\n';
    print("no elements");
  }
}
void version() {
  print(UPSWEEP_VERSION >= 100, std::string(upsweep::version).substr(0, 2));
  print("combine tree", upsweep::tree_version);
}

example const examples[] = {EXAMPLE(options),
                            EXAMPLE(mode),
                            EXAMPLE(tree),
                            EXAMPLE(elements),
                            EXAMPLE(partition_counts),
                            EXAMPLE(same_bits),
                            EXAMPLE(orders),
                            EXAMPLE(quantiles),
                            EXAMPLE(histogram_bins),
                            EXAMPLE(strided_view),
                            EXAMPLE(anchored_scan),
                            EXAMPLE(unique_stream),
                            EXAMPLE(run_stream),
                            EXAMPLE(reduce_runs_stream),
                            EXAMPLE(scan_runs_stream),
                            EXAMPLE(partial_set),
                            EXAMPLE(bytes),
                            EXAMPLE(loopback),
                            EXAMPLE(executor),
                            EXAMPLE(own_executor),
                            EXAMPLE(carry),
                            EXAMPLE(short_floats),
                            EXAMPLE(wide_integers),
                            EXAMPLE(errors),
                            EXAMPLE(version)};

}  // namespace

int main() {
  run_all(examples);
}

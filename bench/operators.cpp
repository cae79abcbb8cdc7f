/// Reductions and scans beside what a user would write: functions on the way, of one input or of
/// two, conversions, positions of extrema, both extrema, several operators at once, users'
/// operators over structures; and reductions in the reproducible order beside mode::fast. On one
/// thread.
///
///   operators_bench [SMALLEST [LARGEST]]    log2 of the numbers of floats; 6 and 22 if not given
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace upsweep::bench {
namespace {

volatile double used;  // keeps the results

/// The best of 15 runs in GB/s of `bytes` per call.
template <class F>
double speed(std::size_t bytes, std::size_t calls, F const& call) {
  double best = 1e9;
  for (int run = 0; run < 15; ++run) {
    auto const begin = std::chrono::steady_clock::now();
    for (std::size_t c = 0; c < calls; ++c) call();
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count());
  }
  return 1e-9 * static_cast<double>(bytes * calls) / best;
}

/// show(what, bytes, call) prints the speed of a call on n elements.
auto show_for(std::size_t n) {
  return [calls = std::max<std::size_t>(1, (std::size_t{1} << 20) / n)](
             char const* what, std::size_t bytes, auto const& call) {
    std::printf("  %-28s %6.1f\n", what, speed(bytes, calls, call));
  };
}

void measure_two_inputs(std::size_t n) {
  std::vector<float> x(n), y(n), out(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = 0.5f * static_cast<float>(i * 2654435761u % 100003);
    y[i] = 1.0f / static_cast<float>(i % 1009 + 1);
  }
  serial const on;
  auto const product = [](float a, float b) { return a * b; };
  std::size_t const in_bytes = 2 * n * sizeof(float), scan_bytes = 3 * n * sizeof(float);
  auto const show = show_for(n);
  show("transform_reduce x*y", in_bytes,
       [&] { used = upsweep::transform_reduce(on, x, y, product); });
  show("  std::transform_reduce", in_bytes,
       [&] { used = std::transform_reduce(x.begin(), x.end(), y.begin(), 0.0f); });
  show("  a loop", in_bytes, [&] {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
    used = sum;
  });
  show("transform_inclusive_scan x*y", scan_bytes,
       [&] { upsweep::transform_inclusive_scan(on, x, y, out, product); });
  show("  a loop", scan_bytes, [&] {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) out[i] = sum += x[i] * y[i];
  });
}

/// Reductions in the order of the combine tree, each beside mode::fast, which may regroup.
template <class T>
void measure_orders(char const* type, std::size_t n) {
  std::vector<T> x(n);
  std::vector<affine_map<T>> maps(n / 2);
  for (std::size_t i = 0; i < n; ++i) x[i] = T(1) + T(1e-9) * static_cast<T>(i * 2654435761u % 997);
  for (std::size_t i = 0; i < maps.size(); ++i) maps[i] = {x[i], x[i]};
  serial const on;
  auto const show = show_for(n);
  std::size_t const bytes = n * sizeof(T);
  std::printf("%zu %ss, GB/s\n", n, type);
  auto const show_both = [&](char const* what, auto op) {
    show(what, bytes, [&] { used = upsweep::reduce(on, x, op); });
    show("  mode::fast", bytes, [&] { used = upsweep::reduce(on, x, op, {.mode = mode::fast}); });
  };
  show_both("reduce, plus", plus{});
  show_both("reduce, multiplies", multiplies{});
  show("reduce, affine", bytes, [&] { used = upsweep::reduce(on, maps, affine{}).b; });
}

/// A scan and the loop that computes the same, beside each other: step(running, x) is the next
/// result.
template <class T, class R, class Op, class Step>
void measure_scan(char const* what, std::vector<T> const& x, R start, Op const& op, Step step) {
  std::vector<R> out(x.size());
  serial const on;
  auto const show = show_for(x.size());
  std::size_t const bytes = x.size() * (sizeof(T) + sizeof(R));
  show(what, bytes, [&] { upsweep::inclusive_scan(on, x, out, op); });
  show("  a loop", bytes, [&] {
    R running = start;
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = running = step(running, x[i]);
  });
}

/// Mean and variance, and the logarithm of a sum of exponentials: the totals beside two loops, the
/// scans beside a loop over the operator.
template <class T>
void measure_statistics(char const* type, std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = -T(1e-4) * static_cast<T>(i * 2654435761u % 100003);
  serial const on;
  auto const show_speed = show_for(n);
  auto const show = [&](char const* what, auto const& call) {
    show_speed(what, n * sizeof(T), call);
  };
  std::printf("%zu %ss, GB/s\n", n, type);
  show("moments", [&] { used = upsweep::reduce(on, x, moments{}).variance(); });
  show("  two loops", [&] {
    double sum = 0, squares = 0;
    for (T v : x) sum += v;
    double const mean = sum / static_cast<double>(n);
    for (T v : x) squares += (v - mean) * (v - mean);
    used = squares / static_cast<double>(n);
  });
  show("log_sum_exp", [&] { used = upsweep::reduce(on, x, log_sum_exp{}); });
  show("  two loops", [&] {
    T const largest = *std::max_element(x.begin(), x.end());
    T sum = 0;
    for (T v : x) sum += std::exp(v - largest);
    used = largest + std::log(sum);
  });
  measure_scan("inclusive_scan, moments", x, detail::moments_of{}, moments{},
               [op = moments{}](detail::moments_of const& a, T b) { return op(a, op.lift(b)); });
  using sum = detail::scaled_exponentials<T>;
  measure_scan("inclusive_scan, log_sum_exp", x, T(0), log_sum_exp{},
               [op = log_sum_exp{}, n, i = std::size_t{0}, running = sum{}](T, T b) mutable {
                 if (i++ % n == 0) running = {};
                 running = op(running, op.lift(b));
                 return op.finish(running);
               });
}

/// Scans into wider types, by operators made of others, and by users' operators over structures.
void measure_scans(std::size_t n) {
  std::vector<float> x(n);
  std::vector<std::int32_t> counts(n);
  std::vector<std::int8_t> bytes(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto const random = static_cast<std::int32_t>(i * 2654435761u % 100003);
    x[i] = 0.5f * static_cast<float>(random);
    counts[i] = random;
    bytes[i] = static_cast<std::int8_t>(random % 2);
  }
  std::printf("%zu elements of scans, GB/s\n", n);
  auto const add = [](auto a, auto b) { return a + b; };
  measure_scan("int32 into int64", counts, std::int64_t{0}, plus{}, add);
  measure_scan("int8 into int32", bytes, std::int32_t{0}, plus{}, add);
  measure_scan("max, float into double", x, 0.0, max{}, [](double a, float b) {
    return a < static_cast<double>(b) ? static_cast<double>(b) : a;
  });
  measure_scan("minmax", x, extrema<float>{x[0], x[0]}, minmax{}, [](extrema<float> a, float b) {
    return extrema<float>{b < a.min ? b : a.min, a.max < b ? b : a.max};
  });
  std::size_t position = 0;
  measure_scan("argmax", x, indexed<float>{x[0], 0}, argmax{}, [&](indexed<float> a, float b) {
    if (position == n) position = 0;
    std::size_t const i = position++;
    return a.value < b ? indexed<float>{b, i} : a;
  });
  using sum_and_max = std::tuple<float, float>;
  measure_scan("tuple_of{plus, max}", x, sum_and_max{0.0f, x[0]}, tuple_of{plus{}, max{}},
               [](sum_and_max const& a, float b) {
                 auto const [sum, largest] = a;
                 return sum_and_max{sum + b, largest < b ? b : largest};
               });
  auto const product = [](auto a, auto b) {
    return decltype(a){a.real() * b.real() - a.imag() * b.imag(),
                       a.real() * b.imag() + a.imag() * b.real()};
  };
  measure_scan("complex<float>, a product", std::vector(n, std::complex<float>{0.8f, 0.6f}),
               std::complex<float>{1}, product, product);
  measure_scan("complex<double>, a product", std::vector(n, std::complex<double>{0.8, 0.6}),
               std::complex<double>{1}, product, product);
  struct point {
    float x, y, z;
  };
  auto const shift = [](point a, point b) { return point{a.x + b.x, a.y + b.y, a.z + b.z}; };
  measure_scan("points of three floats", std::vector(n, point{1, 2, 3}), point{}, shift, shift);
}

void measure(std::size_t n) {
  std::vector<float> x(n), out(n);
  std::vector<double> wide(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.5f * static_cast<float>(i * 2654435761u % 100003);
  serial const on;
  auto const square = [](float v) { return v * v; };
  std::size_t const in_bytes = n * sizeof(float);
  auto const show = show_for(n);
  std::printf("%zu floats, GB/s\n", n);
  show("reduce", in_bytes, [&] { used = upsweep::reduce(on, x); });
  show("transform_reduce x*x", in_bytes, [&] { used = upsweep::transform_reduce(on, x, square); });
  show("  a loop", in_bytes, [&] {
    float sum = 0;
    for (float v : x) sum += v * v;
    used = sum;
  });
  auto const add = [](float a, float b) { return a + b; };
  auto const mixed = [](float a, float b) { return a + b + a * b * 1e-9f; };
  show("reduce, lambda a + b", in_bytes, [&] { used = upsweep::reduce(on, x, add); });
  show("reduce, lambda a + b + ab", in_bytes, [&] { used = upsweep::reduce(on, x, mixed); });
  show("  a loop", in_bytes, [&] {
    float sum = 0;
    for (float v : x) sum = mixed(sum, v);
    used = sum;
  });
  show("max", in_bytes, [&] { used = upsweep::reduce(on, x, max{}); });
  show("argmax", in_bytes,
       [&] { used = static_cast<double>(upsweep::reduce(on, x, argmax{}).index); });
  show("  std::max_element", in_bytes, [&] { used = *std::max_element(x.begin(), x.end()); });
  show("minmax", in_bytes, [&] { used = upsweep::reduce(on, x, minmax{}).max; });
  show("  std::minmax_element", in_bytes,
       [&] { used = *std::minmax_element(x.begin(), x.end()).second; });
  show("  a loop", in_bytes, [&] {
    float low = x[0], high = x[0];
    for (float v : x) low = v < low ? v : low, high = v > high ? v : high;
    used = low + high;
  });
  show("tuple_of{plus, max}", in_bytes,
       [&] { used = std::get<0>(upsweep::reduce(on, x, tuple_of{plus{}, max{}})); });
  show("inclusive_scan", 2 * in_bytes, [&] { upsweep::inclusive_scan(on, x, out); });
  show("transform_inclusive_scan x*x", 2 * in_bytes,
       [&] { upsweep::transform_inclusive_scan(on, x, out, square); });
  show("inclusive_scan into double", 3 * in_bytes, [&] { upsweep::inclusive_scan(on, x, wide); });
  show("inclusive_scan from the end", 2 * in_bytes,
       [&] { upsweep::inclusive_scan(on, x, out, plus{}, {.reverse = true}); });
  show("  a loop", 2 * in_bytes, [&] {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) out[i] = sum += x[i];
  });
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  int const smallest = argc > 1 ? std::atoi(argv[1]) : 6;
  int const largest = argc > 2 ? std::atoi(argv[2]) : 22;
  if (smallest < 1 || largest < smallest || largest > 30) {
    std::fprintf(stderr, "usage: operators_bench [SMALLEST [LARGEST]], from 1 to 30\n");
    return 2;
  }
  for (int k = smallest; k <= largest; k += 4) {
    upsweep::bench::measure(std::size_t{1} << k);
    upsweep::bench::measure_two_inputs(std::size_t{1} << k);
    upsweep::bench::measure_orders<float>("float", std::size_t{1} << k);
    upsweep::bench::measure_orders<double>("double", std::size_t{1} << k);
    upsweep::bench::measure_scans(std::size_t{1} << k);
    upsweep::bench::measure_statistics<float>("float", std::size_t{1} << k);
    upsweep::bench::measure_statistics<double>("double", std::size_t{1} << k);
  }
}

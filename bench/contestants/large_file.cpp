/// A user's operator in a source file with some thirty other calls, as in a program: g++ inlines
/// less in large files.
#include <bench/contestants/ours.hpp>
#include <bench/contestants/runners.hpp>

#include <upsweep/upsweep.hpp>

#include <cmath>
#include <cstddef>
#include <span>
#include <tuple>

namespace upsweep::bench {
namespace {

/// Operators and elements that a program might have.
struct largest_magnitude {
  float operator()(float a, float b) const { return std::fabs(a) < std::fabs(b) ? b : a; }
};
struct point {
  float x, y, z;
  friend point operator+(point a, point b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
};
struct weighted {
  double weight, sum;
};

/// Not called by the benchmark: what makes the file large.
template <class On>
float use_the_library(On const& on, std::span<float const> x, std::span<float const> y,
                      std::span<float> out) {
  auto const add = [](auto a, auto b) { return a + b; };
  auto const square = [](float v) { return v * v; };
  auto const product = [](float a, float b) { return a * b; };
  auto const to_point = [](float v) { return point{v, v, v}; };
  auto const merge = [](weighted a, weighted b) {
    return weighted{a.weight + b.weight, a.sum + b.sum};
  };
  auto const weigh = [](float v) { return weighted{1, static_cast<double>(v)}; };
  float total = upsweep::reduce(on, x, largest_magnitude{}, {.initial = 0.0f});
  total += upsweep::transform_reduce(on, x, square, largest_magnitude{}, {.initial = 0.0f});
  total += upsweep::transform_reduce(on, x, y, product);
  total += upsweep::transform_reduce(on, x, to_point, add, {.initial = point{}}).x;
  total += static_cast<float>(
      upsweep::transform_reduce(on, x, weigh, merge, {.initial = weighted{}}).sum);
  total += upsweep::reduce(on, x, minmax{}).max;
  total +=
      upsweep::reduce(on, x, tuple_of{plus{}, max{}}) == std::tuple<float, float>{} ? 1.0f : 0.0f;
  upsweep::inclusive_scan(on, x, out, largest_magnitude{});
  upsweep::inclusive_scan(on, x, out, largest_magnitude{}, {.reverse = true});
  upsweep::exclusive_scan(on, x, out, largest_magnitude{}, {.initial = 0.0f});
  upsweep::transform_inclusive_scan(on, x, out, square, largest_magnitude{});
  upsweep::transform_inclusive_scan(on, x, y, out, product);
  upsweep::transform_exclusive_scan(on, x, out, square, largest_magnitude{}, {.initial = 0.0f});
  upsweep::inclusive_scan(on, x, out, last{});
  return total;
}

void reduce_here(call const& c, std::size_t repeats) {
  cpu const on{.threads = c.threads};
  std::span<float const> const in(input<float>(c), c.n);
  repeat(c, repeats, [&] { deliver(c, upsweep::reduce(on, in, user_sum<float>{})); });
}

void scan_here(call const& c, std::size_t repeats) {
  cpu const on{.threads = c.threads};
  std::span<float const> const in(input<float>(c), c.n);
  std::span<float> const out(output<float>(c), c.n);
  repeat(c, repeats, [&] { upsweep::inclusive_scan(on, in, out, user_sum<float>{}); });
}

}  // namespace

float other_calls(std::span<float const> x, std::span<float const> y, std::span<float> out) {
  return use_the_library(cpu{}, x, y, out) + use_the_library(serial{}, x, y, out);
}

run_function find_user_in_large_file(work const& w) {
  return w.verb == verb::reduce ? reduce_here : scan_here;
}

}  // namespace upsweep::bench

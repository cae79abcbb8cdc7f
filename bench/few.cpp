/// Calls on 1 to 64 elements beside plain loops, in ns a call, the best of 15 runs: a sum, a
/// maximum and a caller's sum. `touch` keeps calls apart, which may overlap in the CPU as in
/// a program.
#include <bench/harness/call.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ratio>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::bench {
namespace {

template <class F>
double nanoseconds(F const& call) {
  constexpr int calls = 20000;
  double best = 1e9;
  for (int run = 0; run < 15; ++run) {
    auto const begin = std::chrono::steady_clock::now();
    for (int c = 0; c < calls; ++c) call();
    std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - begin;
    best = std::min(best, took.count() / calls);
  }
  return best;
}

template <class T>
void measure(char const* type, std::size_t n) {
  std::vector<T> const elements(n, T(1));
  std::vector<T> results(n);
  std::span<T const> const x(elements);
  std::span<T> const out(results);
  std::conditional_t<std::is_integral_v<T>, std::int64_t, T> total{};
  auto const users = [](T a, T b) { return static_cast<T>(a + b); };
  auto const show = [&](auto const& call) {
    std::printf(" %6.1f", nanoseconds([&] {
                  touch(x.data());
                  call();
                  touch(out.data());
                  touch(&total);
                }));
  };
  std::printf("%s %3zu |", type, n);
  show([&] {
    total = 0;
    for (std::size_t i = 0; i < n; ++i) total += x[i];
  });
  show([&] { total = reduce(x); });
  show([&] { total = reduce(x, max{}); });
  show([&] { total = reduce(x, users); });
  std::printf(" |");
  show([&] {
    T sum{};
    for (std::size_t i = 0; i < n; ++i) out[i] = sum += x[i];
  });
  show([&] { inclusive_scan(x, out); });
  show([&] { exclusive_scan(x, out); });
  show([&] { inclusive_scan(x, out, users); });
  std::printf("\n");
}

}  // namespace
}  // namespace upsweep::bench

int main() {
  using namespace upsweep::bench;
  std::printf("ns      | reduce: loop, sum, max, user's | scan: loop, sum, exclusive, user's\n");
  for (std::size_t const n : {1u, 2u, 3u, 5u, 8u, 13u, 16u, 20u, 24u, 32u, 48u, 63u, 64u}) {
    measure<float>("f32", n);
    measure<double>("f64", n);
    measure<std::int32_t>("i32", n);
    measure<std::int64_t>("i64", n);
  }
}

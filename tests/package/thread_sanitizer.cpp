/// A user's program for ThreadSanitizer: the library that it links is not compiled for it, and no
/// race may be reported. Exits with the number of wrong results.
#include <upsweep/histogram.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t n = 300'001;
constexpr upsweep::cpu on{.threads = 4};

/// Verbs whose loops are compiled here, with operators and functions of this file.
int scans(std::vector<long> const& x) {
  auto const add = [](long a, long b) { return a + b; };
  std::vector<long> y(n), expected(n);
  std::partial_sum(x.begin(), x.end(), expected.begin());
  upsweep::inclusive_scan(on, x, y, add);
  int wrong = y != expected;
  wrong += upsweep::reduce(on, x, add) != expected.back();
  upsweep::transform_inclusive_scan(on, x, y, [](long a) { return 2 * a; }, upsweep::plus{});
  wrong += y.back() != 2 * expected.back();
  upsweep::sort(on, y, std::greater<>{});
  return wrong + (y.front() != 2 * expected.back());
}

int selections(std::vector<long> const& x) {
  std::vector<long> y(n);
  int wrong = upsweep::select(on, x, y, [](long a) { return a % 2 != 0; }) != n / 2 + 1;
  std::vector<long> ends(n);
  for (std::size_t i = 0; i < n; ++i) ends[i] = x[i] / 3;
  wrong += upsweep::unique(on, ends, y) != static_cast<std::size_t>(ends.back() - ends[0] + 1);
  upsweep::windowed(on, x, 3, std::span(y).first(n - 2), [](long a, long b) { return a + b; });
  wrong += y[7] != 3 * x[8];
  std::vector<std::size_t> counts(4);
  upsweep::histogram(on, x, counts, upsweep::even{0, 400});
  return wrong + (counts != std::vector<std::size_t>(4, 100));
}

/// Elements with memory of their own, which one thread allocates and another one reads or frees.
int strings() {
  std::vector<std::string> letters(20'000, "ab");
  int wrong = upsweep::reduce(on, letters, upsweep::concat{}).size() != 2 * letters.size();
  auto const longest = [](auto const& a, auto const& b) { return a.size() < b.size() ? b : a; };
  letters[7] = std::string(100, 'x');
  upsweep::inclusive_scan(on, letters, letters, longest);
  return wrong + (letters.back() != letters[7]);
}

}  // namespace

int main() {
  std::vector<long> x(n);
  std::iota(x.begin(), x.end(), -17L);
  int wrong[2] = {};
  std::vector<std::thread> threads;
  for (int& each : wrong)
    threads.emplace_back([&] {
      for (int i = 0; i < 3; ++i) each += scans(x) + selections(x) + strings();
    });
  for (auto& each : threads) each.join();
  return wrong[0] + wrong[1];
}

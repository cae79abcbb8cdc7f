/// What tree::pairwise costs (docs/spec/pairwise.md): reductions in both trees, of doubles by the
/// library's sum and of maps by a caller's operator; and what scans would cost, whose every prefix
/// had that tree. Times are medians, in ns an element.
#include <bench/timing.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::bench {
namespace {

struct map_of {
  double a, b;
};
/// x -> a x + b, the earlier map first.
struct then {
  map_of operator()(map_of const& f, map_of const& g) const { return {g.a * f.a, g.a * f.b + g.b}; }
};
double used_of(double x) {
  return x;
}
double used_of(map_of const& x) {
  return x.b;
}

/// The median of nine ratios of measurements that follow each other, and the least times. On one
/// thread the clock is the CPU's, which a busy machine disturbs less.
template <class T, class Op>
void compare(char const* what, std::vector<T> const& x, Op const& op, int threads) {
  cpu const on{threads};
  constexpr std::size_t enough = 1u << 21;  // elements: milliseconds
  std::size_t const calls = (enough + x.size() - 1) / x.size();
  auto const time = [&](tree t) {
    auto const run = [&] {
      for (std::size_t c = 0; c < calls; ++c) used = used_of(reduce(on, x, op, {.tree = t}));
    };
    return threads == 1 ? time_of(calls * x.size(), nothing, run, processor_time{})
                        : time_of(calls * x.size(), nothing, run);
  };
  double prefix = 1e9, pairwise = 1e9;
  std::vector<double> ratios;
  for (int run = 0; run < 9; ++run) {
    double const ours = time(tree::prefix), theirs = time(tree::pairwise);
    ratios.push_back(theirs / ours);
    prefix = std::min(prefix, ours);
    pairwise = std::min(pairwise, theirs);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("| %s | %zu | %d | %s | %s | %.2f |\n", what, x.size(), threads, cell(prefix).c_str(),
              cell(pairwise).c_str(), ratios[4]);
}

/// The inclusive scan in which every prefix is joined from the right, by the totals of the blocks
/// that the elements so far consist of. Returns how often it applies the operator.
template <class T, class Op>
std::size_t scan_pairwise(std::vector<T> const& x, std::vector<T>& out, Op const& op) {
  std::size_t applied = 0;
  T block[64];
  for (std::size_t m = 1; m <= x.size(); ++m) {
    T total = x[m - 1];
    int k = 0;
    for (; (m >> k & 1) == 0; ++k, ++applied) total = op(block[k], total);
    block[k] = total;
    for (std::size_t rest = m & (m - 1); rest != 0; rest &= rest - 1, ++applied)
      total = op(block[std::countr_zero(rest)], total);
    out[m - 1] = total;
  }
  return applied;
}

template <class T, class Op>
void compare_scans(char const* what, std::vector<T> const& x, Op const& op) {
  std::vector<T> out(x.size());
  std::size_t applied = 0;
  double const ours =
      time_of(x.size(), nothing, [&] { inclusive_scan(serial{}, x, out, op); }, processor_time{});
  double const theirs =
      time_of(x.size(), nothing, [&] { applied = scan_pairwise(x, out, op); }, processor_time{});
  used = used_of(out.back());
  std::printf("| %s | %zu | %s | %s | %.1f |\n", what, x.size(), cell(ours).c_str(),
              cell(theirs).c_str(), static_cast<double>(applied) / static_cast<double>(x.size()));
}

void run() {
  int const all = static_cast<int>(std::thread::hardware_concurrency());
  std::printf(
      "%s\n\n| reduce | n | threads | prefix | pairwise | ratio |\n|---|--:|--:|--:|--:|--:|\n",
      processor().c_str());
  std::vector<double> x;
  std::vector<map_of> maps;
  for (std::size_t const n :
       {1u << 10, (1u << 10) - 1, 1u << 16, (1u << 16) - 1, 1u << 22, (1u << 22) - 1}) {
    x.resize(n);
    maps.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<double>(number(i));
      maps[i] = {x[i], 0.5};
    }
    for (int const threads : {1, all}) {
      if (threads == 1 || n > (1u << 16)) compare("sum of f64", x, plus{}, threads);
      if (threads == 1 || n > (1u << 16)) compare("own operator", maps, then{}, threads);
    }
  }
  std::printf(
      "\n| inclusive scan, one thread | n | prefix | pairwise | applications an element |\n"
      "|---|--:|--:|--:|--:|\n");
  for (std::size_t const n : {1u << 16, 1u << 22}) {
    x.resize(n);
    maps.resize(n);
    compare_scans("sum of f64", x, plus{});
    compare_scans("own operator", maps, then{});
  }
}

}  // namespace
}  // namespace upsweep::bench

int main() {
  upsweep::bench::run();
}

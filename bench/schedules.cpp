/// The orders in which threads can share the tiles of a call by the vector kernels: what the
/// constants of host/plan.cpp are chosen by.
///
///   schedules_bench [SMALLEST [LARGEST]]    log2 of the numbers of elements; 16 and 26 if not
///   given
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <vector>

namespace upsweep::bench {
namespace {

struct variant {
  char const* name;
  host::plan plan;
};

/// log2 of a tile for n elements, at least `per_thread` tiles a thread and at most 2^largest each.
int tile_log2(std::size_t n, int threads, int per_thread, int largest) {
  int k = 0;
  while (k < largest && (std::size_t{2} << k) * static_cast<std::size_t>(per_thread * threads) <= n)
    ++k;
  return k;
}

host::plan plan_of(int threads, int tile, host::tile_order order, bool streamed = false,
                   bool ahead = false) {
  return {.strategy = host::strategy::compiled,
          .threads = threads,
          .tile_log2 = tile,
          .streamed = streamed,
          .order = order,
          .ahead = ahead};
}

std::vector<variant> reductions(host::plan const& picked, std::size_t n, int threads) {
  if (threads == 1) return {{"picked", picked}};
  int const tile = tile_log2(n, threads, 4, 19);
  return {{"picked", picked},
          {"tickets", plan_of(threads, tile, host::tile_order::tickets)},
          {"shares", plan_of(threads, tile, host::tile_order::shares)}};
}

std::vector<variant> scans(host::plan const& picked, std::size_t n, int threads) {
  using host::tile_order;
  if (threads == 1)
    return {{"picked", picked},
            {"cached", plan_of(1, 62, tile_order::tickets, false)},
            {"streamed", plan_of(1, 62, tile_order::tickets, true)}};
  int const tile = tile_log2(n, threads, 4, 16), part = tile_log2(n, threads, 4, 62);
  return {{"picked", picked},
          {"tickets, ahead", plan_of(threads, tile, tile_order::tickets, true, true)},
          {"tickets", plan_of(threads, tile, tile_order::tickets, true)},
          {"tickets, cached", plan_of(threads, tile, tile_order::tickets)},
          {"shares", plan_of(threads, part, tile_order::shares, true)},
          {"shares, cached", plan_of(threads, part, tile_order::shares)}};
}

/// Prints the median of each plan in GB/s of `bytes` per call. Calls with one plan follow each
/// other, as in a program: others would leave the data in other cores' caches.
template <class Call>
void measure(char const* what, std::size_t bytes, std::size_t n, std::vector<variant> const& all,
             Call const& call) {
  int const calls = n <= std::size_t{1} << 22 ? 101 : n <= std::size_t{1} << 24 ? 21 : 9;
  std::printf("%10zu %3d   %-14s", n, all.back().plan.threads, what);
  for (variant const& v : all) {
    std::vector<double> seconds;
    for (int c = -calls / 5; c < calls; ++c) {
      auto const begin = std::chrono::steady_clock::now();
      call(v.plan);
      std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
      if (c >= 0) seconds.push_back(took.count());
    }
    auto const median = seconds.begin() + calls / 2;
    std::nth_element(seconds.begin(), median, seconds.end());
    std::printf("   %s %.0f", v.name, 1e-9 * static_cast<double>(bytes) / *median);
  }
  std::printf("\n");
  std::fflush(stdout);
}

volatile float used;  // keeps the results

void measure_all(std::vector<float>& in, std::vector<float>& out, std::size_t n, int threads) {
  host::workload w{host::strategy::compiled, sizeof(float), sizeof(float)};
  host::compiled_scan<plus, float> const& scan = host::compiled_scans<plus, float>();
  host::compiled_reduce<plus, float> const& reduce = host::compiled_reductions<plus, float>();
  std::size_t const bytes = n * sizeof(float);
  measure("reduce", bytes, n, reductions(host::plan_reduce(w, n, threads), n, threads),
          [&](host::plan const& p) { used = reduce.reduce(in.data(), n, mode::reproducible, p); });
  measure(
      "scan", 2 * bytes, n, scans(host::plan_scan(w, n, threads), n, threads),
      [&](host::plan const& p) { scan.inclusive(in.data(), out.data(), n, p, nullptr, nullptr); });
  w.in_place = true;
  measure(
      "scan in place", 2 * bytes, n, scans(host::plan_scan(w, n, threads), n, threads),
      [&](host::plan const& p) { scan.inclusive(out.data(), out.data(), n, p, nullptr, nullptr); });
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  int const smallest = argc > 1 ? std::atoi(argv[1]) : 16;
  int const largest = argc > 2 ? std::atoi(argv[2]) : 26;
  if (smallest < 1 || largest < smallest || largest > 32) {
    std::fprintf(stderr, "usage: schedules_bench [SMALLEST [LARGEST]], from 1 to 32\n");
    return 2;
  }
  std::vector<float> in(std::size_t{1} << largest), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.25f * static_cast<float>(i % 17);
  std::printf("  elements threads   sums of float, GB/s read and written\n");
  // With a thread on every processor, the call waits for each one that another program takes.
  int const all = upsweep::host::threads::available();
  std::set<int> counts{all - all / 4, all - all / 16, all};
  for (int threads = 1; threads < all; threads *= 2) counts.insert(threads);
  for (int k = smallest; k <= largest; ++k)
    for (int const threads : counts)
      upsweep::bench::measure_all(in, out, std::size_t{1} << k, threads);
}

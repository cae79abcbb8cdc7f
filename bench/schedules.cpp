/// The orders in which threads can share the tiles of a vector scan, side by side: what the
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

std::vector<variant> variants(std::size_t n, int threads) {
  using host::tile_order;
  auto const plan = [&](int tile, bool streamed, tile_order order, bool ahead) {
    return host::plan{.engine = host::engine::vector,
                      .threads = threads,
                      .tile_log2 = tile,
                      .streamed = streamed,
                      .order = order,
                      .ahead = ahead};
  };
  variant const picked{
      "picked", host::plan_scan({host::engine::vector, sizeof(float), sizeof(float)}, n, threads)};
  if (threads == 1)
    return {picked,
            {"cached", plan(62, false, tile_order::tickets, false)},
            {"streamed", plan(62, true, tile_order::tickets, false)}};
  int const tile = tile_log2(n, threads, 4, 16), part = tile_log2(n, threads, 4, 62);
  return {picked,
          {"tickets, ahead", plan(tile, true, tile_order::tickets, true)},
          {"tickets", plan(tile, true, tile_order::tickets, false)},
          {"tickets, cached", plan(tile, false, tile_order::tickets, false)},
          {"shares", plan(part, true, tile_order::shares, false)},
          {"shares, cached", plan(part, false, tile_order::shares, false)}};
}

/// The medians in GB/s, elements read once and written once.
void measure(std::vector<float> const& in, std::vector<float>& out, std::size_t n, int threads) {
  auto const all = variants(n, threads);
  std::vector<std::vector<double>> seconds(all.size());
  int const rounds = n <= std::size_t{1} << 20 ? 41 : n <= std::size_t{1} << 24 ? 13 : 7;
  std::size_t const calls = std::max<std::size_t>(1, (std::size_t{1} << 18) / n);
  host::compiled_scan<plus, float> const& scan = host::compiled_verbs<plus>();
  for (int round = 0; round < rounds; ++round)
    for (std::size_t v = 0; v < all.size(); ++v) {
      auto const call = [&] {
        scan.inclusive(in.data(), out.data(), n, all[v].plan, nullptr, nullptr);
      };
      call();  // the caches hold what this variant leaves there
      auto const begin = std::chrono::steady_clock::now();
      for (std::size_t c = 0; c < calls; ++c) call();
      std::chrono::duration<double> const took = std::chrono::steady_clock::now() - begin;
      seconds[v].push_back(took.count() / static_cast<double>(calls));
    }
  std::printf("%10zu %3d", n, threads);
  for (std::size_t v = 0; v < all.size(); ++v) {
    auto const median = seconds[v].begin() + rounds / 2;
    std::nth_element(seconds[v].begin(), median, seconds[v].end());
    std::printf("   %s %.0f", all[v].name, 8e-9 * static_cast<double>(n) / *median);
  }
  std::printf("\n");
  std::fflush(stdout);
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
  std::printf("  elements threads   inclusive sums of float, GB/s\n");
  for (int k = smallest; k <= largest; ++k)
    for (int threads = 1; threads <= upsweep::host::threads::available(); threads *= 2)
      upsweep::bench::measure(in, out, std::size_t{1} << k, threads);
}

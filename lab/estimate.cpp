/// The constants were chosen on the textbook's kernels on an H200: tools/estimate_error.py.
#include <io/error.hpp>
#include <lab/estimate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::lab {

namespace {

constexpr gpu_limits gpus[] = {
    {"H200", 132, 1.98e9, 4.2e12, 2048, 32, 233472},
    {"H100", 132, 1.98e9, 2.95e12, 2048, 32, 233472},
    {"A100", 108, 1.41e9, 1.37e12, 2048, 32, 167936},
    {"RTX 4090", 128, 2.52e9, 0.89e12, 1536, 24, 102400},
    {"T4", 40, 1.59e9, 0.28e12, 1024, 16, 65536},
};

/// The emulator counts accesses, barriers, shuffles and applications, not arithmetic.
constexpr double instructions_per_step = 6, schedulers = 4;

/// Cycles until the result of a step is there.
constexpr double of_global = 700, of_shared = 40, of_barrier = 60, of_shuffle = 40,
                 of_instruction = 6;

constexpr double of_a_launch = 2.5e-6;  // seconds

/// A shuffle takes two passes of the data path that shared memory uses.
constexpr double passes_of_shuffle = 2;

constexpr std::size_t warp_of(std::size_t threads) {
  return (threads + 31) / 32;
}

}  // namespace

std::span<gpu_limits const> known_gpus() {
  return gpus;
}

gpu_limits const& gpu_named(std::string_view name) {
  auto const same = [&](gpu_limits const& g) {
    return std::ranges::equal(g.name, name, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) ==
             std::tolower(static_cast<unsigned char>(b));
    });
  };
  auto const found = std::ranges::find_if(gpus, same);
  if (found != std::end(gpus)) return *found;
  std::vector<std::string_view> names;
  for (auto const& g : gpus) names.push_back(g.name);
  throw io::usage_error(
      fmt::format("there are no limits of a GPU '{}', only of {}", name, fmt::join(names, ", ")));
}

occupancy occupancy_of(gpu_limits const& gpu, std::size_t threads_per_block,
                       std::size_t shared_bytes_per_block, int registers) {
  std::size_t const warps = std::max<std::size_t>(warp_of(threads_per_block), 1);
  auto const most_warps = static_cast<std::size_t>(gpu.threads / 32);
  occupancy o{static_cast<int>(most_warps / warps), 0, "threads"};
  auto const limit_to = [&o](std::size_t blocks, char const* what) {
    if (static_cast<std::size_t>(o.blocks) > blocks) o = {static_cast<int>(blocks), 0, what};
  };
  limit_to(static_cast<std::size_t>(gpu.blocks), "blocks");
  // CUDA reserves 1 KiB for each block, and registers for whole warps in units of 256.
  if (shared_bytes_per_block > 0)
    limit_to(gpu.shared_bytes / (shared_bytes_per_block + 1024), "shared memory");
  if (registers > 0)
    limit_to(gpu.registers / ((static_cast<std::size_t>(registers) * 32 + 255) / 256 * 256 * warps),
             "registers");
  o.share = static_cast<double>(static_cast<std::size_t>(o.blocks) * warps) /
            static_cast<double>(most_warps);
  return o;
}

occupancy occupancy_of(gpu_limits const& gpu, sim::launch_report const& launch) {
  return occupancy_of(gpu, launch.shape.threads.count(),
                      launch.declared_shared_bytes + launch.shape.shared_bytes);
}

std::optional<time_estimate> estimate(sim::launch_report const& launch, gpu_limits const& gpu) {
  sim::counters const& c = launch.total;
  if (c.polls > 0) return {};
  auto const count = [](std::uint64_t x) { return static_cast<double>(x); };
  double const blocks = std::max(count(launch.shape.blocks.count()), 1.0),
               warps =
                   blocks * count(std::max<std::size_t>(warp_of(launch.shape.threads.count()), 1)),
               used = std::min(blocks, static_cast<double>(gpu.multiprocessors));
  double const cycles = used * gpu.hertz;  // of all multiprocessors in use, in a second
  time_estimate t;
  t.issue = instructions_per_step * count(c.steps) / (schedulers * cycles);
  t.shared = (count(c.shared_wavefronts) + passes_of_shuffle * count(c.shuffles)) / cycles;
  t.memory = 32 * count(c.sectors_loaded + c.sectors_stored) / gpu.bytes_per_second;
  double const warp_cycles =
      (of_global * count(c.global_requests) + of_shared * count(c.shared_requests) +
       of_shuffle * count(c.shuffles + c.votes) +
       of_instruction * instructions_per_step * count(c.steps)) /
          warps +
      of_barrier * count(c.barriers) / blocks;
  int const resident = occupancy_of(gpu, launch).blocks;
  double const waves = blocks / (static_cast<double>(gpu.multiprocessors) * std::max(resident, 1));
  t.latency = std::max(waves, 1.0) * warp_cycles / gpu.hertz;
  std::pair<double, char const*> const bounds[] = {{t.issue, "issue"},
                                                   {t.shared, "shared memory"},
                                                   {t.memory, "memory"},
                                                   {t.latency, "latency"}};
  auto const longest =
      *std::ranges::max_element(bounds, {}, &std::pair<double, char const*>::first);
  t.bound = longest.second;
  t.seconds = longest.first + of_a_launch;
  return t;
}

}  // namespace upsweep::lab

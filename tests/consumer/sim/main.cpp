// What a user of the emulator writes: loads kernels, runs them and prints what they cost.
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/modules/module.hpp>
#include <upsweep/sim/modules/runtime.hpp>

#include <cstdio>
#include <span>
#include <vector>

namespace sim = upsweep::sim;

namespace {

constexpr int threads = 64;

/// 2·log2 n + 1 barriers, and n log2 n - (n - 1) applications if they are counted. Branches diverge
/// and lines are known only if the module was compiled with the flags for kernels.
bool is_right(sim::report const& report, int last, unsigned long long applications) {
  sim::counters const cost = report.total();
  auto const& lines = report.launches.back().lines;
  std::printf("last %d, %llu applications, %llu barriers, %llu divergent steps, first line %s:%u\n",
              last, static_cast<unsigned long long>(cost.applications),
              static_cast<unsigned long long>(cost.barriers),
              static_cast<unsigned long long>(cost.divergent_steps),
              lines.empty() ? "" : lines.front().line.file.c_str(),
              lines.empty() ? 0 : lines.front().line.line);
  return last == threads && cost.applications == applications && cost.barriers == 13 &&
         cost.divergent_steps > 0 && !lines.empty() &&
         lines.front().line.file.ends_with("kogge_stone.cuh") && report.findings.empty();
}

}  // namespace

int main() {
  sim::module const kernels(KERNELS);
  std::vector<int> const x(threads, 1);

  sim::machine cuda;  // what cudaMalloc() and launches of the module use
  std::vector<int> sums(threads);
  {
    sim::runtime const runtime(cuda);
    if (kernels.function<int(int const*, int*)>("scan")(x.data(), sums.data()) != 0) return 2;
  }
  bool const plain = is_right(cuda.result(), sums.back(), 0);

  sim::machine machine;
  int* const in = machine.allocate<int>(x.size(), "in");
  int* const out = machine.allocate<int>(x.size(), "out");
  machine.to_device(in, std::span<int const>(x));
  kernels.function<void(sim::machine&, int const*, int*)>("count")(machine, in, out);
  bool const counted =
      is_right(machine.result(), machine.to_host(out, x.size()).back(), threads * 6 - 63);
  return plain && counted ? 0 : 1;
}

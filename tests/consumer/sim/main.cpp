// What a user of the emulator writes: runs a kernel of the textbook and prints what it cost.
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/operation.hpp>
#include <upsweep/textbook/scan/block/kogge_stone.hpp>

#include <cstdio>
#include <span>
#include <vector>

namespace sim = upsweep::sim;
namespace simt = upsweep::simt;

int main() {
  constexpr int threads = 64;
  std::vector<int> const x(threads, 1);
  sim::machine machine(sim::options{});
  simt::global<int> const in = machine.allocate<int>(x.size(), "in");
  simt::global<int> const out = machine.allocate<int>(x.size(), "out");
  machine.to_device(in, std::span<int const>(x));
  upsweep::textbook::kogge_stone_plan<threads>::run(machine, simt::global<int const>(in), out,
                                                    x.size(), sim::operation<int>(upsweep::plus{}));
  int const last = machine.to_host(out, x.size()).back();
  sim::report const report = machine.result();
  upsweep::sim::counters const cost = report.total();
  std::printf("last %d, %llu applications, %llu barriers, %llu divergent steps\n", last,
              static_cast<unsigned long long>(cost.applications),
              static_cast<unsigned long long>(cost.barriers),
              static_cast<unsigned long long>(cost.divergent_steps));
  // n·log2 n - (n - 1) applications and 1 + 2·log2 n barriers, as the kernel's header says.
  // Divergent branches are counted only if the target passes on the flags for kernels.
  bool const right = last == 64 && cost.applications == 64 * 6 - 63 && cost.barriers == 13 &&
                     cost.divergent_steps > 0 && report.findings.empty();
  return right ? 0 : 1;
}

// What a user of the emulator writes: runs a kernel with handles and prints what it cost.
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/operation.hpp>

#include <cstdio>
#include <span>
#include <vector>

namespace sim = upsweep::sim;
namespace simt = upsweep::simt;

#include <upsweep/simt/begin.hpp>
__global__ void kogge_stone(simt::global<int const> in, simt::global<int> out,
                            sim::operation<int> op) {
  __shared__ simt::shared<int, 64> tile;
  unsigned const t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    int sum = 0;
    if (t >= stride) sum = op(tile[t - stride], tile[t]);
    __syncthreads();
    if (t >= stride) tile[t] = sum;
    __syncthreads();
  }
  out[t] = tile[t];
}
#include <upsweep/simt/end.hpp>

int main() {
  constexpr int threads = 64;
  std::vector<int> const x(threads, 1);
  sim::machine machine(sim::options{});
  simt::global<int> const in = machine.allocate<int>(x.size(), "in");
  simt::global<int> const out = machine.allocate<int>(x.size(), "out");
  machine.to_device(in, std::span<int const>(x));
  machine.launch({.name = "kogge_stone", .threads = {threads}}, kogge_stone, in, out,
                 sim::operation<int>(upsweep::plus{}));
  int const last = machine.to_host(out, x.size()).back();
  sim::report const report = machine.result();
  upsweep::sim::counters const cost = report.total();
  std::printf("last %d, %llu applications, %llu barriers, %llu divergent steps\n", last,
              static_cast<unsigned long long>(cost.applications),
              static_cast<unsigned long long>(cost.barriers),
              static_cast<unsigned long long>(cost.divergent_steps));
  // n·log2 n - (n - 1) applications and 1 + 2·log2 n barriers.
  // Divergent branches are counted only if the target passes on the flags for kernels.
  bool const right = last == 64 && cost.applications == 64 * 6 - 63 && cost.barriers == 13 &&
                     cost.divergent_steps > 0 && report.findings.empty();
  return right ? 0 : 1;
}

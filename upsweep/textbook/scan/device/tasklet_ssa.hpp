/// Scan-scan-add on fine-grained multithreaded cores: tasklets scan what fits their cache and pass
/// the inclusive prefix on by handshakes.
/// Cost: 4N main-memory accesses · per core and round: 1 barrier, 16 handshakes ·
/// the host scans one total per core
/// Source: Gómez-Luna et al. 2022 (PrIM, SCAN-SSA); ETH Zürich, P&S Processing-in-Memory, UPMEM
/// Page: docs/algorithms/tasklet_ssa.md
///
/// In the published kernel the last tasklet may replace the prefix while others are still
/// adding it, and every tasklet must run the same number of rounds. Here the prefix is a
/// message, and tasklets without elements pass it on.
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>
#include <upsweep/textbook/tasklets.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, class Op>
__global__ void tasklet_scan(T const* in, T* out, T* totals, std::size_t n, Op op) {
  __shared__ unsigned notified[core_shape::tasklets];
  __shared__ T message[core_shape::tasklets];
  __shared__ T local[core_shape::tasklets * core_shape::cache];
  mailbox<T> const box{notified, message};
  handshake_init(box);
  __syncthreads();  // every flag is cleared before the first notification
  T const total = scan_share(in, out, n, false, T{}, box, local, op);
  if (threadIdx.x == core_shape::tasklets - 1) totals[blockIdx.x] = total;
}

/// Every core adds its exclusive prefix; for core 0 that is the identity, so that all cores run the
/// same kernel.
template <class T, class Op>
__global__ void tasklet_add(T* out, T const* carries, std::size_t n, Op op) {
  constexpr unsigned tasklets = core_shape::tasklets, cache = core_shape::cache,
                     rounds = core_shape::rounds;
  T const carry = carries[blockIdx.x];
  for (unsigned round = 0; round < rounds; ++round) {
    std::size_t const first =
        ((std::size_t{blockIdx.x} * rounds + round) * tasklets + threadIdx.x) * cache;
    unsigned const count = cached(first, n);
    for (unsigned j = 0; j < count; ++j) out[first + j] = op(carry, out[first + j]);
  }
}

/// `threads` is ignored: a core has core_shape::tasklets of them.
template <int threads>
struct tasklet_ssa_plan {
  static constexpr int least_threads = 1;
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = core_shape::share;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    if (n == 0) return;
    constexpr unsigned tasklets = core_shape::tasklets;
    unsigned const cores = blocks_for(n, core_shape::share);
    auto const totals = machine.template allocate<T>(cores, "totals");
    machine.launch({.name = "tasklet_scan",
                    .blocks = {cores},
                    .threads = {tasklets},
                    .independent_blocks = true},
                   tasklet_scan<T, Op>, in, out, totals, n, op);
    if (cores == 1) return;
    auto const carries = host_exclusive_scan<T>(machine, totals, cores, op);
    machine.launch({.name = "tasklet_add",
                    .blocks = {cores},
                    .threads = {tasklets},
                    .independent_blocks = true},
                   tasklet_add<T, Op>, out, carries, n, op);
  }
};

}  // namespace upsweep::textbook

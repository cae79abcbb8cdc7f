/// Reduce-scan-scan on fine-grained multithreaded cores: the first kernel only reads, the second
/// scans starting from its carry.
/// Cost: 3N main-memory accesses · reduction: 1 barrier per core ·
/// scan, per core and round: 1 barrier, 16 handshakes
/// Source: Gómez-Luna et al. 2022 (PrIM, SCAN-RSS); ETH Zürich, P&S Processing-in-Memory, UPMEM
/// Page: docs/algorithms/tasklet_rss.md
///
/// In the published kernel the tasklets take blocks of the array in turn, which regroups across
/// them and needs a commutative operator; here each takes a contiguous part.
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>
#include <upsweep/textbook/tasklets.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, class Op>
__global__ void tasklet_reduce(T const* in, T* totals, std::size_t n, Op op) {
  constexpr unsigned tasklets = core_shape::tasklets, cache = core_shape::cache,
                     rounds = core_shape::rounds;
  __shared__ T message[core_shape::tasklets];
  __shared__ T local[core_shape::tasklets * core_shape::cache];
  unsigned const t = threadIdx.x, base = t * cache;
  T sum = identity_of<T>(op);
  for (unsigned round = 0; round < rounds; ++round) {
    std::size_t const first = ((std::size_t{blockIdx.x} * tasklets + t) * rounds + round) * cache;
    unsigned const count = cached(first, n);
    for (unsigned j = 0; j < count; ++j) local[base + j] = in[first + j];
    for (unsigned j = 0; j < count; ++j) sum = op(sum, local[base + j]);
  }
  message[t] = sum;
  __syncthreads();  // every tasklet's total is in local memory
  if (t > 0) return;
  for (unsigned other = 1; other < tasklets; ++other) sum = op(sum, message[other]);
  totals[blockIdx.x] = sum;
}

template <class T, class Op>
__global__ void tasklet_scan_from(T const* in, T* out, T const* carries, std::size_t n, Op op) {
  __shared__ unsigned notified[core_shape::tasklets];
  __shared__ T message[core_shape::tasklets];
  __shared__ T local[core_shape::tasklets * core_shape::cache];
  mailbox<T> const box{notified, message};
  handshake_init(box);
  __syncthreads();  // every flag is cleared before the first notification
  T const carry = carries[blockIdx.x];
  scan_share(in, out, n, blockIdx.x > 0, carry, box, local, op);
}

/// `threads` is ignored: a core has core_shape::tasklets of them.
template <int threads>
struct tasklet_rss_plan {
  static constexpr int least_threads = 1;
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = core_shape::share;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    if (n == 0) return;
    constexpr unsigned tasklets = core_shape::tasklets;
    unsigned const cores = blocks_for(n, core_shape::share);
    auto const totals = machine.template allocate<T>(cores, "totals");
    machine.launch({.name = "tasklet_reduce",
                    .blocks = {cores},
                    .threads = {tasklets},
                    .independent_blocks = true},
                   tasklet_reduce<T, Op>, in, totals, n, op);
    auto const carries = host_exclusive_scan<T>(machine, totals, cores, op);
    machine.launch({.name = "tasklet_scan_from",
                    .blocks = {cores},
                    .threads = {tasklets},
                    .independent_blocks = true},
                   tasklet_scan_from<T, Op>, in, out, carries, n, op);
  }
};

}  // namespace upsweep::textbook

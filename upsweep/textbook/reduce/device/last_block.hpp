/// two_pass in one launch: each block draws a ticket once its partial is published, and the block
/// with the last ticket reduces the partials.
/// Cost: N + B loads, B + 1 stores, B tickets · 1 launch
/// Source: beyond the sources; CUDA sample threadFenceReduction
/// Page: docs/algorithms/last_block.md
///
/// The sample fences only after the partial is written. The reader needs a fence too, between
/// drawing the last ticket and reading the others' partials: without it nothing guarantees that it
/// sees them.
#pragma once

#include <upsweep/textbook/reduce/device/two_pass.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void last_block(T const* in, T* partials, unsigned* tickets, T* out, std::size_t n,
                           std::size_t items, Op op) {
  __shared__ unsigned ticket;
  unsigned const t = threadIdx.x;
  std::size_t const first = (blockIdx.x * std::size_t{threads} + t) * items;
  T const partial = block_total<threads>(run_total<T>(in, first, items, n, op), op);
  if (t == 0) {
    partials[blockIdx.x] = partial;
    __threadfence();  // the partial is visible to all before the ticket is drawn
    ticket = atomicAdd(&tickets[0], 1u);
    __threadfence();  // the partials published before earlier tickets are visible here
  }
  __syncthreads();  // every thread has the ticket, and sees what thread 0 sees
  unsigned const drawn = ticket;
  if (drawn + 1 < gridDim.x) return;
  unsigned const share = tiles_of(gridDim.x, threads);
  T const total = block_total<threads>(run_total<T>(partials, t * share, share, gridDim.x, op), op);
  if (t == 0) out[0] = total;
}

template <int threads>
struct last_block_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool keeps_order = true;
  static constexpr std::size_t items = 4;
  static constexpr std::size_t tile = items * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    unsigned const blocks = tiles_of(n, tile);
    T* const partials = machine.template allocate<T>(blocks, "partials");
    unsigned* const tickets = machine.template allocate<unsigned>(1, "tickets");
    machine.fill(tickets, 1, 0u);
    machine.launch({.name = "last_block", .blocks = {blocks}, .threads = {threads}},
                   last_block<T, threads, Op>, in, partials, tickets, out, n, items, op);
  }
};

}  // namespace upsweep::textbook

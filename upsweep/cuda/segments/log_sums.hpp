/// Logarithms of sums of exponentials of long lines, with the bits of core/log_of_sum.hpp.
/// One read of each element, one store of each result · 1 launch
/// docs/design/0020-lines-on-a-gpu.md
///
/// A warp has a chunk of a line. That with the last one waits for the totals of the others.
#pragma once

#include <upsweep/cuda/device/aligned_blocks.hpp>
#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/exponential.hpp>
#include <upsweep/cuda/device/wave.hpp>
#include <upsweep/cuda/segments/lines.hpp>
#include <upsweep/cuda/segments/long.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::device {

/// Elements of a lane, in vectors of 16 bytes; those of a warp; and warps of a block.
inline constexpr unsigned log_sum_items = 32, log_sum_chunk_log2 = 10,
                          log_sum_chunk = 1U << log_sum_chunk_log2, log_sum_warps = 4;
static_assert(log_sum_chunk == 32 * log_sum_items);

/// Lines one after another.
template <class E>
struct log_sums_call {
  E const* x;
  std::size_t count, size;
  unsigned chunks;  ///< of a line, the last of which may be a part of one
  bool vectors;     ///< all lines are aligned to 16 bytes
  log_sum_number<E>* out;
};

/// log_sums_of with a table in shared memory.
template <class T>
struct log_sums_by {
  using A = detail::scaled_exponentials<T>;
  static constexpr bool commutative = true, exact = false;

  std::uint64_t const* powers;

  __device__ A operator()(A const& earlier, A const& later) const {
    return log_sums_of<T>::combined(earlier, later, powers);
  }
};

/// A chunk in the registers of a warp.
template <class E>
class log_sum_chunk_of {
  using op = log_sums_by<log_sum_number<E>>;
  using A = typename op::A;
  static constexpr unsigned items = vector_items<E>(log_sum_items), rows = log_sum_items / items;

 public:
  /// Elements after the end of the line become 0.
  __device__ log_sum_chunk_of(log_sums_call<E> const& call, E const* line, std::size_t first,
                              unsigned lane)
      : lane_(lane) {
    std::size_t const at = first + std::size_t{lane * items};
    if (call.vectors && first + log_sum_chunk <= call.size) {
      auto const* const rows_at = simt::pointer_cast<vector_of<E, items> const>(line + at);
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) take(r, rows_at[r * 32]);
      return;
    }
    element_input<E const*> const in{line, call.vectors};
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      E row[items] = {};
      in.template load<items>(at + std::size_t{r * 32 * items}, call.size, row);
#pragma unroll
      for (unsigned j = 0; j < items; ++j) x_[r * items + j] = row[j];
    }
  }
  /// In every lane.
  [[nodiscard]] __device__ A total(op const& by) const {
    A of_rows[rows];
    combine_rows(by, [&](unsigned r, A const(&row)[items]) { of_rows[r] = row[items - 1]; });
    return rows_total<rows>(of_rows, lane_, by);
  }
  /// Stores the totals of the aligned blocks that the first `count` elements split into.
  __device__ void leave(unsigned count, op const& by, boxed<A>* blocks) const {
    A terms[log_sum_items];
    combine_rows(by, [&](unsigned r, A const(&row)[items]) {
#pragma unroll
      for (unsigned j = 0; j < items; ++j) terms[r * items + j] = row[j];
    });
    leave_blocks<items, rows>(terms, count, lane_, by, blocks);
  }

 private:
  __device__ void take(unsigned r, vector_of<E, items> const row) {
    std::memcpy(static_cast<void*>(x_ + r * items), &row, sizeof row);
  }
  /// Calls take(r, row) for each row, in which the totals of aligned blocks are in place.
  template <class Take>
  __device__ void combine_rows(op const& by, Take const& take) const {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      A row[items];
#pragma unroll
      for (unsigned j = 0; j < items; ++j)
        row[j] = A(static_cast<log_sum_number<E>>(x_[r * items + j]));
      combine_in_place<items>(row, by);
      take(r, row);
    }
  }

  E x_[log_sum_items];
  unsigned lane_;
};

/// The total of `count` chunks from number `first` on, in every lane. Waits for each.
template <class A, class Op>
__device__ prefix_of<A, Op> total_of_chunks(tile_totals<A> const& totals, unsigned first,
                                            unsigned count, unsigned lane, Op const& op) {
  running_blocks<A, Op> blocks(lane, op);
  for (unsigned k = 0; k < count; k += 32) {
    auto found = totals.tagged(A{});
    bool const exists = k + lane < count;
    do {
      look_again();
      totals.look(first + k + lane, exists ? 1 : 0, found);
    } while (exists && totals.missing(found) != 0);
    siblings<A> beside;
    A const total = butterfly<5>(found.value(), beside, op);
    if (k + 32 <= count) {
      blocks.push(total);
      continue;
    }
    auto all = blocks.total();
    beside.append_to(all, lane, op);
    return all.from_lane(count % 32, true);
  }
  return blocks.total();
}

/// Warp w of block b has chunk 4 b + w of all lines. Blocks start in their order, so those before a
/// block are running.
template <class E>
__global__ void __launch_bounds__(32 * log_sum_warps)
    log_sums_of_lines(log_sums_call<E> call, tile_tickets<true> tickets) {
  using T = log_sum_number<E>;
  using A = typename log_sums_by<T>::A;
  __shared__ powers_of_exp powers;
  __shared__ unsigned epoch[1];
  __shared__ boxed<A> rest[log_sum_warps][log_sum_chunk_log2];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  copy_powers(powers, 32 * log_sum_warps);
  wait_for_earlier_work();
  ticket mine{};
  if (threadIdx.x == 0) mine = draw_ticket(tickets.workspace);
  unsigned const number = blockIdx.x * log_sum_warps + warp, chunk = number % call.chunks;
  std::size_t const line = number / call.chunks, first = std::size_t{chunk} * log_sum_chunk;
  bool const exists = line < call.count;
  E const* const x = call.x + (exists ? line : 0) * call.size;
  log_sum_chunk_of<E> const held(call, x, first, lane);
  if (threadIdx.x == 0) epoch[0] = mine.epoch;
  __syncthreads();  // the epoch is known, and the powers are there
  auto const totals = tickets.workspace.totals<A>(epoch[0]);
  log_sums_by<T> const op{powers};
  bool const is_whole = exists && call.size - first >= log_sum_chunk;
  if (is_whole) {
    A const total = held.total(op);
    if (lane == 0) totals.publish(number, total);
  }
  if (exists && chunk + 1 == call.chunks) {
    unsigned const count = is_whole ? 0 : static_cast<unsigned>(call.size - first);
    if (!is_whole) held.leave(count, op, rest[warp]);
    __syncwarp();  // the totals of the last chunk are there
    auto all = total_of_chunks<A, log_sums_by<T>>(totals, number - chunk,
                                                  chunk + (is_whole ? 1 : 0), lane, op);
    for (unsigned k = 0; k < static_cast<unsigned>(__popc(count)); ++k)
      all.append(rest[warp][k], op);
    if (lane == 0) call.out[line] = detail::finish(log_sums_of<T>{}, all.value());
  }
  if (threadIdx.x == 0) tickets.leave(mine);
}

}  // namespace upsweep::device

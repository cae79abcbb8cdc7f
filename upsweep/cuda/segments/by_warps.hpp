/// Reductions of segments of some hundreds or thousands of elements, with the bits of reduce.hpp.
/// One read of elements, two of offsets, one store of each result · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// A warp has a segment: it reads two offsets, then all elements. No border is searched for, and
/// nothing is waited for. Segments that are too long for one warp are left to the last blocks of
/// the grid, whose warps have ranges of the input and combine what is in them of such segments, as
/// in long.hpp.
#pragma once

#include <upsweep/cuda/device/wave.hpp>
#include <upsweep/cuda/segments/long.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::device {

/// The elements of one segment, read by a warp in rows of 32. A chunk is `item` rows.
template <class Shape, class Input, class Op, class A>
struct segment_rows {
  Input const& in;
  Op const& op;
  std::size_t begin;  ///< of the segment
  unsigned lane;

  [[nodiscard]] __device__ A element(std::size_t i) const {
    typename Input::element const x = in.first[begin + i];
    return detail::lift(op, x, i);
  }
  /// The total of the chunk from element i on.
  [[nodiscard]] __device__ A chunk(std::size_t i) const {
    A row[Shape::item];
#pragma unroll
    for (unsigned r = 0; r < Shape::item; ++r) row[r] = element(i + r * 32 + lane);
    return rows_total<Shape::item>(row, lane, op);
  }
  /// Calls store(total) in one lane. Before element i are whole chunks, of which front() gives
  /// the total while the `count` elements from i on, which are less than `rows` rows, are on their
  /// way. There is at least one element in all.
  template <unsigned rows, class Front, class Store>
  __device__ void finish(std::size_t i, unsigned count, Front const& front,
                         Store const& store) const {
    unsigned const full = count / 32, rest = count % 32;
    // Positions after the end have the last element.
    std::size_t const first = count > 0 ? i : i - 1, last = i + count - 1;
    auto const row_at = [&](unsigned r) {
      std::size_t const at = first + r * 32 + lane;
      return element(at < last ? at : last);
    };
    A row[rows];
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) row[r] = row_at(r);
    A const in_last = row_at(full);
    prefix_of<A, Op> total = front();
    siblings<A, level_of<rows>> rows_beside;
    A const mixed = each_row_total(row, lane, op);  // of the rows in another order
    (void)butterfly<level_of<rows>>(
        simt::shuffle(whole_warp, mixed, static_cast<int>(mirrored<rows>(lane % rows))),
        rows_beside, op);
    rows_beside.append_to(total, lane, op);
    total = total.from_lane(full, i > 0);
    siblings<A> beside;
    (void)butterfly<5>(in_last, beside, op);
    beside.append_to(total, lane, op);
    if (lane == rest) store(total.value());
  }
};

/// Reduces segment k, unless it has more than `most` elements.
template <class Shape, class A, class Input, class Borders, class Results>
__device__ void reduce_own_segment(Input const& in, Borders const& borders, std::size_t n,
                                   std::size_t k, std::size_t most, Results const& results,
                                   unsigned lane) {
  using operation = std::remove_cvref_t<decltype(results.op)>;
  constexpr unsigned few = Shape::item < 8 ? Shape::item : 8;
  auto const& op = results.op;
  std::size_t const begin = borders(k, n), end = borders(k + 1, n),
                    size = begin < end ? end - begin : 0;
  if (size > most) return;
  if (size == 0) {
    if (lane == 0) results.store_empty(k);
    return;
  }
  segment_rows<Shape, Input, operation, A> const rows{in, op, begin, lane};
  auto const store = [&](A const& total) { results.store(k, total); };
  auto const count = static_cast<unsigned>(size);
  if (count < 32 * few)
    return rows.template finish<few>(
        0, count, [] { return prefix_of<A, operation>(A{}, false); }, store);
  rows.template finish<Shape::item>(
      count / Shape::chunk * Shape::chunk, count % Shape::chunk,
      [&] {
        running_blocks<A, operation> blocks(lane, op);
        for (unsigned i = 0; i + Shape::chunk <= count; i += Shape::chunk)
          blocks.push(rows.chunk(i));
        return blocks.total();
      },
      store);
}

/// What a range has of its segment j if that has more than `most` elements, and its chunks
/// published.
template <class Shape, class A, class Input, class Borders, class Range, class Results>
__device__ own_segment publish_long(segment_levels<Shape, A> const& levels, unsigned epoch,
                                    Input const& in, Borders const& borders, std::size_t n,
                                    Range const& range, unsigned j, std::size_t most,
                                    Results const& results, unsigned lane) {
  using operation = std::remove_cvref_t<decltype(results.op)>;
  own_segment const s = range.segment(j);
  if (s.size == 0 || s.is_whole || borders(range.number(j) + 1, n) - s.begin <= most) return {};
  segment_rows<Shape, Input, operation, A> const rows{in, results.op, s.begin, lane};
  crossing_chunks<Shape, A, operation> const chunks(levels, epoch, s.begin, lane, results.op);
  std::size_t const first = (range.first() + s.at - s.begin) / Shape::chunk;
  for (std::size_t c = first; c < first + s.size / Shape::chunk; ++c) {
    A const total = rows.chunk(c * Shape::chunk);
    if (lane == 0) chunks.publish(0, c, total);
  }
  return s;
}

/// Blocks whose warps have a segment each, as many as `call` may have, and after them blocks whose
/// warps have a range of `size` elements and ends of segments each. So a range waits for blocks
/// before its own only, as in a wave.
template <class Shape, class Input, class Borders, class Results, class A>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    reduce_by_warps(segment_call call, Input in, Borders borders, Results results,
                    segment_levels<Shape, A> levels, tile_tickets<true> tickets, std::size_t size) {
  using operation = std::remove_cvref_t<decltype(results.op)>;
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  wait_for_earlier_work();
  ticket mine{};
  if (threadIdx.x == 0) mine = draw_ticket(tickets.workspace);
  std::size_t const n = call.n.size(), count = call.count.size(), most = size + Shape::chunk,
                    first_range = (call.count.most + Shape::warps - 1) / Shape::warps;
  if (blockIdx.x < first_range) {
    std::size_t const k = std::size_t{blockIdx.x} * Shape::warps + warp;
    if (k < count) reduce_own_segment<Shape, A>(in, borders, n, k, most, results, lane);
  } else {
    if (threadIdx.x == 0) drawn[0] = mine;
    __syncthreads();  // the epoch is known
    unsigned const epoch = drawn[0].epoch;
    std::size_t const from = ((blockIdx.x - first_range) * Shape::warps + warp) * size;
    if (from < n + count) {
      own_range<Shape, Borders> const range(borders, n, count, from, size, lane);
      auto const publish = [&](unsigned j) {
        return publish_long(levels, epoch, in, borders, n, range, j, most, results, lane);
      };
      own_segment const first = publish(0),
                        last = range.count() > 1 ? publish(range.count() - 1) : first;
      finish_crossing(levels, epoch, range.first(), first, last, results.op, lane,
                      [&](std::size_t chunks, auto const& front) {
                        segment_rows<Shape, Input, operation, A>{in, results.op, first.begin, lane}
                            .template finish<Shape::item>(
                                chunks * Shape::chunk, first.size % Shape::chunk, front,
                                [&](A const& total) { results.store(range.number(0), total); });
                      });
    }
  }
  if (threadIdx.x == 0) tickets.leave(mine);
}

}  // namespace upsweep::device

/// Reductions by key, whatever the lengths of runs: each has the bits of the combine tree over its
/// own elements.
/// One read of elements and of a bit for each, one store of each result · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// The tiles are those of the scans; a thread makes the result of each run that ends with a piece
/// of its.
#pragma once

#include <upsweep/cuda/runs/keys.hpp>
#include <upsweep/cuda/runs/tile.hpp>
#include <upsweep/cuda/segments/levels.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::device {

/// Takes the heads of the tile, and stores the reductions of the runs that begin and end in it.
template <class Tile, class Heads, class Results>
__device__ void reduce_pieces(Tile const& tile, [[maybe_unused]] Heads const& heads,
                              std::size_t room, Results const& results) {
  using A = std::remove_cvref_t<decltype(results.initial)>;
  using operation = std::remove_cvref_t<decltype(results.op)>;
  tile.for_each_piece([&](run_piece const& piece) {
    if constexpr (Heads::are_compared)
      if (piece.is_head) heads.take_head(tile.run_at(piece.at), tile.borders().global(piece.at));
    if (!piece.ends_run) return;
    prefix_of<A, operation> total(A{}, false);
    bool const is_item = piece.size == Tile::shape::item;
    if (!piece.is_head || is_item) {
      unsigned const window = piece.at / Tile::shape::item,
                     run = piece.is_head ? piece.at : tile.borders().last_before(window);
      if (run == Tile::nowhere) return;
      tile.append_items(total, run, tile.items_before(piece.at, run) + (is_item ? 1 : 0),
                        results.op);
    }
    if (!is_item) tile.append_elements(total, piece.at, piece.size, results.op);
    std::size_t const number = tile.run_at(piece.at);
    if (number < room) results.store(number, total.value());
  });
}

/// A wave, or persistent blocks, which draw tiles; comparing keys takes a wave. Results of the
/// first `room` runs are stored.
template <bool wave, class Shape, class Heads, class Input, class Results, class A>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    reduce_runs(bounded_size size, std::size_t room, Input in, Heads heads, Results results,
                segment_levels<Shape, A> levels, tile_tickets<wave> tickets) {
  using T = typename Input::element;
  using tile_of = run_tile<Shape, Shape::most, T, A>;
  using operation = std::remove_cvref_t<decltype(results.op)>;
  using crossing = crossing_chunks<Shape, A, operation>;
  __shared__ typename tile_of::memory shared[1];
  __shared__ head_search<Shape> search[1];
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  auto const& op = results.op;
  wait_for_earlier_work();
  std::size_t const n = size.size();
  ticket mine{};  // of a wave it is on its way while heads are looked for
  if (threadIdx.x == 0) mine = draw_ticket(tickets.workspace);
  if constexpr (Heads::are_compared)
    if (n == 0 && blockIdx.x == 0 && threadIdx.x == 0) heads.take_count(0);
  unsigned t = tickets.first(mine, drawn[0]), epoch = wave ? 0 : drawn[0].epoch;
  while (std::size_t{t} * Shape::size < n) {
    std::size_t const first = std::size_t{t} * Shape::size;
    find_heads(shared[0].bits, search[0], heads, in, tickets, mine, drawn[0], t, n);
    if constexpr (wave) epoch = drawn[0].epoch;
    tile_of tile(shared[0], first, n, warp, lane);
    tile.load(in);
    __syncthreads();  // the elements are loaded, and the pieces counted
    tile.list_pieces(warp);
    tile.total_item(op);
    __syncthreads();  // the list of pieces and the totals of items are complete
    tile.total_chunk(op, [&](std::size_t begin, std::size_t chunk, A const& total) {
      crossing(levels, epoch, begin, lane, op).publish(0, chunk, total);
    });
    auto const& borders = tile.borders();
    bool const waits = borders.is_begun();  // then later tiles would wait for the next one too
    if (threadIdx.x == 0 && !waits) drawn[0].tile = tickets.next();
    __syncthreads();  // the totals of chunks are complete
    reduce_pieces(tile, heads, room, results);
    if (warp == 0 && waits) {
      std::size_t const begin = borders.global_open();
      unsigned const end = borders.end_of_begun(), own = end - borders.begin(),
                     rest = own % Shape::chunk;
      crossing(levels, epoch, begin, lane, op)
          .template look_back<true>(
              (borders.global(borders.begin()) - begin) / Shape::chunk, own / Shape::chunk,
              [&](unsigned, A const& chunks) {
                if (end == borders.end() && borders.goes_on()) return;
                auto total = prefix_of<A, operation>(chunks, true);
                tile.append_items(total, tile_of::nowhere, own / Shape::item, op);
                tile.append_elements(total, end - rest % Shape::item, rest % Shape::item, op);
                std::size_t const number = tile.run_at(borders.begin());
                if (number < room) results.store(number, total.value());
              });
      if (lane == 0) drawn[0].tile = tickets.next();
    }
    __syncthreads();  // nobody reads this tile any more, and the next one is drawn
    t = drawn[0].tile;
  }
  if (threadIdx.x == 0) tickets.leave(wave ? mine : ticket{0, epoch});
}

}  // namespace upsweep::device

/// Scans by key, whatever the lengths of runs: each run has the bits of the combine tree over its
/// own elements.
/// One read of elements and of a bit for each, one store of each result · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// A selection has marked where runs begin. A tile makes a list of its pieces, of which each thread
/// scans one at a time. Totals of items and of chunks come before, from which the tile makes the
/// prefixes of runs that have more; of runs that cross borders, tiles publish the totals of chunks
/// (segments/levels.hpp).
#pragma once

#include <upsweep/cuda/runs/keys.hpp>
#include <upsweep/cuda/runs/tile.hpp>
#include <upsweep/cuda/segments/levels.hpp>
#include <upsweep/cuda/segments/scan.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::device {

/// What one tile of a scan has beside the tile itself.
template <class Shape, class A>
struct run_prefixes {
  boxed<A> after[Shape::windows];             ///< the whole item of each window
  boxed<A> crossing[Shape::windows / 4 + 1];  ///< chunks of the run that is begun
};

/// The scan of a tile.
template <scan_kind kind, class Shape, class T, class U, class A, class Results>
class scanned_runs {
  static constexpr unsigned item = Shape::item, nowhere = run_borders<Shape>::nowhere;

 public:
  using slot = segment_slot<T, U>;
  using tile = run_tile<Shape, Shape::most / 4, T, A, slot>;
  using operation = std::remove_cvref_t<decltype(std::declval<Results const&>().op)>;
  using prefix = prefix_of<A, operation>;

  __device__ scanned_runs(tile const& t, run_prefixes<Shape, A>& prefixes, Results const& results)
      : tile_(t), prefixes_(prefixes), results_(results) {}

  /// The prefixes of the chunks of a run that is begun. Called by one warp.
  __device__ void look_back(segment_levels<Shape, A> const& levels, unsigned epoch,
                            unsigned lane) const {
    auto const& borders = tile_.borders();
    std::size_t const begin = borders.global_open();
    crossing_chunks<Shape, A, operation>(levels, epoch, begin, lane, results_.op)
        .look_back((borders.global(borders.begin()) - begin) / Shape::chunk,
                   (borders.end_of_begun() - borders.begin()) / Shape::chunk,
                   [&](unsigned c, A const& before) { prefixes_.crossing[c] = before; });
  }
  /// The prefix after the thread's whole item.
  __device__ void find_prefix() const {
    own_item const& own = tile_.whole_item();
    if (!own.exists) return;
    unsigned const items = tile_.items_before(own.at, own.run) + 1;
    prefix after(A{}, false);
    if (own.run == nowhere) after = crossing(items / 4);
    tile_.append_items(after, own.run, items, results_.op);
    prefixes_.after[threadIdx.x] = after.value();
  }
  /// Replaces elements by results, one thread for each piece.
  __device__ void scan() const {
    tile_.for_each_piece([&](run_piece const& piece) {
      unsigned const window = piece.at / item;
      prefix before(A{}, false), whole(A{}, false);
      if (!piece.is_head) {
        if (piece.at == tile_.borders().begin()) {
          before = crossing(0);
        } else {
          A const value = prefixes_.after[window - 1];
          before = prefix(value, true);
        }
      }
      if (piece.size == item) {
        A const value = prefixes_.after[window];
        whole = prefix(value, true);
      }
      scan_piece(piece, before, whole);
    });
  }
  /// Stores the results.
  __device__ void store() const {
    tile_.template store<U>(results_.out, [](slot const& x) -> U { return x.result; });
  }

 private:
  __device__ prefix crossing(unsigned chunks) const {
    A const value = prefixes_.crossing[chunks];
    return prefix(value, true);
  }
  __device__ void scan_piece(run_piece const& piece, prefix const& before,
                             prefix const& whole) const {
    scan_block<Shape::item_log2, 1, A>(
        tile_.elements_of(piece.at, results_.op), piece.at, piece.size, before, whole, results_.op,
        [&](unsigned i, prefix const& earlier, prefix const& with) {
          auto& to = tile_.slot(piece.at, i).result;
          if constexpr (kind == scan_kind::inclusive)
            to = results_.template result<U>(with.value());
          else
            to = piece.is_head && i == 0
                     ? static_cast<U>(detail::finish(results_.op, results_.empty))
                     : results_.template result<U>(earlier.value());
        });
  }

  tile const& tile_;
  run_prefixes<Shape, A>& prefixes_;
  Results const& results_;
};

/// A wave, or persistent blocks, which draw tiles; comparing keys takes a wave.
template <scan_kind kind, bool wave, class Shape, class Heads, class Input, class U, class Results,
          class A>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_runs(bounded_size size, Input in, Heads heads, Results results,
              segment_levels<Shape, A> levels, tile_tickets<wave> tickets) {
  using scan = scanned_runs<kind, Shape, typename Input::element, U, A, Results>;
  using tile_of = typename scan::tile;
  __shared__ typename tile_of::memory shared[1];
  __shared__ run_prefixes<Shape, A> prefixes[1];
  __shared__ head_search<Shape> search[1];
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
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
    tile.total_item(results.op);
    __syncthreads();  // the list of pieces and the totals of items are complete
    tile.total_chunk(results.op, [&](std::size_t begin, std::size_t chunk, A const& total) {
      crossing_chunks<Shape, A, typename scan::operation>(levels, epoch, begin, lane, results.op)
          .publish(0, chunk, total);
    });
    __syncthreads();  // the totals of chunks are complete
    scan const here(tile, prefixes[0], results);
    if (tile.borders().is_begun()) {
      if (warp == 0) here.look_back(levels, epoch, lane);
      __syncthreads();  // the prefixes of chunks that cross are complete
    }
    here.find_prefix();
    __syncthreads();  // the prefixes of items are complete
    here.scan();
    if (threadIdx.x == 0) drawn[0].tile = tickets.next();
    __syncthreads();  // all elements have become results
    here.store();
    t = drawn[0].tile;
    __syncthreads();  // nobody reads this tile any more
  }
  if (threadIdx.x == 0) tickets.leave(wave ? mine : ticket{0, epoch});
}

}  // namespace upsweep::device

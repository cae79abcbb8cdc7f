/// Linear recurrences in the tree of anchored blocks whose tiles are copied to shared memory before
/// they are needed: for lines that are adjacent in memory, in vectors of 16 bytes.
/// One read of each a and b, one store of each h · 1 launch
/// docs/design/0018-anchored-blocks.md
///
/// A block of threads stays and draws tiles one after another. While it computes one, which is in
/// registers, the next is in one stage, the one after that is being copied to the other, and one
/// thread draws those that follow. Numbers of 16 bits gain by it; wider ones fill the memory's
/// bandwidth without.
///
/// Progress: a block computes its tiles in the order of their tickets, so the earliest tile that is
/// not done is one that a block computes, and waits for none.
#pragma once

#include <upsweep/cuda/anchored/recurrence.hpp>
#include <upsweep/cuda/device/async_copy.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

/// A tile that a block has drawn. Slots are tokens of the block of 256.
template <class E>
struct anchored_tile {
  ticket drawn;
  unsigned block;  ///< of tokens
  anchored_place place;
  std::size_t line;  ///< the first
  E const *a, *b;    ///< of slot 0 and the first line
  E* h;
};

/// A tile's tokens of a and then of b, [token, line]. It has twice the lines of other tiles, so a
/// row of 16-bit elements has 128 bytes.
template <class E, class N, bool gradients = false>
struct anchored_stage {
  static constexpr unsigned width = 2 * anchored_lines<N>, threads = 2 * anchored_threads<N>,
                            tokens = upsweep::detail::anchored_size;
  static constexpr unsigned vector = 16 / sizeof(E), vectors = width / vector,
                            rows = threads / vectors;  ///< that all threads copy at once
  static constexpr std::size_t bytes = 2 * tokens * width * sizeof(E);

  E* memory;

  /// Called by all threads: starts the copies of a tile. Tokens that the call does not have become
  /// zeros.
  __device__ void fetch(anchored_call<E, N> const& call, anchored_tile<E> const& tile) const {
    anchored_place const& place = tile.place;
    if (!place.exists) return;
    // The first token's a is not there where gradients are made.
    unsigned const from_a = place.from + (gradients && place.is_first);
    if (from_a == 0 && place.end == tokens) {
      fetch<true>(memory, tile.a, call.a, call, 0, tokens);
      fetch<true>(memory + tokens * width, tile.b, call.b, call, 0, tokens);
    } else {
      fetch<false>(memory, tile.a, call.a, call, from_a, place.end);
      fetch<false>(memory + tokens * width, tile.b, call.b, call, place.from, place.end);
    }
  }
  __device__ recurrence_map<N> at(unsigned token, unsigned beside) const {
    E const* const a = memory + token * width + beside;
    return {to_number<N>(a[0]), to_number<N>(a[tokens * width])};
  }

 private:
  template <bool all>
  __device__ void fetch(E* to, E const* from, token_memory<E const> const& x,
                        anchored_call<E, N> const& call, unsigned begin, unsigned end) const {
    unsigned const row = threadIdx.x / vectors, lane = threadIdx.x % vectors * vector;
    std::ptrdiff_t const step = call.backward ? -x.token : x.token;
    from += static_cast<std::ptrdiff_t>(row) * step + static_cast<std::ptrdiff_t>(lane);
    to += row * width + lane;
#pragma unroll
    for (unsigned i = 0; i < tokens; i += rows, from += rows * step, to += rows * width) {
      bool const has = all || (row + i >= begin && row + i < end);
#ifdef __NVCC__
      copy_vector(to, has ? from : x.first, has ? vector : 0);
#else
      for (unsigned k = 0; k < vector; ++k) to[k] = has ? from[k] : E{};
#endif
    }
  }
};

/// Whether vectors of the elements can be copied: lanes are adjacent and fill tiles.
template <class E, class N>
[[nodiscard]] bool fits_stage(token_memory<E const> const& x, std::size_t lanes) {
  constexpr unsigned vector = anchored_stage<E, N>::vector;
  auto const whole = [](std::ptrdiff_t n) { return n % static_cast<std::ptrdiff_t>(vector) == 0; };
  return lanes % anchored_stage<E, N>::width == 0 && x.lane == 1 && whole(x.token) &&
         whole(x.sequence) && reinterpret_cast<std::uintptr_t>(x.first) % 16 == 0;
}

/// What one thread of a block draws ahead, so that nothing is waited for: a tile is placed when its
/// ticket and the position of its sequence have arrived.
template <class E, class N>
struct tiles_ahead {
  anchored_call<E, N> const& call;
  workspace_words const& workspace;
  unsigned tickets, position;
  drawn_ticket drawn;  // the last
  ticket next;         // the one of that position
  unsigned block;
  std::size_t line, sequence;

  __device__ void draw() { drawn = draw_ahead(workspace); }
  __device__ void load_position() {
    next = drawn.when_needed();
    if (next.tile >= tickets) return;
    block = next.tile / call.tiles;
    line = std::size_t{next.tile - block * call.tiles} * anchored_stage<E, N>::width;
    sequence = quotient(line, call.lanes);
    position = static_cast<unsigned>(call.before.position[sequence]);
  }
  __device__ anchored_tile<E> place() const {
    anchored_tile<E> x{};
    x.drawn = next;
    if (next.tile >= tickets) return x;
    x.block = block;
    x.line = line;
    x.place = place_of(call, sequence, line - sequence * call.lanes, block, position);
    x.a = first_slot(call, call.a, x.place);
    x.b = first_slot(call, call.b, x.place);
    x.h = first_slot(call, call.h, x.place);
    return x;
  }
  /// Of a tile that is needed soon.
  __device__ anchored_tile<E> draw_and_place() {
    draw();
    load_position();
    return place();
  }
};

/// Combines four totals in place, which are `apart` from one another.
template <unsigned apart, class N, class IsNew>
__device__ void combine_four(simt::boxed<recurrence_map<N>>* totals, IsNew const& is_new) {
  recurrence_map<N> x[4];
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) x[i] = totals[i * apart];
  combine_in_place(x, is_new);
  totals[apart] = x[1];
  totals[3 * apart] = x[3];
}
/// What combine_parts does, with fewer barriers and more registers. The last totals are there after
/// the next barrier. `from` is the first slot of the call, and `totals` are those of one line.
template <unsigned apart, class N>
__device__ void combine_parts_by_four(unsigned part, unsigned from,
                                      simt::boxed<recurrence_map<N>>* totals) {
  static_assert(anchored_parts == 16);
  auto const is_new = [&](unsigned p) { return (p + 1) * anchored_tokens > from; };
  if (part < 4)
    combine_four<apart, N>(totals + 4 * part * apart,
                           [&](unsigned i) { return is_new(4 * part + i); });
  __syncthreads();  // every fourth part has the total of four
  if (part + 1 == anchored_parts)
    combine_four<4 * apart, N>(totals + 3 * apart, [&](unsigned i) { return is_new(4 * i + 3); });
}

/// Computes a tile from its tokens `x`. Calls `fetch` when all threads have their tokens, and
/// `draw` where most threads would wait. Shared memory: `totals` [part, line] and `states` [line].
template <bool gradients, class E, class N, class Fetch, class Draw>
__device__ void compute_tile(anchored_call<E, N> const& call, workspace_words const& workspace,
                             anchored_tile<E> const& tile, recurrence_map<N> (&x)[anchored_tokens],
                             simt::boxed<recurrence_map<N>>* totals, simt::boxed<N>* states,
                             Fetch const& fetch, Draw const& draw) {
  constexpr unsigned width = anchored_stage<E, N>::width, parts = anchored_parts;
  unsigned const beside = threadIdx.x % width, part = threadIdx.x / width;
  auto mine = tile.place;
  mine.lane += beside;
  anchored_thread<E, N, gradients> const thread(call, mine, part);
  thread.set_first_coefficient(x);
  auto const published = published_by(call, workspace, tile.drawn.epoch);
  typename tile_totals<N>::tagged_total found{};
  N state{};
  if constexpr (gradients) {  // their totals and the addresses of copies need too many registers
    __syncthreads();
    fetch();
  }
  thread.make_totals_in_place(x);
  simt::boxed<recurrence_map<N>>* const own = totals + part * width + beside;
  if (part == 0) {
    if (tile.block == 0)
      state = thread.value_before();
    else  // it is probably there already
      published.state(tile.block - 1, tile.line + beside).look(0, 1, found);
  }
  *own = x[anchored_tokens - 1];
  if constexpr (gradients) {
    combine_parts<width, N>(thread, part, own);
  } else {
    __syncthreads();  // every part has its total, and the stage is free
    fetch();
    combine_parts_by_four<width, N>(part, mine.from, totals + beside);
  }
  draw();
  if (part == 0) {
    if (tile.block != 0) {
      wait_for(published.state(tile.block - 1, tile.line + beside), found);
      state = found.value();
    }
    states[beside] = state;
  }
  __syncthreads();  // the states before the block are known
  x[anchored_tokens - 1] = *own;
  recurrence_map<N> const whole = totals[(parts - 1) * width + beside];
  state = states[beside];
  if (part == 0 && !mine.is_last)
    published.state(tile.block, tile.line + beside).publish(0, whole(state));
  N start, longer;
  join_parts<width>(totals + beside, part, state, start, longer);
  std::ptrdiff_t const first = static_cast<std::ptrdiff_t>(part * anchored_tokens) *
                               (call.backward ? -call.h.token : call.h.token);
  thread.store(x, start, longer,
               tile.h + (first + static_cast<std::ptrdiff_t>(beside) * call.h.lane));
  if (mine.is_last) thread.save(x, thread.is_whole() ? whole(state) : state);
}

/// The launch has dynamic shared memory for two stages, and at most a block for each of `tickets`
/// tiles. There is no look-back.
template <class E, class N, bool gradients>
__global__ void __launch_bounds__(anchored_stage<E, N>::threads, 1)
    anchored_staged(anchored_call<E, N> call, workspace_words workspace, unsigned tickets) {
  using stage_type = anchored_stage<E, N, gradients>;
  using map = recurrence_map<N>;
  using tile_type = anchored_tile<E>;
  constexpr unsigned width = stage_type::width, parts = anchored_parts;
  __shared__ simt::boxed<map> totals[parts * width];
  __shared__ simt::boxed<N> states[width];
  __shared__ simt::boxed<tile_type> tiles[4];  // this one and the next three
  E* const stages = simt::dynamic_shared<E>();
  auto const stage_of = [&](unsigned turn) {
    return stage_type{stages + turn % 2 * (stage_type::bytes / sizeof(E))};
  };
  auto const fetch_tile = [&](unsigned turn) {
    stage_of(turn).fetch(call, tiles[turn % 4]);
    commit_copies();
  };
  unsigned const beside = threadIdx.x % width, part = threadIdx.x / width;
  bool const draws = threadIdx.x == (parts / 2) * width;  // its part has the least to do
  tiles_ahead<E, N> ahead{call, workspace, tickets, 0, {}, {}, 0, 0, 0};
  wait_for_earlier_work();
  if (draws) tiles[0] = ahead.draw_and_place();
  __syncthreads();  // the first tile is drawn
  fetch_tile(0);
  if (draws) {  // the other blocks have drawn their first, too
    tiles[1] = ahead.draw_and_place();
    tiles[2] = ahead.draw_and_place();
    ahead.draw();
    ahead.load_position();
    ahead.draw();
  }
  __syncthreads();  // the second tile is drawn
  fetch_tile(1);
  for (unsigned turn = 0;; turn = (turn + 1) % 4) {
    tile_type const tile = tiles[turn];
    if (tile.drawn.tile >= tickets) break;
    wait_for_older_copies();
    __syncthreads();  // the tokens are in the stage, and the tile after the next is drawn
    map x[anchored_tokens];
    if (tile.place.exists)
#pragma unroll
      for (unsigned i = 0; i < anchored_tokens; ++i)
        x[i] = stage_of(turn).at(part * anchored_tokens + i, beside);
    auto const fetch = [&] { fetch_tile(turn + 2); };
    auto const draw = [&] {
      if (!draws) return;
      tiles[(turn + 3) % 4] = ahead.place();
      ahead.load_position();
      ahead.draw();
    };
    if (tile.place.exists) {
      compute_tile<gradients>(call, workspace, tile, x, totals, states, fetch, draw);
    } else {  // nobody reads its stage
      fetch();
      draw();
    }
  }
  if (draws) leave(workspace, tile_type(tiles[0]).drawn.epoch);
}

}  // namespace upsweep::device

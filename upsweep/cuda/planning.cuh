/// Which kernel with which tile a call of the CUDA executor takes: the rows of tuning.hpp become
/// plans.
#pragma once

#include <upsweep/simt/device.cuh>

#include <upsweep/cuda/kernels/exact_sum.hpp>
#include <upsweep/cuda/kernels/reduce.hpp>
#include <upsweep/cuda/kernels/scan_ring.hpp>
#include <upsweep/cuda/kernels/scan_tiles.hpp>
#include <upsweep/cuda/kernels/scan_wave.hpp>
#include <upsweep/cuda/plan.hpp>
#include <upsweep/cuda/tuning.hpp>

#include <cstddef>

namespace upsweep::device {

/// A row of the tuning as a type.
template <unsigned warps, unsigned rows, unsigned blocks_, unsigned runs_>
struct tuned {
  static constexpr unsigned blocks = blocks_, runs = runs_;
  template <class T>
  using shape = tile_shape<warps, rows, items_of<T>, blocks>;
};

/// Calls use(tuned) with the first of `rows` that is meant for that many bytes; false if there is
/// none, or if use says so.
template <auto const& rows, std::size_t i = 0, class Use>
bool with_row(std::size_t bytes, Use const& use) {
  if constexpr (i < sizeof rows / sizeof rows[0]) {
    constexpr tuning_row row = rows[i];
    if (bytes <= row.most_bytes) return use(tuned<row.warps, row.rows, row.blocks, row.runs>{});
    return with_row<rows, i + 1>(bytes, use);
  } else {
    return false;
  }
}
template <class T, class A>
[[nodiscard]] constexpr auto const& wave_rows_for() {
  if constexpr (sizeof(A) > 16)
    return widest_wave_rows;
  else if constexpr (sizeof(A) > 8 || sizeof(T) < 4)
    return short_wave_rows;
  else if constexpr (sizeof(A) == 4 && sizeof(T) == 4)
    return word_wave_rows;
  else
    return wave_rows;
}
template <class A>
[[nodiscard]] constexpr auto const& ring_rows_for() {
  if constexpr (sizeof(A) > 16)
    return widest_ring_rows;
  else
    return ring_rows;
}
template <class A, bool reversed>
[[nodiscard]] constexpr auto const& reduce_rows_for() {
  if constexpr (reversed)
    return reversed_reduce_rows;
  else if constexpr (sizeof(A) <= 16)
    return reduce_rows;
  else
    return widest_reduce_rows;
}
template <class A>
[[nodiscard]] constexpr auto const& tiles_rows_for() {
  if constexpr (sizeof(A) <= 8)
    return tiles_rows;
  else
    return widest_tiles_rows;
}

[[nodiscard]] inline std::size_t divide_up(std::size_t n, std::size_t size) {
  return (n + size - 1) / size;
}

/// Fills in a plan that does not depend on the device.
template <class Shape, class A>
[[nodiscard]] cuda_plan plan_for(cuda_algorithm algorithm, std::size_t tile, std::size_t tiles,
                                 std::size_t blocks, std::size_t traffic) {
  return {algorithm,
          tile,
          blocks,
          Shape::threads,
          0,
          1,
          workspace_words::needed<A>(tiles) * sizeof(word),
          traffic};
}

/// Calls use(tuned, plan) with the reduction of n elements of type T. Few people reduce from the
/// end, so that way has one shape only.
template <class T, class A, bool reversed, class Use>
void with_reduce_plan(std::size_t n, cuda_device const& device, Use const& use) {
  std::size_t const bytes = n * sizeof(T);
  (void)with_row<reduce_rows_for<A, reversed>()>(bytes, [&](auto row) {
    using shape = typename decltype(row)::template shape<T>;
    std::size_t const tile = std::size_t{shape::size} << row.runs, tiles = n / tile;
    std::size_t const most = static_cast<std::size_t>(device.multiprocessors) * row.blocks - 1;
    std::size_t const turns = divide_up(tiles, most);  // as many for each block as for any other
    use(row, plan_for<shape, A>(cuda_algorithm::reduce, tile, tiles,
                                (turns > 0 ? divide_up(tiles, turns) : 0) + 1, bytes));
    return true;
  });
}

/// Calls use(threads, plan) with the exact sum of n elements of type T in blocks of threads.value
/// threads.
template <class T, class State, class Use>
void with_exact_plan(std::size_t n, cuda_device const& device, Use const& use) {
  using layout = exact_bins<typename summed_type<State>::type>;
  constexpr bool is_float = sizeof(typename summed_type<State>::type) == 4;
  auto try_threads = [&](auto threads) {
    std::size_t const shared = layout::shared_bytes(threads.value);
    if (shared + 1024 > device.shared_bytes) return false;
    std::size_t const piece = std::size_t{threads.value} * items_of<T> * layout::vectors;
    std::size_t const useful = at_most(divide_up(n, piece), most_exact_blocks);
    // Words for as many blocks as there could be: n alone decides.
    std::size_t const words = workspace_words::header + useful * (layout::count + 1);
    use(threads, cuda_plan{cuda_algorithm::exact_sum, piece,
                           at_most(useful, static_cast<std::size_t>(device.multiprocessors)),
                           threads.value, shared, 1, words * sizeof(word), n * sizeof(T)});
    return true;
  };
  if constexpr (is_float)
    (void)try_threads(std::integral_constant<unsigned, exact_float_threads[0]>{});
  else if (!try_threads(std::integral_constant<unsigned, exact_double_threads[0]>{}))
    (void)try_threads(std::integral_constant<unsigned, exact_double_threads[1]>{});
}

template <cuda_algorithm which>
struct algorithm_tag {
  static constexpr cuda_algorithm value = which;
};

/// Tiles whose totals a scan may have to store, whichever kernel the device is given: a function of
/// n and the types.
template <class T, class A>
[[nodiscard]] std::size_t scan_workspace_tiles(std::size_t n) {
  std::size_t most = 0;
  auto count = [&](auto row) {
    std::size_t const tiles = divide_up(n, decltype(row)::template shape<T>::size);
    if (most < tiles) most = tiles;
    return true;
  };
  (void)with_row<wave_rows_for<T, A>()>(n * sizeof(T), count);
  (void)with_row<tiles_rows_for<A>()>(n * sizeof(T), count);
  return most;
}

/// The ring for a scan of n elements.
template <class Shape, class Source>
[[nodiscard]] ring_plan ring_plan_for(cuda_device const& device, std::size_t n) {
  ring_plan plan = ring_layout<Shape, Source>::plan(device.shared_bytes);
  plan.evict_first = input_leaves_cache_first(n * sizeof(typename Source::element));
  return plan;
}

/// Calls use(algorithm, tuned, plan) with the scan of n elements from a `Source` into elements of
/// type U. `vectors` says that the input is aligned to 16 bytes, as the ring needs it, `in_order`
/// that blocks start in order, as the wave needs it.
template <class Source, class U, class Use>
void with_scan_plan(std::size_t n, bool vectors, bool in_order, cuda_device const& device,
                    Use const& use) {
  using T = typename Source::element;
  using A = typename Source::accumulator;
  std::size_t const bytes = n * sizeof(T), traffic = bytes + n * sizeof(U);
  std::size_t const processors = static_cast<std::size_t>(device.multiprocessors);
  std::size_t const workspace_tiles = scan_workspace_tiles<T, A>(n);
  auto try_persistent = [&](auto algorithm, auto row, unsigned threads, std::size_t shared_bytes) {
    using shape = typename decltype(row)::template shape<T>;
    auto plan =
        plan_for<shape, A>(algorithm.value, shape::size, workspace_tiles,
                           at_most(divide_up(n, shape::size), processors * row.blocks), traffic);
    plan.threads = threads;
    plan.shared_bytes = shared_bytes;
    use(algorithm, row, plan);
    return true;
  };
  bool planned = false;
  if constexpr (!Source::reversed) {
    planned = with_row<wave_rows_for<T, A>()>(bytes, [&](auto row) {
      using shape = typename decltype(row)::template shape<T>;
      std::size_t const tiles = divide_up(n, shape::size);
      if (!in_order || tiles > most_board_tiles || tiles > processors * row.blocks) return false;
      use(algorithm_tag<cuda_algorithm::scan_wave>{}, row,
          plan_for<shape, A>(cuda_algorithm::scan_wave, shape::size, workspace_tiles, tiles,
                             traffic));
      return true;
    });
  }
  if constexpr (Source::plain && has_vectors<T>) {
    if (!planned && vectors)
      planned = with_row<ring_rows_for<A>()>(bytes, [&](auto row) {
        using layout = ring_layout<typename decltype(row)::template shape<T>, Source>;
        ring_plan const ring = layout::plan(device.shared_bytes);
        if (ring.stages < 2) return false;
        return try_persistent(algorithm_tag<cuda_algorithm::scan_ring>{}, row, layout::threads,
                              layout::shared_bytes(ring));
      });
  }
  if (!planned)
    (void)with_row<tiles_rows_for<A>()>(bytes, [&](auto row) {
      return try_persistent(algorithm_tag<cuda_algorithm::scan_tiles>{}, row,
                            decltype(row)::template shape<T>::threads, 0);
    });
}

}  // namespace upsweep::device

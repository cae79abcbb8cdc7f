/// Scans: the choice of the kernel and its tile, then its launch.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/scan/scan_ring.hpp>
#include <upsweep/cuda/scan/scan_tiles.hpp>
#include <upsweep/cuda/scan/scan_wave.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace upsweep::device {

/// The tile of the ring.
template <class T, class A>
using ring_shape =
    row_shape<scan_rows_for<T, A>(),
              row_for(scan_rows_for<T, A>(), cuda_algorithm::scan_ring, any_size), T>;

/// The plan of the ring for a scan of n elements.
template <class Shape, class Source>
[[nodiscard]] ring_plan ring_plan_for(cuda_device const& device, std::size_t n) {
  ring_plan plan = ring_layout<Shape, Source>::plan(device.shared_bytes);
  plan.evict_first = input_leaves_cache_first(n * sizeof(typename Source::element));
  return plan;
}

/// The plan to scan n elements from a `Source` into elements of type U. `vectors`: the input is
/// aligned to 16 bytes, which the ring needs. `in_order`: blocks start in order, which the wave
/// needs.
template <class Source, class U>
[[nodiscard]] cuda_plan pick_scan(std::size_t n, bool vectors, bool in_order,
                                  cuda_device const& device) {
  using T = typename Source::element;
  using A = typename Source::accumulator;
  constexpr auto const& rows = scan_rows_for<T, A>();
  std::size_t const bytes = n * sizeof(T);
  auto const tiles = [&](unsigned row) { return divide_up(n, rows[row].tile(items_of<T>)); };
  auto const fit = [&](unsigned row) {
    return static_cast<std::size_t>(device.multiprocessors) * rows[row].blocks;
  };
  unsigned const wave = row_for(rows, cuda_algorithm::scan_wave, bytes),
                 ring = row_for(rows, cuda_algorithm::scan_ring, bytes),
                 general = row_for(rows, cuda_algorithm::scan_tiles, bytes);
  bool const has_wave = wave < std::size(rows);

  unsigned row = general;
  std::size_t threads = 32 * rows[general].warps, shared_bytes = 0;
  if (has_wave && !Source::reversed && in_order && tiles(wave) <= most_table_tiles &&
      tiles(wave) <= fit(wave)) {
    row = wave;
    threads = 32 * rows[wave].warps;
  } else if constexpr (Source::plain && has_vectors<T>) {
    using layout = ring_layout<ring_shape<T, A>, Source>;
    if (ring_plan const stages = layout::plan(device.shared_bytes); vectors && stages.stages >= 2) {
      row = ring;
      threads = layout::threads;
      shared_bytes = layout::shared_bytes(stages);
    }
  }
  // Words for the tile totals of any of the kernels, so that they depend only on n and the types.
  std::size_t most_tiles = tiles(general);
  if (has_wave && tiles(wave) > most_tiles) most_tiles = tiles(wave);
  return {.algorithm = rows[row].kernel,
          .row = row,
          .tile = rows[row].tile(items_of<T>),
          .blocks = detail::at_most(tiles(row), fit(row)),
          .threads = static_cast<unsigned>(threads),
          .shared_bytes = shared_bytes,
          .launches = 1,
          .workspace_bytes = workspace_words::needed<A>(most_tiles) * sizeof(word),
          .traffic_bytes = bytes + n * sizeof(U)};
}

/// Launches the kernel that the plan has picked.
template <scan_kind kind, class From, class To, class A>
void launch_scan(cuda_plan const& plan, gpu const& on, cuda_device const& device, From const& from,
                 To const& to, std::size_t n, scan_start<A> const& start,
                 workspace_words const& words) {
  using T = typename From::element;
  constexpr auto const& rows = scan_rows_for<T, A>();
  // The kernel of a row, if there is one for such elements.
  auto const launch_row = [&]<unsigned row>() {
    using shape = row_shape<scan_rows_for<T, A>(), row, T>;
    if constexpr (rows[row].kernel == cuda_algorithm::scan_tiles)
      launch<scan_tiles<kind, shape, From, To>>(plan, on, device, from, to, n, start, words);
    else if constexpr (rows[row].kernel == cuda_algorithm::scan_wave && !From::reversed)
      launch<scan_wave<kind, false, shape, From, To>>(plan, on, device, from, to, start, words);
    else if constexpr (rows[row].kernel == cuda_algorithm::scan_ring && From::plain &&
                       has_vectors<T>)
      launch<scan_ring<kind, shape, From, To>>(
          plan, on, device, from, to, n, start, words, ring_plan_for<shape, From>(device, n),
          whole_array<A, combine_of<typename From::operation>, ring_parts>{});
  };
  with_row<std::size(rows)>(plan.row, launch_row);
}

/// The scan by a recurrence (recurrence/launch.cuh).
template <scan_kind kind, class Source, class Sink, std::size_t order, class T>
void scan_recurrence_on(gpu const& on, Source const& in, Sink const& out, std::size_t n,
                        recurrence<order, T> const& op, recurrence_state<order, T> const* initial,
                        recurrence_state<order, T> const* first);
/// The scan by a checked operator (checked.cuh).
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_checked_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                     A const* initial, A const* first);

/// The scan by exact_sum (exact_launch.cuh).
template <scan_kind kind, class Source, class Sink, class T>
void scan_exactly_on(gpu const& on, Source const& in, Sink const& out, std::size_t n,
                     detail::superaccumulator<T> const* initial);

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
             A const* initial, A const* first) {
  using T = typename Source::element;
  using U = typename Sink::element;
  if constexpr (std::is_same_v<Op, exact_sum>) {
    scan_exactly_on<kind>(on, in, out, n, initial);
  } else if constexpr (refuses<Op, A>) {
    scan_checked_on<kind>(on, in, out, n, op, initial, first);
  } else if constexpr (sums_std_complex<Source> &&
                       std::contiguous_iterator<typename Sink::iterator> && std::is_same_v<T, U>) {
    using parts = complex_parts<typename A::value_type>;
    scan_on<kind>(on, parts_source(in, n), parts_sink(out, n, op), n, op,
                  reinterpret_cast<parts const*>(initial), reinterpret_cast<parts const*>(first));
  } else if constexpr (is_recurrence<Op>) {
    scan_recurrence_on<kind>(on, in, out, n, op, initial, first);
  } else {
    check_accumulator<A>();
    auto const combine = kernel_operation<Source, U>(op);
    auto const from = kernel_source(in, n, combine);
    auto const to = kernel_sink(out, n, combine);
    using source = std::remove_cv_t<decltype(from)>;
    using B = typename source::accumulator;
    constexpr bool is_prefix = depends_on_length<combine_of<typename source::operation>>;
    scan_start<B> const start{initial != nullptr ? static_cast<B>(*initial) : B{},
                              first != nullptr ? static_cast<B>(*first) : B{},
                              initial != nullptr && !is_prefix, initial != nullptr && is_prefix};
    cuda_device const device = device_of(on);
    cuda_plan const plan = pick_scan<source, U>(n, from.vectors, on.blocks_start_in_order, device);
    auto const scratch = take_workspace(on, plan.workspace_bytes);
    workspace_words const words = words_of_lease(scratch);
    launch_scan<kind>(plan, on, device, from, to, n, start, words);
  }
}

}  // namespace upsweep::device

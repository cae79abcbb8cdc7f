/// Pieces of an array on the GPU: the totals of a piece at any position, the carry behind several
/// pieces, and the scan of a piece behind it, each in the stream.
#pragma once

#include <upsweep/cuda/pieces/block_totals.hpp>
#include <upsweep/cuda/pieces/join.hpp>
#include <upsweep/cuda/pieces/on_gpu.hpp>
#include <upsweep/cuda/stream/launch.cuh>

#include <bit>
#include <complex>

namespace upsweep::device {

/// The accumulator as kernels have it.
template <class A>
struct accumulator_in_kernels {
  using type = A;
};
template <class T>
struct accumulator_in_kernels<std::complex<T>> {
  using type = complex_parts<T>;
};

/// The plan to reduce a piece of n elements of type T, of which `head` are in front of a unit.
template <class T, class A>
[[nodiscard]] cuda_plan pick_block_totals(std::size_t n, std::size_t begin,
                                          cuda_device const& device) {
  constexpr auto const& rows = block_total_rows_for<A>();
  unsigned const number = row_for(rows, cuda_algorithm::block_totals, n * sizeof(T));
  tuning_row const& row = rows[number];
  std::size_t const unit = row.tile(items_of<T>) / row.warps, head = (unit - begin % unit) % unit,
                    units = head < n ? (n - head) / unit : 0,
                    most = static_cast<std::size_t>(device.multiprocessors) * row.blocks - 1;
  return {.algorithm = cuda_algorithm::block_totals,
          .row = number,
          .tile = unit,
          .blocks = detail::at_most(divide_up(units, row.warps), most) + 1,
          .threads = 32 * row.warps,
          .launches = 1,
          .workspace_bytes = workspace_words::needed<A>(units) * sizeof(word),
          .traffic_bytes = n * sizeof(T)};
}

/// The kernel of row `row`; that of the last row if there are fewer.
template <unsigned row, class From>
struct block_total_row {
  static constexpr auto const& rows = block_total_rows_for<typename From::accumulator>();
  static constexpr unsigned known = row < std::size(rows) ? row : std::size(rows) - 1,
                            runs = rows[known].runs;
  using shape =
      row_shape<block_total_rows_for<typename From::accumulator>(), known, typename From::element>;
};

/// Stores what is known of the n elements from position `begin` on, in stream order. `n` may be 0.
template <class Source, class Op, class A>
void enqueue_block_totals(gpu const& on, Source const& in, std::size_t n, Op const& op,
                          std::size_t begin, piece_totals<A>* to) {
  if constexpr (sums_std_complex<Source>) {
    enqueue_block_totals(on, parts_source(in, n), n, op, begin, to);
  } else {
    check_accumulator<A>();
    auto const from = kernel_source(in, n, op);
    using source = std::remove_cv_t<decltype(from)>;
    static_assert(std::is_same_v<A, typename source::accumulator>);
    cuda_device const device = device_of(on);
    cuda_plan const plan = pick_block_totals<typename Source::element, A>(n, begin, device);
    std::size_t const head = detail::at_most((plan.tile - begin % plan.tile) % plan.tile, n);
    source units = from;
    units.first += static_cast<std::ptrdiff_t>(head);
    units.size -= head;
    units.base += head;
    units.vectors = is_vector_aligned(units.first);
    auto const scratch = take_workspace(on, plan.workspace_bytes);
    workspace_words const words = words_of_lease(scratch);
    if (plan.row == 0)
      launch<block_totals<block_total_row<0, source>::runs,
                          typename block_total_row<0, source>::shape, source>>(
          plan, on, device, from, units, begin, head, to, words);
    else
      launch<block_totals<block_total_row<1, source>::runs,
                          typename block_total_row<1, source>::shape, source>>(
          plan, on, device, from, units, begin, head, to, words);
  }
}

template <class Source, class Op, class Put>
void block_totals_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                     std::size_t begin, Put const& put) {
  using A = typename Source::accumulator;
  using parts = typename accumulator_in_kernels<A>::type;
  detail::expects(on.plans_to == nullptr, "upsweep::gpu: pieces of an array have no .plans_to");
  stream_memory const memory(on.stream, sizeof(piece_totals<parts>));
  enqueue_block_totals(on, in, n, op, begin, static_cast<piece_totals<parts>*>(memory.data()));
  piece_totals<parts> got;
  memory.read(0, &got, sizeof got);
  got.for_each([&](int k, parts const& total) { put(k, std::bit_cast<A>(total)); });
}

/// Stores the carry behind the first `count` pieces, which are not all empty, and their total.
template <class A, class Op>
void enqueue_join(gpu const& on, piece_totals<A> const* pieces, unsigned count, A* carry, A* total,
                  Op const& op) {
  cuda_plan const plan{.algorithm = cuda_algorithm::join_pieces,
                       .blocks = 1,
                       .threads = join_threads,
                       .launches = 1};
  launch<join_pieces<A, Op>>(plan, on, device_of(on), pieces, count, carry, total, op);
}

/// Scans the n elements behind a total in device memory. Their number is at most the largest power
/// of two that divides their position.
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_behind_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                    A const* initial, A const* before) {
  check_accumulator<A>();
  auto const from = kernel_source(in, n, op);
  auto const to = kernel_sink(out, n, op);
  scan_start<A> const start{initial != nullptr ? *initial : A{}, A{}, initial != nullptr, true,
                            before};
  cuda_device const device = device_of(on);
  cuda_plan const plan = pick_scan<std::remove_cv_t<decltype(from)>, typename Sink::element>(
      n, from.vectors, on.blocks_start_in_order, device);
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  launch_scan<kind>(plan, on, device, from, to, n, start, words_of_lease(scratch));
}

/// Scans the n elements behind the carry `left`.
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_piece_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                   A const* initial, A const* first, device_carry<A>& left) {
  if (n == 0) return;
  std::size_t const position = left.position();
  if (position == 0) return scan_on<kind>(on, in, out, n, op, initial, first);
  if constexpr (!sums_std_complex<Source>)
    if (position % std::bit_ceil(n) == 0)
      return scan_behind_on<kind>(on, in, out, n, op, initial,
                                  left.values(on.stream).present + carry_prefix);
  scan_chunk_on<kind>(on, in, out, n, op, initial, first, left);
}

}  // namespace upsweep::device

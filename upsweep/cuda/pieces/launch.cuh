/// Pieces of an array on the GPU: the totals of a piece at any position, the carry after several
/// pieces, and the scan of a piece after it, each in the stream.
#pragma once

#include <upsweep/cuda/on_gpu.hpp>
#include <upsweep/cuda/pieces/block_totals.hpp>
#include <upsweep/cuda/pieces/join.hpp>
#include <upsweep/cuda/stream/launch.cuh>

#include <bit>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <utility>

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

/// Enqueues the kernel of row `row` of reduce_rows, whose tiles it has. For a scan that follows the
/// tiles are read backwards, so that the cache holds those with which it begins. Of more tiles than
/// one group the last block would then combine all groups at the end.
template <unsigned row, class Source, class A>
void launch_block_totals(gpu const& on, Source const& in, std::size_t begin, piece_totals<A>* to,
                         bool scan_follows, cuda_device const& device) {
  using rows = reduce_row<row, Source>;
  using shape = typename rows::shape;
  constexpr std::size_t tile_chunks = shape::warps << rows::runs;
  piece_cut const cut(begin, in.size, shape::chunk, tile_chunks);
  std::size_t const most = static_cast<std::size_t>(device.multiprocessors) * shape::blocks - 1,
                    tiles = divide_up(cut.tiles * tile_chunks + cut.edges, tile_chunks),
                    turns = divide_up(tiles, most);  // the same number for each block
  cuda_plan const plan{
      .algorithm = cuda_algorithm::block_totals,
      .row = row,
      .tile = tile_chunks * shape::chunk,
      .blocks = (turns > 0 ? divide_up(tiles, turns) : 0) + 1,
      .threads = shape::threads,
      .launches = 1,
      .workspace_bytes = workspace_words::needed<A>(cut.tiles + cut.edges) * sizeof(word),
      .traffic_bytes = in.size * sizeof(typename Source::element)};
  Source chunks = in;
  chunks.first += static_cast<std::ptrdiff_t>(cut.head);
  chunks.size -= cut.head;
  chunks.base += cut.head;
  chunks.vectors = is_vector_aligned(chunks.first);
  bool const backwards = scan_follows && cut.tiles <= std::size_t{1} << group_digits<A>;
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  launch<block_totals<rows::runs, shape, Source>>(plan, on, device, in, chunks, begin, cut,
                                                  backwards, to, words_of_lease(scratch));
}

/// Stores what is known of the n elements from position `begin` on, in stream order. `n` may be 0.
template <class Source, class Op, class A>
void enqueue_block_totals(gpu const& on, Source const& in, std::size_t n, Op const& op,
                          std::size_t begin, piece_totals<A>* to, bool scan_follows = false) {
  if constexpr (sums_std_complex<Source>) {
    enqueue_block_totals(on, parts_source(in, n), n, op, begin, to, scan_follows);
  } else {
    check_accumulator<A>();
    auto const from = kernel_source(in, n, op);
    static_assert(std::is_same_v<A, typename decltype(from)::accumulator>);
    cuda_device const device = device_of(on);
    constexpr auto const& rows = reduce_rows_for<A, false>();
    with_row<std::size(rows)>(
        row_for(rows, cuda_algorithm::reduce, n * sizeof(typename Source::element)),
        [&]<unsigned row>() {
          launch_block_totals<row>(on, from, begin, to, scan_follows, device);
        });
  }
}

template <class Source, class Op, class Put>
void block_totals_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                     std::size_t begin, Put const& put) {
  using A = typename Source::accumulator;
  using parts = typename accumulator_in_kernels<A>::type;
  detail::expects(on.plans_to == nullptr,
                  "upsweep::gpu: calls on pieces of an array do not support .plans_to");
  stream_memory const memory(on.stream, sizeof(piece_totals<parts>));
  enqueue_block_totals(on, in, n, op, begin, static_cast<piece_totals<parts>*>(memory.data()));
  piece_totals<parts> got;
  memory.read(0, &got, sizeof got);
  got.for_each([&](int k, parts const& total) { put(k, std::bit_cast<A>(total)); });
}

/// Stores the carry after the first `count` pieces, and, if they have elements, their total.
template <class A, class Op>
void enqueue_join(gpu const& on, piece_totals<A> const* pieces, unsigned count, A* carry, A* total,
                  Op const& op, failure_report const& failed = {}) {
  cuda_plan const plan{.algorithm = cuda_algorithm::join_pieces,
                       .blocks = 1,
                       .threads = join_threads<A>,
                       .launches = 1};
  launch<join_pieces<A, Op>>(plan, on, device_of(on), pieces, count, carry, total, op, failed);
}

/// Scans the n elements after a total in device memory; see follows_total().
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_after_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
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

/// Scans the n elements after the carry `left`.
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_piece_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                   A const* initial, A const* first, device_carry<A>& left) {
  if (n == 0) return;
  std::size_t const position = left.position();
  if (position == 0) return scan_on<kind>(on, in, out, n, op, initial, first);
  if constexpr (!sums_std_complex<Source>)
    if (follows_total(kind == scan_kind::inclusive, position, n))
      return scan_after_on<kind>(on, in, out, n, op, initial,
                                 left.values(on.stream).present + carry_prefix);
  scan_chunk_on<kind>(on, in, out, n, op, initial, first, left);
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_after_carry_on(gpu const& on, Source const& in, Sink const& out, std::size_t n,
                         Op const& op, A const* initial, A const* first, carry<A> const& left) {
  A values[carry_values] = {};
  for (unsigned k = 0; k < carry_prefix; ++k)
    if (left.position() >> k & 1) values[k] = left.total(static_cast<int>(k));
  if (left.position() > 0) values[carry_prefix] = *left.prefix();
  stream_memory memory(on.stream, device_carry<A>::bytes);
  check_cuda(
      cudaMemcpyAsync(memory.data(), values, sizeof values, cudaMemcpyDefault, stream_of(on)),
      "copy a carry to the device");
  device_carry<A> there(std::move(memory), left.position());
  scan_piece_on<kind>(on, in, out, n, op, initial, first, there);
}

}  // namespace upsweep::device

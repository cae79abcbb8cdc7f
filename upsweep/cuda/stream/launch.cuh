/// Streams of chunks on the GPU: each call launches one to three kernels in the CUDA stream, and
/// returns.
#pragma once

#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/cuda/scan/launch.cuh>
#include <upsweep/cuda/stream/scan_chunk.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::device {

/// The tile of scan_chunk: that of scan_tiles.
template <class Value>
using tiles_shape =
    row_shape<scan_rows_for<Value, Value>(),
              row_for(scan_rows_for<Value, Value>(), cuda_algorithm::scan_tiles, any_size), Value>;

/// Launches the kernels of one chunk. `A` is the accumulator; for sums of std::complex it is
/// complex_parts.
template <scan_kind kind, class A, class From, class To, class Carry>
class chunk_launcher {
  using T = typename From::element;
  using Op = typename From::operation;
  using value = chunk_value<Op, A>;

 public:
  chunk_launcher(gpu const& on, From const& from, To const& to, A const* initial, A const* first,
                 Carry& left)
      : on_(on), from_(from), to_(to), initial_(initial), first_(first), left_(left) {
    check_accumulator<A>();
    detail::expects(on.plans_to == nullptr,
                    "upsweep::gpu: streams of chunks do not support .plans_to");
  }

  /// The ring scans the whole tiles of a long chunk if they are aligned to 16 bytes. scan_chunk
  /// scans the elements before and after them, and all other chunks. Each multiple of 2^30 tiles
  /// takes one more launch.
  void run() {
    while (from_.size > 0) {
      if constexpr (From::plain && has_vectors<T>)
        launch_next();
      else
        launch_chunk(from_.size);
    }
  }

 private:
  /// From how many bytes on the ring pays: scan_chunk takes 1.2 us a MiB longer than the ring, and
  /// 7 us a launch (docs/design/0004-cuda.md).
  static UPSWEEP_BOTH constexpr std::size_t least_ring_bytes(unsigned other_launches) {
    constexpr std::size_t least[] = {1, 4, 8};
    return least[other_launches] << 20;
  }

  void launch_next() {
    using shape = ring_shape<T, A>;
    constexpr std::size_t more_bytes = lookback<A, Op>::memory_size * (sizeof(value) - sizeof(A));
    using layout = ring_layout<shape, From>;
    ring_plan const ring = layout::plan(device_.shared_bytes, 3, layout::fixed_bytes + more_bytes);
    std::size_t const head = left_.position() % shape::size,
                      to_border = head > 0 ? shape::size - head : 0;
    bool const begins_inside = to_border > 0,
               ends_inside = (left_.position() + from_.size) % shape::size > 0;
    std::size_t const least = least_ring_bytes(unsigned{begins_inside} + unsigned{ends_inside});
    bool const is_long = from_.size >= to_border + least / sizeof(T);
    if (!is_long || ring.stages < 2 || !is_vector_aligned(from_.first, head))
      launch_chunk(from_.size);
    else if (to_border > 0)
      launch_chunk(to_border);
    else
      launch_ring<shape>(ring);
  }

  /// Launches the ring for the whole tiles at the start of the chunk.
  template <class Shape>
  void launch_ring(ring_plan ring) {
    using layout = ring_layout<Shape, From>;
    using call = stream_chunk<Shape, A, Op>;
    auto in = beginning<Shape>(from_.size / Shape::size * Shape::size);
    in.vectors = true;
    To out = to_;
    if constexpr (To::stores) {
      out.size = in.size;
      out.vectors = is_vector_aligned(out.first);
    }
    std::size_t const tiles = in.size / Shape::size, bytes = in.size * sizeof(T);
    ring.evict_first = input_leaves_cache_first(bytes);
    cuda_plan const plan{
        .algorithm = cuda_algorithm::scan_ring,
        .tile = Shape::size,
        .blocks = detail::at_most(tiles, static_cast<std::size_t>(device_.multiprocessors)),
        .threads = layout::threads,
        .shared_bytes = layout::shared_bytes(ring),
        .launches = 1,
        .workspace_bytes = workspace_words::needed<value>(tiles + 32) * sizeof(word),
        .traffic_bytes = bytes};
    auto const [present, next] = left_.values(on_.stream);
    auto const scratch = cuda_workspace::take(on_.workspace, on_.stream, plan.workspace_bytes);
    launch<scan_ring<kind, Shape, From, To, ring_parts, call>>(
        plan, on_, device_, in, out, in.size, start<A>(), words_of_lease(scratch), ring,
        call{before(present), after(next)});
    advance(in.size);
  }

  /// Launches scan_chunk for the first n elements.
  void launch_chunk(std::size_t n) {
    using shape = tiles_shape<value>;
    using source = chunk_source<From>;
    std::size_t const head = left_.position() % shape::size;
    auto in = beginning<shape>(n);
    in.vectors = is_vector_aligned(in.first, head);
    auto const out = results_after(head, in.size);
    std::size_t const tiles = in.size / shape::size + 2;  // both ends may be inside a tile
    cuda_plan const plan{
        .algorithm = cuda_algorithm::scan_chunk,
        .tile = shape::size,
        .blocks = detail::at_most(
            tiles, static_cast<std::size_t>(device_.multiprocessors) * shape::blocks),
        .threads = shape::threads,
        .launches = 1,
        .workspace_bytes = workspace_words::needed<value>(tiles + 31) * sizeof(word),
        .traffic_bytes = in.size * sizeof(T)};
    auto const [present, next] = left_.values(on_.stream);
    auto const scratch = cuda_workspace::take(on_.workspace, on_.stream, plan.workspace_bytes);
    launch<scan_chunk<kind, shape, source, std::remove_cv_t<decltype(out)>>>(
        plan, on_, device_, source{in, chunk_operation<Op, A>{in.op}, before(present), head}, out,
        start<value>(), after(next), words_of_lease(scratch));
    advance(in.size);
  }

  /// The first n elements, or those up to the next multiple of 2^30 tiles, where numbers repeat.
  template <class Shape>
  [[nodiscard]] From beginning(std::size_t n) const {
    constexpr std::size_t span = std::size_t{Shape::size} << 30;
    From in = from_;
    in.size = detail::at_most(n, span - left_.position() % span);
    return in;
  }
  /// The sink for the results of n elements, after `head` slots of the first tile.
  [[nodiscard]] auto results_after(std::size_t head, std::size_t n) const {
    if constexpr (To::stores) {
      chunk_sink<To> shifted{to_, head};
      shifted.out.size = n;
      shifted.out.vectors = is_vector_aligned(to_.first, head);
      return shifted;
    } else {
      return to_;
    }
  }
  void advance(std::size_t n) {
    left_.advance(n);
    from_.first += static_cast<std::ptrdiff_t>(n);
    from_.base += n;
    from_.size -= n;
    if constexpr (To::stores) {
      to_.first += static_cast<std::ptrdiff_t>(n);
      to_.size -= n;
    }
  }

  template <class Value>
  [[nodiscard]] scan_start<Value> start() const {
    auto const some = [](A const* a) { return a != nullptr ? something<Value>(*a) : Value{}; };
    return {some(initial_), some(first_), initial_ != nullptr, left_.position() > 0};
  }
  template <class Values>
  [[nodiscard]] chunk_start<A> before(Values const* carry) const {
    return {left_.position(), reinterpret_cast<A const*>(carry)};
  }
  template <class Values>
  [[nodiscard]] static new_carry<A, Op> after(Values* carry) {
    return {reinterpret_cast<A*>(carry)};
  }

  gpu const& on_;
  From from_;
  To to_;
  A const *initial_, *first_;
  Carry& left_;
  cuda_device device_ = cuda_device::current();
};

template <scan_kind kind, class A, class From, class To, class Carry>
void enqueue_chunk(gpu const& on, From const& from, To const& to, A const* initial, A const* first,
                   Carry& left) {
  chunk_launcher<kind, A, From, To, Carry>(on, from, to, initial, first, left).run();
}

template <class Source, class Op, class A>
void reduce_chunk_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                     device_carry<A>& left) {
  static_assert(!refuses<Op, A>, "upsweep::gpu: streams of checked operators run on the CPU");
  constexpr auto kind = scan_kind::inclusive;  // arbitrary, as no results are stored
  if constexpr (sums_std_complex<Source>) {
    using parts = complex_parts<typename A::value_type>;
    enqueue_chunk<kind, parts>(on, kernel_source(parts_source(in, n), n, op), no_results{}, nullptr,
                               nullptr, left);
  } else {
    enqueue_chunk<kind, A>(on, kernel_source(in, n, op), no_results{}, nullptr, nullptr, left);
  }
}
/// For accumulators that stay on the host, those of exact sums, which do not depend on grouping:
/// the first block gets the total of the chunk, the others the identity. Waits for the total.
template <class Source, class Op, class A>
void reduce_chunk_on(gpu const& on, Source const& in, std::size_t n, Op const& op, carry<A>& left) {
  static_assert(
      is_exact<Op, A>,
      "upsweep::gpu: streams need accumulators of at most 64 bytes, or an exact operator");
  A total = reduce_on(on, in, n, op);
  detail::block_sequence const blocks(left.position(), left.position() + n,
                                      detail::largest_block_log2);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    left.push(blocks[i].k, std::move(total), op);
    total = identity_of<A>(op);
  }
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_chunk_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                   A const* initial, A const* first, device_carry<A>& left) {
  static_assert(!refuses<Op, A>, "upsweep::gpu: streams of checked operators run on the CPU");
  if constexpr (sums_std_complex<Source> &&
                std::is_same_v<typename Source::element, typename Sink::element>) {
    using parts = complex_parts<typename A::value_type>;
    enqueue_chunk<kind, parts>(
        on, kernel_source(parts_source(in, n), n, op), kernel_sink(parts_sink(out, n, op), n, op),
        reinterpret_cast<parts const*>(initial), reinterpret_cast<parts const*>(first), left);
  } else {
    enqueue_chunk<kind, A>(on, kernel_source(in, n, op), kernel_sink(out, n, op), initial, first,
                           left);
  }
}

}  // namespace upsweep::device

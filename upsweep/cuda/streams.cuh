/// Streams of chunks on the GPU: each call is put into the CUDA stream and returns.
#pragma once

#include <upsweep/cuda/launch.cuh>

#include <upsweep/cuda/kernels/push_block.hpp>

namespace upsweep::device {

/// The 2^k elements of a chunk from `position` on, which lies `position - base` behind the chunk's first.
template <class Source>
[[nodiscard]] auto part_of(Source const& in, std::size_t position, std::size_t base, std::size_t size,
                           typename Source::operation const& op) {
  using F = std::remove_cvref_t<decltype(in.function())>;
  using difference = std::iter_difference_t<typename Source::iterator>;
  return source<typename Source::iterator, F, typename Source::operation, false>(
      in.first() + static_cast<difference>(position - base), size, in.function(), op, position);
}

/// An aligned block of a stream, and the values of the carry in front of it.
template <class A>
struct stream_block {
  std::size_t position, size;
  int k;
  A* carry;
};

/// Appends a block to the carry: from the totals of `tiles` tiles of a scan, or from the total that a reduction has left there.
template <class A, class Op, class Last>
void enqueue_push(cuda const& on, stream_block<A> const& b, workspace_words const& words, std::size_t tiles, Last const& last,
                  Op const& op) {
  constexpr unsigned warps = words_of<A> <= 2 ? 16 : 4;
  check_cuda(
      try_launch<push_block<warps, A, Op, Last>>(on, cuda_device::current(), 1, tiles > 1 ? 32 * warps : 32, 0, b.carry, b.position,
                                                 static_cast<unsigned>(b.k), words, static_cast<unsigned>(tiles), last, op),
      "append a block to a stream");
}
template <class Source, class Op, class A>
void enqueue_total(cuda const& on, Source const& part, Op const& op, stream_block<A> const& b) {
  enqueue_reduce(on, part, b.size, op, accumulator_result<A, Op>{b.carry + carry_pushed});
}

/// Tiles whose totals the scan of a block leaves behind, where it leaves as many as the block has.
template <class From, class U>
[[nodiscard]] std::size_t tiles_left(cuda const& on, std::size_t n, From const& from) {
  std::size_t tiles = 0;
  with_scan_plan<From, U>(n, from.vectors, on.blocks_start_in_order, cuda_device::current(),
                          [&](auto, auto, cuda_plan const& plan) { tiles = n / plan.tile; });
  return tiles > 1 ? tiles : 0;
}

/// The same block for sums of std::complex, which have no functions on the device.
template <class T>
[[nodiscard]] stream_block<complex_parts<T>> parts_block(stream_block<std::complex<T>> const& b) {
  return {b.position, b.size, b.k, reinterpret_cast<complex_parts<T>*>(b.carry)};
}

template <class Source, class Op, class A>
void reduce_block_on(cuda const& on, Source const& part, Op const& op, stream_block<A> const& b) {
  if constexpr (sums_std_complex<Source>) {
    reduce_block_on(on, parts_source(part, b.size), op, parts_block(b));
  } else {
    check_accumulator<A>();
    enqueue_total(on, part, op, b);
    enqueue_push(on, b, {}, 0, no_last_result{}, op);
  }
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_block_on(cuda const& on, Source const& part, Sink const& to, Op const& op, A const* initial, A const* first,
                   stream_block<A> const& b) {
  check_accumulator<A>();
  auto const value = [](A const* a) { return a != nullptr ? *a : A{}; };
  scan_start<A> const start{value(initial), value(first), initial != nullptr, b.position > 0, b.carry + carry_prefix};
  auto const from = kernel_source(part, b.size, op);
  auto const into = kernel_sink(to, b.size, op);
  auto const last = device_iterator(to.first() + static_cast<std::iter_difference_t<typename Sink::iterator>>(b.size - 1));
  using U = typename Sink::element;
  using place = element_sink<U, std::remove_cv_t<decltype(last)>, Op, false>;
  bool const merges = kind == scan_kind::inclusive && (b.position >> b.k & 1) != 0;
  last_result<place, A> const correction{place{last, 1, op, false}, start.initial, start.has_initial, merges};
  std::size_t const tiles = tiles_left<std::remove_cv_t<decltype(from)>, U>(on, b.size, from);
  if (tiles == 0) enqueue_total(on, part, op, b);  // before the scan, which may be in place
  enqueue_scan<kind>(on, from, into, b.size, start,
                     [&](workspace_words const& words) { enqueue_push(on, b, words, tiles, correction, op); });
}

/// Calls use(part, block) for each aligned block of the chunk, whose carry advances with each.
template <class Source, class A, class Use>
void for_each_block(cuda const& on, Source const& in, std::size_t n, typename Source::operation const& op, device_carry<A>& left,
                    Use const& use) {
  static_assert(!refuses<typename Source::operation, A>, "upsweep::cuda: streams of checked operators run on the processor");
  std::size_t const base = left.position();
  block_sequence const blocks(base, base + n, 62);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    auto const [position, k] = blocks[i];
    std::size_t const size = std::size_t{1} << k;
    use(part_of(in, position, base, size, op), stream_block<A>{position, size, k, left.values(on.stream)});
    left.advance(k);
  }
}

template <class Source, class Op, class A>
void reduce_chunk_on(cuda const& on, Source const& in, std::size_t n, Op const& op, device_carry<A>& left) {
  for_each_block(on, in, n, op, left, [&](auto const& part, stream_block<A> const& b) { reduce_block_on(on, part, op, b); });
}
/// For accumulators that stay with the host: waits for each block.
template <class Source, class Op, class A>
void reduce_chunk_on(cuda const& on, Source const& in, std::size_t n, Op const& op, carry<A>& left) {
  std::size_t const base = left.position();
  block_sequence const blocks(base, base + n, 62);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::size_t const size = std::size_t{1} << blocks[i].k;
    left.push(blocks[i].k, reduce_on(on, part_of(in, blocks[i].position, base, size, op), size, op), op);
  }
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_chunk_on(cuda const& on, Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial, A const* first,
                   device_carry<A>& left) {
  std::size_t const base = left.position();
  for_each_block(on, in, n, op, left, [&](auto const& part, stream_block<A> const& b) {
    using difference = std::iter_difference_t<typename Sink::iterator>;
    sink<typename Sink::iterator, Op, false> const to(out.first() + static_cast<difference>(b.position - base), b.size, op);
    if constexpr (sums_std_complex<Source> && std::is_same_v<typename Source::element, typename Sink::element>) {
      using parts = complex_parts<typename A::value_type>;
      sink<parts*, Op, false> const to_parts(reinterpret_cast<parts*>(std::to_address(to.first())), b.size, op);
      scan_block_on<kind>(on, parts_source(part, b.size), to_parts, op, reinterpret_cast<parts const*>(initial),
                          reinterpret_cast<parts const*>(first), parts_block(b));
    } else {
      scan_block_on<kind>(on, part, to, op, initial, first, b);
    }
  });
}

}  // namespace upsweep::device

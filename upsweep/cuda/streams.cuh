/// Streams of chunks on the GPU: each call is one kernel in the CUDA stream, and returns.
#pragma once

#include <upsweep/cuda/launch.cuh>

#include <upsweep/cuda/kernels/scan_chunk.hpp>

namespace upsweep::device {

/// Whether accesses of 16 bytes meet the elements from `first` on, if `head` more stood in front of them.
template <class It>
[[nodiscard]] bool is_vector_aligned_behind(It const& first, std::size_t head) {
  if constexpr (std::is_pointer_v<It>)
    return (reinterpret_cast<std::uintptr_t>(first) - head * sizeof(*first)) % 16 == 0;
  else
    return false;
}

/// The results of the elements from `done` on, as the kernel takes them.
template <class To>
[[nodiscard]] chunk_sink<To> chunk_results(To to, std::size_t done, std::size_t head) {
  to.first += static_cast<std::ptrdiff_t>(done);
  to.size -= done;
  to.vectors = is_vector_aligned_behind(to.first, head);
  return {to, head};
}
[[nodiscard]] inline no_results chunk_results(no_results, std::size_t, std::size_t) {
  return {};
}

/// Calls use(tuned, plan) with the kernel for a chunk of n elements of type T that are combined as `Value`s.
template <class T, class Value, class Use>
void with_chunk_plan(std::size_t n, cuda_device const& device, Use const& use) {
  (void)with_row<tiles_rows_for<Value>()>(n * sizeof(T), [&](auto row) {
    using shape = typename decltype(row)::template shape<Value>;
    std::size_t const tiles = n / shape::size + 2;  // it may begin and end anywhere in a tile
    std::size_t const blocks = at_most(tiles, static_cast<std::size_t>(device.multiprocessors) * row.blocks);
    use(row, plan_for<shape, Value>(cuda_algorithm::scan_chunk, shape::size, tiles + 31, blocks, n * sizeof(T)));
    return true;
  });
}

/// Puts the chunk `from`, whose results go `to`, into the CUDA stream: one launch, and one more for each time that it goes beyond a
/// multiple of 2^30 tiles. `A` is the accumulator, which for sums of std::complex is its parts.
template <scan_kind kind, class A, class From, class To, class Carry>
void enqueue_chunk(cuda const& on, From from, To const& to, A const* initial, A const* first, Carry& left) {
  using Op = typename From::operation;
  using value = chunk_value<Op, A>;
  using source = chunk_source<From>;
  check_accumulator<A>();
  cuda_device const device = cuda_device::current();
  auto const some = [](A const* a) { return a != nullptr ? something<value>(*a) : value{}; };
  for (std::size_t done = 0, rest = from.size; rest > 0;) {
    with_chunk_plan<typename From::element, value>(rest, device, [&](auto row, cuda_plan const& plan) {
      using shape = typename decltype(row)::template shape<value>;
      std::size_t const position = left.position(), head = position % shape::size, span = std::size_t{shape::size} << 30;
      from.size = at_most(rest, span - position % span);
      from.vectors = is_vector_aligned_behind(from.first, head);
      auto const results = chunk_results(to, done, head);
      auto const [present, next] = left.values(on.stream);
      chunk_start<A> const before{position, reinterpret_cast<A const*>(present)};
      scan_start<value> const start{some(initial), some(first), initial != nullptr, position > 0};
      auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
      launch<scan_chunk<kind, shape, source, std::remove_cv_t<decltype(results)>>>(
          plan, on, device, source{from, chunk_operation<Op, A>{from.op}, before, head}, results, start,
          new_carry<A, Op>{reinterpret_cast<A*>(next)}, workspace_words{static_cast<word*>(scratch.memory())});
    });
    left.advance(from.size);
    done += from.size;
    rest -= from.size;
    from.first += static_cast<std::ptrdiff_t>(from.size);
    from.base += from.size;
  }
}

template <class Source, class Op, class A>
void reduce_chunk_on(cuda const& on, Source const& in, std::size_t n, Op const& op, device_carry<A>& left) {
  static_assert(!refuses<Op, A>, "upsweep::cuda: streams of checked operators run on the processor");
  constexpr auto kind = scan_kind::inclusive;  // of results that nobody wants
  if constexpr (sums_std_complex<Source>) {
    using parts = complex_parts<typename A::value_type>;
    enqueue_chunk<kind, parts>(on, kernel_source(parts_source(in, n), n, op), no_results{}, nullptr, nullptr, left);
  } else {
    enqueue_chunk<kind, A>(on, kernel_source(in, n, op), no_results{}, nullptr, nullptr, left);
  }
}
/// For accumulators that stay with the host, those of exact sums, which have the same value in any grouping: one block takes the
/// total of the chunk, the others are empty. Waits for it.
template <class Source, class Op, class A>
void reduce_chunk_on(cuda const& on, Source const& in, std::size_t n, Op const& op, carry<A>& left) {
  static_assert(is_exact<Op, A>, "upsweep::cuda: streams need accumulators of at most 64 bytes, or an exact operator");
  A total = reduce_on(on, in, n, op);
  block_sequence const blocks(left.position(), left.position() + n, 62);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    left.push(blocks[i].k, std::move(total), op);
    total = identity_of<A>(op);
  }
}

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_chunk_on(cuda const& on, Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial, A const* first,
                   device_carry<A>& left) {
  static_assert(!refuses<Op, A>, "upsweep::cuda: streams of checked operators run on the processor");
  if constexpr (sums_std_complex<Source> && std::is_same_v<typename Source::element, typename Sink::element>) {
    using parts = complex_parts<typename A::value_type>;
    sink<parts*, Op, false> const to(reinterpret_cast<parts*>(std::to_address(out.first())), n, op);
    enqueue_chunk<kind, parts>(on, kernel_source(parts_source(in, n), n, op), kernel_sink(to, n, op),
                               reinterpret_cast<parts const*>(initial), reinterpret_cast<parts const*>(first), left);
  } else {
    enqueue_chunk<kind, A>(on, kernel_source(in, n, op), kernel_sink(out, n, op), initial, first, left);
  }
}

}  // namespace upsweep::device

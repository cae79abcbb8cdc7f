/// Verbs over segments: the shape of tiles, the scratch memory, and the launches.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/segments/reduce.hpp>
#include <upsweep/segments.hpp>

#include <bit>
#include <type_traits>

namespace upsweep::device {

/// Tiles of 16 KiB, a fourth of which is a chunk; an H200 has seven such blocks on a
/// multiprocessor, four where accumulators take more registers.
template <class T, class A>
struct segment_shape_of {
  static constexpr std::size_t larger = sizeof(T) > sizeof(A) ? sizeof(T) : sizeof(A),
                               bytes = std::bit_ceil(larger > 4 ? larger : 4);
  static constexpr unsigned size = static_cast<unsigned>((std::size_t{1} << 14) / bytes);
  static_assert(bytes <= 128 && std::is_trivially_copyable_v<T> &&
                    std::is_default_constructible_v<T>,
                "upsweep::gpu: elements of segments must be trivially copyable, "
                "default-constructible and at most 128 bytes");
  using type = segment_shape<size, static_cast<unsigned>(std::bit_width(size / 128)) - 1, 4,
                             bytes <= 16 ? 7 : 4>;
};

/// The plan of the first launch for at most n elements in `count` segments.
template <class Shape, class A>
[[nodiscard]] cuda_plan pick_segments(std::size_t n, std::size_t count, std::size_t element_bytes,
                                      cuda_device const& device) {
  std::size_t const tiles = divide_up(n + count, Shape::size);
  // A segment that crosses tiles and is not in that of its begin has more than a chunk.
  bool const may_cross = tiles > 1 && n > Shape::chunk;
  return {
      .algorithm = cuda_algorithm::reduce_segments,
      .tile = Shape::size,
      .blocks = detail::at_most(
          tiles, std::size_t{Shape::blocks} * static_cast<std::size_t>(device.multiprocessors)),
      .threads = Shape::threads,
      .launches = may_cross ? 2U : 1U,
      .workspace_bytes =
          (workspace_words::header + segment_scratch<Shape, A>::needed(n, tiles)) * sizeof(word),
      .traffic_bytes = n * element_bytes};
}

/// Enqueues the reductions of segments between `borders`.
template <class It, class Borders, class Results>
void enqueue_reduce_segments(gpu const& on, It const& first, segment_call const& call,
                             Borders const& borders, Results const& results) {
  using A = std::remove_cv_t<decltype(results.initial)>;
  using input = element_input<It>;
  using T = typename input::element;
  using shape = typename segment_shape_of<T, A>::type;
  check_accumulator<A>();
  cuda_device const device = cuda_device::current();
  cuda_plan plan = pick_segments<shape, A>(call.n.most, call.count.most, sizeof(T), device);
  if (plan.blocks == 0) return;
  auto const memory = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
  std::size_t const tiles = divide_up(call.n.most + call.count.most, shape::size);
  segment_scratch<shape, A> const scratch{words_of_lease(memory).words + workspace_words::header,
                                          tiles};
  launch<reduce_segments<shape, input, Borders, Results, A>>(
      plan, on, device, call, input{first, is_vector_aligned(first)}, borders, results, scratch);
  if (plan.launches == 1) return;
  constexpr unsigned warps = 8;
  plan.algorithm = cuda_algorithm::finish_segments;
  plan.blocks = divide_up(tiles, 32);
  plan.threads = 32 * warps;
  launch<finish_segments<warps, shape, Borders, Results, A>>(plan, on, device, call, borders,
                                                             results, scratch);
}

/// The results of reductions of segments; `initial` may be null. An empty segment without it and
/// without identity has none.
template <class Sink, class Op, class A>
[[nodiscard]] auto results_of_segments(Sink const& out, std::size_t count, Op const& op,
                                       A const* initial) {
  auto const to = kernel_sink(out, count, op);
  using sink = std::remove_const_t<decltype(to)>;
  segment_results<A, Op, sink> results{op, to, A{}, A{}, initial != nullptr, initial != nullptr};
  if (initial != nullptr) {
    results.initial = results.empty = *initial;
  } else if constexpr (monoid_over<Op, A> && !detail::refuses_empty<Op>) {
    results.empty = identity_of<A>(op);
    results.has_empty = true;
  }
  return results;
}

template <class Call, class Offsets, class Sink>
void reduce_segments_on(gpu const& on, Call const& c, Offsets const& offsets, std::size_t count,
                        Sink const& out) {
  using A = typename Call::accumulator;
  static_assert(!refuses<typename Call::operation, A>,
                "upsweep::gpu: a checked operator must report an overflow to the host, which "
                "reductions of segments do not wait for");
  auto const first = device_iterator(offsets);
  enqueue_reduce_segments(on, device_iterator(c.in.first()),
                          segment_call{{c.n, nullptr}, {count, nullptr}},
                          offset_borders<std::remove_const_t<decltype(first)>>{first},
                          results_of_segments(out, count, c.op, c.initial));
}

}  // namespace upsweep::device

/// Verbs over segments: the shape of tiles, the temporary storage, and the launches.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/segments/by_warps.hpp>
#include <upsweep/cuda/segments/long.hpp>
#include <upsweep/cuda/segments/reduce.hpp>
#include <upsweep/cuda/segments/scan.hpp>
#include <upsweep/segments.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

/// Tiles of 16 KiB, a fourth of which is a chunk, if the largest of the types is one of elements,
/// accumulators or what takes the elements' place in shared memory. An H200 has seven such blocks
/// on a multiprocessor, four where accumulators take more registers.
template <class... Types>
struct segment_shape_of {
  static constexpr std::size_t bytes = std::bit_ceil(std::max({std::size_t{4}, sizeof(Types)...}));
  static constexpr unsigned size = static_cast<unsigned>((std::size_t{1} << 14) / bytes);
  static_assert(bytes <= 128 && (... && (std::is_trivially_copyable_v<Types> &&
                                         std::is_default_constructible_v<Types>)),
                "upsweep::gpu: elements and results of segments must be trivially copyable, "
                "default-constructible and at most 128 bytes");
  static constexpr unsigned item_log2 = static_cast<unsigned>(std::bit_width(size / 128)) - 1;
  using type = segment_shape<size, item_log2, 4, bytes <= 16 ? 7 : 4>;
  /// The same with a fourth of the elements for each thread.
  static constexpr bool has_small = bytes <= 8;
  using small = segment_shape<has_small ? size / 4 : size, has_small ? item_log2 - 2 : item_log2, 4,
                              type::blocks>;
  /// Of the kernel for long segments, whose lanes have an item's worth of elements in registers.
  using of_long = segment_shape<size, type::item_log2, 4, bytes <= 16 ? 6 : 4>;
  /// Of the kernel in which a warp has a segment, two items in each lane.
  using by_warps = segment_shape<size, type::item_log2, 4, bytes <= 16 ? 5 : 4>;
};

/// The elements and ends of segments that tiles share.
[[nodiscard]] inline std::size_t work_of(segment_call const& call) {
  return call.n.most + call.count.most;
}
template <class Shapes>
[[nodiscard]] bool is_small(gpu const& on, std::size_t work) {
  using small = typename Shapes::small;
  return fit_in_wave(on, divide_up(work, small::size), small::blocks, device_of(on));
}
/// Calls use(shape, wave) with the shape of the tiles that share `work` and whether they are a
/// wave: small tiles if the device can hold all of them at once, as a call then takes one tile's
/// time.
template <class Shapes, class Use>
decltype(auto) with_shape(gpu const& on, std::size_t work, Use const& use) {
  if constexpr (Shapes::has_small)
    if (is_small<Shapes>(on, work)) return use(typename Shapes::small(), std::true_type());
  return use(typename Shapes::type(), std::false_type());
}

/// The plan of a kernel whose tiles share `work`, and which reads and writes `bytes`.
template <class Shape>
[[nodiscard]] cuda_plan pick_tiles(cuda_algorithm algorithm, std::size_t work, std::size_t bytes,
                                   cuda_device const& device) {
  std::size_t const tiles = divide_up(work, Shape::size);
  return {.algorithm = algorithm,
          .tile = Shape::size,
          .blocks = detail::at_most(
              tiles, std::size_t{Shape::blocks} * static_cast<std::size_t>(device.multiprocessors)),
          .threads = Shape::threads,
          .launches = 1,
          .traffic_bytes = bytes};
}

/// How a reduction shares its input: tiles, which blocks take one at a time; a segment for each
/// warp, and ranges for warps beside them; or only ranges, which warps take one at a time.
enum class segment_parts { tiles, segments, ranges };

/// Those of a call. Of ranges there are four for each warp that the device holds, as some take
/// longer than others, but they have a chunk at least, and beside segments three.
template <class Shapes>
struct reduction_parts {
  segment_parts kind;
  std::size_t size, count, blocks;

  reduction_parts(gpu const& on, segment_call const& call, cuda_device const& device)
      : kind(kind_of(on, call)) {
    std::size_t const work = work_of(call);
    if (kind == segment_parts::tiles) {
      size = with_shape<Shapes>(on, work, [](auto tile, auto) { return std::size_t{tile.size}; });
      count = divide_up(work, size);
      blocks = count;
      return;
    }
    using ranges = typename Shapes::of_long;
    std::size_t const warps = std::size_t{ranges::warps} *
                              (kind == segment_parts::segments ? Shapes::by_warps::blocks
                                                               : ranges::blocks) *
                              static_cast<std::size_t>(device.multiprocessors),
                      least = kind == segment_parts::ranges ? 1 : 3;
    size = std::max(least * ranges::chunk, divide_up(work, warps));
    count = divide_up(work, size);
    blocks = divide_up(count, ranges::warps);
    if (kind == segment_parts::segments) blocks += divide_up(call.count.most, ranges::warps);
  }
  template <class Shape>
  [[nodiscard]] cuda_plan plan(cuda_algorithm algorithm, std::size_t bytes,
                               cuda_device const& device) const {
    return {.algorithm = algorithm,
            .tile = size,
            .blocks =
                kind == segment_parts::segments
                    ? blocks
                    : detail::at_most(blocks, std::size_t{Shape::blocks} *
                                                  static_cast<std::size_t>(device.multiprocessors)),
            .threads = Shape::threads,
            .launches = 1,
            .traffic_bytes = bytes};
  }

 private:
  [[nodiscard]] static segment_parts kind_of(gpu const& on, segment_call const& call) {
    std::size_t const n = call.n.most, segments = call.count.most;
    bool const is_wave = Shapes::has_small && is_small<Shapes>(on, work_of(call));
    if (segments == 0) return is_wave ? segment_parts::tiles : segment_parts::ranges;
    // A warp takes about as long for any segment of fewer than 400 elements, so there may be
    // thousands of them, or those of longer ones. Few long ones are tiles' if these are a wave.
    constexpr std::size_t chunk = Shapes::by_warps::chunk;
    std::size_t const average = n / segments, most = is_wave ? 2 * chunk : n;
    bool const are_few = 24 <= average && average <= most && segments <= 10'000 + n / 800;
    if (on.blocks_start_in_order && are_few) return segment_parts::segments;
    if (n / 96 < segments) return segment_parts::tiles;
    return is_wave ? segment_parts::tiles : segment_parts::ranges;
  }
};

/// The accumulators of segment_results.
template <class Results>
using segment_total = std::remove_cv_t<decltype(Results::initial)>;

/// Launches the reductions of segments between `borders`. `words` are those of
/// segment_words(), in the workspace.
template <class It, class Borders, class Results>
void launch_reductions(gpu const& on, cuda_device const& device, workspace_words workspace,
                       word* words, It const& first, segment_call const& call,
                       Borders const& borders, Results const& results) {
  using A = segment_total<Results>;
  using input = element_input<It>;
  using shapes = segment_shape_of<typename input::element, A>;
  using ranges = typename shapes::of_long;
  reduction_parts<shapes> const parts(on, call, device);
  if (parts.count == 0) return;
  input const in{first, is_vector_aligned(first)};
  std::size_t const bytes = call.n.most * sizeof(typename input::element);
  if (parts.kind == segment_parts::segments) {
    using shape = typename shapes::by_warps;
    using levels_of = segment_levels<shape, A>;
    launch<reduce_by_warps<shape, input, Borders, Results, A>>(
        parts.template plan<shape>(cuda_algorithm::reduce_by_warps, bytes, device), on, device,
        call, in, borders, results,
        levels_of{words, call.n.most, levels_of::levels_of(call.n.most)},
        tile_tickets<true>{workspace}, parts.size);
    return;
  }
  if (parts.kind == segment_parts::ranges) {
    using levels_of = segment_levels<ranges, A>;
    launch<reduce_long_segments<ranges, input, Borders, Results, A>>(
        parts.template plan<ranges>(cuda_algorithm::reduce_long_segments, bytes, device), on,
        device, call, in, borders, results,
        levels_of{words, call.n.most, levels_of::levels_of(call.n.most)}, workspace, parts.size);
    return;
  }
  with_shape<shapes>(
      on, work_of(call), [&]<class Shape, bool wave>(Shape, std::bool_constant<wave>) {
        using levels_of = segment_levels<Shape, A>;
        launch<reduce_segments<wave, Shape, input, Borders, Results, A>>(
            parts.template plan<Shape>(cuda_algorithm::reduce_segments, bytes, device), on, device,
            call, in, borders, results,
            levels_of{words, call.n.most, levels_of::levels_of(call.n.most)},
            tile_tickets<wave>{workspace});
      });
}

/// Words of temporary storage for calls over elements of `It` with accumulators A; scans store
/// elements of U.
template <class It, class A, class... U>
[[nodiscard]] std::size_t segment_words(gpu const& on, segment_call const& call) {
  using shapes = segment_shape_of<typename element_input<It>::element, A, U...>;
  return with_shape<shapes>(on, work_of(call), [&]<class Shape>(Shape, auto) {
    using levels_of = segment_levels<Shape, A>;
    return levels_of::needed(call.n.most, levels_of::levels_of(call.n.most));
  });
}

/// Launches the scans of segments between `borders` into elements of type U. `words` are those of
/// segment_words(), in the workspace.
template <scan_kind kind, class U, class It, class Borders, class Results>
void launch_scans(gpu const& on, cuda_device const& device, workspace_words workspace, word* words,
                  It const& first, segment_call const& call, Borders const& borders,
                  Results const& results) {
  using A = segment_total<Results>;
  using input = element_input<It>;
  using T = typename input::element;
  check_accumulator<A>();
  if (call.n.most == 0) return;
  with_shape<segment_shape_of<T, A, U>>(
      on, work_of(call), [&]<class Shape, bool wave>(Shape, std::bool_constant<wave>) {
        using levels_of = segment_levels<Shape, A>;
        launch<scan_segments<kind, wave, Shape, input, U, Borders, Results, A>>(
            pick_tiles<Shape>(cuda_algorithm::scan_segments, work_of(call),
                              call.n.most * (sizeof(T) + sizeof(U)), device),
            on, device, call, input{first, is_vector_aligned(first)}, borders, results,
            levels_of{words, call.n.most, levels_of::levels_of(call.n.most)},
            tile_tickets<wave>{workspace});
      });
}

/// The results of a call; `initial` may be null. Without it and without identity, an empty segment
/// has no result.
template <class Sink, class Op, class A>
[[nodiscard]] auto results_of_segments(Sink const& out, std::size_t size, Op const& op,
                                       A const* initial) {
  static_assert(!refuses<Op, A>,
                "upsweep::gpu: calls over segments do not support checked operators, because they "
                "do not wait for the report of an overflow; use the CPU");
  auto const to = kernel_sink(out, size, op);
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
/// The same for a call, with the operator and the accumulators of its kernels.
template <class Call, class Sink>
[[nodiscard]] auto results_of_call(Call const& c, Sink const& out, std::size_t size) {
  using T = typename Call::source::element;
  auto const op = kernel_operation_for<T, typename Sink::element>(c.op);
  using A = accumulator_t<std::remove_const_t<decltype(op)>, T>;
  auto const converted = [](auto const* a) { return a != nullptr ? static_cast<A>(*a) : A{}; };
  A const initial = converted(c.initial);
  auto results = results_of_segments(out, size, op, c.initial != nullptr ? &initial : nullptr);
  if (c.first != nullptr) results.empty = converted(c.first);
  return results;
}
template <class Offsets>
[[nodiscard]] auto kernel_borders(Offsets const& offsets) {
  auto const first = device_iterator(offsets);
  return offset_borders<std::remove_const_t<decltype(first)>>{first};
}

/// Enqueues the reductions with temporary storage of their own.
template <class A, class It, class Borders, class Results>
void enqueue_reductions(gpu const& on, It const& first, segment_call const& call,
                        Borders const& borders, Results const& results) {
  check_accumulator<A>();
  auto const memory =
      take_workspace(on, (workspace_words::header + segment_words<It, A>(on, call)) * sizeof(word));
  workspace_words const workspace = words_of_lease(memory);
  launch_reductions(on, device_of(on), workspace, workspace.words + workspace_words::header, first,
                    call, borders, results);
}

/// The same of scans, whose results have type U.
template <scan_kind kind, class A, class U, class It, class Borders, class Results>
void enqueue_scans(gpu const& on, It const& first, segment_call const& call, Borders const& borders,
                   Results const& results) {
  auto const memory = take_workspace(
      on, (workspace_words::header + segment_words<It, A, U>(on, call)) * sizeof(word));
  workspace_words const workspace = words_of_lease(memory);
  launch_scans<kind, U>(on, device_of(on), workspace, workspace.words + workspace_words::header,
                        first, call, borders, results);
}

template <class Call, class Offsets, class Sink>
void reduce_segments_on(gpu const& on, Call const& c, Offsets const& offsets, std::size_t count,
                        Sink const& out) {
  auto const results = results_of_call(c, out, count);
  enqueue_reductions<segment_total<decltype(results)>>(
      on, device_iterator(c.in.first()), segment_call{{c.n, nullptr}, {count, nullptr}},
      kernel_borders(offsets), results);
}

template <scan_kind kind, class Call, class Offsets, class Sink>
void scan_segments_on(gpu const& on, Call const& c, Offsets const& offsets, std::size_t count,
                      Sink const& out) {
  using U = typename Sink::element;
  auto const results = results_of_call(c, out, c.n);
  auto const first = device_iterator(c.in.first());
  segment_call const call{{c.n, nullptr}, {count, nullptr}};
  enqueue_scans<kind, segment_total<decltype(results)>, U>(on, first, call, kernel_borders(offsets),
                                                           results);
}

}  // namespace upsweep::device

// The compiled sums and running sums of segments.

/// `declare` is `extern`, or nothing; O is the type of offsets.
#define UPSWEEP_CUDA_REDUCE_SEGMENTS(declare, T, U, O)                                          \
  static_assert(compiled_reduce_segments<call_of_sums<T>, O const*, sums_in<U>>);               \
  declare template void reduce_segments_on(gpu const&, call_of_sums<T> const&, O const* const&, \
                                           std::size_t, sums_in<U> const&);
#define UPSWEEP_CUDA_SCAN_SEGMENTS(declare, kind, T, O)                            \
  static_assert(compiled_scan_segments<call_of_sums<T>, O const*, sums_in<T>>);    \
  declare template void scan_segments_on<kind>(gpu const&, call_of_sums<T> const&, \
                                               O const* const&, std::size_t, sums_in<T> const&);
#define UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, T, O)              \
  UPSWEEP_CUDA_REDUCE_SEGMENTS(declare, T, T, O)                  \
  UPSWEEP_CUDA_SCAN_SEGMENTS(declare, scan_kind::inclusive, T, O) \
  UPSWEEP_CUDA_SCAN_SEGMENTS(declare, scan_kind::exclusive, T, O)

#define UPSWEEP_CUDA_SEGMENTS(declare, O)                              \
  UPSWEEP_CUDA_REDUCE_SEGMENTS(declare, std::int32_t, std::int64_t, O) \
  UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, std::int32_t, O)              \
  UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, std::int64_t, O)              \
  UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, float, O)                     \
  UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, double, O)

namespace upsweep::device {

template <class T>
using call_of_sums = call<source<T const*, detail::as_is, plus, false>, plus>;
template <class T>
using sums_in = sink<T*, plus, false>;

UPSWEEP_CUDA_SEGMENTS(extern, std::uint32_t)
UPSWEEP_CUDA_SEGMENTS(extern, std::uint64_t)

}  // namespace upsweep::device

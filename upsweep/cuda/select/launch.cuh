/// Selections: the choice of the kernel and its tile, then its launch. The host waits for the
/// counts, unless they stay on the device.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/cuda/select/ring.hpp>
#include <upsweep/cuda/select/tiles.hpp>
#include <upsweep/cuda/select/wave.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace upsweep::device {

template <class It>
[[nodiscard]] auto selection_flags(It const& flags) {
  auto const first = device_iterator(flags);
  return marks_of_flags<std::remove_const_t<decltype(first)>>{first, is_vector_aligned(first)};
}

/// The marks of a call in the form that kernels take. What is not a function of the elements, which
/// an output takes, is a range of flags.
template <bool takes_values, class It, class F>
[[nodiscard]] auto kernel_marks(detail::marks_by_predicate<It, F> const& marks) {
  if constexpr (takes_values && std::is_same_v<F, detail::as_is>)
    return selection_flags(marks.first);
  else
    return marks_of_values<F>{marks.test};
}
template <bool, class It, class P, class Q>
[[nodiscard]] auto kernel_marks(detail::marks_by_two<It, P, Q> const& marks) {
  return marks_of_two<P, Q>{marks.is_first, marks.is_second};
}
template <bool, class It, class Same>
[[nodiscard]] auto kernel_marks(detail::marks_of_runs<It, Same> const& marks) {
  return marks_of_heads<Same>{marks.equal};
}

/// Whether the ring can copy what the marks read beside the elements.
template <class Marks>
inline constexpr bool ring_takes_flags = true;
template <class It>
inline constexpr bool ring_takes_flags<marks_of_flags<It>> = std::is_pointer_v<It>;

template <class Output>
inline constexpr bool takes_values = requires(Output const& output) { output.in; };

/// Output `k` of a call. Those of runs are the values and the lengths; otherwise each has its part.
template <std::size_t k, class Output>
[[nodiscard]] auto kernel_output(Output const& output) {
  auto const out = device_iterator(output.out);
  using It = std::remove_const_t<decltype(out)>;
  if constexpr (takes_values<Output>)
    return selection_output<taken::values, unsigned{k}, It, typename Output::element>{out,
                                                                                      output.room};
  else
    return selection_output<k == 0 ? taken::positions : taken::lengths, 0, It,
                            typename Output::element>{out, output.room};
}

/// The elements that the kernel reads: those that an output takes, otherwise those with the marks.
template <class Marks, class Output, class... Rest>
[[nodiscard]] auto const& selected_elements(Marks const& marks, Output const& output,
                                            Rest const&...) {
  if constexpr (takes_values<Output>)
    return output.in;
  else
    return marks.first;
}

/// The tile of the ring; at most two of them have one look-back.
template <class T>
using ring_select_shape = tile_shape<8, 8, items_of<T>>;

/// The tile of the other kernels: `rows` rows of up to four elements a lane; of bytes one of 16.
template <class T, unsigned warps, unsigned rows, unsigned blocks>
using select_shape = tile_shape<warps, sizeof(T) == 1 || (sizeof(T) > 32) ? 1 : rows,
                                vector_items<T>(sizeof(T) == 1 ? 16 : 4), blocks>;
template <class T>
using small_wave_shape = select_shape<T, 4, 2, 8>;
template <class T>
using large_wave_shape = select_shape<T, 8, 4, 4>;
template <class T>
using select_tiles_shape = select_shape<T, 8, 4, 2>;

/// The plan to select from n elements of type T. `copied`: the ring can copy them, and the flags.
template <class T, class Marks, class... Outputs>
[[nodiscard]] cuda_plan pick_select(gpu const& on, std::size_t n, bool copied,
                                    cuda_device const& device) {
  std::size_t const bytes = n * sizeof(T);
  auto const plan_of = [&](cuda_algorithm algorithm, unsigned row, std::size_t tile,
                           unsigned threads, unsigned blocks, std::size_t shared_bytes) {
    std::size_t const tiles = n > 0 ? divide_up(n, tile) : 1;
    std::size_t const smallest = small_wave_shape<T>::size;
    return cuda_plan{
        .algorithm = algorithm,
        .row = row,
        .tile = tile,
        .blocks = detail::at_most(tiles, static_cast<std::size_t>(device.multiprocessors) * blocks),
        .threads = threads,
        .shared_bytes = shared_bytes,
        .launches = 1,
        .workspace_bytes =
            workspace_words::needed<typename select_traits<Marks, Outputs...>::counts>(
                divide_up(n, smallest) + 1) *
            sizeof(word),
        .traffic_bytes = bytes};
  };
  auto const is_wave = [&](std::size_t most, auto shape) {
    return bytes <= most && fit_in_wave(on, divide_up(n, shape.size), shape.blocks, device);
  };
  auto const wave_of = [&](unsigned row, auto shape) {
    return plan_of(cuda_algorithm::select_wave, row, shape.size, shape.threads, shape.blocks, 0);
  };
  using small = small_wave_shape<T>;
  using large = large_wave_shape<T>;
  if (is_wave(small_selection, small())) return wave_of(0, small());
  if (is_wave(wave_selection, large())) return wave_of(1, large());
  if constexpr (has_vectors<T> && ring_takes_flags<Marks>) {
    using layout = select_layout<ring_select_shape<T>, T, Marks, Outputs...>;
    ring_plan const stages = layout::plan(device.shared_bytes);
    if (copied && stages.stages >= 2) {
      unsigned const run = bytes >= large_selection && stages.stages >= 4 ? 1 : 0;
      return plan_of(cuda_algorithm::select_ring, 2 + run, std::size_t{layout::size} << run,
                     layout::threads, 1, layout::shared_bytes(stages));
    }
  }
  using shape = select_tiles_shape<T>;
  return plan_of(cuda_algorithm::select_tiles, 4, shape::size, shape::threads, shape::blocks, 0);
}

/// Whether the ring can copy what a call reads.
template <class It, class Marks, class... Outputs>
inline constexpr bool ring_may_copy = [] {
  using T = typename element_input<It>::element;
  return is_memory<It, T> && has_vectors<T> && ring_takes_flags<Marks> &&
         (... && (Outputs::what != taken::values ||
                  (Outputs::in_memory && std::is_same_v<typename Outputs::element, T>)));
}();

/// The plan to select from the n elements from `first` on.
template <class Marks, class It, class... Outputs>
[[nodiscard]] cuda_plan plan_selection(gpu const& on, Marks const& marks, It const& first,
                                       std::size_t n, cuda_device const& device,
                                       Outputs const&...) {
  using T = typename element_input<It>::element;
  static_assert(
      std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T> && sizeof(T) <= 128,
      "upsweep::gpu: selected elements must be trivially copyable, default-constructible "
      "and at most 128 bytes");
  bool copied = ring_may_copy<It, Marks, Outputs...> && is_vector_aligned(first);
  if constexpr (Marks::has_flags) copied = copied && marks.vectors;
  return pick_select<T, Marks, Outputs...>(on, n, copied, device);
}

/// The elements of type T that one warp takes at a time by such a plan.
template <class T>
[[nodiscard]] unsigned chunk_of_selection(cuda_plan const& plan) {
  if (plan.algorithm == cuda_algorithm::select_ring) return ring_select_shape<T>::chunk;
  if (plan.algorithm == cuda_algorithm::select_tiles) return select_tiles_shape<T>::chunk;
  return plan.row == 0 ? small_wave_shape<T>::chunk : large_wave_shape<T>::chunk;
}

/// Launches a selection by its plan; its counts go to call.counts.
template <class It, class Marks, class... Outputs>
void launch_selection(gpu const& on, cuda_plan const& plan, cuda_device const& device,
                      workspace_words const& words, selection_call const& call, Marks const& marks,
                      It const& first, Outputs const&... outputs) {
  using input = element_input<It>;
  using T = typename input::element;
  input const in{first, is_vector_aligned(first)};
  if (plan.algorithm == cuda_algorithm::select_ring) {
    if constexpr (ring_may_copy<It, Marks, Outputs...>) {
      ring_plan stages =
          select_layout<ring_select_shape<T>, T, Marks, Outputs...>::plan(device.shared_bytes);
      stages.evict_first = input_leaves_cache_first(call.most * sizeof(T));
      launch<select_ring<ring_select_shape<T>, T, Marks, Outputs...>>(
          plan, on, device, call, marks, static_cast<T const*>(first), plan.row - 2, words, stages,
          outputs...);
    }
  } else if (plan.algorithm == cuda_algorithm::select_tiles) {
    launch<select_tiles<select_tiles_shape<T>, input, Marks, Outputs...>>(
        plan, on, device, call, marks, in, words, outputs...);
  } else if (plan.row == 0) {
    launch<select_wave<small_wave_shape<T>, input, Marks, Outputs...>>(
        plan, on, device, call, marks, in, words, outputs...);
  } else {
    launch<select_wave<large_wave_shape<T>, input, Marks, Outputs...>>(
        plan, on, device, call, marks, in, words, outputs...);
  }
}

/// Enqueues the call; its counts go to `counts`.
template <class It, class Marks, class... Outputs>
void enqueue_select(gpu const& on, Marks const& marks, It const& first, std::size_t n,
                    bool in_place, word* counts, Outputs const&... outputs) {
  cuda_device const device = device_of(on);
  cuda_plan const plan = plan_selection(on, marks, first, n, device, outputs...);
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  selection_call const call{{n, reinterpret_cast<word const*>(on.length_from)}, counts, in_place};
  launch_selection(on, plan, device, words_of_lease(scratch), call, marks, first, outputs...);
}

template <class Marks, class... Outputs>
auto select_on(gpu const& on, Marks const& marks, std::size_t n, Outputs const&... outputs)
    -> detail::selected_counts<sizeof...(Outputs)> {
  auto const first = device_iterator(selected_elements(marks, outputs...));
  bool const in_place = (... || outputs.in_place);
  word* const to = returned_counts(on);
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    enqueue_select(on, kernel_marks<(... || takes_values<Outputs>)>(marks), first, n, in_place, to,
                   kernel_output<k>(outputs)...);
  }(std::index_sequence_for<Outputs...>());
  detail::selected_counts<sizeof...(Outputs)> taken;
  if (on.count_to != nullptr || on.plans_to != nullptr) return taken;
  wait_for(on, "finish the selection");
  constexpr bool one_part = !(... && takes_values<Outputs>);
  for (std::size_t k = 0; k < sizeof...(Outputs); ++k) taken.of[k] = to[one_part ? 0 : k];
  return taken;
}

}  // namespace upsweep::device

// The compiled selections: by flags of a byte, of neighbors that differ, and of positions.

/// `declare` is `extern`, or nothing.
#define UPSWEEP_CUDA_SELECTION(declare, Marks, Output)                                  \
  declare template auto select_on(gpu const&, Marks const&, std::size_t, Output const&) \
      -> detail::selected_counts<1>;
#define UPSWEEP_CUDA_SELECT_FLAGS(declare, T) \
  UPSWEEP_CUDA_SELECTION(declare, marks_of_bytes, output_of<T>)
#define UPSWEEP_CUDA_SELECT_POSITIONS(declare, T) \
  UPSWEEP_CUDA_SELECTION(declare, marks_of_bytes, detail::position_output<T*>)
#define UPSWEEP_CUDA_UNIQUE(declare, T) UPSWEEP_CUDA_SELECTION(declare, heads_of<T>, output_of<T>)

#define UPSWEEP_CUDA_SELECTIONS(declare)                \
  UPSWEEP_CUDA_SELECT_FLAGS(declare, std::uint8_t)      \
  UPSWEEP_CUDA_SELECT_FLAGS(declare, std::uint16_t)     \
  UPSWEEP_CUDA_SELECT_FLAGS(declare, std::uint32_t)     \
  UPSWEEP_CUDA_SELECT_FLAGS(declare, std::uint64_t)     \
  UPSWEEP_CUDA_SELECT_POSITIONS(declare, std::uint32_t) \
  UPSWEEP_CUDA_SELECT_POSITIONS(declare, std::uint64_t) \
  UPSWEEP_CUDA_UNIQUE(declare, std::uint8_t)            \
  UPSWEEP_CUDA_UNIQUE(declare, std::uint16_t)           \
  UPSWEEP_CUDA_UNIQUE(declare, std::uint32_t)           \
  UPSWEEP_CUDA_UNIQUE(declare, std::uint64_t)           \
  UPSWEEP_CUDA_UNIQUE(declare, float)                   \
  UPSWEEP_CUDA_UNIQUE(declare, double)

namespace upsweep::device {

using marks_of_bytes = detail::marks_by_predicate<std::uint8_t const*, detail::as_is>;
template <class T>
using heads_of = detail::marks_of_runs<T const*, same>;
template <class T>
using output_of = detail::value_output<T const*, T*>;

UPSWEEP_CUDA_SELECTIONS(extern)

}  // namespace upsweep::device

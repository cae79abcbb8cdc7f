/// Reductions and scans by key: one scan if the operator is exact, otherwise the kernels of runs,
/// for which a selection marks where runs begin unless they compare keys themselves.
#pragma once

#include <upsweep/by_key.hpp>
#include <upsweep/cuda/runs/free_runs.hpp>
#include <upsweep/cuda/runs/reduce.hpp>
#include <upsweep/cuda/runs/scan.hpp>
#include <upsweep/cuda/scan/launch.cuh>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/select/launch.cuh>

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::device {

/// The tiles of runs, whose windows are the items of segments of the same types; half as long where
/// the device can hold all tiles at once, and a fourth where the kernel compares keys. Reductions
/// of numbers take few registers, so that an H200 has one more such block on a multiprocessor.
template <unsigned more_blocks, class... Types>
struct run_shape_of {
  using of_segments = segment_shape_of<Types...>;
  template <unsigned halvings>
  using with_windows =
      run_shape<of_segments::type::item_log2 - halvings, of_segments::type::warps,
                of_segments::type::blocks + (of_segments::bytes <= 8 ? more_blocks : 0)>;

  static constexpr bool has_small = of_segments::has_small;
  using type = with_windows<0>;
  using few = with_windows<has_small ? 1 : 0>;
  using compared = with_windows<has_small ? 2 : 0>;
};
template <class T, class A>
using run_reduction_shape = run_shape_of<1, T, A>;
template <class T, class A, class U>
using run_scan_shape = run_shape_of<0, T, A, U>;

/// Calls use(shape, wave) with the shape of the tiles that share n elements and whether they are a
/// wave.
template <class Shapes, class Heads, class Use>
decltype(auto) with_run_shape(gpu const& on, std::size_t n, Use const& use) {
  if constexpr (Heads::are_compared) {
    return use(typename Shapes::compared(), std::true_type());
  } else {
    if constexpr (Shapes::has_small) {
      using few = typename Shapes::few;
      if (fit_in_wave(on, divide_up(n, few::size), few::blocks, device_of(on)))
        return use(few(), std::true_type());
    }
    return use(typename Shapes::type(), std::false_type());
  }
}
/// Words of temporary storage for runs of n elements with accumulators A in tiles of such shapes.
template <class Shapes, class Heads, class A>
[[nodiscard]] std::size_t run_words(gpu const& on, std::size_t n) {
  return with_run_shape<Shapes, Heads>(on, n, [&]<class Shape>(Shape, auto) {
    using levels_of = segment_levels<Shape, A>;
    return levels_of::needed(n, levels_of::levels_of(n));
  });
}

/// The runs of a call, of which kernels for runs have what they need.
template <class Heads>
struct found_runs {
  cuda_device device;
  bounded_size n;
  Heads heads;
  workspace_words workspace;
  word* rest;   ///< as many words as the kernel needs
  word* count;  ///< how many runs there are, when they have been counted
};

/// Enqueues the selection that marks the runs of n elements of `keys` and stores `outputs`, and
/// then what then(found_runs) enqueues; `rest` words are its temporary storage.
template <class Marks, class Keys, class Then, class... Outputs>
void with_runs(gpu const& on, Marks const& marks, Keys const& keys, std::size_t n, std::size_t rest,
               Then const& then, Outputs const&... outputs) {
  using T = typename element_input<Keys>::element;
  cuda_device const device = device_of(on);
  auto const heads = kernel_marks<true>(marks);
  selection_output<taken::heads, 0, head_words, word> found{{}, n};
  cuda_plan const plan = plan_selection(on, heads, keys, n, device, outputs..., found);

  // In temporary storage the upper halves of words are epochs, and 0 there is that of no launch; so
  // they are in the words about runs, unless positions exceed 32 bits.
  bool const are_short = n >> 32 == 0;
  std::size_t const granule = chunk_of_selection<T>(plan), granules = divide_up(n, granule),
                    selection = (plan.workspace_bytes / sizeof(word) + 1) / 2 * 2,
                    words = 2 + granules * (granule / 32 + 2), kept = are_short ? words : 0;
  auto const memory = take_workspace(on, (selection + kept + rest) * sizeof(word));
  workspace_words const workspace = words_of_lease(memory);
  stream_memory large;
  if (!are_short) large = take_memory(on, words * sizeof(word));
  word* const at = are_short ? workspace.words + selection : static_cast<word*>(large.data());
  word* const count = on.count_to != nullptr ? reinterpret_cast<word*>(on.count_to) : at;
  found.out = {at + 2 + 2 * granules, at + 2};
  auto const* const length = reinterpret_cast<word const*>(on.length_from);
  launch_selection(on, plan, device, workspace, selection_call{{n, length}, count, false}, heads,
                   keys, outputs..., found);
  then(found_runs<run_heads>{
      device,
      {n, length},
      {found.out.bits, found.out.earlier, static_cast<unsigned>(std::bit_width(granule)) - 1},
      workspace,
      workspace.words + selection + kept,
      count});
}

/// Whether kernels may compare neighboring keys more than once; the caller's own equality is
/// called once for each pair.
template <class Marks>
inline constexpr bool are_comparable =
    std::is_same_v<decltype(kernel_marks<true>(std::declval<Marks const&>())),
                   marks_of_heads<same>>;

/// Whether the kernel for runs compares the keys of so many elements.
template <class Shape>
[[nodiscard]] bool compares_keys(gpu const& on, std::size_t n) {
  return n > 0 && n <= most_compared_keys &&
         fit_in_wave(on, divide_up(n, Shape::size), Shape::blocks, device_of(on));
}
/// Enqueues what then(found_runs) does for the runs of n elements of `keys`, which it compares
/// itself; it stores the keys by `to` and the number of runs at `count`, unless that is null.
template <class Shapes, class A, class Marks, class Keys, class Output, class Then>
void with_compared_runs(gpu const& on, Marks const& marks, Keys const& keys, std::size_t n,
                        Output const& to, word* count, Then const& then) {
  auto const heads = kernel_marks<true>(marks);
  using keys_of = run_keys<Keys, std::remove_const_t<decltype(heads)>, Output>;
  std::size_t const tiles = divide_up(n, Shapes::compared::size),
                    totals = workspace_words::needed<head_counts>(tiles),
                    rest = run_words<Shapes, keys_of, A>(on, n);
  auto const memory = take_workspace(on, (totals + rest) * sizeof(word));
  workspace_words const workspace = words_of_lease(memory);
  then(found_runs<keys_of>{device_of(on),
                           {n, reinterpret_cast<word const*>(on.length_from)},
                           {{keys, is_vector_aligned(keys)}, heads, to, count},
                           workspace,
                           workspace.words + totals,
                           count});
}

/// Launches the reductions of runs, of which `room` are stored.
template <class Heads, class It, class Results>
void launch_run_reductions(gpu const& on, found_runs<Heads> const& runs, It const& first,
                           std::size_t room, Results const& results) {
  using A = segment_total<Results>;
  using input = element_input<It>;
  using T = typename input::element;
  std::size_t const n = runs.n.most;
  if (n == 0) return;
  with_run_shape<run_reduction_shape<T, A>, Heads>(
      on, n, [&]<class Shape, bool wave>(Shape, std::bool_constant<wave>) {
        using levels_of = segment_levels<Shape, A>;
        launch<reduce_runs<wave, Shape, Heads, input, Results, A>>(
            pick_tiles<Shape>(cuda_algorithm::reduce_runs, n, n * sizeof(T), runs.device), on,
            runs.device, runs.n, room, input{first, is_vector_aligned(first)}, runs.heads, results,
            levels_of{runs.rest, n, levels_of::levels_of(n)}, tile_tickets<wave>{runs.workspace});
      });
}
/// Launches the scans of runs into elements of type U.
template <scan_kind kind, class U, class Heads, class It, class Results>
void launch_run_scans(gpu const& on, found_runs<Heads> const& runs, It const& first,
                      Results const& results) {
  using A = segment_total<Results>;
  using input = element_input<It>;
  using T = typename input::element;
  std::size_t const n = runs.n.most;
  with_run_shape<run_scan_shape<T, A, U>, Heads>(
      on, n, [&]<class Shape, bool wave>(Shape, std::bool_constant<wave>) {
        using levels_of = segment_levels<Shape, A>;
        launch<scan_runs<kind, wave, Shape, Heads, input, U, Results, A>>(
            pick_tiles<Shape>(cuda_algorithm::scan_runs, n, n * (sizeof(T) + sizeof(U)),
                              runs.device),
            on, runs.device, runs.n, input{first, is_vector_aligned(first)}, runs.heads, results,
            levels_of{runs.rest, n, levels_of::levels_of(n)}, tile_tickets<wave>{runs.workspace});
      });
}

/// Whether a call by key can be one scan: any grouping gives the same bits, values do not depend on
/// their index in the run, and few registers hold the accumulators.
template <class Marks, class Op, class T, class A>
inline constexpr bool are_free_runs = is_exact<Op, A> && !lifts_by_index<Op, T> &&
                                      sizeof(run_so_far<A>) <= 16 && are_comparable<Marks>;
/// Whether it is: the numbers of runs have 32 bits, and its kernels take all tiles of the input.
[[nodiscard]] inline bool is_one_scan(gpu const& on, std::size_t n) {
  return n > 0 && n >> 32 == 0 && on.length_from == nullptr;
}

/// Enqueues the scan by key `c` of elements with the keys from `keys` on. sink(elements, results)
/// makes what stores it, where `results` are those for the `size` elements of `out`.
template <scan_kind kind, class Marks, class Keys, class Call, class Sink, class MakeSink>
void enqueue_free_runs(gpu const& on, Marks const& marks, Keys const& keys, Call const& c,
                       Sink const& out, std::size_t size, MakeSink const& sink) {
  using U = typename Sink::element;
  auto const first = device_iterator(c.in.first());
  auto const results = results_of_call(c, out, size);
  using A = segment_total<decltype(results)>;
  auto const heads = kernel_marks<true>(marks);
  using elements_of =
      run_elements<std::remove_const_t<decltype(first)>, Keys, std::remove_const_t<decltype(heads)>,
                   std::remove_cv_t<decltype(results.op)>, A>;
  elements_of const elements{
      {first, is_vector_aligned(first)}, {keys, is_vector_aligned(keys)}, heads, c.n, {results.op}};
  auto const to = sink(elements, results);
  cuda_device const device = device_of(on);
  cuda_plan plan = pick_scan<elements_of, U>(c.n, false, on.blocks_start_in_order, device);
  plan.traffic_bytes += c.n * sizeof(typename elements_of::key);
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  launch_scan<kind>(plan, on, device, elements, to, c.n, scan_start<run_so_far<A>>{},
                    words_of_lease(scratch));
}

/// Runs as a selection marks them, whose keys go to `keys_to`, and the reductions `c` of their
/// values to the `room` elements of `out`. Returns the number of runs, or 0 if it stays on the
/// device.
template <class Marks, class Keys, class Call, class Sink>
std::size_t reduce_runs_on(gpu const& on, Marks const& marks, Keys const& keys_to, Call const& c,
                           Sink const& out, std::size_t room) {
  using A = typename Call::accumulator;
  check_accumulator<A>();
  auto const values = device_iterator(c.in.first());
  auto const keys = device_iterator(keys_to.in);
  using T = typename element_input<std::remove_const_t<decltype(values)>>::element;
  if constexpr (are_free_runs<Marks, typename Call::operation, T, A>) {
    if (is_one_scan(on, c.n) && c.n * sizeof(T) < large_free_reduction) {
      word* const count = returned_counts(on);
      enqueue_free_runs<scan_kind::inclusive>(
          on, marks, keys, c, out, room, [&](auto const& elements, auto const& results) {
            return run_reductions{elements, kernel_output<0>(keys_to), results, room, count};
          });
      if (on.count_to != nullptr || on.plans_to != nullptr) return 0;
      wait_for(on, "finish the reduction by key");
      return count[0];
    }
  }
  auto const results = results_of_call(c, out, room);
  using total = segment_total<decltype(results)>;
  using shapes = run_reduction_shape<T, total>;
  bool const waits = on.count_to == nullptr && on.plans_to == nullptr;
  if constexpr (are_comparable<Marks>) {
    if (compares_keys<typename shapes::compared>(on, c.n)) {
      word* const count = returned_counts(on);
      with_compared_runs<shapes, total>(
          on, marks, keys, c.n, kernel_output<0>(keys_to), count,
          [&](auto const& runs) { launch_run_reductions(on, runs, values, room, results); });
      if (!waits) return 0;
      wait_for(on, "finish the reduction by key");
      return count[0];
    }
  }
  with_runs(
      on, marks, keys, c.n, run_words<shapes, run_heads, total>(on, c.n),
      [&](auto const& runs) {
        launch_run_reductions(on, runs, values, room, results);
        if (waits)
          check_cuda(cudaMemcpyAsync(host_slot::of_this_thread(), runs.count, sizeof(word),
                                     cudaMemcpyDeviceToHost, stream_of(on)),
                     "copy the number of runs");
      },
      kernel_output<0>(keys_to));
  if (!waits) return 0;
  wait_for(on, "finish the reduction by key");
  return *static_cast<word const*>(host_slot::of_this_thread());
}

/// Runs of `keys` as a selection marks them, and the scans `c` of their values.
template <scan_kind kind, class Marks, class Keys, class Call, class Sink>
void scan_runs_on(gpu const& on, Marks const& marks, Keys const& keys, Call const& c,
                  Sink const& out) {
  if (c.n == 0) return;
  using A = typename Call::accumulator;
  using U = typename Sink::element;
  auto const values = device_iterator(c.in.first());
  using T = typename element_input<std::remove_const_t<decltype(values)>>::element;
  if constexpr (are_free_runs<Marks, typename Call::operation, T, A>)
    if (is_one_scan(on, c.n) && c.n * sizeof(T) < large_free_scan)
      return enqueue_free_runs<kind>(
          on, marks, device_iterator(keys), c, out, c.n,
          [](auto const& elements, auto const& results) {
            return run_scans<kind, std::remove_cvref_t<decltype(elements)>,
                             std::remove_cvref_t<decltype(results)>>{elements, results};
          });
  auto const results = results_of_call(c, out, c.n);
  using total = segment_total<decltype(results)>;
  using shapes = run_scan_shape<T, total, U>;
  auto const scan = [&](auto const& runs) { launch_run_scans<kind, U>(on, runs, values, results); };
  if constexpr (are_comparable<Marks>)
    if (compares_keys<typename shapes::compared>(on, c.n))
      return with_compared_runs<shapes, total>(on, marks, device_iterator(keys), c.n, no_keys{},
                                               nullptr, scan);
  gpu keeps_count = on;
  keeps_count.count_to = nullptr;
  with_runs(keeps_count, marks, device_iterator(keys), c.n,
            run_words<shapes, run_heads, total>(on, c.n), scan);
}

}  // namespace upsweep::device

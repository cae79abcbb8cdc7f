/// Reductions and scans by key: one scan if the operator is exact, otherwise a selection finds
/// where runs begin, and then they are segments.
#pragma once

#include <upsweep/by_key.hpp>
#include <upsweep/cuda/scan/launch.cuh>
#include <upsweep/cuda/segments/free_runs.hpp>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/select/launch.cuh>

namespace upsweep::device {

/// Enqueues the selection that marks the runs of n elements of `keys` and stores `outputs`, and
/// then what then(device, workspace, words, call, borders) enqueues for the first `most` of these
/// runs; `rest` words are its scratch memory.
template <class Marks, class Keys, class Then, class... Outputs>
void with_runs(gpu const& on, Marks const& marks, Keys const& keys, std::size_t n, std::size_t most,
               std::size_t rest, Then const& then, Outputs const&... outputs) {
  cuda_device const device = device_of(on);
  auto const heads = kernel_marks<true>(marks);
  // The end of the last run that fits is the begin of the next.
  selection_output<taken::positions, 0, word*, word> starts{nullptr, most + 1};
  cuda_plan const plan = plan_selection(heads, keys, n, device, outputs..., starts);

  // In scratch memory the upper halves of words are epochs, and 0 there is that of no launch; so
  // they are in the number of runs and their begins, unless these exceed 32 bits.
  bool const are_short = n >> 32 == 0;
  std::size_t const selection = (plan.workspace_bytes / sizeof(word) + 1) / 2 * 2,
                    found = (most + 3) / 2 * 2, kept = are_short ? found : 0;
  auto const memory = take_workspace(on, (selection + kept + rest) * sizeof(word));
  workspace_words const words = words_of_lease(memory);
  stream_memory large;
  if (!are_short) large = take_memory(on, found * sizeof(word));
  word* const at = are_short ? words.words + selection : static_cast<word*>(large.data());
  word* const count = on.count_to != nullptr ? reinterpret_cast<word*>(on.count_to) : at;
  starts.out = at + 1;
  auto const* const length = reinterpret_cast<word const*>(on.length_from);
  launch_selection(on, plan, device, words, selection_call{n, length, count, false}, heads, keys,
                   outputs..., starts);
  then(device, words, words.words + selection + kept, segment_call{{n, length}, {most, count}},
       run_borders{starts.out, count});
}

/// Whether a call by key can be one scan: any grouping gives the same bits, values do not depend on
/// their index in the run, neighbouring keys may be compared more than once, and few registers hold
/// the accumulators.
template <class Marks, class Op, class T, class A>
inline constexpr bool are_free_runs =
    is_exact<Op, A> && !lifts_by_index<Op, T> && sizeof(run_so_far<A>) <= 16 &&
    std::is_same_v<decltype(kernel_marks<true>(std::declval<Marks const&>())),
                   marks_of_heads<same>>;
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
      check_cuda(cudaStreamSynchronize(on.stream), "finish the reduction by key");
      return count[0];
    }
  }
  std::size_t const most = detail::at_most(room, c.n);
  auto const results = results_of_call(c, out, room);
  segment_call const largest{{c.n, nullptr}, {most, nullptr}};
  bool const waits = on.count_to == nullptr && on.plans_to == nullptr;
  with_runs(
      on, marks, keys, c.n, most,
      segment_words<std::remove_const_t<decltype(values)>, segment_total<decltype(results)>>(
          largest),
      [&](cuda_device const& device, workspace_words workspace, word* words,
          segment_call const& call, run_borders const& borders) {
        launch_reductions(on, device, workspace, words, values, call, borders, results);
        if (waits)
          check_cuda(cudaMemcpyAsync(host_slot::of_this_thread(), borders.count, sizeof(word),
                                     cudaMemcpyDeviceToHost, on.stream),
                     "copy the number of runs");
      },
      kernel_output<0>(keys_to));
  if (!waits) return 0;
  check_cuda(cudaStreamSynchronize(on.stream), "finish the reduction by key");
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
    if (is_one_scan(on, c.n))
      return enqueue_free_runs<kind>(
          on, marks, device_iterator(keys), c, out, c.n,
          [](auto const& elements, auto const& results) {
            return run_scans<kind, std::remove_cvref_t<decltype(elements)>,
                             std::remove_cvref_t<decltype(results)>>{elements, results};
          });
  auto const results = results_of_call(c, out, c.n);
  segment_call const largest{{c.n, nullptr}, {c.n, nullptr}};
  gpu keeps_count = on;
  keeps_count.count_to = nullptr;
  with_runs(
      keeps_count, marks, device_iterator(keys), c.n, c.n,
      segment_words<std::remove_const_t<decltype(values)>, segment_total<decltype(results)>, U>(
          largest),
      [&](cuda_device const& device, workspace_words workspace, word* words,
          segment_call const& call, run_borders const& borders) {
        launch_scans<kind, U>(on, device, workspace, words, values, call, borders, results);
      });
}

}  // namespace upsweep::device

/// Reductions by key: a selection finds where runs begin, then they are segments.
#pragma once

#include <upsweep/by_key.hpp>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/select/launch.cuh>

namespace upsweep::device {

/// Runs as a selection marks them, whose keys go to `keys_to`, and the reductions `c` of their
/// values to the `room` elements of `out`. Returns the number of runs, or 0 if it stays on the
/// device.
template <class Marks, class Keys, class Call, class Sink>
std::size_t reduce_runs_on(gpu const& on, Marks const& marks, Keys const& keys_to, Call const& c,
                           Sink const& out, std::size_t room) {
  using A = typename Call::accumulator;
  check_accumulator<A>();
  cuda_device const device = cuda_device::current();
  std::size_t const most = detail::at_most(room, c.n);
  auto const heads = kernel_marks(marks);
  auto const keys = device_iterator(keys_to.in);
  auto const values = device_iterator(c.in.first());
  auto const keys_out = kernel_output<0>(keys_to);
  // The end of the last run that fits is the begin of the next.
  selection_output<taken::positions, 0, word*, word> starts{nullptr, most + 1};
  cuda_plan const plan = plan_selection(heads, keys, c.n, device, keys_out, starts);
  auto const* const length = reinterpret_cast<word const*>(on.length_from);
  segment_call call{{c.n, length}, {most, nullptr}};

  // In scratch memory the upper halves of words are epochs, and 0 there is that of no launch; so
  // they are in the number of runs and their begins, unless these exceed 32 bits.
  bool const are_short = c.n >> 32 == 0;
  std::size_t const selection = (plan.workspace_bytes / sizeof(word) + 1) / 2 * 2,
                    found = (most + 3) / 2 * 2, kept = are_short ? found : 0,
                    rest = reduction_words<std::remove_const_t<decltype(values)>, A>(call);
  auto const memory =
      cuda_workspace::take(on.workspace, on.stream, (selection + kept + rest) * sizeof(word));
  workspace_words const words = words_of_lease(memory);
  stream_memory large;
  if (!are_short) large = stream_memory(on.stream, found * sizeof(word));
  word* const at = are_short ? words.words + selection : static_cast<word*>(large.data());
  word* const count = on.count_to != nullptr ? reinterpret_cast<word*>(on.count_to) : at;
  starts.out = at + 1;
  call.count.given = count;
  launch_selection(on, plan, device, words, selection_call{c.n, length, count, false}, heads, keys,
                   keys_out, starts);
  launch_reductions(on, device, words.words + selection + kept, values, call,
                    run_borders{starts.out, count},
                    results_of_segments(out, room, c.op, c.initial));
  if (on.count_to != nullptr) return 0;
  auto* const slot = static_cast<word*>(host_slot::of_this_thread());
  check_cuda(cudaMemcpyAsync(slot, count, sizeof(word), cudaMemcpyDeviceToHost, on.stream),
             "copy the number of runs");
  check_cuda(cudaStreamSynchronize(on.stream), "finish the reduction by key");
  return *slot;
}

}  // namespace upsweep::device

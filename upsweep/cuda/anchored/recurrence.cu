/// Launches the linear recurrences in the tree of anchored blocks, compiled for all their types.
#include <upsweep/cuda/anchored/on_gpu.hpp>
#include <upsweep/cuda/anchored/recurrence.hpp>
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/half.cuh>
#include <upsweep/cuda/launch.cuh>

namespace upsweep::device {
namespace {

template <class E>
token_memory<E> tokens_of(anchored_elements const& x) {
  return {static_cast<E*>(x.first), x.sequence, x.token, x.lane};
}
template <class N>
anchored_states<N> states_of(anchored_memory const& x) {
  return {static_cast<N*>(x.value), static_cast<N*>(x.totals), x.position};
}

template <class E, class N>
void launch_anchored(gpu const& on, anchored_recurrences const& c) {
  std::size_t const lines = c.sequences * c.lanes, tiles = divide_up(lines, anchored_lines<N>);
  // A sequence may begin with the last token of a block.
  std::size_t const size = upsweep::detail::anchored_size,
                    blocks = divide_up(c.tokens + size - 1, size);
  if (lines == 0) return;
  upsweep::detail::expects(
      blocks < std::size_t{1} << 31 && tiles * blocks < std::size_t{1} << 31,
      "linear_recurrence: the elements have more than 2^31 blocks of 256 tokens");
  cuda_device const device = device_of(on);
  cuda_plan const plan{
      .algorithm = cuda_algorithm::anchored_recurrence,
      .tile = size * anchored_lines<N>,
      .blocks = tiles * blocks,
      .threads = anchored_threads<N>,
      .launches = 1,
      .workspace_bytes = workspace_words::needed<N>(lines * (blocks - 1)) * sizeof(word),
      .traffic_bytes = 3 * c.sequences * c.tokens * c.lanes * sizeof(E)};
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  launch<anchored_recurrence<E, N>>(
      plan, on, device,
      anchored_call<E, N>{tokens_of<E const>(c.a), tokens_of<E const>(c.b), tokens_of<E>(c.h),
                          c.sequences, c.tokens, c.lanes, c.cut, states_of<N>(c.before),
                          states_of<N>(c.after), c.backward, static_cast<unsigned>(tiles)},
      words_of_lease(scratch));
}

}  // namespace

void anchored_recurrence_on(gpu const& on, anchored_recurrences const& call) {
  using enum host::simd::lane_type;
  switch (call.type) {
    case f16:
      return launch_anchored<__half, float>(on, call);
    case bf16:
      return launch_anchored<bfloat16, float>(on, call);
    case f32:
      return launch_anchored<float, float>(on, call);
    case f64:
      return launch_anchored<double, double>(on, call);
    case c64:
      return launch_anchored<complex_number<float>, complex_number<float>>(on, call);
    case c128:
      return launch_anchored<complex_number<double>, complex_number<double>>(on, call);
  }
}

}  // namespace upsweep::device

/// Launches the linear recurrences in the tree of anchored blocks, compiled for all their types.
#include <upsweep/cuda/anchored/call.hpp>
#include <upsweep/cuda/anchored/recurrence.hpp>
#include <upsweep/cuda/anchored/staged.hpp>
#include <upsweep/cuda/anchored/step.hpp>
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/half.cuh>
#include <upsweep/cuda/launch.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::device {
namespace {

/// Whether pairs of adjacent lanes can be read and stored as one.
bool has_pairs(anchored_recurrences const& c, std::size_t element_size, std::size_t number_size) {
  auto const fits = [&](anchored_elements const& x) {
    return x.lane == 1 && x.token % 2 == 0 && x.sequence % 2 == 0 &&
           reinterpret_cast<std::uintptr_t>(x.first) % (2 * element_size) == 0;
  };
  auto const aligned = [&](anchored_memory const& x) {
    return (reinterpret_cast<std::uintptr_t>(x.value) |
            reinterpret_cast<std::uintptr_t>(x.totals)) %
               (2 * number_size) ==
           0;
  };
  auto const gradients = [&](anchored_gradients const& x) {
    return (reinterpret_cast<std::uintptr_t>(x.factor) | reinterpret_cast<std::uintptr_t>(x.of) |
            reinterpret_cast<std::uintptr_t>(x.of_a)) %
                   (2 * element_size) ==
               0 &&
           aligned(x.start);
  };
  return c.lanes % 2 == 0 && fits(c.a) && fits(c.b) && fits(c.h) && aligned(c.before) &&
         aligned(c.after) && (c.gradients == nullptr || gradients(*c.gradients));
}
anchored_recurrences in_pairs(anchored_recurrences c) {
  for (anchored_elements* x : {&c.a, &c.b, &c.h}) {
    x->sequence /= 2;
    x->token /= 2;
  }
  c.lanes /= 2;
  return c;
}

template <class E, class N>
anchored_call<E, N> call_of(anchored_recurrences const& c, std::size_t tiles,
                            std::size_t totals_at) {
  anchored_gradient<E, N> gradient{};
  token_memory<E const> a = tokens_of<E const>(c.a);
  if (c.gradients != nullptr) {
    a.first -= c.backward ? -a.token : a.token;
    gradient = {static_cast<E const*>(c.gradients->factor), static_cast<E const*>(c.gradients->of),
                static_cast<E*>(c.gradients->of_a), states_of<N>(c.gradients->start)};
  }
  return {a,
          tokens_of<E const>(c.b),
          tokens_of<E>(c.h),
          c.sequences,
          c.tokens,
          c.lanes,
          c.cut,
          states_of<N>(c.before),
          states_of<N>(c.after),
          c.backward,
          gradient,
          static_cast<unsigned>(tiles),
          totals_at};
}

/// One token of each sequence.
template <class E, class N>
void launch_step(gpu const& on, anchored_recurrences const& c) {
  std::size_t const lines = c.sequences * c.lanes;
  cuda_plan const plan{.algorithm = cuda_algorithm::anchored_recurrence,
                       .tile = anchored_step_threads,
                       .blocks = divide_up(lines, anchored_step_threads),
                       .threads = anchored_step_threads,
                       .launches = 1,
                       .traffic_bytes = lines * (3 * sizeof(E) + 18 * sizeof(N))};
  launch<anchored_step<E, N>>(plan, on, device_of(on), call_of<E, N>(c, 0, 0));
}

template <class E, class N, bool gradients>
void launch_tiles(gpu const& on, anchored_recurrences const& c) {
  std::size_t const lines = c.sequences * c.lanes, tiles = divide_up(lines, anchored_lines<N>);
  // A sequence may begin with the last token of a block.
  std::size_t const size = upsweep::detail::anchored_size,
                    blocks = divide_up(c.tokens + size - 1, size);
  if (lines == 0) return;
  upsweep::detail::expects(
      blocks < std::size_t{1} << 31 && tiles * blocks < std::size_t{1} << 31,
      "linear_recurrence: the elements have more than 2^31 blocks of 256 tokens");
  cuda_device const device = device_of(on);
  // Look-backs pay where a state takes longer than the tiles of a block of tokens: measured on an
  // H200, below 16 to 64 tiles.
  std::size_t const at_once = 2 * static_cast<std::size_t>(device.multiprocessors),
                    states = words_of_states<N>(lines, blocks),
                    totals =
                        tiles * 12 < at_once && blocks > 1 ? words_of_totals<N>(lines, blocks) : 0;
  cuda_plan plan{
      .algorithm = cuda_algorithm::anchored_recurrence,
      .tile = size * anchored_lines<N>,
      .blocks = tiles * blocks,
      .threads = anchored_threads<N>,
      .launches = 1,
      .workspace_bytes = (workspace_words::header + states + totals) * sizeof(word),
      .traffic_bytes = (gradients ? 5 : 3) * c.sequences * c.tokens * c.lanes * sizeof(E)};
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  auto const call = call_of<E, N>(c, tiles, totals == 0 ? 0 : states);
  if constexpr (sizeof(E) == 4 && sizeof(N) == 8) {  // pairs of 16 bits
    using stage = anchored_stage<E, N>;
    constexpr std::size_t bytes = 2 * stage::bytes,
                          others = 12288;  // that the kernel declares, at most
    if (totals == 0 && fits_stage<E, N>(call.a, c.lanes) && fits_stage<E, N>(call.b, c.lanes) &&
        device.shared_bytes >= bytes + others) {
      auto staged = call;
      staged.tiles = static_cast<unsigned>(divide_up(lines, stage::width));
      auto const tickets = static_cast<unsigned>(staged.tiles * blocks);
      plan.tile = size * stage::width;
      plan.blocks = std::min<std::size_t>(tickets, device.multiprocessors);
      plan.threads = stage::threads;
      plan.shared_bytes = bytes;
      return launch<anchored_staged<E, N, gradients>>(plan, on, device, staged,
                                                      words_of_lease(scratch), tickets);
    }
  }
  if constexpr (!gradients) {
    bool const reads_lines = call.a.token == 1 && call.b.token == 1;
    if (c.tokens > 1 && (reads_lines || call.h.token == 1)) {
      plan.shared_bytes = line_stage<E, anchored_lines<N>, anchored_threads<N>>::bytes;
      return launch<anchored_recurrence<E, N, false, true>>(plan, on, device, call,
                                                            words_of_lease(scratch));
    }
  }
  launch<anchored_recurrence<E, N, gradients>>(plan, on, device, call, words_of_lease(scratch));
}

template <class E, class N>
void launch_anchored(gpu const& on, anchored_recurrences const& c) {
  if (c.gradients != nullptr) return launch_tiles<E, N, true>(on, c);
  c.tokens == 1 && c.cut == nullptr ? launch_step<E, N>(on, c) : launch_tiles<E, N, false>(on, c);
}

/// Two lanes as one where memory allows it.
template <class E, class N>
void launch_in_pairs(gpu const& on, anchored_recurrences const& c) {
  return has_pairs(c, sizeof(E), sizeof(N))
             ? launch_anchored<lane_pair<E>, lane_pair<N>>(on, in_pairs(c))
             : launch_anchored<E, N>(on, c);
}

}  // namespace

void anchored_recurrence_on(gpu const& on, anchored_recurrences const& call) {
  using enum host::simd::lane_type;
  switch (call.type) {
    case f16:
      return launch_in_pairs<__half, float>(on, call);
    case bf16:
      return launch_in_pairs<bfloat16, float>(on, call);
    case f32:
      return launch_in_pairs<float, float>(on, call);
    case f64:
      return launch_anchored<double, double>(on, call);
    case c64:
      return launch_anchored<complex_number<float>, complex_number<float>>(on, call);
    case c128:
      return launch_anchored<complex_number<double>, complex_number<double>>(on, call);
  }
}

}  // namespace upsweep::device

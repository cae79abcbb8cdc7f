/// Launches selective scans and their gradients, compiled for all their types.
#include <upsweep/cuda/anchored/call.hpp>
#include <upsweep/cuda/anchored/selective_gradients.hpp>
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/real_types.cuh>

#include <cstddef>

namespace upsweep::device {
namespace {

template <class E>
state_memory<E const> matrix_of(selective_states const& x) {
  return {static_cast<E const*>(x.first), x.sequence, x.group, x.state, x.token};
}
template <class E, class A>
selective_call<E, A> call_of(selective_scans const& c) {
  auto const numbers = [](void const* x) { return static_cast<A const*>(x); };
  auto const out = [](void* x) { return static_cast<A*>(x); };
  return {tokens_of<E const>(c.u),
          tokens_of<E const>(c.delta),
          tokens_of<E const>(c.z),
          matrix_of<E>(c.b),
          matrix_of<E>(c.c),
          {numbers(c.rate), numbers(c.skip), numbers(c.bias)},
          c.softplus,
          c.sequences,
          c.tokens,
          c.channels,
          c.channels / c.groups,
          c.cut,
          states_of<A>(c.before),
          states_of<A>(c.after),
          tokens_of<E>(c.y),
          out(c.last),
          out(c.starts)};
}

cuda_plan plan_of(selective_scans const& c, std::size_t channels, unsigned threads,
                  std::size_t arrays, std::size_t size) {
  std::size_t const blocks = c.sequences * divide_up(c.channels, channels);
  upsweep::detail::expects(blocks < std::size_t{1} << 31,
                           "selective_scan: sequences and channels are too many for one call");
  return {.algorithm = cuda_algorithm::selective_scan,
          .tile = std::size_t{anchored_fold<float>::tokens} * channels,
          .blocks = blocks,
          .threads = threads,
          .launches = 1,
          .traffic_bytes = arrays * c.sequences * c.tokens * c.channels * size};
}

template <class E, class A>
void launch_scan(gpu const& on, selective_scans const& c) {
  upsweep::detail::expects(c.groups == 1 || c.channels / c.groups % scan_channels == 0,
                           "selective_scan: groups need a multiple of 8 channels");
  auto const plan = plan_of(c, scan_channels, scan_threads, c.z.first ? 4 : 3, sizeof(E));
  if (plan.blocks == 0) return;
  launch<selective_scan<E, A>>(plan, on, device_of(on), call_of<E, A>(c));
}

template <class E, class A>
void launch_gradients(gpu const& on, selective_scans const& c, selective_gradients const& g) {
  upsweep::detail::expects(
      c.starts != nullptr && c.tokens % 256 == 0 && c.channels / c.groups % gradient_channels == 0,
      "selective_scan: gradients need blocks of 256 tokens and 16 channels");
  auto plan = plan_of(c, gradient_channels, gradient_threads, c.z.first ? 8 : 5, sizeof(E));
  if (plan.blocks == 0) return;
  plan.shared_bytes = sizeof(gradients_memory<A>);
  auto const elements = [](void* x) { return static_cast<E*>(x); };
  auto const sums = [](void* x) { return static_cast<A*>(x); };
  selective_gradients_call<E, A> const call{call_of<E, A>(c), tokens_of<E const>(g.of_y),
                                            elements(g.of_u), elements(g.of_delta),
                                            elements(g.of_z), sums(g.of_rate),
                                            sums(g.of_skip),  sums(g.of_bias),
                                            sums(g.of_b),     sums(g.of_c)};
  launch<device::selective_gradients_of<E, A>>(plan, on, device_of(on), call);
}

}  // namespace

void selective_scan_on(gpu const& on, selective_scans const& call) {
  with_real_type<float>(call.type, [&]<class E, class A> { launch_scan<E, A>(on, call); });
}

void selective_gradients_on(gpu const& on, selective_scans const& of,
                            selective_gradients const& call) {
  with_real_type<float>(of.type, [&]<class E, class A> { launch_gradients<E, A>(on, of, call); });
}

}  // namespace upsweep::device

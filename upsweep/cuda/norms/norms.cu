/// Launches functions of lines, compiled for all their types.
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/norms/norms.hpp>
#include <upsweep/cuda/norms/on_gpu.hpp>
#include <upsweep/cuda/real_types.cuh>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {
namespace {

/// Threads of a block that has a line, at most, and of one that has a part: smaller blocks wait
/// less for each other (293 us instead of 272 for softmax of [256, 152064] with 1024, on an H200).
constexpr unsigned line_threads = 1024, part_threads = 512;
static_assert(longest_line == std::size_t{part_threads} * part_threads * line_items);

template <class E, class A>
line_call<E, A> call_of(line_functions const& c) {
  auto const is_aligned = [&](void const* x) {
    return reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  };
  auto const elements = [](void const* x) { return static_cast<E const*>(x); };
  return {elements(c.x),
          elements(c.gradient),
          elements(c.weight),
          static_cast<A*>(c.numbers),
          static_cast<E*>(c.out),
          c.count,
          c.size,
          {static_cast<A>(c.size), static_cast<A>(c.parameter)},
          c.size * sizeof(E) % 16 == 0 && is_aligned(c.x) && is_aligned(c.gradient) &&
              is_aligned(c.weight) && is_aligned(c.out)};
}

template <class F, class E, class A>
void launch_lines(gpu const& on, line_functions const& c) {
  using enum line_phase;
  if (c.count == 0 || c.size == 0) return;
  auto call = call_of<E, A>(c);
  cuda_device const device = device_of(on);
  constexpr std::size_t tile = part_threads * line_items;
  std::size_t const parts = divide_up(c.size, tile);
  upsweep::detail::expects(
      parts * c.count < std::size_t{1} << 31 && (!F::has_terms || c.size <= longest_line),
      "lines are too many or too long for one call");
  cuda_plan plan{.algorithm = cuda_algorithm::line_functions,
                 .tile = tile,
                 .blocks = c.count,
                 .threads = 32 * static_cast<unsigned>(divide_up(c.size, line_chunk)),
                 .launches = 1,
                 .traffic_bytes = (F::is_gradient ? 3 : 2) * c.count * c.size * sizeof(E)};
  if (c.size <= line_threads * line_items)
    return launch<whole_lines<F, E, A>>(plan, on, device, call);
  call.parts = static_cast<unsigned>(parts);
  plan.blocks = c.count * parts;
  plan.threads = part_threads;
  std::size_t const room = c.count * line_room(call.parts);
  auto const memory = take_memory(on, F::has_terms ? 2 * room * sizeof(A) : 0);
  for (unsigned k = 0; k < 2; ++k) call.totals[k] = static_cast<A*>(memory.data()) + k * room;
  if constexpr (F::first != first_reduction::none)
    launch<parts_of_lines<F, first, part_threads, E, A>>(plan, on, device, call);
  if constexpr (F::has_terms)
    launch<parts_of_lines<F, second, part_threads, E, A>>(plan, on, device, call);
  launch<parts_of_lines<F, results, part_threads, E, A>>(plan, on, device, call);
}

template <class F, class OfFloat>
void launch_types(gpu const& on, line_functions const& c) {
  with_real_type<OfFloat>(c.type, [&]<class E, class A> { launch_lines<F, E, A>(on, c); });
}

}  // namespace

void line_functions_on(gpu const& on, line_functions const& call) {
  using enum line_function_name;
  switch (call.name) {
    case softmax:
      return launch_types<softmax_of, float>(on, call);
    case softmax_gradient:
      return launch_types<device::softmax_gradient, float>(on, call);
    case rms_norm:
      return launch_types<rms_norm_of, double>(on, call);
    case rms_norm_gradient:
      return launch_types<device::rms_norm_gradient, double>(on, call);
    case variance:
      return launch_types<variance_of, double>(on, call);
    case variance_gradient:
      return launch_types<device::variance_gradient, double>(on, call);
    case logsumexp_gradient:
      return launch_types<device::logsumexp_gradient, float>(on, call);
    case log_softmax_gradient:
      return launch_types<device::log_softmax_gradient, float>(on, call);
  }
}

}  // namespace upsweep::device

/// One token of linear recurrences in the tree of anchored blocks: a decode step of a model.
/// One read of the state's totals, one store of each total that remains · 1 launch
/// docs/design/0018-anchored-blocks.md
#pragma once

#include <upsweep/cuda/anchored/call.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

inline constexpr unsigned anchored_step_threads = 256;

/// A thread has a line. The token joins the totals of the digits that overflow and replaces them by
/// one; the result follows from the state and the others. Rows of digits that are not set
/// afterwards are not stored.
template <class E, class N>
__global__ void __launch_bounds__(anchored_step_threads) anchored_step(anchored_call<E, N> call) {
  using map = recurrence_map<N>;
  constexpr unsigned digits = upsweep::detail::anchored_digits;
  wait_for_earlier_work();
  std::size_t const line = std::size_t{blockIdx.x} * anchored_step_threads + threadIdx.x;
  if (line >= call.lines()) return;
  std::size_t const sequence = quotient(line, call.lanes), lane = line - sequence * call.lanes;
  auto const element = [&](auto const& x) {
    return x.first + (static_cast<std::ptrdiff_t>(sequence) * x.sequence +
                      static_cast<std::ptrdiff_t>(lane) * x.lane);
  };
  auto const total = [&](anchored_states<N> const& of, unsigned digit, unsigned k) {
    return of.totals + ((sequence * digits + digit) * 2 + k) * call.lanes + lane;
  };
  map x{to_number<N>(*element(call.a)), to_number<N>(*element(call.b))};
  N const value = call.before.value[line];
  unsigned const position = static_cast<unsigned>(call.before.position[sequence]) % 256,
                 next = position + 1, kept = position & next;
  map totals[digits];
#pragma unroll
  for (unsigned k = 0; k < digits; ++k)
    if ((position >> k & 1) != 0)
      totals[k] = {*total(call.before, k, 0), *total(call.before, k, 1)};
  N result = value;
#pragma unroll
  for (unsigned k = digits; k-- > 0;)
    if ((kept >> k & 1) != 0) {
      result = totals[k](result);
      *total(call.after, k, 0) = totals[k].a;
      *total(call.after, k, 1) = totals[k].b;
    }
#pragma unroll
  for (unsigned k = 0; k < digits; ++k)
    if (((position & ~kept) >> k & 1) != 0) x = x.after(totals[k]);
  result = x(result);
  *element(call.h) = to_element<E>(result);
  call.after.value[line] = next == 256 ? result : value;
  if (lane == 0) call.after.position[sequence] = next % 256;
  if (next == 256) return;
  auto const digit = static_cast<unsigned>(upsweep::detail::trailing_zeros(next));
  *total(call.after, digit, 0) = x.a;
  *total(call.after, digit, 1) = x.b;
}

}  // namespace upsweep::device

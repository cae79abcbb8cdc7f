/// windowed: the reduction of every window of w consecutive elements.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/generic/windows/windows.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep::detail {

/// All reductions of windows.
template <class E, class In, class Out, class Op>
void windowed_on(E const& on, In const& in, std::size_t width, Out& out, Op const& op,
                 options<accumulator_over<Op, In const>> const& o) {
  using A = accumulator_over<Op, In const>;
  if constexpr (scan_fits<In, Out, as_is, Op>()) {
    float_environment const ieee;
    expects(width > 0, "windowed: the width must be at least 1");
    expects(!o.reverse, "windowed: .reverse is not supported; reverse the ranges");
    expect_prefix_tree(o);
    std::size_t const n = std::ranges::size(in), windows = n < width ? 0 : n - width + 1;
    if (std::ranges::size(out) != windows)
      fail("windowed: there are %zu windows, but the output has %zu elements", windows,
           std::ranges::size(out));
    expect_apart<false>("windowed", in, out);
    as_is const f;
    auto const x = source_of<false>(in, n, f, op);
    auto const results = sink_of<false>(out, windows, op);
    static_assert(!std::remove_const_t<decltype(results)>::packed,
                  "upsweep: windowed needs an output of elements that several threads may write, "
                  "not std::vector<bool>");
    start_of<Op, A> const start(op, o.initial);
    A const* const initial = start.get();
    constexpr bool has_member = has_windows<E, std::remove_const_t<decltype(x)>,
                                            std::remove_const_t<decltype(results)>, Op, A>;
    static_assert(has_member || !has_own_memory<E>,
                  "upsweep: windowed runs on the executors of the CPU and on upsweep::gpu");
    if (windows == 0) return;
    if constexpr (has_member)
      on.windows(x, results, windows, width, op, initial);
    else if constexpr (!has_own_memory<E>)
      reduce_windows(on, x, results, windows, width, op, o.mode, initial);
  }
}

}  // namespace upsweep::detail

namespace upsweep {

/// Reduces every window of `width` consecutive elements: out[i] = reduce(in[i .. i + width)), with
/// the bits of that call. `out` has n - width + 1 elements (0 if n < width).
///
/// Cost: at most about 2 log2(width) operator applications per element. This needs trivially
/// copyable accumulators of at most 64 bytes that do not depend on positions. For others, and for
/// recurrences with `.initial`, it is width - 1. Throws precondition_error for a width of 0, for an
/// `out` of another size, and if the ranges overlap. Exceptions of `op` propagate (if several
/// threads meet one, which one is unspecified). Runs on the CPU executors, and on upsweep::gpu for
/// operators that neither depend on positions nor reject totals.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          class Op = plus>
void windowed(E const& on, In const& in, std::size_t width, Out&& out, Op const& op,
              options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::windowed_on(on, in, width, out, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out>
void windowed(E const& on, In const& in, std::size_t width, Out&& out,
              options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::windowed_on(on, in, width, out, plus{}, o);
}
template <elements In, detail::output_like Out, class Op = plus>
void windowed(In const& in, std::size_t width, Out&& out, Op const& op,
              options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::windowed_on(detail::default_executor_t<In>{}, in, width, out, op, o);
}
template <elements In, detail::output_like Out>
void windowed(In const& in, std::size_t width, Out&& out,
              options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::windowed_on(detail::default_executor_t<In>{}, in, width, out, plus{}, o);
}

/// The same by an overloaded function, such as std::max<T>, whose type cannot be deduced.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out>
void windowed(E const& on, In const& in, std::size_t width, Out&& out,
              detail::function_over<In>& op,
              options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::windowed_on(on, in, width, out, op, o);
}
template <elements In, detail::output_like Out>
void windowed(In const& in, std::size_t width, Out&& out, detail::function_over<In>& op,
              options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::windowed_on(detail::default_executor_t<In>{}, in, width, out, op, o);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::a_random_access_range_readable_when_const_must_come_first_or_after_an_executor<Args...>
windowed(Args const&...) = delete;
template <class... Args>
detail::the_width_comes_between_the_range_and_the_output<Args...> windowed(Args const&...) = delete;

}  // namespace upsweep

/// The scans: every prefix of the input, inclusive (element i counts) or exclusive (only what is before it).
#pragma once

#include <upsweep/reduce.hpp>

namespace upsweep {

template <scan_kind kind, executor E, elements In, elements Out, class F, class Op>
void scan_range(char const* verb, E const& on, In const& in, Out& out, F const& f, Op const& op,
                options<accumulator_over<Op, In const, F>> const& o) {
  using A = accumulator_over<Op, In const, F>;
  static_assert(combines<Op, A>,
                "upsweep: the operator must be callable as op(accumulator, accumulator) and return an accumulator");
  std::size_t const n = std::ranges::size(in);
  (void)verb;
  if (n != std::ranges::size(out))
    fail("scan: the input has %zu elements and the output %zu; give an output of the same size", n, std::ranges::size(out));
  if (n == 0) return;
  A const* const initial = o.initial ? std::addressof(*o.initial) : nullptr;
  auto run = [&](auto const& source, auto const& sink) {
    if constexpr (kind == scan_kind::inclusive) {
      on.template scan<kind>(source, sink, n, op, initial, static_cast<A const*>(nullptr), o.mode);
    } else if (initial) {
      on.template scan<kind>(source, sink, n, op, initial, initial, o.mode);
    } else if constexpr (monoid_over<Op, A>) {
      A const first = identity_of<A>(op);
      on.template scan<kind>(source, sink, n, op, initial, std::addressof(first), o.mode);
    } else {
      fail(
          "exclusive_scan: the operator has no identity for the first output; give .initial, or use upsweep::monoid(op, identity)");
    }
  };
  using It = decltype(std::ranges::begin(in));
  using OutIt = decltype(std::ranges::begin(out));
  if (o.reverse)
    run(source<It, F, Op, true>(std::ranges::begin(in), n, f, op), sink<OutIt, Op, true>(std::ranges::begin(out), n, op));
  else
    run(source<It, F, Op, false>(std::ranges::begin(in), n, f, op), sink<OutIt, Op, false>(std::ranges::begin(out), n, op));
}

template <executor E, elements In, elements Out, class Op = plus>
void inclusive_scan(E const& on, In const& in, Out&& out, Op const& op = {},
                    options<accumulator_over<Op, In const>> const& o = {}) {
  scan_range<scan_kind::inclusive>("inclusive_scan", on, in, out, as_is{}, op, o);
}
template <elements In, elements Out, class Op = plus>
void inclusive_scan(In const& in, Out&& out, Op const& op = {}, options<accumulator_over<Op, In const>> const& o = {}) {
  scan_range<scan_kind::inclusive>("inclusive_scan", typename default_executor<In>::type{}, in, out, as_is{}, op, o);
}
template <executor E, elements In, elements Out, class Op = plus>
void exclusive_scan(E const& on, In const& in, Out&& out, Op const& op = {},
                    options<accumulator_over<Op, In const>> const& o = {}) {
  scan_range<scan_kind::exclusive>("exclusive_scan", on, in, out, as_is{}, op, o);
}
template <elements In, elements Out, class Op = plus>
void exclusive_scan(In const& in, Out&& out, Op const& op = {}, options<accumulator_over<Op, In const>> const& o = {}) {
  scan_range<scan_kind::exclusive>("exclusive_scan", typename default_executor<In>::type{}, in, out, as_is{}, op, o);
}

template <executor E, elements In, elements Out, class F, class Op = plus>
void transform_inclusive_scan(E const& on, In const& in, Out&& out, F const& f, Op const& op = {},
                              options<accumulator_over<Op, In const, F>> const& o = {}) {
  scan_range<scan_kind::inclusive>("transform_inclusive_scan", on, in, out, f, op, o);
}
template <elements In, elements Out, class F, class Op = plus>
void transform_inclusive_scan(In const& in, Out&& out, F const& f, Op const& op = {},
                              options<accumulator_over<Op, In const, F>> const& o = {}) {
  scan_range<scan_kind::inclusive>("transform_inclusive_scan", typename default_executor<In>::type{}, in, out, f, op, o);
}
template <executor E, elements In, elements Out, class F, class Op = plus>
void transform_exclusive_scan(E const& on, In const& in, Out&& out, F const& f, Op const& op = {},
                              options<accumulator_over<Op, In const, F>> const& o = {}) {
  scan_range<scan_kind::exclusive>("transform_exclusive_scan", on, in, out, f, op, o);
}
template <elements In, elements Out, class F, class Op = plus>
void transform_exclusive_scan(In const& in, Out&& out, F const& f, Op const& op = {},
                              options<accumulator_over<Op, In const, F>> const& o = {}) {
  scan_range<scan_kind::exclusive>("transform_exclusive_scan", typename default_executor<In>::type{}, in, out, f, op, o);
}

}  // namespace upsweep

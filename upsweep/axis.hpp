/// Reductions and scans along an axis of n-dimensional views. Every 1-D slice along the axis has
/// the result of a call on that slice alone, so the bits do not depend on the layout, on the other
/// dimensions, or on the distribution of slices over threads.
#pragma once

#include <upsweep/core/lines.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/generic/lines/lines.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep::detail {

template <class Op, nd_view V>
using accumulator_along = accumulator_t<Op, std::remove_cv_t<typename V::element_type>>;
template <nd_view V>
using function_along = function_of<std::remove_cv_t<typename V::element_type>>;

/// Calls f(inner, in, out) for every line; `in` and `out` are 1-D ranges, contiguous ones where
/// both views allow it, and `inner` is the executor to use.
template <class E, class In, class Out, class F>
void for_lines(E const& on, lines_of<In> const& ins, lines_of<Out> const& outs, F const& f) {
  using T = typename In::element_type;
  using R = typename Out::element_type;
  on.for_each_line(ins.count(), ins.size(), [&](std::size_t line, auto const& inner) {
    if (ins.stride() == 1 && outs.stride() == 1)
      f(inner, std::span<T>(ins.first(line), ins.size()),
        std::span<R>(outs.first(line), outs.size()));
    else
      f(inner, strided_line<T>(ins.first(line), ins.stride(), ins.size()),
        strided_line<R>(outs.first(line), outs.stride(), outs.size()));
  });
}

/// *place = the reduction of one line.
template <class E, class Line, class Place, class Op, class Options>
void reduce_line(E const& on, Line const& line, Place const& place, Op const& op,
                 Options const& o) {
  if constexpr (has_own_memory<E>)
    transform_reduce_into(on, line, std::addressof(*place), as_is{}, op, o);
  else
    *place =
        static_cast<std::iter_value_t<Place>>(upsweep::transform_reduce(on, line, as_is{}, op, o));
}

/// Throws unless `out` is exactly the elements of `in` or does not overlap it.
template <nd_view In, nd_view Out>
void check_apart(char const* verb, In const& in, Out const& out) {
  bool same =
      in.rank() == out.rank() &&
      sizeof(typename In::element_type) == sizeof(typename Out::element_type) &&
      static_cast<void const*>(in.data_handle()) == static_cast<void const*>(out.data_handle());
  for (std::size_t d = 0; same && d < in.rank(); ++d)
    same = in.stride(d) == out.stride(d) || extent_of(in, d) <= 1;
  if (!same && share_memory(in, out)) fail_overlap(verb);
}

/// True when `Op` can combine the elements of `In` and its results can be stored in `Out`;
/// otherwise a static_assert says what is wrong.
template <class Op, nd_view In, nd_view Out>
constexpr bool operands_of_views_fit() {
  using T = typename In::element_type;
  using R = typename Out::element_type;
  if constexpr (operands_fit<Op, T&>())
    return results_fit<Op, std::remove_cv_t<T>, std::remove_cv_t<R>, R&>();
  else
    return false;
}

/// All reductions along an axis, after the checks at compile time.
template <executor E, nd_view In, nd_view Out, class Op>
void reduce_lines(E const& on, In const& in, Out const& out, Op const& op,
                  options<accumulator_along<Op, In>> const& o) {
  using R = typename Out::element_type;
  float_environment const ieee;
  std::size_t const axis = checked_axis(o.axis, in.rank());
  if (out.rank() + 1 != in.rank())
    fail(
        "reduce: the input has %zu dimensions and the output %zu; the output needs one less than "
        "the input",
        in.rank(), out.rank());
  for (std::size_t d = 0; d < out.rank(); ++d)
    if (extent_of(out, d) != extent_of(in, d + (d >= axis)))
      fail_sizes("reduce along an axis", extent_of(in, d + (d >= axis)), extent_of(out, d));
  check_apart("reduce along an axis", in, out);
  using T = std::remove_cv_t<typename In::element_type>;
  using A = accumulator_along<Op, In>;
  constexpr bool is_member = has_line_reductions<E, line_matrices<T const, R>, Op, A>;
  if constexpr (is_member || (!has_own_memory<E> && combines_columns<Op, T>)) {
    auto const lines = line_matrices_of<T const, R>(in, out, axis);
    start_of<Op, A> const start(op, o.initial);
    A const* const initial = start.get();
    if (lines.fit && !lines.in.empty() && o.tree == tree::prefix) {
      if constexpr (is_member) {
        if (on.reduce_lines(lines, o.reverse, op, initial)) return;
      } else {
        if (reduce_columns(on, lines, o.reverse, op, initial)) return;
      }
    }
  }
  for_lines(on, lines_of(in, axis), lines_of(out, out.rank()),
            [&](auto const& inner, auto const& line, auto const& result) {
              reduce_line(inner, line, result.begin(), op, o);
            });
}

/// Throws unless the results for `in` fit `out`.
template <nd_view In, nd_view Out>
void check_scan_views(char const* verb, In const& in, Out const& out) {
  if (out.rank() != in.rank())
    fail(
        "scan: the input has %zu dimensions but the output %zu; give an output of the same extents",
        in.rank(), out.rank());
  for (std::size_t d = 0; d < in.rank(); ++d)
    if (extent_of(out, d) != extent_of(in, d))
      fail_sizes(verb, extent_of(in, d), extent_of(out, d));
  check_apart(verb, in, out);
}

template <scan_kind kind, executor E, nd_view In, nd_view Out, class Op>
void scan_lines(char const* verb, E const& on, In const& in, Out const& out, Op const& op,
                options<accumulator_along<Op, In>> const& o) {
  float_environment const ieee;
  std::size_t const axis = checked_axis(o.axis, in.rank());
  check_scan_views(verb, in, out);
  using T = std::remove_cv_t<typename In::element_type>;
  using R = typename Out::element_type;
  using A = accumulator_along<Op, In>;
  constexpr bool is_member = has_line_scans<E, kind, line_matrices<T const, R>, Op, A>;
  if constexpr (is_member || (!has_own_memory<E> && combines_columns<Op, T>)) {
    auto const lines = line_matrices_of<T const, R>(in, out, axis);
    if (lines.fit) {
      if (lines.in.empty()) return;
      first_results<kind, Op, A> const begin(op, o);
      if constexpr (is_member) {
        if (on.template scan_lines<kind>(lines, o.reverse, op, begin.initial, begin.first)) return;
      } else {
        if (scan_columns<kind>(on, lines, o.reverse, op, begin.initial, begin.first)) return;
      }
    }
  }
  for_lines(on, lines_of(in, axis), lines_of(out, axis),
            [&](auto const& inner, auto const& from, auto const& to) {
              scan_range<kind>(verb, inner, from, to, as_is{}, op, o);
            });
}

}  // namespace upsweep::detail

namespace upsweep {

/// Reduces every 1-D slice of `in` along `.axis` (default: the last dimension) to one element of
/// `out`, which has the extents of `in` without the axis. Throws precondition_error if the extents
/// do not match, if the axis does not exist, if the views overlap, or if slices are empty and the
/// operator has no identity.
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out, class Op = plus>
void reduce(E const& on, In const& in, Out const& out, Op const& op,
            options<detail::accumulator_along<Op, In>> const& o = {}) {
  if constexpr (detail::operands_of_views_fit<Op, In, Out>())
    detail::reduce_lines(on, in, out, op, o);
}
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out>
void reduce(E const& on, In const& in, Out const& out,
            options<detail::accumulator_along<plus, In>> const& o = {}) {
  upsweep::reduce(on, in, out, plus{}, o);
}
template <nd_view In, nd_view Out, class Op = plus>
void reduce(In const& in, Out const& out, Op const& op,
            options<detail::accumulator_along<Op, In>> const& o = {}) {
  upsweep::reduce(detail::default_executor_t<In>{}, in, out, op, o);
}
template <nd_view In, nd_view Out>
void reduce(In const& in, Out const& out,
            options<detail::accumulator_along<plus, In>> const& o = {}) {
  upsweep::reduce(detail::default_executor_t<In>{}, in, out, plus{}, o);
}

/// Scans every 1-D slice of `in` along `.axis` (default: the last dimension) into the same slice of
/// `out`. `out` has the same extents as `in` and may be the same view. Errors are those of reduce
/// along an axis.
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out, class Op = plus>
void inclusive_scan(E const& on, In const& in, Out const& out, Op const& op,
                    options<detail::accumulator_along<Op, In>> const& o = {}) {
  if constexpr (detail::operands_of_views_fit<Op, In, Out>())
    detail::scan_lines<scan_kind::inclusive>("inclusive_scan", on, in, out, op, o);
}
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out>
void inclusive_scan(E const& on, In const& in, Out const& out,
                    options<detail::accumulator_along<plus, In>> const& o = {}) {
  upsweep::inclusive_scan(on, in, out, plus{}, o);
}
template <nd_view In, nd_view Out, class Op = plus>
void inclusive_scan(In const& in, Out const& out, Op const& op,
                    options<detail::accumulator_along<Op, In>> const& o = {}) {
  upsweep::inclusive_scan(detail::default_executor_t<In>{}, in, out, op, o);
}
template <nd_view In, nd_view Out>
void inclusive_scan(In const& in, Out const& out,
                    options<detail::accumulator_along<plus, In>> const& o = {}) {
  upsweep::inclusive_scan(detail::default_executor_t<In>{}, in, out, plus{}, o);
}
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out, class Op = plus>
void exclusive_scan(E const& on, In const& in, Out const& out, Op const& op,
                    options<detail::accumulator_along<Op, In>> const& o = {}) {
  if constexpr (detail::operands_of_views_fit<Op, In, Out>())
    detail::scan_lines<scan_kind::exclusive>("exclusive_scan", on, in, out, op, o);
}
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out>
void exclusive_scan(E const& on, In const& in, Out const& out,
                    options<detail::accumulator_along<plus, In>> const& o = {}) {
  upsweep::exclusive_scan(on, in, out, plus{}, o);
}
template <nd_view In, nd_view Out, class Op = plus>
void exclusive_scan(In const& in, Out const& out, Op const& op,
                    options<detail::accumulator_along<Op, In>> const& o = {}) {
  upsweep::exclusive_scan(detail::default_executor_t<In>{}, in, out, op, o);
}
template <nd_view In, nd_view Out>
void exclusive_scan(In const& in, Out const& out,
                    options<detail::accumulator_along<plus, In>> const& o = {}) {
  upsweep::exclusive_scan(detail::default_executor_t<In>{}, in, out, plus{}, o);
}

/// The same by an overloaded function, such as std::max<T>, whose type cannot be deduced.
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out>
void reduce(E const& on, In const& in, Out const& out, detail::function_along<In>& op,
            options<std::remove_cv_t<typename In::element_type>> const& o = {}) {
  upsweep::reduce(on, in, out, &op, o);
}
template <nd_view In, nd_view Out>
void reduce(In const& in, Out const& out, detail::function_along<In>& op,
            options<std::remove_cv_t<typename In::element_type>> const& o = {}) {
  upsweep::reduce(detail::default_executor_t<In>{}, in, out, &op, o);
}
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out>
void inclusive_scan(E const& on, In const& in, Out const& out, detail::function_along<In>& op,
                    options<std::remove_cv_t<typename In::element_type>> const& o = {}) {
  upsweep::inclusive_scan(on, in, out, &op, o);
}
template <nd_view In, nd_view Out>
void inclusive_scan(In const& in, Out const& out, detail::function_along<In>& op,
                    options<std::remove_cv_t<typename In::element_type>> const& o = {}) {
  upsweep::inclusive_scan(detail::default_executor_t<In>{}, in, out, &op, o);
}
template <nd_view In, executor E = detail::default_executor_t<In>, nd_view Out>
void exclusive_scan(E const& on, In const& in, Out const& out, detail::function_along<In>& op,
                    options<std::remove_cv_t<typename In::element_type>> const& o = {}) {
  upsweep::exclusive_scan(on, in, out, &op, o);
}
template <nd_view In, nd_view Out>
void exclusive_scan(In const& in, Out const& out, detail::function_along<In>& op,
                    options<std::remove_cv_t<typename In::element_type>> const& o = {}) {
  upsweep::exclusive_scan(detail::default_executor_t<In>{}, in, out, &op, o);
}

}  // namespace upsweep

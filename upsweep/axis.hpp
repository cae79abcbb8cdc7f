/// The verbs along an axis of n-dimensional views. Every line along the axis is an array of its
/// own, with its own tree: the bits do not depend on the layout, on the other dimensions, or on how
/// lines are distributed over threads.
#pragma once

#include <upsweep/core/line_matrices.hpp>
#include <upsweep/core/lines.hpp>
#include <upsweep/core/overlap.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep {

namespace detail {

/// `Op` on each part of a bundle: adjacent lines are combined side by side, so that strided axes
/// read whole cache lines.
template <class Op, int width>
struct bundled {
  Op op;
  static constexpr bool commutative = is_commutative<Op>;
  static constexpr bool refuses_empty = detail::refuses_empty<Op>;
  template <class>
  struct part_of;
  template <class T>
  struct part_of<bundle<T, width>> {
    using type = T;
  };
  template <class B>
  using accumulator = bundle<accumulator_t<Op, typename part_of<B>::type>, width>;

  UPSWEEP_SIDES_UNCHECKED  // functions for the host are called on the host only: bundle_options
      template <class F>
      static UPSWEEP_BOTH constexpr auto each(F const& f) {
    bundle<decltype(f(0)), width> result;
    for (int i = 0; i < width; ++i) result.part[i] = f(i);
    return result;
  }
  template <class B>
    requires monoid_over<Op, typename part_of<B>::type>
  UPSWEEP_BOTH constexpr B identity() const {
    return each([&](int) { return upsweep::identity_of<typename part_of<B>::type>(op); });
  }
  template <class T>
  UPSWEEP_BOTH constexpr auto lift(bundle<T, width> const& x, std::size_t index) const {
    return each([&](int i) { return detail::lift(op, x.part[i], index); });
  }
  template <class A>
  UPSWEEP_BOTH constexpr auto operator()(bundle<A, width> const& earlier,
                                         bundle<A, width> const& later) const {
    return each([&](int i) { return static_cast<A>(op(earlier.part[i], later.part[i])); });
  }
};

template <class Op, nd_view V>
using accumulator_along = accumulator_t<Op, std::remove_cv_t<typename V::element_type>>;

/// The same options for a line, or for a bundle of them.
template <int width, class A>
auto bundle_options(options<A> const& o) {
  options<bundle<A, width>> wide{
      .initial = {}, .reverse = o.reverse, .axis = o.axis, .mode = o.mode, .tree = o.tree};
  if (o.initial) wide.initial = bundled<plus, width>::each([&](int) { return *o.initial; });
  return wide;
}

/// Runs one(inner, in, out) for every line; `in` and `out` are 1-D ranges, contiguous ones where
/// both views allow it. If lines are strided but adjacent lines contiguous, runs many(inner, in,
/// out) for bundles of `width` lines instead. `inner` is the executor to use.
template <int width, class E, class In, class Out, class One, class Many>
void for_lines(E const& on, lines_of<In> const& ins, lines_of<Out> const& outs, One const& one,
               Many const& many) {
  using T = typename In::element_type;
  using R = typename Out::element_type;
  auto run_one = [&](std::size_t line, auto const& inner) {
    if (ins.stride() == 1 && outs.stride() == 1)
      one(inner, std::span<T>(ins.first(line), ins.size()),
          std::span<R>(outs.first(line), outs.size()));
    else
      one(inner, strided_line<T>(ins.first(line), ins.stride(), ins.size()),
          strided_line<R>(outs.first(line), outs.stride(), outs.size()));
  };
  std::size_t const together = ins.neighbours() == outs.neighbours() ? ins.neighbours() : 1;
  if (width == 1 || ins.stride() == 1 || together < width)
    return on.for_each_line(ins.count(), ins.size(), run_one);
  if constexpr (width > 1) {
    // Jobs of each run of adjacent lines: bundles, then single lines.
    std::size_t const whole = together / width, jobs = whole + together % width;
    on.for_each_line(
        ins.count() / together * jobs, ins.size() * width, [&](std::size_t job, auto const& inner) {
          std::size_t const run = job / jobs * together, i = job % jobs;
          if (i >= whole) return run_one(run + whole * width + (i - whole), inner);
          many(inner, strided_line<T, width>(ins.first(run + i * width), ins.stride(), ins.size()),
               strided_line<R, width>(outs.first(run + i * width), outs.stride(), outs.size()));
        });
  }
}

/// The number of adjacent lines in a bundle: as many as there are accumulators in a cache line, or
/// 1 for operators that cannot be bundled.
template <class Op, nd_view V>
inline constexpr int bundle_width = [] {
  using A = accumulator_along<Op, V>;
  constexpr bool plain =
      std::is_same_v<A, result_t<Op, std::remove_cv_t<typename V::element_type>>> &&
      std::is_trivially_copyable_v<A> && std::is_trivially_default_constructible_v<A>;
  return plain && sizeof(A) <= 16 ? static_cast<int>(64 / sizeof(A)) : 1;
}();

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
  constexpr int width = has_own_memory<E> ? 1 : bundle_width<Op, In>;
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
  if constexpr (has_line_reductions<E, line_matrices<T const, R>, Op, A>) {
    auto const lines = line_matrices_of<T const, R>(in, out, axis);
    A const* const initial = o.initial ? std::addressof(*o.initial) : nullptr;
    if (lines.fit && !lines.in.empty() && o.tree == tree::prefix &&
        on.reduce_lines(lines, o.reverse, op, initial))
      return;
  }
  for_lines<width>(
      on, lines_of(in, axis), lines_of(out, out.rank()),
      [&](auto const& inner, auto const& line, auto const& result) {
        reduce_line(inner, line, result.begin(), op, o);
      },
      [&](auto const& inner, auto const& line, auto const& result) {
        bundled<std::decay_t<Op>, width> const each{op};
        *result.begin() = static_cast<bundle<R, width>>(
            upsweep::transform_reduce(inner, line, as_is{}, each, bundle_options<width>(o)));
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
  constexpr int width = has_own_memory<E> ? 1 : bundle_width<Op, In>;
  std::size_t const axis = checked_axis(o.axis, in.rank());
  check_scan_views(verb, in, out);
  using T = std::remove_cv_t<typename In::element_type>;
  using R = typename Out::element_type;
  using A = accumulator_along<Op, In>;
  if constexpr (has_line_scans<E, kind, line_matrices<T const, R>, Op, A>) {
    auto const lines = line_matrices_of<T const, R>(in, out, axis);
    if (lines.fit) {
      if (lines.in.empty()) return;
      first_results<kind, Op, A> const begin(op, o);
      if (on.template scan_lines<kind>(lines, o.reverse, op, begin.initial, begin.first)) return;
    }
  }
  for_lines<width>(
      on, lines_of(in, axis), lines_of(out, axis),
      [&](auto const& inner, auto const& from, auto const& to) {
        scan_range<kind>(verb, inner, from, to, as_is{}, op, o);
      },
      [&](auto const& inner, auto const& from, auto const& to) {
        scan_range<kind>(verb, inner, from, to, as_is{}, bundled<std::decay_t<Op>, width>{op},
                         bundle_options<width>(o));
      });
}

}  // namespace detail

/// out[...] = the reduction of every line of `in` along `.axis` (default: the last dimension). The
/// operator defaults to `plus`. `out` has the extents of `in` without the axis. Throws
/// precondition_error when the extents do not match, the axis does not exist, the views overlap, or
/// lines are empty and the operator has no identity.
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

/// Scans every line of `in` along `.axis` (default: the last dimension) into the same line of
/// `out`, which has the same extents and may be the same view. The operator defaults to `plus`.
/// Throws precondition_error as reduce does.
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

}  // namespace upsweep

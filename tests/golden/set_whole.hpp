/// Reductions and scans of whole arrays, in segments, runs, windows and along axes: the text of a
/// case on any executor.
#pragma once

#include "set_dispatch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::golden_set {

/// reduce, inclusive_scan, exclusive_scan.
template <class T, class E, class Op>
std::string whole(E const& on, call_case const& c, Op const& op) {
  inputs<Op, T> const in(op, c);
  std::span<T const> const x(in.x);
  return text_of([&] {
    if (c.verb == "reduce") {
      listing one;
      one.add_result(upsweep::reduce(on, x, op, in.how));
      return one.text();
    }
    return with_output<Op, T>(c, [&]<class R>() {
      room<R> const out(x.size());
      if (c.verb == "inclusive_scan")
        upsweep::inclusive_scan(on, x, out.all(), op, in.how);
      else
        upsweep::exclusive_scan(on, x, out.all(), op, in.how);
      return listed(out.all());
    });
  });
}

/// What a table of rows is for: fewer instances compile faster.
enum class form { reductions, scans };

inline bool is_form(form f, call_case const& c) {
  return c.verb.starts_with("reduce") == (f == form::reductions);
}

/// The same of the segments of a case.
template <form f, class T, class E, class Op>
std::string in_segments(E const& on, call_case const& c, Op const& op) {
  using R = result_t<Op, T>;
  inputs<Op, T> const in(op, c);
  std::span<T const> const x(in.x);
  auto const offsets = segment_offsets(x.size(), c.get("cut"));
  return text_of([&] {
    room<R> const out(f == form::reductions ? offsets.size() - 1 : x.size());
    if constexpr (f == form::reductions)
      upsweep::reduce_segments(on, x, offsets, out.all(), op, in.how);
    else if (c.verb == "inclusive_scan_segments")
      upsweep::inclusive_scan_segments(on, x, offsets, out.all(), op, in.how);
    else
      upsweep::exclusive_scan_segments(on, x, offsets, out.all(), op, in.how);
    return listed(out.all());
  });
}

template <form f, class T, class Key, class E, class Op>
std::string by_keys(E const& on, call_case const& c, Op const& op, std::vector<Key> const& keys) {
  using R = result_t<Op, T>;
  inputs<Op, T> const in(op, c);
  std::span<T const> const x(in.x);
  return text_of([&] {
    room<R> const out(x.size());
    if constexpr (f == form::reductions) {
      room<Key> const keys_out(x.size());
      std::size_t const count =
          upsweep::reduce_runs(on, keys, x, keys_out.all(), out.all(), op, in.how);
      return listed(keys_out.all().first(count)) + " " + listed(out.all().first(count));
    } else {
      if (c.verb == "inclusive_scan_runs")
        upsweep::inclusive_scan_runs(on, keys, x, out.all(), op, in.how);
      else
        upsweep::exclusive_scan_runs(on, keys, x, out.all(), op, in.how);
      return listed(out.all());
    }
  });
}
/// The same of the runs of equal keys.
template <form f, class T, class E, class Op>
std::string in_runs(E const& on, call_case const& c, Op const& op) {
  if (c.is("keys", "few")) return by_keys<f, T>(on, c, op, elements<double>("few", c.n(), 0, 1));
  std::vector<std::int32_t> keys;
  auto const offsets = segment_offsets(c.n(), c.get("keys"));
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
    keys.insert(keys.end(), offsets[k + 1] - offsets[k], static_cast<std::int32_t>(k % 3));
  return by_keys<f, T>(on, c, op, keys);
}

template <class T, class E, class Op>
std::string in_windows(E const& on, call_case const& c, Op const& op) {
  inputs<Op, T> const in(op, c);
  std::size_t const n = in.x.size(), width = c.number("width");
  return text_of([&] {
    room<result_t<Op, T>> const out(n < width ? 0 : n - width + 1);
    upsweep::windowed(on, in.x, width, out.all(), op, in.how);
    return listed(out.all());
  });
}

/// reduce, inclusive_scan, exclusive_scan along an axis of a shape.
template <form f, class T, class E, class Op>
std::string in_lines(E const& on, call_case const& c, Op const& op) {
  using R = result_t<Op, T>;
  inputs<Op, T> in(op, c);
  auto const shape = c.shape();
  in.how.axis = static_cast<int>(c.number("axis"));
  strided_view<T const> const x(in.x.data(), shape);
  return text_of([&] {
    if constexpr (f == form::reductions) {
      auto rest = shape;
      rest.erase(rest.begin() + in.how.axis);
      room<R> const out(in.x.size() / shape[c.number("axis")]);
      upsweep::reduce(on, x, strided_view<R>(out.first.get(), rest), op, in.how);
      return listed(out.all());
    } else {
      room<R> const out(in.x.size());
      strided_view<R> const results(out.first.get(), shape);
      if (c.verb == "inclusive_scan_lines")
        upsweep::inclusive_scan(on, x, results, op, in.how);
      else
        upsweep::exclusive_scan(on, x, results, op, in.how);
      return listed(out.all());
    }
  });
}

inline bool is_whole(call_case const& c) {
  return c.verb == "reduce" || c.verb == "inclusive_scan" || c.verb == "exclusive_scan";
}

/// The case if it is a reduction or scan of a whole array with a row of `Table`.
template <class Table, class E>
result_text run_whole(E const& on, call_case const& c) {
  if (!is_whole(c)) return {};
  return dispatch(Table{}, c, [&]<class Op, class T>(Op const& op) { return whole<T>(on, c, op); });
}
template <form f, class Table, class E>
result_text run_segments(E const& on, call_case const& c) {
  if (!c.verb.ends_with("_segments") || !is_form(f, c)) return {};
  return dispatch(Table{}, c,
                  [&]<class Op, class T>(Op const& op) { return in_segments<f, T>(on, c, op); });
}
template <form f, class Table, class E>
result_text run_runs(E const& on, call_case const& c) {
  if (!c.verb.ends_with("_runs") || !is_form(f, c)) return {};
  return dispatch(Table{}, c,
                  [&]<class Op, class T>(Op const& op) { return in_runs<f, T>(on, c, op); });
}
template <class Table, class E>
result_text run_windows(E const& on, call_case const& c) {
  if (c.verb != "windowed") return {};
  return dispatch(Table{}, c,
                  [&]<class Op, class T>(Op const& op) { return in_windows<T>(on, c, op); });
}
template <form f, class Table, class E>
result_text run_lines(E const& on, call_case const& c) {
  if (!c.verb.ends_with("_lines") || !is_form(f, c)) return {};
  return dispatch(Table{}, c,
                  [&]<class Op, class T>(Op const& op) { return in_lines<f, T>(on, c, op); });
}

}  // namespace upsweep::golden_set

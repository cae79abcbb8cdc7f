/// The verbs over segments and bins of common pairs, compiled as those of C++ are.
/// Private to the library.
#pragma once

#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/generic/histogram/weights.hpp>
#include <upsweep/segments.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace upsweep::dynamic {

/// n weights and their bins: find(i, size, to) stores the slots of the weights i, i + 1, ..., at
/// most detail::count_block of them: b + 1 for bin b, other numbers for no bin.
struct binned_weights {
  std::function<void(std::size_t i, std::size_t size, std::uint32_t* to)> find;
  void const* weights;
  std::size_t n, bins;
  bool find_again = false;  ///< whether `find` takes no longer than to keep what it finds
};

/// The functions of an operator over elements of one type. They check nothing; borders may begin
/// and end anywhere in the array.
struct segment_engine {
  catalog::id op;
  dtype element;
  void (*calls[3])(segments const& s, request const& how, void* out);  ///< by verb
  outside_counts (*reduce_bins)(binned_weights const& x, cpu const& on, void* out,
                                std::size_t* sizes);
};

/// The reductions of the weights of each bin, by any entry, and how many they are, unless `sizes`
/// is null.
outside_counts reduce_bins(call_entry const& e, binned_weights const& x, cpu const& on, void* out,
                           std::size_t* sizes);

/// Those of sum, product, minimum and maximum.
std::span<segment_engine const> segment_engines();

/// The types with engines of their own. Other pairs call the entry of the pair for each segment.
using segment_types =
    types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float, double>;

template <class Op, class T>
struct typed_segments {
  using A = accumulator_t<Op, T>;
  using R = result_t<Op, T>;
  static constexpr Op op{};

  static options<A> options_of(request const& how) {
    options<A> o;
    if (how.initial) o.initial.emplace(*static_cast<R const*>(how.initial));
    return o;
  }
  /// Calls f(begin, end, executor, source, borders) for ranges of consecutive segments.
  template <class F>
  static void for_each_segment_range(segments const& s, request const& how, F const& f) {
    detail::float_environment const ieee;
    detail::as_is const same;
    auto const in = elements_at<T>(s.in, s.n);
    auto const x = detail::source_of<false>(in, s.n, same, op);
    detail::segment_borders<std::uint64_t const*> const border{s.borders};
    detail::for_each_segment(how.on, border, s.count,
                             [&](std::size_t begin, std::size_t end, cpu const& here) {
                               f(begin, end, here, x, border);
                             });
  }

  static void reduce(segments const& s, request const& how, void* out) {
    auto const o = options_of(how);
    auto const to = elements_at<R>(out, s.count);
    auto const results = detail::sink_of<false>(to, s.count, op);
    for_each_segment_range(s, how,
                           [&](std::size_t begin, std::size_t end, cpu const& here, auto const& x,
                               auto const& border) {
                             detail::reduce_segment_range(here, x, op, o, border, begin, end,
                                                          results, 0);
                           });
  }
  template <scan_kind kind>
  static void scan(segments const& s, request const& how, void* out) {
    auto const o = options_of(how);
    detail::first_results<kind, Op, A> const first(op, o);
    auto const to = elements_at<R>(out, s.n);
    auto const results = detail::sink_of<false>(to, s.n, op);
    for_each_segment_range(s, how,
                           [&](std::size_t begin, std::size_t end, cpu const& here, auto const& x,
                               auto const& border) {
                             call const c{x, s.n, op, o.mode, first.initial, first.first};
                             detail::scan_segment_range<kind>(here, c, border, begin, end, results);
                           });
  }
  static outside_counts reduce_bins(binned_weights const& x, cpu const& on, void* out,
                                    std::size_t* sizes) {
    detail::float_environment const ieee;
    auto const weights = elements_at<T>(x.weights, x.n);
    auto const results = elements_at<R>(out, x.bins);
    return detail::reduce_weights(on, x.n, x.find, weights, results, op, sizes, x.find_again);
  }
  static constexpr segment_engine make() {
    return {catalog::id_of<Op>,
            dtype_of<T>,
            {reduce, scan<scan_kind::inclusive>, scan<scan_kind::exclusive>},
            reduce_bins};
  }
};

}  // namespace upsweep::dynamic

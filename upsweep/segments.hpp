/// Segmented reductions and scans: every segment has the result of a call on that segment alone.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/generic/segments/segments.hpp>
#include <upsweep/scan.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

namespace upsweep::detail {

/// Whether offsets[begin] <= ... <= offsets[end], none of which is negative.
template <class It>
UPSWEEP_INLINED inline bool offsets_ascend(It const& offsets, std::size_t begin, std::size_t end) {
  // The highest bit of a difference is set where offsets descend, and that of an offset where the
  // difference says nothing.
  auto const difference = [&](std::size_t k) {
    std::size_t const from = offset_at(offsets, k), to = offset_at(offsets, k + 1);
    return from | to | (to - from);
  };
  constexpr std::size_t block = 256;  // compilers vectorize a loop of constant length
  std::size_t bits = 0;
  for (; end - begin >= block; begin += block) {
    std::size_t here = 0;
    for (std::size_t j = 0; j < block; ++j) here |= difference(begin + j);
    bits |= here;
  }
  for (; begin < end; ++begin) bits |= difference(begin);
  return bits >> (8 * sizeof bits - 1) == 0;
}

/// Throws unless 0 = offsets[0] <= ... <= offsets[count] = n.
template <class E, class It>
void expect_offsets(E const& on, It const& offsets, std::size_t count, std::size_t n) {
  expects(offset_at(offsets, 0) == 0,
          "segments: the first offset must be 0, because segments cover the whole input");
  constexpr std::size_t block = 4096;
  on.for_each_line((count + block - 1) / block, block, [&](std::size_t b, auto const&) {
    std::size_t const begin = b * block, end = at_most(count, begin + block);
    bool ascends = false;
    if constexpr (has_ascending_offsets<E, It>)
      ascends = E::kernels::offsets_ascend(offsets, begin, end);
    else
      ascends = offsets_ascend(offsets, begin, end);
    for (std::size_t k = begin; !ascends && k < end; ++k) {
      std::size_t const offset = offset_at(offsets, k + 1);
      if (offset >> (8 * sizeof offset - 1) != 0)
        fail(std::is_signed_v<std::iter_value_t<It>>
                 ? "segments: offset %zu of %zu is negative"
                 : "segments: offset %zu of %zu is 2^63 or more, as a negative number is when it "
                   "becomes unsigned",
             k + 1, count + 1);
      if (offset_at(offsets, k) > offset)
        fail("segments: offset %zu of %zu is less than the one before it", k + 1, count + 1);
    }
  });
  if (offset_at(offsets, count) != n)
    fail("segments: the last offset is %zu, but the input has %zu elements",
         offset_at(offsets, count), n);
}

/// The checks of the verbs with offsets; returns the number of segments. Only the CPU reads the
/// offsets.
template <class Sink, bool has_kernels = false, class E, class In, class Offsets>
std::size_t check_segments(E const& on, In const& in, Offsets const& offsets) {
  expect_segments<E, Sink, has_kernels>();
  using T = std::ranges::range_value_t<Offsets>;
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                "upsweep: the offsets of segments must be integers");
  std::size_t const borders = std::ranges::size(offsets);
  expects(borders > 0,
          "segments: there are no offsets; give at least one, 0, even without segments");
  if constexpr (!has_own_memory<E>)
    expect_offsets(on, first_of(offsets), borders - 1, std::ranges::size(in));
  return borders - 1;
}

/// All reductions of segments.
template <class E, class In, class Offsets, class Out, class Op>
void reduce_segments_on(E const& on, In const& in, Offsets const& offsets, Out& out, Op const& op,
                        options<accumulator_over<Op, In const>> const& o) {
  if constexpr (scan_fits<In, Out, as_is, Op>()) {
    float_environment const ieee;
    expects(!o.reverse, "reduce_segments: .reverse is not supported; reverse the ranges");
    expect_prefix_tree(o);
    expect_apart<false>("reduce_segments", in, out);
    expect_apart<false>("reduce_segments", offsets, out);
    std::size_t const n = std::ranges::size(in), room = std::ranges::size(out);
    auto const results = sink_of<false>(out, room, op);
    as_is const f;
    auto const x = source_of<false>(in, n, f, op);
    using all = decltype(call{x, n, op});
    using sink = std::remove_const_t<decltype(results)>;
    constexpr bool has_kernels = has_segments<E, all, first_of_t<Offsets>, sink>;
    std::size_t const count = check_segments<sink, has_kernels>(on, in, offsets);
    if (room != count)
      fail("reduce_segments: the offsets make %zu segments, but the output has %zu elements", count,
           room);
    if constexpr (has_kernels) {
      start_of<Op, accumulator_over<Op, In const>> const start(op, o.initial);
      on.reduce_segments(call{x, n, op, o.mode, start.get()}, first_of(offsets), count, results);
    } else {
      reduce_each_segment(on, x, op, o, first_of(offsets), count, results);
    }
  }
}

/// All scans of segments.
template <scan_kind kind, class E, class In, class Offsets, class Out, class Op>
void scan_segments(char const* verb, E const& on, In const& in, Offsets const& offsets, Out& out,
                   Op const& op, options<accumulator_over<Op, In const>> const& o) {
  using A = accumulator_over<Op, In const>;
  if constexpr (scan_fits<In, Out, as_is, Op>()) {
    float_environment const ieee;
    expects(!o.reverse, "scan of segments: .reverse is not supported; reverse the ranges");
    check_output(verb, in, out);
    expect_apart<false>(verb, offsets, out);
    std::size_t const n = std::ranges::size(in);
    auto const results = sink_of<false>(out, n, op);
    as_is const f;
    auto const x = source_of<false>(in, n, f, op);
    using sink = std::remove_const_t<decltype(results)>;
    constexpr bool has_kernels =
        has_segments<E, decltype(call{x, n, op}), first_of_t<Offsets>, sink>;
    std::size_t const count = check_segments<sink, has_kernels>(on, in, offsets);
    first_results<kind, Op, A> const first(op, o);
    call const c{x, n, op, o.mode, first.initial, first.first};
    if constexpr (has_kernels) {
      on.template scan_segments<kind>(c, first_of(offsets), count, results);
    } else {
      scan_each_segment<kind>(on, c, first_of(offsets), count, results);
    }
  }
}

}  // namespace upsweep::detail

namespace upsweep {

/// Segmented reduction: out[k] = reduce(in[offsets[k] .. offsets[k + 1])), with the bits of that
/// call regardless of the position of the segment. `offsets` has one element more than `out`: 0,
/// the ends of the segments in ascending order, and n. An empty segment gives `.initial` or the
/// identity. Segments are distributed over the threads by their sizes; all threads work on large
/// ones.
///
/// Throws precondition_error, with the index, for offsets that decrease or do not cover the input.
/// Also for sizes that differ, an `out` that overlaps another range, and an empty segment without
/// `.initial` and identity. Exceptions of `op` propagate. On upsweep::gpu, `offsets` are in device
/// memory and not checked: wrong offsets give unspecified results, but no access outside the
/// ranges. An empty segment without `.initial` and identity stores nothing there.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out, class Op = plus>
void reduce_segments(E const& on, In const& in, Offsets const& offsets, Out&& out, Op const& op,
                     options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::reduce_segments_on(on, in, offsets, out, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void reduce_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                     options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::reduce_segments_on(on, in, offsets, out, plus{}, o);
}
template <elements In, elements Offsets, detail::output_like Out, class Op = plus>
void reduce_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op,
                     options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::reduce_segments_on(detail::default_executor_t<In>{}, in, offsets, out, op, o);
}
template <elements In, elements Offsets, detail::output_like Out>
void reduce_segments(In const& in, Offsets const& offsets, Out&& out,
                     options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::reduce_segments_on(detail::default_executor_t<In>{}, in, offsets, out, plus{}, o);
}

/// Segmented inclusive scan: out[i] is the reduction of the elements of its segment up to in[i].
/// `in` and `out` have n elements each and may be the same memory. `offsets` and errors are those
/// of reduce_segments.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out, class Op = plus>
void inclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::inclusive>("inclusive_scan_segments", on, in, offsets, out, op,
                                              o);
}
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void inclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::inclusive>("inclusive_scan_segments", on, in, offsets, out,
                                              plus{}, o);
}
template <elements In, elements Offsets, detail::output_like Out, class Op = plus>
void inclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::inclusive>(
      "inclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, op, o);
}
template <elements In, elements Offsets, detail::output_like Out>
void inclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::inclusive>(
      "inclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, plus{}, o);
}

/// Segmented exclusive scan. The first result of a segment is `.initial` or the identity. Memory
/// and errors are those of inclusive_scan_segments.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out, class Op = plus>
void exclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::exclusive>("exclusive_scan_segments", on, in, offsets, out, op,
                                              o);
}
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void exclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::exclusive>("exclusive_scan_segments", on, in, offsets, out,
                                              plus{}, o);
}
template <elements In, elements Offsets, detail::output_like Out, class Op = plus>
void exclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::exclusive>(
      "exclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, op, o);
}
template <elements In, elements Offsets, detail::output_like Out>
void exclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::exclusive>(
      "exclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, plus{}, o);
}

/// The same by an overloaded function, such as std::max<T>, whose type cannot be deduced.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void reduce_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                     detail::function_over<In>& op,
                     options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::reduce_segments_on(on, in, offsets, out, op, o);
}
template <elements In, elements Offsets, detail::output_like Out>
void reduce_segments(In const& in, Offsets const& offsets, Out&& out, detail::function_over<In>& op,
                     options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::reduce_segments_on(detail::default_executor_t<In>{}, in, offsets, out, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void inclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             detail::function_over<In>& op,
                             options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::inclusive>("inclusive_scan_segments", on, in, offsets, out, op,
                                              o);
}
template <elements In, elements Offsets, detail::output_like Out>
void inclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out,
                             detail::function_over<In>& op,
                             options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::inclusive>(
      "inclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void exclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             detail::function_over<In>& op,
                             options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::exclusive>("exclusive_scan_segments", on, in, offsets, out, op,
                                              o);
}
template <elements In, elements Offsets, detail::output_like Out>
void exclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out,
                             detail::function_over<In>& op,
                             options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments<scan_kind::exclusive>(
      "exclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, op, o);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> reduce_segments(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> inclusive_scan_segments(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> exclusive_scan_segments(Args const&...) = delete;

}  // namespace upsweep

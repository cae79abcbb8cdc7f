/// Reductions and scans of the segments of a range, each as if it stood alone.
#pragma once

#include <upsweep/scan.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep {

namespace detail {

/// offsets[k] as a position.
template <class It>
std::size_t offset_at(It const& offsets, std::size_t k) {
  return static_cast<std::size_t>(offsets[static_cast<std::iter_difference_t<It>>(k)]);
}

/// Throws unless 0 = offsets[0] <= ... <= offsets[count] = n.
template <class E, class It>
void expect_offsets(E const& on, It const& offsets, std::size_t count, std::size_t n) {
  expects(offset_at(offsets, 0) == 0,
          "segments: the first offset must be 0, because segments cover the whole input");
  constexpr std::size_t block = 4096;
  on.for_each_line((count + block - 1) / block, block, [&](std::size_t b, auto const&) {
    for (std::size_t k = b * block; k < at_most(count, (b + 1) * block); ++k)
      if (offset_at(offsets, k) > offset_at(offsets, k + 1))
        fail("segments: offset %zu of %zu is less than the one in front of it", k + 1, count + 1);
  });
  if (offset_at(offsets, count) != n)
    fail("segments: the last offset is %zu, but the input has %zu elements",
         offset_at(offsets, count), n);
}

/// The first segment k for which offsets[k] + k >= work: the elements and segments in front of it.
template <class It>
std::size_t segment_at(It const& offsets, std::size_t count, std::size_t work) {
  std::size_t first = 0;
  while (count > 0) {
    std::size_t const half = count / 2;
    if (offset_at(offsets, first + half) + first + half < work) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

/// Calls f(k, on) for every segment k. Segments are distributed over threads in parts of equal
/// work; those that are as large as a part run on all threads, one after another.
template <class E, class It, class F>
void for_each_segment(E const& on, It const& offsets, std::size_t count, std::size_t n,
                      F const& f) {
  constexpr std::size_t most_parts = 1024, least_work = std::size_t{1} << 12;
  std::size_t const work = n + count, parts = at_most(work / least_work + 1, most_parts),
                    size = work / parts + 1;
  auto const border = [&](std::size_t part) {
    return part * size >= work ? count : segment_at(offsets, count, part * size);
  };
  auto const is_large = [&](std::size_t k) {
    return parts > 1 && offset_at(offsets, k + 1) - offset_at(offsets, k) >= size;
  };
  on.for_each_line(parts, size, [&](std::size_t part, auto const& here) {
    std::size_t const end = border(part + 1);
    for (std::size_t k = border(part); k < end; ++k)
      if (!is_large(k)) f(k, here);
  });
  // A large segment contains the border of a part, and is the one in front of it.
  for (std::size_t part = 1, done = 0; part <= parts; ++part)
    if (std::size_t const k = border(part); k > done) {
      if (is_large(k - 1)) f(k - 1, on);
      done = k;
    }
}

/// Whether a few accumulators may be kept in an array.
template <class A>
inline constexpr bool fits_array =
    std::is_trivially_copyable_v<A> && std::is_trivially_default_constructible_v<A>;
inline constexpr std::size_t most_short = 16;

/// prefix(n) of the n >= 1 elements of a source, n <= most_short. Before step k, value[i] is the
/// block of 2^k elements at each i that begins a complete one.
template <class Source, class Op>
auto reduce_short(Source const& in, std::size_t n, Op const& op) {
  using A = typename Source::accumulator;
  A value[most_short];
  value[0] = in(0);
  if (n == 1) return value[0];
  for (std::size_t i = 1; i < n; ++i) value[i] = in(i);
  for (std::size_t half = 1; 2 * half <= n; half *= 2)
    for (std::size_t i = 0; i + 2 * half <= n; i += 2 * half)
      value[i] = static_cast<A>(op(value[i], value[i + half]));
  std::size_t position = std::size_t{1} << floor_log2(n);
  A total = value[0];
  for (std::size_t size = position / 2; size > 0; size /= 2)
    if ((n & size) != 0) {
      total = static_cast<A>(op(total, value[position]));
      position += size;
    }
  return total;
}

/// The result of a call over one segment.
template <class E, class Call>
auto reduce_segment(E const& on, Call const& c) {
  using A = typename Call::accumulator;
  constexpr bool may_refuse = requires(A const& a) { c.op.accepts(a); };
  if constexpr (fits_array<A> && !may_refuse)
    if (c.n <= most_short) {
      A const total = reduce_short(c.in, c.n, c.op);
      return detail::finished(c.op, c.initial ? static_cast<A>(c.op(*c.initial, total)) : total);
    }
  return reduce_call(on, c);
}

/// The checks that all verbs share; returns the number of segments.
template <class Sink, class E, class In, class Offsets>
std::size_t check_segments(E const& on, In const& in, Offsets const& offsets) {
  static_assert(!has_own_memory<E>, "upsweep: segments run on the executors of the processor");
  static_assert(!Sink::packed,
                "upsweep: results of segments need an output of elements that several threads may "
                "write, not std::vector<bool>");
  using T = std::ranges::range_value_t<Offsets>;
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                "upsweep: the offsets of segments are integers");
  std::size_t const borders = std::ranges::size(offsets);
  expects(borders > 0, "segments: there are no offsets; even no segment has one, 0");
  expect_offsets(on, first_of(offsets), borders - 1, std::ranges::size(in));
  return borders - 1;
}

/// The elements [begin, begin + size) of a source or sink.
template <class Part, class... More>
Part part_of(Part const& whole, std::size_t begin, std::size_t size, More const&... more) {
  using It = typename Part::iterator;
  return Part(whole.first() + static_cast<std::iter_difference_t<It>>(begin), size, more...);
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
    std::size_t const n = std::ranges::size(in);
    auto const results = sink_of<false>(out, n, op);
    std::size_t const count =
        check_segments<std::remove_const_t<decltype(results)>>(on, in, offsets);
    A const* const initial = o.initial ? std::addressof(*o.initial) : nullptr;
    A const* first = initial;
    std::optional<A> identity;
    if constexpr (kind == scan_kind::exclusive && monoid_over<Op, A>)
      if (!first) first = std::addressof(identity.emplace(identity_of<A>(op)));
    expects(kind == scan_kind::inclusive || first,
            "exclusive_scan_segments: the operator has no identity for the first results; give "
            ".initial, or use upsweep::monoid(op, identity)");
    as_is const f;
    auto const x = source_of<false>(in, n, f, op);
    auto const borders = first_of(offsets);
    for_each_segment(on, borders, count, n, [&](std::size_t k, auto const& here) {
      std::size_t const begin = offset_at(borders, k), size = offset_at(borders, k + 1) - begin;
      if (size > 0)
        here.template scan<kind>(
            call{part_of(x, begin, size, f, op), size, op, o.mode, initial, first},
            part_of(results, begin, size, op));
    });
  }
}

}  // namespace detail

/// out[k] = reduce(in[offsets[k] .. offsets[k + 1])), with its bits wherever the segment lies. `in`
/// has n elements; `offsets` has one number more than `out`: 0, ascending ends of the segments, and
/// n. An empty segment gives `.initial` or the identity. Segments are distributed over the threads
/// by their sizes; large ones use all of them. Throws precondition_error for offsets that descend
/// or do not cover the input, with their index, for sizes that differ, and for an empty segment
/// without `.initial` and identity. Exceptions from `op` propagate. Runs on the executors of the
/// processor.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets, elements Out,
          class Op = plus>
void reduce_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                     Op const& op = {},
                     options<detail::accumulator_over<Op, In const>> const& o = {}) {
  using namespace detail;
  using A = accumulator_over<Op, In const>;
  if constexpr (scan_fits<In, Out, as_is, Op>()) {
    float_environment const ieee;
    expects(!o.reverse, "reduce_segments: .reverse is not supported; reverse the ranges");
    std::size_t const n = std::ranges::size(in), room = std::ranges::size(out);
    auto const results = sink_of<false>(out, room, op);
    std::size_t const count =
        check_segments<std::remove_const_t<decltype(results)>>(on, in, offsets);
    if (room != count)
      fail("reduce_segments: the offsets make %zu segments, but the output has %zu elements", count,
           room);
    as_is const f;
    auto const x = source_of<false>(in, n, f, op);
    auto const borders = first_of(offsets);
    A const* const initial = o.initial ? std::addressof(*o.initial) : nullptr;
    for_each_segment(on, borders, count, n, [&](std::size_t k, auto const& here) {
      std::size_t const begin = offset_at(borders, k), size = offset_at(borders, k + 1) - begin;
      results.store(k, size == 0 ? finished(op, nothing(op, o))
                                 : reduce_segment(here, call{part_of(x, begin, size, f, op), size,
                                                             op, o.mode, initial}));
    });
  }
}
template <elements In, elements Offsets, elements Out, class Op = plus>
void reduce_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op = {},
                     options<detail::accumulator_over<Op, In const>> const& o = {}) {
  upsweep::reduce_segments(detail::default_executor_t<In>{}, in, offsets, out, op, o);
}

/// out[i] = the inclusive scan, inside its segment, of the elements up to in[i]. `in` and `out`
/// have n elements each and may be the same memory; `offsets` and errors as for reduce_segments.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets, elements Out,
          class Op = plus>
void inclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             Op const& op = {},
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::inclusive>("inclusive_scan_segments", on, in, offsets, out, op,
                                              o);
}
template <elements In, elements Offsets, elements Out, class Op = plus>
void inclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op = {},
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  upsweep::inclusive_scan_segments(detail::default_executor_t<In>{}, in, offsets, out, op, o);
}

/// The exclusive scan of each segment, which begins with `.initial` or the identity.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets, elements Out,
          class Op = plus>
void exclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             Op const& op = {},
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::exclusive>("exclusive_scan_segments", on, in, offsets, out, op,
                                              o);
}
template <elements In, elements Offsets, elements Out, class Op = plus>
void exclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op = {},
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  upsweep::exclusive_scan_segments(detail::default_executor_t<In>{}, in, offsets, out, op, o);
}

}  // namespace upsweep

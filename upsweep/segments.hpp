/// Reductions and scans of the segments of a range, each as if it stood alone.
#pragma once

#include <upsweep/scan.hpp>
#include <upsweep/segment_stretches.hpp>
#include <upsweep/selection.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace upsweep {

namespace detail {

/// Memory for elements that are bytes. (std::unique_ptr is in <memory>, which takes 0.2 s to
/// compile.)
template <class T>
class call_memory {
 public:
  explicit call_memory(std::size_t size) : first_(new T[size]) {}
  ~call_memory() { delete[] first_; }
  call_memory(call_memory const&) = delete;
  call_memory& operator=(call_memory const&) = delete;
  [[nodiscard]] T* first() const { return first_; }

 private:
  T* first_;
};

/// offsets[k] as a position.
template <class It>
std::size_t offset_at(It const& offsets, std::size_t k) {
  return static_cast<std::size_t>(offsets[static_cast<std::iter_difference_t<It>>(k)]);
}

/// Where segments begin, as positions in the input.
template <class It>
struct segment_borders {
  It offsets;
  std::size_t shift = 0;  ///< what an offset of 0 stands for

  std::size_t operator()(std::size_t k) const { return shift + offset_at(offsets, k); }
};

/// Whether offsets[begin] <= ... <= offsets[end], none of which is negative.
template <class It>
bool offsets_ascend(It const& offsets, std::size_t begin, std::size_t end) {
  // The highest bit of a difference is set where offsets descend, and that of an offset where the
  // difference says nothing.
  auto const difference = [&](std::size_t k) {
    std::size_t const from = offset_at(offsets, k), to = offset_at(offsets, k + 1);
    return from | to | (to - from);
  };
  constexpr std::size_t block = 256;  // compilers vectorise a loop of constant length
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
    bool const ascends = offsets_ascend(offsets, begin, end);
    for (std::size_t k = begin; !ascends && k < end; ++k) {
      std::size_t const offset = offset_at(offsets, k + 1);
      if (offset >> (8 * sizeof offset - 1) != 0)
        fail(std::is_signed_v<std::iter_value_t<It>>
                 ? "segments: offset %zu of %zu is negative"
                 : "segments: offset %zu of %zu is 2^63 or more, as a negative number is when it "
                   "becomes unsigned",
             k + 1, count + 1);
      if (offset_at(offsets, k) > offset)
        fail("segments: offset %zu of %zu is less than the one in front of it", k + 1, count + 1);
    }
  });
  if (offset_at(offsets, count) != n)
    fail("segments: the last offset is %zu, but the input has %zu elements",
         offset_at(offsets, count), n);
}

/// The first segment k in front of which there are `work` elements and segments.
template <class Borders>
std::size_t segment_at(Borders const& border, std::size_t count, std::size_t work) {
  std::size_t first = 0;
  while (count > 0) {
    std::size_t const half = count / 2;
    if (border(first + half) - border(0) + first + half < work) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

/// Calls f(begin, end, on) for stretches of segments [begin, end), in which each of the `count`
/// segments is once. Stretches of equal work are distributed over threads; a segment that is longer
/// runs on all threads afterwards, if it is long enough to gain from them.
template <class E, class Borders, class F>
void for_each_segment(E const& on, Borders const& border, std::size_t count, F const& f) {
  constexpr std::size_t parts_of_thread = 32, least_work = std::size_t{1} << 12,
                        least_shared = std::size_t{1} << 16;
  std::size_t const work = border(count) - border(0) + count;
  auto const threads = static_cast<std::size_t>(on.width(work));
  std::size_t const parts =
      threads == 1 ? 1 : at_most(work / least_work + 1, parts_of_thread * threads);
  std::size_t const size = work / parts + 1;
  auto const first_of_part = [&](std::size_t part) {
    return part * size >= work ? count : segment_at(border, count, part * size);
  };
  // Only the last segment of a part can be longer than a part.
  auto const is_large = [&](std::size_t k) {
    std::size_t const length = border(k + 1) - border(k);
    return parts > 1 && length >= size && length >= least_shared;
  };
  on.for_each_line(parts, size, [&](std::size_t part, auto const& here) {
    std::size_t const begin = first_of_part(part), end = first_of_part(part + 1);
    if (begin < end) f(begin, is_large(end - 1) ? end - 1 : end, here);
  });
  for (std::size_t part = 1, done = 0; part <= parts; ++part)
    if (std::size_t const k = first_of_part(part); k > done) {
      if (is_large(k - 1)) f(k - 1, k, on);
      done = k;
    }
}

/// Optional members of an executor with memory of its own: reduce_segments(c, offsets, count, out)
/// stores the reduction `c` of each of the `count` segments between `offsets`, which it does not
/// check, and scan_segments<kind> the scans.
template <class E, class Call, class Offsets, class Sink>
concept has_segment_kernels =
    requires(E const& on, Call const& c, Offsets const& offsets, Sink const& out) {
      on.reduce_segments(c, offsets, std::size_t{}, out);
      on.template scan_segments<scan_kind::inclusive>(c, offsets, std::size_t{}, out);
    };

/// What all verbs need of their executor and output.
template <class E, class Sink, bool has_kernels = false>
constexpr void expect_segments() {
  static_assert(!has_own_memory<E> || has_kernels,
                "upsweep: segments and runs of keys are scanned by the executors of the processor; "
                "upsweep::gpu has the verbs with offsets and reduce_runs");
  static_assert(!Sink::packed,
                "upsweep: results of segments need an output of elements that several threads may "
                "write, not std::vector<bool>");
}

/// The checks of the verbs with offsets; returns the number of segments. Only the processor reads
/// the offsets.
template <class Sink, bool has_kernels = false, class E, class In, class Offsets>
std::size_t check_segments(E const& on, In const& in, Offsets const& offsets) {
  expect_segments<E, Sink, has_kernels>();
  using T = std::ranges::range_value_t<Offsets>;
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                "upsweep: the offsets of segments are integers");
  std::size_t const borders = std::ranges::size(offsets);
  expects(borders > 0, "segments: there are no offsets; even no segment has one, 0");
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
    expect_apart<false>("reduce_segments", in, out);
    expect_apart<false>("reduce_segments", offsets, out);
    std::size_t const n = std::ranges::size(in), room = std::ranges::size(out);
    auto const results = sink_of<false>(out, room, op);
    as_is const f;
    auto const x = source_of<false>(in, n, f, op);
    using all = decltype(call{x, n, op});
    using sink = std::remove_const_t<decltype(results)>;
    constexpr bool has_kernels = has_segment_kernels<E, all, first_of_t<Offsets>, sink>;
    std::size_t const count = check_segments<sink, has_kernels>(on, in, offsets);
    if (room != count)
      fail("reduce_segments: the offsets make %zu segments, but the output has %zu elements", count,
           room);
    if constexpr (has_kernels) {
      on.reduce_segments(call{x, n, op, o.mode, o.initial ? std::addressof(*o.initial) : nullptr},
                         first_of(offsets), count, results);
    } else {
      segment_borders<first_of_t<Offsets>> const border{first_of(offsets)};
      for_each_segment(on, border, count, [&](std::size_t k, std::size_t end, auto const& here) {
        reduce_stretch(here, x, op, o, border, k, end, results, 0);
      });
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
        has_segment_kernels<E, decltype(call{x, n, op}), first_of_t<Offsets>, sink>;
    std::size_t const count = check_segments<sink, has_kernels>(on, in, offsets);
    first_results<kind, Op, A> const first(op, o);
    call const c{x, n, op, o.mode, first.initial, first.first};
    if constexpr (has_kernels) {
      on.template scan_segments<kind>(c, first_of(offsets), count, results);
    } else {
      segment_borders<first_of_t<Offsets>> const border{first_of(offsets)};
      for_each_segment(on, border, count, [&](std::size_t k, std::size_t end, auto const& here) {
        scan_stretch<kind>(here, c, border, k, end, results);
      });
    }
  }
}

}  // namespace detail

/// out[k] = reduce(in[offsets[k] .. offsets[k + 1])), with its bits wherever the segment lies. `in`
/// has n elements; `offsets` has one number more than `out`: 0, ascending ends of the segments, and
/// n. An empty segment gives `.initial` or the identity. Segments are distributed over the threads
/// by their sizes; large ones use all of them. Throws precondition_error for offsets that descend
/// or do not cover the input, with their index, for sizes that differ, for an `out` that overlaps
/// another range, and for an empty segment without `.initial` and identity. Exceptions from `op`
/// propagate. On upsweep::gpu, `offsets` are in device memory and not checked: wrong ones give
/// unspecified results, but no access outside the ranges, and an empty segment without `.initial`
/// and identity stores nothing.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out, class Op = plus>
void reduce_segments(E const& on, In const& in, Offsets const& offsets, Out&& out, Op const& op,
                     options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::reduce_segments_on(on, in, offsets, out, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void reduce_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                     options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::reduce_segments_on(on, in, offsets, out, plus{}, o);
}
template <elements In, elements Offsets, detail::output_like Out, class Op = plus>
void reduce_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op,
                     options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::reduce_segments_on(detail::default_executor_t<In>{}, in, offsets, out, op, o);
}
template <elements In, elements Offsets, detail::output_like Out>
void reduce_segments(In const& in, Offsets const& offsets, Out&& out,
                     options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::reduce_segments_on(detail::default_executor_t<In>{}, in, offsets, out, plus{}, o);
}

/// out[i] = the inclusive scan, inside its segment, of the elements up to in[i]. `in` and `out`
/// have n elements each and may be the same memory; `offsets` and errors as for reduce_segments.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out, class Op = plus>
void inclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::inclusive>("inclusive_scan_segments", on, in, offsets, out, op,
                                              o);
}
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void inclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::inclusive>("inclusive_scan_segments", on, in, offsets, out,
                                              plus{}, o);
}
template <elements In, elements Offsets, detail::output_like Out, class Op = plus>
void inclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::inclusive>(
      "inclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, op, o);
}
template <elements In, elements Offsets, detail::output_like Out>
void inclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::inclusive>(
      "inclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, plus{}, o);
}

/// The exclusive scan of each segment, which begins with `.initial` or the identity.
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out, class Op = plus>
void exclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::exclusive>("exclusive_scan_segments", on, in, offsets, out, op,
                                              o);
}
template <elements In, executor E = detail::default_executor_t<In>, elements Offsets,
          detail::output_like Out>
void exclusive_scan_segments(E const& on, In const& in, Offsets const& offsets, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::exclusive>("exclusive_scan_segments", on, in, offsets, out,
                                              plus{}, o);
}
template <elements In, elements Offsets, detail::output_like Out, class Op = plus>
void exclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out, Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::exclusive>(
      "exclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, op, o);
}
template <elements In, elements Offsets, detail::output_like Out>
void exclusive_scan_segments(In const& in, Offsets const& offsets, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::scan_segments<scan_kind::exclusive>(
      "exclusive_scan_segments", detail::default_executor_t<In>{}, in, offsets, out, plus{}, o);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> reduce_segments(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> inclusive_scan_segments(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> exclusive_scan_segments(Args const&...) = delete;

}  // namespace upsweep

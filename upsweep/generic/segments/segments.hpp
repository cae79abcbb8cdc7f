/// Segments on an executor without kernels of its own for them: distributed over its threads by
/// their work.
#pragma once

#include <upsweep/core/call_memory.hpp>
#include <upsweep/generic/segments/segment_range.hpp>

#include <cstddef>
#include <span>  // brings the iterator concepts

namespace upsweep::detail {

/// offsets[k] as a position.
template <class It>
std::size_t offset_at(It const& offsets, std::size_t k) {
  return static_cast<std::size_t>(offsets[static_cast<std::iter_difference_t<It>>(k)]);
}

/// Where segments begin, as positions in the input.
template <class It>
struct segment_borders {
  It offsets;
  std::size_t shift = 0;  ///< the position that an offset of 0 means

  std::size_t operator()(std::size_t k) const { return shift + offset_at(offsets, k); }
};

/// The first segment k, of at least one, before which there are `work` elements and segments
/// of `all`. Looked for around where it would be if all were equal: halves of all offsets would be
/// as many waits for memory.
template <class Borders>
std::size_t segment_at(Borders const& border, std::size_t count, std::size_t work,
                       std::size_t all) {
  auto const is_before = [&](std::size_t k) { return border(k) - border(0) + k < work; };
  double const share = static_cast<double>(work) / static_cast<double>(all);
  std::size_t const guess =
      at_most(static_cast<std::size_t>(share * static_cast<double>(count)), count - 1);
  std::size_t first = 0, end = count, step = 64;
  if (is_before(guess)) {
    first = guess + 1;
    for (; end - first > step && is_before(first + step); step *= 4) first += step + 1;
    if (end - first > step) end = first + step;
  } else {
    end = guess;
    for (; end > step && !is_before(end - step); step *= 4) end -= step;
    if (end > step) first = end - step + 1;
  }
  while (first < end)
    if (std::size_t const half = first + (end - first) / 2; is_before(half))
      first = half + 1;
    else
      end = half;
  return first;
}

/// Calls f(k, k + 1, on) for the segments in `large`, in order; neighbors whose lengths have the
/// same number of bits perhaps at the same time.
template <class E, class Borders, class F>
void for_each_large(E const& on, Borders const& border, std::size_t const* large, std::size_t count,
                    F const& f) {
  auto const length = [&](std::size_t i) { return border(large[i] + 1) - border(large[i]); };
  for (std::size_t first = 0, last = 0; first < count; first = last) {
    while (last < count && floor_log2(length(last)) == floor_log2(length(first))) ++last;
    on.for_each_line(last - first, length(first), [&](std::size_t i, auto const& here) {
      f(large[first + i], large[first + i] + 1, here);
    });
  }
}

/// Calls f(begin, end, on) for ranges of segments [begin, end), in which each of the `count`
/// segments is once. Ranges of equal work are distributed over threads; segments that are longer
/// run on several threads each afterwards, if they are long enough to gain from them. Of several
/// exceptions that of the first segment is thrown.
template <class E, class Borders, class F>
void for_each_segment(E const& on, Borders const& border, std::size_t count, F const& f) {
  constexpr std::size_t parts_of_thread = 32, least_work = std::size_t{1} << 12,
                        least_shared = std::size_t{1} << 16;
  std::size_t const work = border(count) - border(0) + count;
  auto const threads = threads_for(on, work);
  std::size_t const parts =
      threads == 1 ? 1 : at_most(work / least_work + 1, parts_of_thread * threads);
  if (parts == 1) return f(std::size_t{0}, count, on);
  std::size_t const size = work / parts + 1;
  auto const first_of_part = [&](std::size_t part) {
    if (part == 0) return std::size_t{0};
    return part * size >= work ? count : segment_at(border, count, part * size, work);
  };
  // The large segment of each part; only its last one can be longer.
  call_memory<std::size_t> large(parts);
  std::size_t const none = count, failed = count + 1;
  for (std::size_t part = 0; part < parts; ++part) large.first()[part] = none;
  auto const run = [&](std::size_t part, auto const& here) {
    std::size_t const begin = first_of_part(part), end = first_of_part(part + 1);
    if (begin == end) return;
    std::size_t const length = border(end) - border(end - 1);
    bool const is_large = length >= size && length >= least_shared;
    large.first()[part] = failed;
    f(begin, is_large ? end - 1 : end, here);
    large.first()[part] = is_large ? end - 1 : none;
  };
  auto const run_large = [&] {
    std::size_t many = 0;
    for (std::size_t part = 0; part < parts && large.first()[part] != failed; ++part)
      if (std::size_t const k = large.first()[part]; k != none) large.first()[many++] = k;
    for_each_large(on, border, large.first(), many, f);
  };
  try {
    on.for_each_line(parts, size, run);
  } catch (...) {
    run_large();  // those before the failure
    throw;
  }
  run_large();
}

/// What all verbs need of their executor and output.
template <class E, class Sink, bool has_kernels = false>
constexpr void expect_segments() {
  static_assert(!has_own_memory<E> || has_kernels,
                "upsweep: segments and runs of equal keys are scanned by the executors of the CPU; "
                "upsweep::gpu has the verbs with offsets and reduce_runs");
  static_assert(!Sink::packed,
                "upsweep: results of segments need an output of elements that several threads may "
                "write, not std::vector<bool>");
}

/// results[k] = the reduction of the elements of `x` between offsets[k] and offsets[k + 1].
template <class E, class Source, class Op, class It, class Sink>
void reduce_each_segment(E const& on, Source const& x, Op const& op,
                         options<typename Source::accumulator> const& o, It const& offsets,
                         std::size_t count, Sink const& results) {
  segment_borders<It> const border{offsets};
  for_each_segment(on, border, count, [&](std::size_t k, std::size_t end, auto const& here) {
    reduce_segment_range(here, x, op, o, border, k, end, results, 0);
  });
}

/// The scans `c` of the elements between each two offsets.
template <scan_kind kind, class E, class Call, class It, class Sink>
void scan_each_segment(E const& on, Call const& c, It const& offsets, std::size_t count,
                       Sink const& results) {
  segment_borders<It> const border{offsets};
  for_each_segment(on, border, count, [&](std::size_t k, std::size_t end, auto const& here) {
    scan_segment_range<kind>(here, c, border, k, end, results);
  });
}

}  // namespace upsweep::detail

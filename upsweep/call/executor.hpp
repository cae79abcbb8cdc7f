/// What an executor is: the members that every executor has, and the optional ones.
#pragma once

#include <upsweep/call/options.hpp>
#include <upsweep/core/errors.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>  // the iterator and range concepts; <iterator>, <memory>, <ranges> take 0.2 s each
#include <type_traits>

namespace upsweep {

namespace detail {

namespace probe {

/// The minimal call with which the executor concepts are tested.
struct value {};
struct operation {
  value operator()(value const&, value const&) const;
};
struct source {
  using accumulator = value;
  value operator()(std::size_t) const;
};
struct sink {
  static constexpr bool wants_total = true;
  void operator()(std::size_t, value const&) const;
};
struct line {
  template <class E>
  void operator()(std::size_t, E const&) const;
};
using call = upsweep::call<source, operation>;

}  // namespace probe

/// Claims to be an executor. The claim selects the overload; the members are checked afterwards, so
/// that the compiler can name one that is missing (executor_fits).
template <class E>
concept claims_executor = requires { requires E::is_executor; };

/// Optional: works on the memory of another device. Such an executor stores results there itself,
/// and its scans do not wait and return nothing.
template <class E>
inline constexpr bool has_own_memory = requires { requires E::has_own_memory; };

/// Optional: the executor's own type for the carry of a stream, in place of carry<A>.
template <class E, class A>
concept has_own_carry = requires { typename E::template carry_of<A>; };
template <class E, class A>
struct stream_carry {
  using type = carry<A>;
};
template <class E, class A>
  requires has_own_carry<E, A>
struct stream_carry<E, A> {
  using type = typename E::template carry_of<A>;
};
template <class E, class A>
using stream_carry_t = typename stream_carry<E, A>::type;

// The members that every executor has. `E` is tried with the probes above.

/// reduce(call) returns prefix(n).
template <class E>
concept reduces_calls = requires(E const& on, probe::call const& c) {
  { on.reduce(c) } -> std::same_as<probe::value>;
};
/// scan<kind>(call, sink) passes result i to the sink: initial op prefix(i + 1) if inclusive;
/// *first for i = 0 and initial op prefix(i) for i > 0 if exclusive. It returns the total if the
/// sink wants it.
template <class E>
concept scans_calls = requires(E const& on, probe::call const& c, probe::sink const& out) {
  requires has_own_memory<E> || requires {
    { on.template scan<scan_kind::inclusive>(c, out) } -> std::same_as<probe::value>;
  };
  on.template scan<scan_kind::exclusive>(c, out);
};
/// reduce_chunk(call, left) and scan_chunk<kind>(call, sink, left) do the same for a chunk that
/// starts at left.position(), and append the chunk to the carry `left`.
template <class E>
concept takes_chunks = requires(E const& on, probe::call const& c, probe::sink const& out,
                                stream_carry_t<E, probe::value>& left) {
  on.reduce_chunk(c, left);
  on.template scan_chunk<scan_kind::exclusive>(c, out, left);
};
/// for_each_line(count, size, f) calls f(k, on) once for each k in [0, count), where `on` is the
/// executor for line k, of `size` elements.
template <class E>
concept runs_lines = requires(E const& on, probe::line const& f) {
  on.for_each_line(std::size_t{}, std::size_t{}, f);
};

}  // namespace detail

/// Where calls run: a copyable value with `static constexpr bool is_executor = true` whose calls
/// are safe from several threads at once. Its members:
///
/// - `reduce(call)` returns the reduction of the elements of the call.
/// - `scan<kind>(call, sink)` stores the results of a scan; it returns the total if the sink wants
///   it.
/// - `reduce_chunk(call, carry)` and `scan_chunk<kind>(call, sink, carry)` do the same for a chunk
///   of a stream, and append it to the carry.
/// - `for_each_line(count, size, f)` calls f(k, on) once for each k in [0, count), where `on` is
///   the executor for slice k, of `size` elements.
template <class E>
concept executor =
    detail::claims_executor<E> && std::copy_constructible<E> && detail::reduces_calls<E> &&
    detail::scans_calls<E> && detail::takes_chunks<E> && detail::runs_lines<E>;

namespace detail {

/// True for an executor; for a type that only claims to be one, a static_assert names what it
/// lacks.
template <class E>
constexpr bool executor_fits() {
  static_assert(std::copy_constructible<E>,
                "upsweep: this executor cannot be copied; executors are values");
  static_assert(reduces_calls<E>,
                "upsweep: this executor has no `reduce(call) const` that returns the call's "
                "accumulator; upsweep/call/executor.hpp lists the members of an executor");
  static_assert(
      scans_calls<E>,
      "upsweep: this executor has no `scan<kind>(call, sink) const` that returns the total "
      "to a sink which wants it; upsweep/call/executor.hpp lists the members of an executor");
  static_assert(
      takes_chunks<E>,
      "upsweep: this executor has no `reduce_chunk(call, left) const` and "
      "`scan_chunk<kind>(call, sink, left) const`; upsweep/call/executor.hpp lists the members "
      "of an executor");
  static_assert(runs_lines<E>,
                "upsweep: this executor has no `for_each_line(count, size, f) const`; "
                "upsweep/call/executor.hpp lists the members of an executor");
  return executor<E>;
}

/// Something that claims to be an executor but lacks a member.
template <class E>
concept incomplete_executor = claims_executor<E> && !executor<E>;
/// The body of every call with such a type: a static_assert names what is missing.
template <incomplete_executor E>
void no_result_on() {
  [[maybe_unused]] constexpr bool fits = executor_fits<E>();
}

// The optional members of an executor. A verb checks its arguments and then calls its member; on an
// executor without it, the verb runs with the members that all have (upsweep/generic/), or is
// refused by a sentence.
//
//   member                                            of                        without it
//   reduce_segments, scan_segments                    segments.hpp              generic/segments
//   reduce_runs, scan_runs                            by_key.hpp                select, segments
//   windows                                           windowed.hpp              generic/windows
//   histogram, count_indices, weighted_histogram      histogram.hpp             generic/histogram
//   sort, sort_by_key, argsort, top, rank_neighbors  sort, order_statistics    generic/sort
//   sort_numbers, sort_pairs                          sort.hpp                  generic/sort
//   reduce_lines, scan_lines                          axis.hpp                  generic/lines
//   summed_area_table                                 apps/summed_area.hpp      scans of each axis
//   resize_rows                                       padding.hpp               moves by threads
//   select                                            select, partition, unique generic/select
//   cumulative_distribution                           distribution.hpp          refused
//   expect_accepted                                   reduce.hpp, streams       finishes prefixes
//   width, in_rounds                                  generic/                  one thread
//   for_each_part                                     generic/                  for_each_line
//   kernels                                           generic/                  loops of headers
//   block_totals                                      partial.hpp               reduce, by blocks
//
// An executor with has_own_memory has no generic verbs, which read and write on the host. Over
// ranks scan_chunk() of it also gets a carry<A> const&, which the host has. In what follows, `c` is
// a call, `out` a sink (call.hpp) or where integers are stored, and `marks` tell which elements are
// taken (selection.hpp).

/// reduce_segments(c, offsets, count, out) stores the reduction `c` of each of the `count` segments
/// between `offsets`, which it does not check, and scan_segments<kind> the scans.
template <class E, class Call, class Offsets, class Sink>
concept has_segments =
    requires(E const& on, Call const& c, Offsets const& offsets, Sink const& out) {
      on.reduce_segments(c, offsets, std::size_t{}, out);
      on.template scan_segments<scan_kind::inclusive>(c, offsets, std::size_t{}, out);
    };
/// reduce_runs(marks, keys_to, c, out, room) stores the first key of each run that `marks` tells in
/// `keys_to`, and the reduction `c` of its values in `out`, as far as there is room, and returns
/// the number of runs.
template <class E, class Marks, class Keys, class Call, class Sink>
concept has_run_reductions =
    requires(E const& on, Marks const& marks, Keys const& keys_to, Call const& c, Sink const& out) {
      { on.reduce_runs(marks, keys_to, c, out, std::size_t{}) } -> std::same_as<std::size_t>;
    };
/// scan_runs<kind>(marks, keys, c, out) stores the scans `c` of the values of each run.
template <class E, scan_kind kind, class Marks, class Keys, class Call, class Sink>
concept has_run_scans =
    requires(E const& on, Marks const& marks, Keys const& keys, Call const& c, Sink const& out) {
      on.template scan_runs<kind>(marks, keys, c, out);
    };
/// windows(x, out, count, width, op, initial): result i is that of the source's elements
/// [i, i + width); there are `count` >= 1 of them, and `initial` is null if there is none.
template <class E, class Source, class Sink, class Op, class A>
concept has_windows =
    requires(E const& on, Source const& x, Sink const& out, Op const& op, A const* initial) {
      on.windows(x, out, std::size_t{}, std::size_t{}, op, initial);
    };
/// histogram(first, n, counts, size, levels, o) counts the n elements from `first` on in `size`
/// bins between `levels`.
template <class E, class It, class Out, class Levels, class Options>
concept has_histogram =
    requires(E const& on, It const& first, Out const& out, Levels const& l, Options const& o) {
      on.histogram(first, std::size_t{}, out, std::size_t{}, l, o);
    };
/// count_indices(first, n, counts, size).
template <class E, class It, class Out>
concept has_count_indices = requires(E const& on, It const& first, Out const& out) {
  on.count_indices(first, std::size_t{}, out, std::size_t{});
};
/// weighted_histogram(first, weights, n, out, size, levels, op, o).
template <class E, class It, class Weights, class Sink, class Levels, class Op, class Options>
concept has_weighted_histogram =
    requires(E const& on, It const& first, Weights const& weights, Sink const& out, Levels const& l,
             Op const& op, Options const& o) {
      on.weighted_histogram(first, weights, std::size_t{}, out, std::size_t{}, l, op, o);
    };
/// sort(x, n, less), sort_by_key(keys, values, n, less), argsort(first, n, to, less),
/// top(first, n, to, count, less) and rank_neighbors(first, n, rank).
template <class E, class Less>
concept has_sort =
    requires(E const& on, int* x, Less const& less) { on.sort(x, std::size_t{}, less); };
/// sort_numbers(from, n, to, map) stores the n unsigned integers of `from` in `to`, which may be
/// `from`, in the order of map(from[i]); sort_pairs(x, n) sorts the keyed_blocks `x`.
template <class E, class Map>
concept has_number_sort = requires(E const& on, std::uint64_t* x, Map const& map) {
  on.sort_numbers(x, std::size_t{}, x, map);
};
template <class E, class Blocks>
concept has_pair_sort = requires(E const& on, Blocks const& x) { on.sort_pairs(x, std::size_t{}); };
/// reduce_lines(lines, reverse, op, initial) reduces all lines at once, none of which is empty, or
/// returns false if the executor does that better one after another.
template <class E, class Lines, class Op, class A>
concept has_line_reductions = requires(E const& on, Lines const& lines, Op const& op, A const* a) {
  { on.reduce_lines(lines, true, op, a) } -> std::same_as<bool>;
};
/// scan_lines<kind>(lines, reverse, op, initial, first) likewise.
template <class E, scan_kind kind, class Lines, class Op, class A>
concept has_line_scans = requires(E const& on, Lines const& lines, Op const& op, A const* a) {
  { on.template scan_lines<kind>(lines, true, op, a, a) } -> std::same_as<bool>;
};
/// summed_area_table(in, table) makes the table of a matrix in one pass.
template <class E, class In, class Table>
concept has_summed_area =
    requires(E const& on, In const& in, Table const& table) { on.summed_area_table(in, table); };
/// resize_rows(first, rows, in, out, fill): rows of `in` elements become rows of `out` elements in
/// place; those that become longer are filled with *fill.
template <class E, class It, class T>
concept has_resize_rows = requires(E const& on, It const& first, T const* fill) {
  on.resize_rows(first, std::size_t{}, std::size_t{}, std::size_t{}, fill);
};
/// select(marks, n, outputs...) stores the elements that each output takes, in input order, as far
/// as it has room, and returns how many it takes.
template <class E, class Counts, class Marks, class... Outputs>
concept has_select = requires(E const& on, Marks const& marks, Outputs const&... outputs) {
  { on.select(marks, std::size_t{}, outputs...) } -> std::same_as<Counts>;
};
/// cumulative_distribution(c, out), in one pass.
template <class E, class Call, class Sink>
concept has_distribution =
    requires(E const& on, Call const& c, Sink const& out) { on.cumulative_distribution(c, out); };
/// expect_accepted(c, total, before) throws for the first prefix that the operator does not accept,
/// where the host cannot read the elements. `total` is the total of the call's elements, `before`
/// the prefix before them, or null.
template <class E, class Call>
concept has_expect_accepted =
    requires(E const& on, Call const& c, typename Call::accumulator const& a) {
      on.expect_accepted(c, a, &a);
    };

/// block_totals(c, begin, put) calls put(k, total) for each maximal aligned block, of 2^k elements,
/// of the call's elements, which begin at position `begin`, in their order.
template <class E, class Call, class Put>
concept has_block_totals = requires(E const& on, Call const& c, Put const& put) {
  on.block_totals(c, std::size_t{}, put);
};

/// How many threads a call over n elements uses: width(n).
template <class E>
[[nodiscard]] std::size_t threads_for(E const& on, std::size_t n) {
  if constexpr (requires { on.width(n); })
    return static_cast<std::size_t>(on.width(n));
  else
    return 1;
}
/// The most threads that work in rounds. They wait for each other in each, and of more than these
/// one has too often lost its processor (docs/design/0006-verbs-on-scan.md).
inline constexpr std::size_t most_in_rounds = 32;
/// in_rounds(rounds, parts, f) calls f(round, part, on) for all parts of each round. A part begins
/// when those of the round before have ended that are in its aligned group of 2^round parts.
template <class E, class F>
void run_in_rounds(E const& on, std::size_t rounds, std::size_t parts, F const& f) {
  if constexpr (requires { on.in_rounds(rounds, parts, f); })
    on.in_rounds(rounds, parts, f);
  else
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t part = 0; part < parts; ++part) f(round, part, on);
}
/// for_each_part(count, size, f) calls f(part) once for each part in [0, count), of `size` elements
/// each, on several threads, but each part on one: for_each_line gives a few lines all threads.
template <class E, class F>
void for_each_part(E const& on, std::size_t count, std::size_t size, F const& f) {
  if constexpr (requires { on.for_each_part(count, size, f); })
    on.for_each_part(count, size, f);
  else
    on.for_each_line(count, size, [&](std::size_t part, auto const&) { f(part); });
}
/// `kernels`, a type with static functions for loops that the executor has in compiled form, each
/// of them optional: host/kernels.hpp says what they do.
template <class E>
concept has_window_kernels = requires(float const* x, float* to, std::int32_t* keys) {
  E::kernels::add(x, std::size_t{}, std::size_t{}, std::size_t{}, to, to);
  E::kernels::order(x, std::size_t{}, keys, 0.0f);
};
template <class E, class It>
concept has_ascending_offsets =
    requires(It const& offsets) { E::kernels::offsets_ascend(offsets, 0, 0); };
template <class E, class Source>
concept has_segment_sums =
    requires(Source const& x, std::uint32_t const* at, typename Source::accumulator* totals) {
      E::kernels::sum_segments(x, std::size_t{}, at, std::size_t{}, totals);
    };
template <class E, scan_kind kind, class Call, class Sink>
concept has_segment_scans = requires(Call const& c, std::uint32_t const* at, Sink const& out) {
  E::kernels::template scan_segments<kind>(c, std::size_t{}, at, std::size_t{}, out);
};
template <class E, class Line>
concept has_even_bins = requires(float const* x, Line const& line, std::uint32_t* to) {
  E::kernels::find_even_bins(x, std::size_t{}, line, to);
};

/// The executor of calls without one. Defined by host/executor.hpp, which upsweep.hpp includes.
template <class>
struct default_executor;
template <class T>
struct needed_default_executor {
  static_assert(
      requires { typename default_executor<T>::type; },
      "upsweep: calls without an executor run on all cores of the CPU; include "
      "<upsweep/upsweep.hpp> or <upsweep/host/executor.hpp> for them");
  using type = typename default_executor<T>::type;
};
template <class T>
using default_executor_t = typename needed_default_executor<T>::type;

}  // namespace detail

}  // namespace upsweep

/// Segmented and windowed reductions and scans over ranks: each has the bits of a call on it alone,
/// regardless of the number of ranks that hold its elements.
#pragma once

#include <upsweep/ranks/by_key.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/windowed.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// Throws unless these positions, at which segments begin, ascend in a piece of n elements.
template <class It>
void expect_begins(It const& begins, std::size_t count, std::size_t n) {
  for (std::size_t k = 0; k < count; ++k) {
    if (offset_at(begins, k) > n)
      fail("segments: segment %zu of this rank does not begin in its piece of %zu elements", k, n);
    if (k > 0 && offset_at(begins, k - 1) > offset_at(begins, k))
      fail("segments: segment %zu of %zu begins before the previous one", k, count);
  }
}

/// Where segments begin in the piece of a call, of which check() tests the other arguments. Nothing
/// if a rank has failed. The round is `forward`.
template <communicator C, class In, class Begins, class Check>
std::optional<runs_of_piece> find_segments(rank_exchange<C>& with, In const& in,
                                           Begins const& begins, Check const& check) {
  static_assert(std::is_integral_v<std::ranges::range_value_t<Begins>>,
                "upsweep: the begins of segments must be integers");
  std::optional<runs_of_piece> here;
  std::optional<open_run> own;
  with.attempt([&] {
    std::size_t const n = std::ranges::size(in), count = std::ranges::size(begins);
    check();
    expect_begins(first_of(begins), count, n);
    here = {n, n, false};
    if (count > 0)
      here = {offset_at(first_of(begins), 0), offset_at(first_of(begins), count - 1), true};
    own = here->open_at_end(n);
  });
  auto const open = with.join(std::optional<open_run>(std::in_place), own);
  with.attempt([&] {
    expects(here->first == 0 || open.front->begins,
            "segments: the first element of all ranks is in no segment; a segment must begin at "
            "element 0");
    here->position = static_cast<std::size_t>(open.front->length);
  });
  return here;
}

/// Offsets of segments, counted from where the first one begins.
template <class First>
struct offsets_from {
  using value = std::size_t;
  First first{};
  std::size_t count = 0, end = 0;

  std::size_t operator()(std::ptrdiff_t k) const {
    auto const segment = static_cast<std::size_t>(k);
    return (segment < count ? offset_at(first, segment) : end) - offset_at(first, 0);
  }
};
/// The offsets of the first `count` segments; the last one ends at `end`.
template <class Begins>
auto offsets_of(Begins const& begins, std::size_t count, std::size_t end) {
  using first = first_of_t<Begins>;
  return indexed_range(offsets_from<first>{first_of(begins), count, end}, count + 1);
}

template <communicator C, executor E, class In, class Begins, class Out, class Op>
result_piece reduce_segments_of_pieces(ranks<C, E> const& all, In const& in, Begins const& begins,
                                       Out& out, Op const& op,
                                       options<accumulator_over<Op, In const>> const& o) {
  if constexpr (std::is_function_v<Op>) {
    return reduce_segments_of_pieces(all, in, begins, out, &op, o);
  } else if constexpr (scan_fits<In, Out, as_is, Op>() && compares_on_host<E>()) {
    using P = partial<std::ranges::range_value_t<In>, Op>;
    using enum round;
    rank_exchange<C> with(all.connection, {"reduce_segments", {backward, forward, from_last}},
                          call_by<std::ranges::range_value_t<In>>(op, o));
    auto const here = find_segments(with, in, begins, [&] {
      expects(!o.reverse, "reduce_segments: .reverse is not supported; reverse the ranges");
      expect_prefix_tree(o);
      expect_apart<false>("reduce_segments", in, out);
      if (std::ranges::size(out) != std::ranges::size(begins))
        fail("reduce_segments: %zu segments begin on this rank, but the output has %zu elements",
             std::ranges::size(begins), std::ranges::size(out));
    });
    auto const known = values_after<P>(with, all, in, here, op);
    std::size_t count = 0;
    with.attempt([&] {
      count = std::ranges::size(begins);
      if (count == 0) return;
      auto results = elements_between(out, 0, count - 1);
      if (count > 1)
        upsweep::reduce_segments(all.on, elements_between(in, here->first, here->last),
                                 offsets_of(begins, count - 1, here->last), results, op, o);
      store_last_run(all.on, in, *here, *known.front->values, out, count - 1, op, o);
    });
    return pieces_of_results(with, std::array{count})[0];
  }
  return {};
}

template <scan_kind kind, communicator C, executor E, class In, class Begins, class Out, class Op>
void scan_segments_of_pieces(char const* verb, ranks<C, E> const& all, In const& in,
                             Begins const& begins, Out& out, Op const& op,
                             options<accumulator_over<Op, In const>> const& o) {
  using A = accumulator_over<Op, In const>;
  if constexpr (std::is_function_v<Op>) {
    return scan_segments_of_pieces<kind>(verb, all, in, begins, out, &op, o);
  } else if constexpr (scan_fits<In, Out, as_is, Op>() && compares_on_host<E>()) {
    using P = partial<std::ranges::range_value_t<In>, Op>;
    using enum round;
    rank_exchange<C> with(all.connection, {verb, {forward, forward, from_last}},
                          call_by<std::ranges::range_value_t<In>>(op, o));
    std::optional<first_results<kind, Op, A>> first;
    auto const here = find_segments(with, in, begins, [&] {
      first.emplace(op, o);
      expects(!o.reverse, "scan of segments: .reverse is not supported; reverse the ranges");
      check_output(verb, in, out);
    });
    auto const known = values_before<P>(with, all, in, here, op);
    with.attempt([&] {
      std::size_t const n = std::ranges::size(in), count = std::ranges::size(begins);
      if (here->first > 0)
        scan_after<kind>(all.on, *known.front->values,
                         values_of_run(in, 0, here->first, here->position, op), out, o.mode,
                         first->initial, first->first);
      if (count == 0) return;
      auto results = elements_between(out, here->first, n);
      scan_segments<kind>(verb, all.on, elements_between(in, here->first, n),
                          offsets_of(begins, count, n), results, op, o);
    });
    with.end();
  }
}

/// The first elements of some ranks, at most `most`. They are joined from the last rank on.
template <class T>
struct first_elements {
  std::size_t most;
  std::vector<T> x{};
  void append(first_elements const& earlier) {
    std::vector<T> all(earlier.x);
    all.insert(all.end(), x.begin(),
               x.begin() + static_cast<std::ptrdiff_t>(at_most(x.size(), most - all.size())));
    x = std::move(all);
  }
  auto parts() { return std::tie(x); }
  auto parts() const { return std::tie(x); }
};

template <communicator C, executor E, class In, class Out, class Op>
result_piece windowed_of_pieces(ranks<C, E> const& all, In const& in, std::size_t width, Out& out,
                                Op const& op, options<accumulator_over<Op, In const>> const& o) {
  if constexpr (std::is_function_v<Op>) {
    return windowed_of_pieces(all, in, width, out, &op, o);
  } else if constexpr (scan_fits<In, Out, as_is, Op>() && compares_on_host<E>()) {
    using T = std::ranges::range_value_t<In>;
    using enum round;
    std::size_t const more = width > 0 ? width - 1 : 0;
    rank_exchange<C> with(
        all.connection, {"windowed", {backward, forward, from_last}}, [&](call_of_ranks& call) {
          std::optional<accumulator_over<Op, In const>> const& initial = o.initial;
          call.template elements<T>().operation(op).options(std::uint64_t{width}, o.reverse, o.mode,
                                                            o.tree, initial);
        });
    // So that the first round is `forward`, as in all calls.
    (void)with.join(empty_summary{}, empty_summary{});
    std::optional<first_elements<T>> none, own;
    std::size_t n = 0, near = 0;
    with.attempt([&] {
      expects(width > 0, "windowed: the width must be at least 1");
      expect_apart<false>("windowed", in, out);
      n = std::ranges::size(in);
      near = at_most(n, more);
      auto const first = elements_between(in, 0, near);
      none.emplace(first_elements<T>{more});
      own.emplace(first_elements<T>{more, std::vector<T>(first.begin(), first.end())});
    });
    auto const known = with.join(none, own);
    std::size_t count = 0;
    with.attempt([&] {
      auto const& after = known.front->x;
      std::size_t const inside = n - near, at_border = near + after.size();
      count = inside + (at_border > more ? at_border - more : 0);
      expect_room("windowed", "the output", std::ranges::size(out), count);
      auto results = elements_between(out, 0, inside);
      upsweep::windowed(all.on, in, width, results, op, o);
      auto const last = elements_between(in, inside, n);
      std::vector<T> border(last.begin(), last.end());
      border.insert(border.end(), after.begin(), after.end());
      auto others = elements_between(out, inside, count);
      upsweep::windowed(all.on, border, width, others, op, o);
    });
    return pieces_of_results(with, std::array{count})[0];
  }
  return {};
}

}  // namespace upsweep::detail

namespace upsweep {

/// reduce_segments() over all pieces. `begins` has the positions in the piece of this rank,
/// ascending, at which segments begin. Elements before the first of them belong to the last segment
/// that begins on an earlier rank. Each rank stores the results of the segments that begin in its
/// piece, including elements on other ranks. If one rank throws, all throw.
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out,
          class Op = plus>
result_piece reduce_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  return detail::reduce_segments_of_pieces(all, in, begins, out, op, o);
}
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out>
result_piece reduce_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  return detail::reduce_segments_of_pieces(all, in, begins, out, plus{}, o);
}

/// Scans of these segments. Each rank gets the results for its piece.
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out,
          class Op = plus>
void inclusive_scan_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments_of_pieces<scan_kind::inclusive>("inclusive_scan_segments", all, in, begins,
                                                        out, op, o);
}
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out>
void inclusive_scan_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments_of_pieces<scan_kind::inclusive>("inclusive_scan_segments", all, in, begins,
                                                        out, plus{}, o);
}
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out,
          class Op = plus>
void exclusive_scan_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             Op const& op,
                             options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments_of_pieces<scan_kind::exclusive>("exclusive_scan_segments", all, in, begins,
                                                        out, op, o);
}
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out>
void exclusive_scan_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_segments_of_pieces<scan_kind::exclusive>("exclusive_scan_segments", all, in, begins,
                                                        out, plus{}, o);
}

/// windowed() over all pieces. Each rank stores the windows that begin in its piece in `out`, which
/// must have room for them. Ranks send each other the first width - 1 elements after a piece, which
/// must have bytes (see to_bytes()).
template <communicator C, executor E, elements In, std::integral Width, detail::output_like Out,
          class Op = plus>
result_piece windowed(ranks<C, E> const& all, In const& in, Width width, Out&& out, Op const& op,
                      options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  return detail::windowed_of_pieces(all, in, static_cast<std::size_t>(width), out, op, o);
}
template <communicator C, executor E, elements In, std::integral Width, detail::output_like Out>
result_piece windowed(ranks<C, E> const& all, In const& in, Width width, Out&& out,
                      options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  return detail::windowed_of_pieces(all, in, static_cast<std::size_t>(width), out, plus{}, o);
}

}  // namespace upsweep

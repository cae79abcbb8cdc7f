/// Selections and runs over ranks. Results stay on the rank of their elements, and are numbered as
/// those of one call over all pieces. A run that crosses ranks belongs to the rank on which it
/// begins.
#pragma once

#include <upsweep/ranks/exchange.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>

namespace upsweep {

/// The results of partition that this rank has stored.
struct partition_pieces {
  result_piece yes, no;
  friend bool operator==(partition_pieces const&, partition_pieces const&) = default;
};
/// The results of a three-way partition that this rank has stored.
struct three_way_pieces {
  result_piece first, second, rest;
  friend bool operator==(three_way_pieces const&, three_way_pieces const&) = default;
};

namespace detail {

/// A call over elements of these types.
template <class... T>
void call_over(call_of_ranks& call) {
  call.template elements<T...>();
}

/// Selects on this rank: select() returns how many results of each list it has stored.
template <class T, std::size_t k, communicator C, class F>
std::array<result_piece, k> select_piece(char const* verb, C const& all, F const& select) {
  rank_exchange<C> with(all, {verb, {round::from_last}}, call_over<T>);
  std::array<std::size_t, k> counts{};
  with.attempt([&] { counts = select(); });
  return pieces_of_results(with, counts);
}

/// Positions in this rank's elements become positions in those of all.
template <class Out>
void move_positions(Out& out, std::size_t count, std::size_t begin) {
  using T = std::ranges::range_value_t<Out>;
  auto const first = output_iterator(out);
  for (std::size_t i = 0; i < count; ++i)
    element_at(first, i) = static_cast<T>(static_cast<std::size_t>(element_at(first, i)) + begin);
}
/// All selections of positions: select() stores those in this rank's elements.
template <communicator C, class In, class Out, class F>
result_piece select_positions_piece(char const* verb, C const& all, In const& in, Out& out,
                                    F const& select) {
  rank_exchange<C> with(all, {verb, {round::forward, round::from_last}},
                        call_over<std::ranges::range_value_t<In>>);
  counts_of_ranks<> own;
  with.attempt([&] { own.n[0] = std::ranges::size(in); });
  auto const known = with.join(counts_of_ranks<>{}, own);
  std::array<std::size_t, 1> count{};
  with.attempt([&] {
    auto const n = static_cast<std::size_t>(own.n[0]),
               begin = static_cast<std::size_t>(known.front->n[0]);
    if (n > 0) (void)positions_to(verb, begin + n, out);  // throws if one does not fit
    count = {select()};
    move_positions(out, count[0], begin);
  });
  return pieces_of_results(with, count)[0];
}

template <class E>
constexpr bool compares_on_host() {
  static_assert(!has_own_memory<E>,
                "upsweep: runs over ranks are found on the executors of the CPU");
  return !has_own_memory<E>;
}

/// The elements of some ranks: their number, and the last.
template <class T>
struct elements_of_ranks {
  std::uint64_t n = 0;
  std::optional<T> last;
  void append(elements_of_ranks const& later) {
    n += later.n;
    if (later.last) last = later.last;
  }
  auto parts() { return std::tie(n, last); }
  auto parts() const { return std::tie(n, last); }
};
template <communicator C, class In>
auto elements_before(rank_exchange<C>& with, In const& in) {
  using summary = elements_of_ranks<std::ranges::range_value_t<In>>;
  std::optional<summary> const none(std::in_place);
  std::optional<summary> own(std::in_place);
  with.attempt([&] {
    own->n = std::ranges::size(in);
    if (own->n > 0) own->last = element_at(first_of(in), static_cast<std::size_t>(own->n - 1));
  });
  return with.join(none, own);
}

/// Marks of which the first element belongs to a run of the ranks before.
template <class Marks>
struct marks_after_first {
  Marks const& marks;
  void operator()(std::size_t begin, std::size_t end, mark* to) const {
    marks(begin, end, to);
    if (begin == 0) *to = 1;
  }
};
/// Whether the elements continue a run whose last element is `last`.
template <class T, class In, class Same>
bool continue_run(std::optional<T> const& last, In const& in, Same const& equal) {
  return last && std::ranges::size(in) > 0 &&
         static_cast<bool>(invoke_function(equal, *last, element_at(first_of(in), 0)));
}
/// Selects the first elements of the runs that begin in `in`; `last` is the element before.
template <class E, class In, class T, class Same, class... Outputs>
std::size_t select_heads(E const& on, In const& in, std::optional<T> const& last, Same const& equal,
                         Outputs const&... outputs) {
  float_environment const ieee;
  std::size_t const n = std::ranges::size(in);
  auto const heads = heads_of(in, equal);
  if (continue_run(last, in, equal))
    return select_on(on, marks_after_first<decltype(heads)>{heads}, n, outputs...).of[0];
  return select_on(on, heads, n, outputs...).of[0];
}

/// The elements of some ranks: their number, and where the first run begins.
struct runs_of_ranks {
  std::uint64_t n = 0;
  std::optional<std::uint64_t> begins;
  /// `earlier` has the ranks before, as runs are asked for what is after them.
  void append(runs_of_ranks const& earlier) {
    n += earlier.n;
    if (earlier.begins) begins = earlier.begins;
  }
  auto parts() { return std::tie(n, begins); }
  auto parts() const { return std::tie(n, begins); }
};

}  // namespace detail

/// select() over all pieces. Each rank stores the selected elements of its piece, and gets their
/// position among all results. Arguments and errors are those of one call. If one rank throws, all
/// throw.
template <communicator C, executor E, elements In, detail::output_like Out,
          detail::not_output Predicate>
result_piece select(ranks<C, E> const& all, In const& in, Out&& out, Predicate const& keep) {
  detail::expect_kept<Out>();
  return detail::select_piece<std::ranges::range_value_t<In>, 1>("select", all.connection, [&] {
    return std::array{upsweep::select(all.on, in, out, keep)};
  })[0];
}
template <communicator C, executor E, elements In, elements Flags, detail::output_like Out>
result_piece select(ranks<C, E> const& all, In const& in, Flags const& flags, Out&& out) {
  detail::expect_kept<Out>();
  return detail::select_piece<std::ranges::range_value_t<In>, 1>("select", all.connection, [&] {
    return std::array{upsweep::select(all.on, in, flags, out)};
  })[0];
}

/// select_positions() over all pieces. Positions count from the first element of the first rank.
template <communicator C, executor E, elements In, detail::output_like Out,
          detail::not_output Predicate>
result_piece select_positions(ranks<C, E> const& all, In const& in, Out&& out,
                              Predicate const& keep) {
  detail::expect_kept<Out>();
  return detail::select_positions_piece("select_positions", all.connection, in, out, [&] {
    return upsweep::select_positions(all.on, in, out, keep);
  });
}
template <communicator C, executor E, elements Flags, detail::output_like Out>
result_piece select_positions(ranks<C, E> const& all, Flags const& flags, Out&& out) {
  detail::expect_kept<Out>();
  return upsweep::select_positions(all, flags, out, detail::as_is{});
}

template <communicator C, executor E, elements In, detail::output_like Yes, detail::output_like No,
          detail::not_output Predicate>
partition_pieces partition(ranks<C, E> const& all, In const& in, Yes&& yes, No&& no,
                           Predicate const& test) {
  detail::expect_kept<Yes, No>();
  auto const pieces =
      detail::select_piece<std::ranges::range_value_t<In>, 2>("partition", all.connection, [&] {
        auto const own = upsweep::partition(all.on, in, yes, no, test);
        return std::array{own.yes, own.no};
      });
  return {pieces[0], pieces[1]};
}
template <communicator C, executor E, elements In, detail::output_like First,
          detail::output_like Second, detail::output_like Rest, detail::not_output P,
          detail::not_output Q>
three_way_pieces partition(ranks<C, E> const& all, In const& in, First&& first, Second&& second,
                           Rest&& rest, P const& is_first, Q const& is_second) {
  detail::expect_kept<First, Second, Rest>();
  auto const pieces =
      detail::select_piece<std::ranges::range_value_t<In>, 3>("partition", all.connection, [&] {
        auto const own = upsweep::partition(all.on, in, first, second, rest, is_first, is_second);
        return std::array{own.first, own.second, own.rest};
      });
  return {pieces[0], pieces[1], pieces[2]};
}

/// unique(), run_starts() and runs() over all pieces. Each rank stores the runs that begin in its
/// piece, whole. Elements must have bytes (see to_bytes()).
template <communicator C, executor E, elements In, detail::output_like Out,
          detail::not_output Same = same>
result_piece unique(ranks<C, E> const& all, In const& in, Out&& out, Same const& equal = {}) {
  detail::expect_kept<Out>();
  using namespace detail;
  using reference = std::ranges::range_reference_t<In const>;
  if constexpr (is_predicate<Same, reference, reference>() && stores_elements<In, Out>() &&
                compares_on_host<E>()) {
    rank_exchange<C> with(all.connection, {"unique", {round::forward, round::from_last}},
                          call_over<std::ranges::range_value_t<In>>);
    auto const known = elements_before(with, in);
    std::size_t count = 0;
    with.attempt([&] {
      expect_apart<true>("unique", in, out);
      count = select_heads(all.on, in, known.front->last, equal, values_to(in, out));
      expect_room("unique", "the output", std::ranges::size(out), count);
    });
    return pieces_of_results(with, std::array{count})[0];
  }
  return {};
}
template <communicator C, executor E, elements In, detail::output_like Out,
          detail::not_output Same = same>
result_piece run_starts(ranks<C, E> const& all, In const& in, Out&& starts,
                        Same const& equal = {}) {
  detail::expect_kept<Out>();
  using namespace detail;
  using reference = std::ranges::range_reference_t<In const>;
  if constexpr (is_predicate<Same, reference, reference>() && stores_integers<Out>() &&
                compares_on_host<E>()) {
    rank_exchange<C> with(all.connection, {"run_starts", {round::forward, round::from_last}},
                          call_over<std::ranges::range_value_t<In>>);
    auto const known = elements_before(with, in);
    std::size_t count = 0;
    with.attempt([&] {
      auto const begin = static_cast<std::size_t>(known.front->n);
      std::size_t const n = std::ranges::size(in);
      expect_apart<false>("run_starts", in, starts);
      auto const positions = positions_to("run_starts", n == 0 ? 0 : begin + n, starts);
      count = select_heads(all.on, in, known.front->last, equal, positions);
      expect_room("run_starts", "the output", std::ranges::size(starts), count);
      move_positions(starts, count, begin);
    });
    return pieces_of_results(with, std::array{count})[0];
  }
  return {};
}
template <communicator C, executor E, elements In, detail::output_like Values,
          detail::output_like Lengths, detail::not_output Same = same>
result_piece runs(ranks<C, E> const& all, In const& in, Values&& values, Lengths&& lengths,
                  Same const& equal = {}) {
  detail::expect_kept<Values, Lengths>();
  using namespace detail;
  using reference = std::ranges::range_reference_t<In const>;
  if constexpr (is_predicate<Same, reference, reference>() && stores_elements<In, Values>() &&
                stores_integers<Lengths>() && compares_on_host<E>()) {
    using enum round;
    rank_exchange<C> with(all.connection, {"runs", {backward, forward, from_last}},
                          call_over<std::ranges::range_value_t<In>>);
    auto const known = elements_before(with, in);
    std::optional<runs_of_ranks> const none(std::in_place);
    auto own = none;
    std::size_t n = 0, count = 0;
    with.attempt([&] {
      expect_apart<false>("runs", in, values);
      expect_apart<false>("runs", in, lengths);
      expect_apart<false>("runs", values, lengths);
      own->n = n = std::ranges::size(in);
      count = select_heads(all.on, in, known.front->last, equal, values_to(in, values),
                           positions_to("runs", n, lengths));
      expect_room("runs", "the output of the values", std::ranges::size(values), count);
      expect_room("runs", "the output of the lengths", std::ranges::size(lengths), count);
      if (count > 0)
        own->begins =
            known.front->n + static_cast<std::uint64_t>(element_at(output_iterator(lengths), 0));
    });
    auto const later = with.join(none, own);
    with.attempt([&] {
      if (count == 0) return;
      // Where the last run ends, counted from the begin of this piece.
      auto const& after = *later.front;
      auto const end =
          static_cast<std::size_t>(after.begins ? *after.begins - known.front->n : n + after.n);
      expect_length_fits<Lengths>(
          "runs: a run in %zu elements may be longer than the output's integers of %zu bits hold; "
          "give lengths of std::size_t",
          end);
      lengths_of_starts(all.on, output_iterator(lengths), count, end);
    });
    return pieces_of_results(with, std::array{count})[0];
  }
  return {};
}

}  // namespace upsweep

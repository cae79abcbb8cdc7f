/// Reductions and scans by key over ranks: a run of equal neighboring keys has the bits of its own
/// reduction or scan, regardless of the number of ranks that hold its values.
#pragma once

#include <upsweep/by_key.hpp>
#include <upsweep/ranks/scan.hpp>
#include <upsweep/ranks/select.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

/// The run that is open at the end of some ranks: its length there, and whether it began there.
struct open_run {
  std::uint64_t length = 0;
  bool begins = false;
  void append(open_run const& later) {
    if (later.begins)
      *this = later;
    else
      length += later.length;
  }
  auto parts() { return std::tie(length, begins); }
  auto parts() const { return std::tie(length, begins); }
};

/// The elements [0, first) of a piece continue a run of the ranks before, and the last run that
/// begins in the piece begins at `last`. Both are the number of elements if none `begins`.
struct runs_of_piece {
  std::size_t first, last;
  bool begins;
  std::size_t position = 0;  ///< of the first element in that run

  /// The run that is open at the end of the piece, of n elements.
  [[nodiscard]] open_run open_at_end(std::size_t n) const {
    return {begins ? n - last : n, begins};
  }
};
template <class Key, class Keys, class Same>
runs_of_piece runs_of_keys(std::optional<Key> const& front, Keys const& keys, Same const& equal) {
  auto const key = first_of(keys);
  std::size_t const n = std::ranges::size(keys);
  auto const continues = [&](std::size_t i) {
    return static_cast<bool>(invoke_function(equal, element_at(key, i - 1), element_at(key, i)));
  };
  std::size_t first = 0, last = n;
  if (continue_run(front, keys, equal))
    for (first = 1; first < n && continues(first);) ++first;
  if (first < n)
    for (last = n - 1; last > first && continues(last);) --last;
  return {first, last, first < n};
}

/// The values in some ranks of the run that is open at their end or, if `reverse`, at their begin.
template <class P, bool reverse>
struct run_values {
  std::optional<P> values;
  bool has_border;  ///< the run begins or, if `reverse`, ends there
  void append(run_values const& next) {
    if (next.has_border) {
      values.emplace(*next.values);
      has_border = true;
    } else if constexpr (reverse) {
      P longer(*next.values);
      longer.append(*values);
      values.emplace(std::move(longer));
    } else {
      values->append(*next.values);
    }
  }
};
template <class P, bool reverse>
void put(bytes::writer& out, run_values<P, reverse> const& run) {
  out.value(run.has_border);
  put(out, *run.values);
}
template <class P, bool reverse>
run_values<P, reverse> get(bytes::reader& in, run_values<P, reverse> const& none) {
  bool const has_border = in.flag();
  return {get(in, *none.values), has_border};
}

/// The values [from, to) of a piece, of which the first is number `position` of its run.
template <class In, class Op>
auto values_of_run(In const& in, std::size_t from, std::size_t to, std::size_t position,
                   Op const& op) {
  static constexpr as_is f;
  using It = first_of_t<In>;
  return piece<false, It, as_is, Op>{
      first_of(in) + static_cast<std::iter_difference_t<It>>(from), to - from, f, op, position, 0};
}

/// Where runs begin in the keys of a call, of which check() tests the arguments. Nothing if a rank
/// has failed. The rounds are `forward`, twice.
template <communicator C, class Keys, class Same, class Check>
std::optional<runs_of_piece> find_runs(rank_exchange<C>& with, Keys const& keys, Same const& equal,
                                       Check const& check) {
  auto const known = elements_before(with, keys);
  std::optional<runs_of_piece> here;
  std::optional<open_run> own;
  with.attempt([&] {
    check();
    here = runs_of_keys(known.front->last, keys, equal);
    own = here->open_at_end(std::ranges::size(keys));
  });
  auto const open = with.join(std::optional<open_run>(std::in_place), own);
  with.attempt([&] { here->position = static_cast<std::size_t>(open.front->length); });
  return here;
}

/// The values after this piece of the run that is open at its end, in the round `backward`.
template <class P, communicator C, executor E, class In, class Op>
auto values_after(rank_exchange<C>& with, ranks<C, E> const& all, In const& in,
                  std::optional<runs_of_piece> const& here, Op const& op) {
  using rest = run_values<P, true>;
  std::optional<rest> none, own;
  with.attempt([&] {
    none.emplace(rest{P(0, op), false});
    own.emplace(rest{P(here->position, op), here->begins});
    own->values->push(all.on, values_of_run(in, 0, here->first, here->position, op));
  });
  return with.join(none, own);
}
/// The values before this piece of the run that is open at its begin, in the round `forward`.
template <class P, communicator C, executor E, class In, class Op>
auto values_before(rank_exchange<C>& with, ranks<C, E> const& all, In const& in,
                   std::optional<runs_of_piece> const& here, Op const& op) {
  using open_values = run_values<P, false>;
  std::optional<open_values> none, own;
  with.attempt([&] {
    std::size_t const of_run = here->begins ? 0 : here->position,
                      from = here->begins ? here->last : 0;
    none.emplace(open_values{P(0, op), false});
    own.emplace(open_values{P(of_run, op), here->begins});
    own->values->push(all.on, values_of_run(in, from, std::ranges::size(in), of_run, op));
  });
  return with.join(none, own);
}

/// Stores, as result `k`, the reduction of the last run of this piece, which goes on `after` it.
template <class P, executor E, class In, class Out, class Op, class O>
void store_last_run(E const& on, In const& in, runs_of_piece const& here, P const& after, Out& out,
                    std::size_t k, Op const& op, O const& o) {
  P last(0, op);
  last.push(on, values_of_run(in, here.last, std::ranges::size(in), 0, op));
  last.append(after);
  element_at(output_iterator(out), k) =
      static_cast<std::ranges::range_value_t<Out>>(last.result(o));
}

template <communicator C, executor E, class Keys, class In, class KeysOut, class Out, class Op,
          class Same>
result_piece reduce_runs_of_pieces(ranks<C, E> const& all, Keys const& keys, In const& in,
                                   KeysOut& keys_out, Out& out, Op const& op, Same const& equal,
                                   options<accumulator_over<Op, In const>> const& o) {
  if constexpr (std::is_function_v<Op>) {
    return reduce_runs_of_pieces(all, keys, in, keys_out, out, &op, equal, o);
  } else if constexpr (scan_fits<In, Out, as_is, Op>() && keys_compare<Keys, Same>() &&
                       stores_elements<Keys, KeysOut>() && compares_on_host<E>()) {
    using P = partial<std::ranges::range_value_t<In>, Op>;
    using enum round;
    rank_exchange<C> with(
        all.connection, {"reduce_runs", {forward, backward, forward, from_last}},
        call_by<std::ranges::range_value_t<In>, std::ranges::range_value_t<Keys>>(op, o));
    auto const here = find_runs(with, keys, equal, [&] {
      std::size_t const n = std::ranges::size(keys);
      if (n != std::ranges::size(in)) fail_inputs("reduce_runs", n, std::ranges::size(in));
    });
    auto const known = values_after<P>(with, all, in, here, op);
    std::size_t count = 0;
    with.attempt([&] {
      std::size_t const n = std::ranges::size(keys);
      count =
          upsweep::reduce_runs(all.on, elements_between(keys, here->first, n),
                               elements_between(in, here->first, n), keys_out, out, op, equal, o);
      auto const& after = *known.front->values;
      if (here->begins && !after.empty())
        store_last_run(all.on, in, *here, after, out, count - 1, op, o);
    });
    return pieces_of_results(with, std::array{count})[0];
  }
  return {};
}

template <scan_kind kind, communicator C, executor E, class Keys, class In, class Out, class Op,
          class Same>
void scan_runs_of_pieces(char const* verb, ranks<C, E> const& all, Keys const& keys, In const& in,
                         Out& out, Op const& op, Same const& equal,
                         options<accumulator_over<Op, In const>> const& o) {
  using A = accumulator_over<Op, In const>;
  if constexpr (std::is_function_v<Op>) {
    scan_runs_of_pieces<kind>(verb, all, keys, in, out, &op, equal, o);
  } else if constexpr (scan_fits<In, Out, as_is, Op>() && keys_compare<Keys, Same>() &&
                       compares_on_host<E>()) {
    using P = partial<std::ranges::range_value_t<In>, Op>;
    using enum round;
    rank_exchange<C> with(
        all.connection, {verb, {forward, forward, forward, from_last}},
        call_by<std::ranges::range_value_t<In>, std::ranges::range_value_t<Keys>>(op, o));
    std::optional<first_results<kind, Op, A>> first;
    auto const here = find_runs(with, keys, equal, [&] {
      std::size_t const n = std::ranges::size(keys);
      first.emplace(op, o);
      expects(!o.reverse, "scan of runs: .reverse is not supported; reverse the ranges");
      if (n != std::ranges::size(in)) fail_inputs(verb, n, std::ranges::size(in));
      check_output(verb, in, out);
    });
    auto const known = values_before<P>(with, all, in, here, op);
    with.attempt([&] {
      std::size_t const n = std::ranges::size(keys);
      if (here->first > 0)
        scan_after<kind>(all.on, *known.front->values,
                         values_of_run(in, 0, here->first, here->position, op), out, o.mode,
                         first->initial, first->first);
      auto results = elements_between(out, here->first, n);
      scan_runs_on<kind>(verb, all.on, elements_between(keys, here->first, n),
                         elements_between(in, here->first, n), results, op, equal, o);
    });
    with.end();
  }
}

}  // namespace upsweep::detail

namespace upsweep {

/// reduce_runs() over all pieces. Each rank stores the results of the runs that begin in its piece,
/// including values on other ranks, and gets their position among all results. Keys and
/// accumulators must have bytes (see to_bytes()). If one rank throws, all throw. `equal` may be
/// called twice for neighbors in the first and the last run of a piece.
template <communicator C, executor E, elements Keys, elements In, detail::output_like KeysOut,
          detail::output_like Out, class Op = plus>
result_piece reduce_runs(ranks<C, E> const& all, Keys const& keys, In const& in, KeysOut&& keys_out,
                         Out&& out, Op const& op,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_of_pieces(all, keys, in, keys_out, out, op, same{}, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like KeysOut,
          detail::output_like Out>
result_piece reduce_runs(ranks<C, E> const& all, Keys const& keys, In const& in, KeysOut&& keys_out,
                         Out&& out,
                         options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_of_pieces(all, keys, in, keys_out, out, plus{}, same{}, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like KeysOut,
          detail::output_like Out, class Op = plus, detail::not_options Same>
result_piece reduce_runs(ranks<C, E> const& all, Keys const& keys, In const& in, KeysOut&& keys_out,
                         Out&& out, Op const& op, Same const& equal,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_of_pieces(all, keys, in, keys_out, out, op, equal, o);
}

/// Scans by key over all pieces. Each rank gets the results for its piece.
template <communicator C, executor E, elements Keys, elements In, detail::output_like Out,
          class Op = plus>
void inclusive_scan_runs(ranks<C, E> const& all, Keys const& keys, In const& in, Out&& out,
                         Op const& op,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_of_pieces<scan_kind::inclusive>("inclusive_scan_runs", all, keys, in, out, op,
                                                    same{}, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like Out>
void inclusive_scan_runs(ranks<C, E> const& all, Keys const& keys, In const& in, Out&& out,
                         options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_of_pieces<scan_kind::inclusive>("inclusive_scan_runs", all, keys, in, out,
                                                    plus{}, same{}, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like Out,
          class Op = plus, detail::not_options Same>
void inclusive_scan_runs(ranks<C, E> const& all, Keys const& keys, In const& in, Out&& out,
                         Op const& op, Same const& equal,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_of_pieces<scan_kind::inclusive>("inclusive_scan_runs", all, keys, in, out, op,
                                                    equal, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like Out,
          class Op = plus>
void exclusive_scan_runs(ranks<C, E> const& all, Keys const& keys, In const& in, Out&& out,
                         Op const& op,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_of_pieces<scan_kind::exclusive>("exclusive_scan_runs", all, keys, in, out, op,
                                                    same{}, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like Out>
void exclusive_scan_runs(ranks<C, E> const& all, Keys const& keys, In const& in, Out&& out,
                         options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_of_pieces<scan_kind::exclusive>("exclusive_scan_runs", all, keys, in, out,
                                                    plus{}, same{}, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like Out,
          class Op = plus, detail::not_options Same>
void exclusive_scan_runs(ranks<C, E> const& all, Keys const& keys, In const& in, Out&& out,
                         Op const& op, Same const& equal,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_of_pieces<scan_kind::exclusive>("exclusive_scan_runs", all, keys, in, out, op,
                                                    equal, o);
}

}  // namespace upsweep

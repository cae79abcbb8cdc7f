/// Reductions and scans over ranks, with the bits of one call over all pieces.
///
/// The ranks exchange where their pieces begin, then a partial of at most a few hundred bytes, by
/// recursive doubling: ceil(log2(ranks)) messages each.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/ranks/exchange.hpp>
#include <upsweep/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

namespace upsweep::detail {

template <class In, class F>
auto first_element_of(In const& in) {
  if constexpr (std::is_same_v<F, as_is>)
    return first_of(in);
  else
    return std::ranges::begin(in);
}
template <bool reverse, class In, class F, class Op>
using piece_of =
    piece<reverse, decltype(first_element_of<In, F>(std::declval<In const&>())), F, Op>;

/// The elements of `in` as a piece at its position in the whole. The rounds are `forward` and, if
/// it is reversed, from_last.
template <bool reverse, communicator C, class In, class F, class Op>
std::optional<piece_of<reverse, In, F, Op>> positioned_piece(rank_exchange<C>& with, In const& in,
                                                             F const& f, Op const& op) {
  counts_of_ranks<> own;
  with.attempt([&] { own.n[0] = std::ranges::size(in); });
  auto const known = with.join(counts_of_ranks<>{}, own);
  std::optional<counts_of_ranks<>> whole(std::in_place);
  if constexpr (reverse) whole = with.of_all(whole, known.run);
  std::optional<piece_of<reverse, In, F, Op>> here;
  with.attempt([&] {
    auto const size = static_cast<std::size_t>(own.n[0]),
               all = static_cast<std::size_t>(whole->n[0]),
               front = static_cast<std::size_t>(known.front->n[0]);
    here.emplace(piece_of<reverse, In, F, Op>{first_element_of<In, F>(in), size, f, op,
                                              reverse ? all - front - size : front, all});
  });
  return here;
}
template <class Piece>
struct partial_of_piece;
template <bool reverse, class It, class F, class Op>
struct partial_of_piece<piece<reverse, It, F, Op>> {
  using type = partial<transformed_t<It, F>, Op>;
};

/// Scans a piece in device memory after the elements of `front`: each of its aligned blocks, of
/// which `own` has the totals, after the prefix before it. For operators that continue.
template <scan_kind kind, executor E, class P, class Piece, class Out, class A>
void scan_blocks_after(E const& on, P const& front, P const& own, Piece const& here, Out& out,
                       mode how, A const* initial, A const* first) {
  using Op = std::remove_cvref_t<decltype(here.op)>;
  float_environment const ieee;
  auto left = front.front(initial);
  auto const to = output_iterator(out);
  auto const scan = [&]<scan_kind as>(std::size_t begin, std::size_t n) {
    if (n == 0) return;
    A const* const before = left.prefix();
    on.template scan<as>(
        call{here.template subrange<E>(begin, n), n, here.op, how, before ? before : initial,
             before ? before : first},
        sink<std::remove_const_t<decltype(to)>, Op, false>(
            to + static_cast<std::iter_difference_t<decltype(to)>>(begin), n, here.op));
  };
  block_sequence const blocks(own.begin(), own.end(), largest_block_log2);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    auto const [position, k] = blocks[i];
    std::size_t const begin = position - own.begin(), n = std::size_t{1} << k;
    // The prefix that ends with a second sibling ends with the block above it.
    bool const ends_above = kind == scan_kind::inclusive && (position >> k & 1) != 0;
    scan.template operator()<kind>(begin, ends_above ? n - 1 : n);
    left.push(k, own.totals()[i], here.op);
    if (ends_above) scan.template operator()<scan_kind::exclusive>(begin + n - 1, 1);
  }
}
/// Scans a piece after the elements of `front`, which ends where the piece begins.
template <scan_kind kind, executor E, class P, class Piece, class Out, class A>
void scan_after(E const& on, P const& front, Piece const& here, Out& out, mode how,
                A const* initial, A const* first) {
  if (here.size == 0) return;
  float_environment const ieee;
  auto left = front.front(initial);
  auto const to = here.results_to(output_iterator(out));
  if constexpr (!has_own_memory<E>) {
    on.template scan_chunk<kind>(call{here.chunk(), here.size, here.op, how, initial, first}, to,
                                 left);
  } else if constexpr (!P::exact) {
    on.template scan_chunk<kind>(
        call{here.template subrange<E>(0, here.size), here.size, here.op, how, initial, first}, to,
        left);
  } else {
    // Exact totals have no positions: all that is before is an initial value.
    A const* const before = left.prefix();
    bool const has_both = before && initial && !prefix_before(here.op, initial);
    auto const all = has_both ? std::optional<A>(here.op(*initial, *before)) : std::nullopt;
    A const* const start = all ? &*all : before ? before : initial;
    on.template scan<kind>(call{here.template subrange<E>(0, here.size), here.size, here.op, how,
                                start, before ? start : first},
                           to);
  }
}

/// Throws if a call goes from the last rank to the first, unless ranks are processors.
template <class E, class A>
void expect_direction(options<A> const& o) {
  expects(!has_own_memory<E> || !o.reverse,
          "ranks of GPUs: .reverse is not supported; give the ranks in reverse order");
}

/// A call by `op` over elements of these types.
template <class... T, class Op, class A>
auto call_by(Op const& op, options<A> const& o) {
  return [&](call_of_ranks& call) { call.template elements<T...>().operation(op).options(o); };
}

/// Partials of this rank and of no rank, which `front` joins.
template <class P>
struct own_partial {
  std::optional<P> none{}, own{};

  /// Of the elements of this rank, once `check()` has not thrown.
  template <communicator C, executor E, class Here, class Op, class Check>
  own_partial(rank_exchange<C>& with, ranks<C, E> const& all, std::optional<Here> const& here,
              Op const& op, Check const& check) {
    with.attempt([&] {
      check();
      none.emplace(0, op);
      own.emplace(here->position, op);
      own->push(all.on, *here);
    });
  }
};

/// All reductions over ranks; `check()` throws if the arguments of this rank do not fit.
template <bool reverse, communicator C, executor E, class In, class F, class Op, class Check>
auto reduce_piece(char const* verb, ranks<C, E> const& all, In const& in, F const& f, Op const& op,
                  options<accumulator_over<Op, In const, F>> const& o, Check const& check) {
  using P = typename partial_of_piece<piece_of<reverse, In, F, Op>>::type;
  using enum round;
  call_of_ranks const call = reverse ? call_of_ranks(verb, {from_last, backward, from_first})
                                     : call_of_ranks(verb, {forward, from_last});
  rank_exchange<C> with(all.connection, call,
                        call_by<typename piece_of<reverse, In, F, Op>::transformed>(op, o));
  auto const here = positioned_piece<reverse>(with, in, f, op);
  own_partial<P> const part(with, all, here, op, [&] {
    expect_direction<E>(o);
    check();
  });
  auto const known = with.join(part.none, part.own);
  auto const whole = with.result_of_all(part.none, known.run);
  auto forwards = o;
  forwards.reverse = false;
  return whole.result(forwards);
}
template <communicator C, executor E, class In, class F, class Op, class Check>
auto reduce_pieces(char const* verb, ranks<C, E> const& all, In const& in, F const& f, Op const& op,
                   options<accumulator_over<Op, In const, F>> const& o, Check const& check) {
  using namespace std::ranges;
  if constexpr (std::is_function_v<Op>) {
    return reduce_pieces(verb, all, in, f, &op, o, check);
  } else if constexpr (operands_fit<Op, range_reference_t<In const>, range_value_t<In>, F>()) {
    return o.reverse ? reduce_piece<!has_own_memory<E>>(verb, all, in, f, op, o, check)
                     : reduce_piece<false>(verb, all, in, f, op, o, check);
  } else {
    return no_result<range_value_t<In>>();
  }
}

/// All scans over ranks.
template <scan_kind kind, bool reverse, communicator C, executor E, class In, class Out, class F,
          class Op, class Check>
void scan_piece(char const* verb, ranks<C, E> const& all, In const& in, Out& out, F const& f,
                Op const& op, options<accumulator_over<Op, In const, F>> const& o,
                Check const& check) {
  using P = typename partial_of_piece<piece_of<reverse, In, F, Op>>::type;
  using enum round;
  call_of_ranks const call = reverse
                                 ? call_of_ranks(verb, {from_last, backward, forward, from_last})
                                 : call_of_ranks(verb, {forward, forward, from_last});
  rank_exchange<C> with(all.connection, call,
                        call_by<typename piece_of<reverse, In, F, Op>::transformed>(op, o));
  auto const here = positioned_piece<reverse>(with, in, f, op);
  std::optional<first_results<kind, Op, accumulator_over<Op, In const, F>>> begin;
  own_partial<P> const part(with, all, here, op, [&] {
    expect_direction<E>(o);
    begin.emplace(op, o);
    check();
  });
  auto const known = with.join(part.none, part.own);
  with.attempt([&] {
    if constexpr (has_own_memory<E> && !P::exact && continues<Op, typename P::accumulator>)
      scan_blocks_after<kind>(all.on, *known.front, *part.own, *here, out, o.mode, begin->initial,
                              begin->first);
    else
      scan_after<kind>(all.on, *known.front, *here, out, o.mode, begin->initial, begin->first);
  });
  with.end();
}
template <scan_kind kind, communicator C, executor E, class In, class Out, class F, class Op,
          class Check>
void scan_pieces(char const* verb, ranks<C, E> const& all, In const& in, Out& out, F const& f,
                 Op const& op, options<accumulator_over<Op, In const, F>> const& o,
                 Check const& check) {
  if constexpr (std::is_function_v<Op>) {
    scan_pieces<kind>(verb, all, in, out, f, &op, o, check);
  } else if constexpr (scan_fits<In, Out, F, Op>()) {
    if (o.reverse)
      scan_piece<kind, !has_own_memory<E>>(verb, all, in, out, f, op, o, check);
    else
      scan_piece<kind, false>(verb, all, in, out, f, op, o, check);
  }
}
template <scan_kind kind, communicator C, executor E, class In, class Out, class F, class Op>
void scan_pieces(char const* verb, ranks<C, E> const& all, In const& in, Out& out, F const& f,
                 Op const& op, options<accumulator_over<Op, In const, F>> const& o) {
  scan_pieces<kind>(verb, all, in, out, f, op, o, [&] {
    if constexpr (is_output<Out>()) check_output<!has_own_memory<E>>(verb, in, out);
  });
}

/// The range of f(x[i], y[i]) up to the shorter end: that the sizes differ is said later.
template <class X, class Y, class F>
zipped<X, Y, F> zipped_as_far(X const& x, Y const& y, F const& f) {
  return {{first_of(x), first_of(y), std::addressof(f)},
          at_most(std::ranges::size(x), std::ranges::size(y))};
}

/// The same of two ranges.
template <communicator C, executor E, class X, class Y, class F, class Op>
auto reduce_both_pieces(ranks<C, E> const& all, X const& x, Y const& y, F const& f, Op const& op,
                        options<accumulator_over_both<Op, X, Y, F>> const& o) {
  if constexpr (zip_fits<X, Y, F>())
    return reduce_pieces("transform_reduce", all, zipped_as_far(x, y, f), as_is{}, op, o,
                         [&] { (void)zip("transform_reduce", x, y, f); });
  else
    return no_result<std::ranges::range_value_t<X>>();
}
template <scan_kind kind, communicator C, executor E, class X, class Y, class Out, class F,
          class Op>
void scan_both_pieces(char const* verb, ranks<C, E> const& all, X const& x, Y const& y, Out& out,
                      F const& f, Op const& op,
                      options<accumulator_over_both<Op, X, Y, F>> const& o) {
  if constexpr (is_output<Out>() && zip_fits<X, Y, F>())
    scan_pieces<kind>(verb, all, zipped_as_far(x, y, f), out, as_is{}, op, o, [&] {
      (void)zip(verb, x, y, f);
      check_output<!has_own_memory<E>>(verb, x, out);
      check_output<!has_own_memory<E>>(verb, y, out);
    });
}

}  // namespace upsweep::detail

namespace upsweep {

/// reduce() of all pieces, in the order of the ranks. Every rank gets the result. The options must
/// be the same on all ranks, and accumulators must have bytes (see to_bytes()). If one rank throws,
/// all ranks throw, unless it throws after it has received the last message. Ranks that make
/// different calls (another verb, type of elements, operator or option) all throw.
template <communicator C, executor E, elements In, class Op = plus>
[[nodiscard]] auto reduce(ranks<C, E> const& all, In const& in, Op const& op,
                          options<detail::accumulator_over<Op, In const>> const& o = {}) {
  return detail::reduce_pieces("reduce", all, in, detail::as_is{}, op, o, [] {});
}
template <communicator C, executor E, elements In>
[[nodiscard]] auto reduce(ranks<C, E> const& all, In const& in,
                          options<detail::accumulator_over<plus, In const>> const& o = {}) {
  return detail::reduce_pieces("reduce", all, in, detail::as_is{}, plus{}, o, [] {});
}

/// The same of the results of a function, of one range or two.
template <communicator C, executor E, elements In, detail::not_elements F, class Op = plus>
[[nodiscard]] auto transform_reduce(
    ranks<C, E> const& all, In const& in, F const& f, Op const& op,
    options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  return detail::reduce_pieces("transform_reduce", all, in, f, op, o, [] {});
}
template <communicator C, executor E, elements In, detail::not_elements F>
[[nodiscard]] auto transform_reduce(
    ranks<C, E> const& all, In const& in, F const& f,
    options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  return detail::reduce_pieces("transform_reduce", all, in, f, plus{}, o, [] {});
}
template <communicator C, executor E, elements X, elements Y, class F, class Op = plus>
[[nodiscard]] auto transform_reduce(
    ranks<C, E> const& all, X const& x, Y const& y, F const& f, Op const& op,
    options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  return detail::reduce_both_pieces(all, x, y, f, op, o);
}
template <communicator C, executor E, elements X, elements Y, class F>
[[nodiscard]] auto transform_reduce(
    ranks<C, E> const& all, X const& x, Y const& y, F const& f,
    options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  return detail::reduce_both_pieces(all, x, y, f, plus{}, o);
}

/// Scans of all pieces. Each rank gets the results for its piece in `out`, which has the size of
/// the piece and may be the same memory.
template <communicator C, executor E, elements In, detail::output_like Out, class Op = plus>
void inclusive_scan(ranks<C, E> const& all, In const& in, Out&& out, Op const& op,
                    options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_pieces<scan_kind::inclusive>("inclusive_scan", all, in, out, detail::as_is{}, op, o);
}
template <communicator C, executor E, elements In, detail::output_like Out>
void inclusive_scan(ranks<C, E> const& all, In const& in, Out&& out,
                    options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_pieces<scan_kind::inclusive>("inclusive_scan", all, in, out, detail::as_is{}, plus{},
                                            o);
}
template <communicator C, executor E, elements In, detail::output_like Out, class Op = plus>
void exclusive_scan(ranks<C, E> const& all, In const& in, Out&& out, Op const& op,
                    options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_pieces<scan_kind::exclusive>("exclusive_scan", all, in, out, detail::as_is{}, op, o);
}
template <communicator C, executor E, elements In, detail::output_like Out>
void exclusive_scan(ranks<C, E> const& all, In const& in, Out&& out,
                    options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_pieces<scan_kind::exclusive>("exclusive_scan", all, in, out, detail::as_is{}, plus{},
                                            o);
}

template <communicator C, executor E, elements In, detail::output_like Out, detail::not_output F,
          class Op = plus>
void transform_inclusive_scan(ranks<C, E> const& all, In const& in, Out&& out, F const& f,
                              Op const& op,
                              options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_pieces<scan_kind::inclusive>("transform_inclusive_scan", all, in, out, f, op, o);
}
template <communicator C, executor E, elements In, detail::output_like Out, detail::not_output F>
void transform_inclusive_scan(ranks<C, E> const& all, In const& in, Out&& out, F const& f,
                              options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_pieces<scan_kind::inclusive>("transform_inclusive_scan", all, in, out, f, plus{}, o);
}
template <communicator C, executor E, elements X, elements Y, detail::output_like Out, class F,
          class Op = plus>
void transform_inclusive_scan(ranks<C, E> const& all, X const& x, Y const& y, Out&& out, F const& f,
                              Op const& op,
                              options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both_pieces<scan_kind::inclusive>("transform_inclusive_scan", all, x, y, out, f, op,
                                                 o);
}
template <communicator C, executor E, elements X, elements Y, detail::output_like Out, class F>
void transform_inclusive_scan(ranks<C, E> const& all, X const& x, Y const& y, Out&& out, F const& f,
                              options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both_pieces<scan_kind::inclusive>("transform_inclusive_scan", all, x, y, out, f,
                                                 plus{}, o);
}
template <communicator C, executor E, elements In, detail::output_like Out, detail::not_output F,
          class Op = plus>
void transform_exclusive_scan(ranks<C, E> const& all, In const& in, Out&& out, F const& f,
                              Op const& op,
                              options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_pieces<scan_kind::exclusive>("transform_exclusive_scan", all, in, out, f, op, o);
}
template <communicator C, executor E, elements In, detail::output_like Out, detail::not_output F>
void transform_exclusive_scan(ranks<C, E> const& all, In const& in, Out&& out, F const& f,
                              options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_pieces<scan_kind::exclusive>("transform_exclusive_scan", all, in, out, f, plus{}, o);
}
template <communicator C, executor E, elements X, elements Y, detail::output_like Out, class F,
          class Op = plus>
void transform_exclusive_scan(ranks<C, E> const& all, X const& x, Y const& y, Out&& out, F const& f,
                              Op const& op,
                              options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both_pieces<scan_kind::exclusive>("transform_exclusive_scan", all, x, y, out, f, op,
                                                 o);
}
template <communicator C, executor E, elements X, elements Y, detail::output_like Out, class F>
void transform_exclusive_scan(ranks<C, E> const& all, X const& x, Y const& y, Out&& out, F const& f,
                              options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both_pieces<scan_kind::exclusive>("transform_exclusive_scan", all, x, y, out, f,
                                                 plus{}, o);
}

}  // namespace upsweep

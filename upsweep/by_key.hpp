/// By key: every run of equal neighboring keys has the result of a call on its values alone.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/core/call_memory.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/unique.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::detail {

/// The equality of keys in a call, told from the options.
template <class Same>
inline constexpr bool is_options = false;
template <class A>
inline constexpr bool is_options<options<A>> = true;
template <class Same>
concept not_options = !is_options<Same>;

/// The marks of a block of the input, counted from its begin.
template <class Marks>
struct marks_from {
  Marks const& marks;
  std::size_t base;

  void operator()(std::size_t begin, std::size_t end, mark* to) const {
    marks(base + begin, base + end, to);
  }
  [[nodiscard]] auto numbers(std::size_t begin) const
    requires marks_neighbors<Marks>
  {
    return marks.numbers(base + begin);
  }
};

/// The elements of a block, and of one on a single thread, in whose cache its heads stay. Positions
/// in it fit 32 bits.
inline constexpr std::size_t run_block = std::size_t{1} << 20,
                             serial_run_block = std::size_t{1} << 16;

/// Calls visit(border, count, k) for `count` consecutive runs from number k on, visit_one(begin,
/// end, k) for run k, in order, and returns the number of runs of n keys. Each block of keys is
/// compared once, and the run at its end is passed alone when its end is known, however long it is.
/// `select(begin, k, f)` returns f(outputs...), with the outputs besides the positions that take
/// something of the runs from number k on, whose keys are those from `begin` on.
template <class E, class Keys, class Same, class Select, class F, class One>
std::size_t for_each_run(E const& on, Keys const& keys, Same const& equal, Select const& select,
                         F const& visit, One const& visit_one) {
  std::size_t const n = std::ranges::size(keys);
  std::size_t const block = threads_for(on, n) == 1 ? serial_run_block : run_block;
  call_memory<std::uint32_t> const heads(at_most(n, block));
  auto const marks = heads_of(keys, equal);
  using border = segment_borders<std::uint32_t const*>;
  std::size_t runs = 0, open = 0;  // the last run so far begins at `open`
  for (std::size_t begin = 0; begin < n; begin += block) {
    std::size_t const size = at_most(block, n - begin);
    position_output<std::uint32_t*> const positions{heads.first(), size, 0};
    marks_from<decltype(marks)> const here{marks, begin};
    std::size_t const count = select(begin, runs, [&](auto const&... more) {
      return select_on(on, here, size, positions, more...).of[0];
    });
    if (count == 0) continue;
    std::size_t const first = begin + heads.first()[0];
    if (runs > 0) visit_one(open, first, runs - 1);
    if (count > 1) visit(border{heads.first(), begin}, count - 1, runs);
    open = begin + heads.first()[count - 1];
    runs += count;
  }
  if (runs > 0) visit_one(open, n, runs - 1);
  return runs;
}

/// What all verbs by key need of their keys.
template <class Keys, class Same>
constexpr bool keys_compare() {
  using reference = std::ranges::range_reference_t<Keys const>;
  return is_predicate<Same, reference, reference>();
}

/// Those of reduce_runs(verb, ...).
template <class E, class Keys, class In, class KeysOut, class Out, class Op, class Same>
std::size_t reduce_runs_on(E const& on, Keys const& keys, In const& in, KeysOut& keys_out, Out& out,
                           Op const& op, Same const& equal,
                           options<accumulator_over<Op, In const>> const& o) {
  if constexpr (scan_fits<In, Out, as_is, Op>() && keys_compare<Keys, Same>() &&
                stores_elements<Keys, KeysOut>()) {
    float_environment const ieee;
    constexpr char const* verb = "reduce_runs";
    expects(!o.reverse, "reduce_runs: .reverse is not supported; reverse the ranges");
    expect_prefix_tree(o);
    std::size_t const n = std::ranges::size(in), room = std::ranges::size(out);
    if (n != std::ranges::size(keys)) fail_inputs(verb, std::ranges::size(keys), n);
    expect_apart<false>(verb, keys, keys_out);
    expect_apart<false>(verb, keys, out);
    expect_apart<false>(verb, in, keys_out);
    expect_apart<false>(verb, in, out);
    expect_apart<false>(verb, keys_out, out);
    auto const results = sink_of<false>(out, room, op);
    as_is const f;
    auto const x = source_of<false>(in, n, f, op);
    auto const to_keys = values_to(keys, keys_out);
    auto const marks = heads_of(keys, equal);
    start_of<Op, accumulator_over<Op, In const>> const start(op, o.initial);
    call const c{x, n, op, o.mode, start.get()};
    using sink = std::remove_const_t<decltype(results)>;
    constexpr bool has_kernels = has_run_reductions<E, std::remove_const_t<decltype(marks)>,
                                                    std::remove_const_t<decltype(to_keys)>,
                                                    std::remove_const_t<decltype(c)>, sink>;
    expect_segments<E, sink, has_kernels>();
    std::size_t count = 0;
    if constexpr (has_kernels)
      count = on.reduce_runs(marks, to_keys, c, results, room);
    else
      count = for_each_run(
          on, keys, equal,
          [&](std::size_t begin, std::size_t runs, auto const& select) {
            return select(moved_on(to_keys, begin, runs));
          },
          [&](auto const& border, std::size_t more, std::size_t runs) {
            if (runs >= room) return;
            for_each_segment(on, border, at_most(more, room - runs),
                             [&](std::size_t k, std::size_t end, auto const& here) {
                               reduce_segment_range(here, x, op, o, border, k, end, results, runs);
                             });
          },
          [&](std::size_t begin, std::size_t end, std::size_t run) {
            if (run < room) results.store(run, reduce_long(on, c, begin, end - begin));
          });
    expect_room(verb, "the output of the keys", std::ranges::size(keys_out), count);
    expect_room(verb, "the output of the results", room, count);
    return count;
  }
  return 0;
}

/// All scans by key.
template <scan_kind kind, class E, class Keys, class In, class Out, class Op, class Same>
void scan_runs_on(char const* verb, E const& on, Keys const& keys, In const& in, Out& out,
                  Op const& op, Same const& equal,
                  options<accumulator_over<Op, In const>> const& o) {
  using A = accumulator_over<Op, In const>;
  if constexpr (scan_fits<In, Out, as_is, Op>() && keys_compare<Keys, Same>()) {
    float_environment const ieee;
    expects(!o.reverse, "scan of runs: .reverse is not supported; reverse the ranges");
    std::size_t const n = std::ranges::size(in);
    if (n != std::ranges::size(keys)) fail_inputs(verb, std::ranges::size(keys), n);
    check_output(verb, in, out);
    expect_apart<false>(verb, keys, out);
    auto const results = sink_of<false>(out, n, op);
    first_results<kind, Op, A> const first(op, o);
    as_is const f;
    call const c{source_of<false>(in, n, f, op), n, op, o.mode, first.initial, first.first};
    auto const marks = heads_of(keys, equal);
    using sink = std::remove_const_t<decltype(results)>;
    constexpr bool has_kernels =
        has_run_scans<E, kind, std::remove_const_t<decltype(marks)>, first_of_t<Keys>,
                      std::remove_const_t<decltype(c)>, sink>;
    expect_segments<E, sink, has_kernels>();
    if constexpr (has_kernels)
      on.template scan_runs<kind>(marks, first_of(keys), c, results);
    else
      for_each_run(
          on, keys, equal, [](std::size_t, std::size_t, auto const& select) { return select(); },
          [&](auto const& border, std::size_t count, std::size_t) {
            for_each_segment(on, border, count,
                             [&](std::size_t k, std::size_t end, auto const& here) {
                               scan_segment_range<kind>(here, c, border, k, end, results);
                             });
          },
          [&](std::size_t begin, std::size_t end, std::size_t) {
            scan_long<kind>(on, c, begin, end - begin, results);
          });
  }
}

}  // namespace upsweep::detail

namespace upsweep {

/// Reduction by key: for each run of equal neighbors in `keys`, stores its first key in `keys_out`
/// and the reduction of its values in `out`. Returns the number of runs. A result has the bits of
/// reduce() on the values of that run, with `.initial` on its left. Neighbors are compared by == or
/// by `equal(keys[i - 1], keys[i])`, called once for each i > 0, from several threads, in any
/// order. A key that occurs again later begins another run: for one result per key, sort first.
///
/// `keys` and `in` have n elements each, n >= 0. Throws precondition_error for inputs of different
/// sizes and for an output that overlaps another range. If an output is too small, it stores what
/// fits and throws precondition_error with the required size. Exceptions of `op` and `equal`
/// propagate; the contents of the outputs are then unspecified. Runs on the CPU executors and on
/// upsweep::gpu.
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like KeysOut, detail::output_like Out, class Op = plus>
std::size_t reduce_runs(E const& on, Keys const& keys, In const& in, KeysOut&& keys_out, Out&& out,
                        Op const& op,
                        options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_on(on, keys, in, keys_out, out, op, same{}, o);
}
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like KeysOut, detail::output_like Out>
std::size_t reduce_runs(E const& on, Keys const& keys, In const& in, KeysOut&& keys_out, Out&& out,
                        options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_on(on, keys, in, keys_out, out, plus{}, same{}, o);
}
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like KeysOut, detail::output_like Out, class Op = plus,
          detail::not_options Same>
std::size_t reduce_runs(E const& on, Keys const& keys, In const& in, KeysOut&& keys_out, Out&& out,
                        Op const& op, Same const& equal,
                        options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_on(on, keys, in, keys_out, out, op, equal, o);
}
template <elements Keys, elements In, detail::output_like KeysOut, detail::output_like Out,
          class Op = plus>
std::size_t reduce_runs(Keys const& keys, In const& in, KeysOut&& keys_out, Out&& out, Op const& op,
                        options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_on(detail::default_executor_t<Keys>{}, keys, in, keys_out, out, op,
                                same{}, o);
}
template <elements Keys, elements In, detail::output_like KeysOut, detail::output_like Out>
std::size_t reduce_runs(Keys const& keys, In const& in, KeysOut&& keys_out, Out&& out,
                        options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_on(detail::default_executor_t<Keys>{}, keys, in, keys_out, out, plus{},
                                same{}, o);
}
template <elements Keys, elements In, detail::output_like KeysOut, detail::output_like Out,
          class Op = plus, detail::not_options Same>
std::size_t reduce_runs(Keys const& keys, In const& in, KeysOut&& keys_out, Out&& out, Op const& op,
                        Same const& equal,
                        options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_on(detail::default_executor_t<Keys>{}, keys, in, keys_out, out, op,
                                equal, o);
}

/// Inclusive scan by key: out[i] is the reduction of the values of its run up to in[i], with the
/// bits of inclusive_scan() on that run alone. The three ranges have n elements each; `out` may be
/// the memory of `in`. Keys and errors are those of reduce_runs.
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like Out, class Op = plus>
void inclusive_scan_runs(E const& on, Keys const& keys, In const& in, Out&& out, Op const& op,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::inclusive>("inclusive_scan_runs", on, keys, in, out, op, same{},
                                             o);
}
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like Out>
void inclusive_scan_runs(E const& on, Keys const& keys, In const& in, Out&& out,
                         options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::inclusive>("inclusive_scan_runs", on, keys, in, out, plus{},
                                             same{}, o);
}
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like Out, class Op = plus, detail::not_options Same>
void inclusive_scan_runs(E const& on, Keys const& keys, In const& in, Out&& out, Op const& op,
                         Same const& equal,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::inclusive>("inclusive_scan_runs", on, keys, in, out, op, equal,
                                             o);
}
template <elements Keys, elements In, detail::output_like Out, class Op = plus>
void inclusive_scan_runs(Keys const& keys, In const& in, Out&& out, Op const& op,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::inclusive>(
      "inclusive_scan_runs", detail::default_executor_t<Keys>{}, keys, in, out, op, same{}, o);
}
template <elements Keys, elements In, detail::output_like Out>
void inclusive_scan_runs(Keys const& keys, In const& in, Out&& out,
                         options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::inclusive>(
      "inclusive_scan_runs", detail::default_executor_t<Keys>{}, keys, in, out, plus{}, same{}, o);
}
template <elements Keys, elements In, detail::output_like Out, class Op = plus,
          detail::not_options Same>
void inclusive_scan_runs(Keys const& keys, In const& in, Out&& out, Op const& op, Same const& equal,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::inclusive>(
      "inclusive_scan_runs", detail::default_executor_t<Keys>{}, keys, in, out, op, equal, o);
}

/// Exclusive scan by key. The first result of a run is `.initial` or the identity; without either,
/// throws precondition_error.
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like Out, class Op = plus>
void exclusive_scan_runs(E const& on, Keys const& keys, In const& in, Out&& out, Op const& op,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::exclusive>("exclusive_scan_runs", on, keys, in, out, op, same{},
                                             o);
}
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like Out>
void exclusive_scan_runs(E const& on, Keys const& keys, In const& in, Out&& out,
                         options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::exclusive>("exclusive_scan_runs", on, keys, in, out, plus{},
                                             same{}, o);
}
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like Out, class Op = plus, detail::not_options Same>
void exclusive_scan_runs(E const& on, Keys const& keys, In const& in, Out&& out, Op const& op,
                         Same const& equal,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::exclusive>("exclusive_scan_runs", on, keys, in, out, op, equal,
                                             o);
}
template <elements Keys, elements In, detail::output_like Out, class Op = plus>
void exclusive_scan_runs(Keys const& keys, In const& in, Out&& out, Op const& op,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::exclusive>(
      "exclusive_scan_runs", detail::default_executor_t<Keys>{}, keys, in, out, op, same{}, o);
}
template <elements Keys, elements In, detail::output_like Out>
void exclusive_scan_runs(Keys const& keys, In const& in, Out&& out,
                         options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::exclusive>(
      "exclusive_scan_runs", detail::default_executor_t<Keys>{}, keys, in, out, plus{}, same{}, o);
}
template <elements Keys, elements In, detail::output_like Out, class Op = plus,
          detail::not_options Same>
void exclusive_scan_runs(Keys const& keys, In const& in, Out&& out, Op const& op, Same const& equal,
                         options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::exclusive>(
      "exclusive_scan_runs", detail::default_executor_t<Keys>{}, keys, in, out, op, equal, o);
}

/// The same by an overloaded function, such as std::max<T>, whose type cannot be deduced.
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like KeysOut, detail::output_like Out>
std::size_t reduce_runs(E const& on, Keys const& keys, In const& in, KeysOut&& keys_out, Out&& out,
                        detail::function_over<In>& op,
                        options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<KeysOut, Out>();
  return detail::reduce_runs_on(on, keys, in, keys_out, out, op, same{}, o);
}
template <elements Keys, elements In, detail::output_like KeysOut, detail::output_like Out>
std::size_t reduce_runs(Keys const& keys, In const& in, KeysOut&& keys_out, Out&& out,
                        detail::function_over<In>& op,
                        options<std::ranges::range_value_t<In>> const& o = {}) {
  return upsweep::reduce_runs(detail::default_executor_t<Keys>{}, keys, in,
                              static_cast<KeysOut&&>(keys_out), static_cast<Out&&>(out), op, o);
}
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like Out>
void inclusive_scan_runs(E const& on, Keys const& keys, In const& in, Out&& out,
                         detail::function_over<In>& op,
                         options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::inclusive>("inclusive_scan_runs", on, keys, in, out, op, same{},
                                             o);
}
template <elements Keys, elements In, detail::output_like Out>
void inclusive_scan_runs(Keys const& keys, In const& in, Out&& out, detail::function_over<In>& op,
                         options<std::ranges::range_value_t<In>> const& o = {}) {
  upsweep::inclusive_scan_runs(detail::default_executor_t<Keys>{}, keys, in,
                               static_cast<Out&&>(out), op, o);
}
template <elements Keys, executor E = detail::default_executor_t<Keys>, elements In,
          detail::output_like Out>
void exclusive_scan_runs(E const& on, Keys const& keys, In const& in, Out&& out,
                         detail::function_over<In>& op,
                         options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_runs_on<scan_kind::exclusive>("exclusive_scan_runs", on, keys, in, out, op, same{},
                                             o);
}
template <elements Keys, elements In, detail::output_like Out>
void exclusive_scan_runs(Keys const& keys, In const& in, Out&& out, detail::function_over<In>& op,
                         options<std::ranges::range_value_t<In>> const& o = {}) {
  upsweep::exclusive_scan_runs(detail::default_executor_t<Keys>{}, keys, in,
                               static_cast<Out&&>(out), op, o);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> reduce_runs(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> inclusive_scan_runs(Args const&...) = delete;
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> exclusive_scan_runs(Args const&...) = delete;

}  // namespace upsweep

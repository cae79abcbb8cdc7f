/// Scans on the CPU, by the engine of their strategy.
#pragma once

#include <upsweep/host/buffer_engine.hpp>
#include <upsweep/host/fold_engine.hpp>
#include <upsweep/host/recurrence_engine.hpp>
#include <upsweep/host/reduce.hpp>
#include <upsweep/host/schedule.hpp>
#include <upsweep/host/split_engine.hpp>
#include <upsweep/host/tree_engine.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// A scan as the engines see it; emit() applies the initial value and stores a result.
template <class Source, class Sink, class Op>
struct scan_of {
  using source = Source;
  using sink = Sink;
  using operation = Op;
  using accumulator = typename Source::accumulator;

  Source const& in;
  Sink const& out;
  Op const& op;
  accumulator const* initial;  // may be null
  accumulator const* first;    // the exclusive result at position 0
  std::size_t nodes;           // of the largest tile
  std::size_t n;
  bool streamed = false;  // results are written past the caches, if the engine can

  void emit(std::size_t position, accumulator const& prefix) const {
    if (initial)
      out(position, op(*initial, prefix));
    else
      out(position, prefix);
  }
};

/// The engine of a strategy, which scans a tile.
template <scan_kind kind, strategy by, class Scan>
constexpr auto pick_engine() {
  using enum strategy;
  if constexpr (by == strategy::kernels) {
    return std::type_identity<buffer_engine<kind, Scan>>();
  } else if constexpr (by == pairs) {
    return std::type_identity<split_engine<kind, Scan>>();
  } else if constexpr (by == strategy::recurrence) {
    return std::type_identity<recurrence_engine<kind, Scan>>();
  } else if constexpr (by == running) {
    return std::type_identity<fold_engine<kind, Scan>>();
  } else if constexpr (by == objects) {
    return std::type_identity<object_engine<kind, Scan>>();
  } else {
    static_assert(by == registers || by == levels || by == nodes,
                  "the engine of this strategy is missing");
    return std::type_identity<tree_engine<kind, Scan>>();
  }
}
template <scan_kind kind, strategy by, class Scan>
using engine_type = typename decltype(pick_engine<kind, by, Scan>())::type;

/// What the plan of a scan depends on.
template <class Source, class Sink, class Op = typename Source::operation>
workload scan_workload(bool in_place) {
  using A = typename Source::accumulator;
  constexpr strategy by = scan_strategy<Source, Sink, Op>;
  workload w{by, element_bytes<Source>, sizeof(A), in_place};
  if constexpr (requires { requires Sink::packed; }) w.one_thread = true;
  if constexpr (by == strategy::recurrence) {
    using T = typename recurrence_numbers<Op>::type;
    w.accumulator_bytes = recurrence_numbers<Op>::order * sizeof(T);
    w.streams = is_memory_of<Sink, T>;
  } else {
    if constexpr (by == strategy::pairs) w.accumulator_bytes = 2 * sizeof(split_number_t<A>);
    w.streams = stores_copies<Sink, A, Op> && (by == strategy::kernels || by == strategy::pairs ||
                                               by == strategy::registers || by == strategy::levels);
  }
  return w;
}
template <class Call, class Sink>
workload scan_workload(Call const& c, Sink const& out) {
  using Source = std::remove_const_t<decltype(c.in)>;
  bool in_place = false;
  if constexpr (requires { requires Source::plain && Sink::plain; })
    in_place = static_cast<void const*>(c.in.pointer(c.in.base())) == out.pointer(c.in.base());
  return scan_workload<Source, Sink, typename Call::operation>(in_place);
}

/// Scans a call without the precompiled verbs; returns its total if the sink wants it. Appends the
/// elements of a chunk to `stream`. Not inlined, see reduce().
template <scan_kind kind, class Call, class Sink>
[[gnu::noinline]] detail::scan_total_t<Sink, typename Call::accumulator> scan(
    Call const& c, Sink const& out, plan const& p,
    carry<typename Call::accumulator>* stream = nullptr) {
  using Source = std::remove_const_t<decltype(c.in)>;
  using Op = typename Call::operation;
  using A = typename Call::accumulator;
  using Scan = scan_of<Source, Sink, Op>;
  using Engine = engine_type<kind, scan_strategy<Source, Sink, Op>, Scan>;
  A const* const before = stream ? nullptr : detail::prefix_before(c.op, c.initial);
  Scan all{c.in, out, c.op, detail::initial_of_results<Op>(c.initial), c.first, 0, c.n, p.streamed};
  bool has_engine = true;
  if constexpr (scan_strategy<Source, Sink, Op> == strategy::recurrence)
    has_engine = is_worth_blocks(c.op, c.n);
  if constexpr (requires(Engine& engine, A const* none) { engine.run(std::size_t{}, c.n, none); })
    if (!stream && p.threads <= 1 && has_engine)
      return static_cast<detail::scan_total_t<Sink, A>>(Engine(all).run(0, c.n, before));
  all.nodes = p.tile(c.n);
  carry<A> own(before);
  carry<A>& left = stream ? *stream : own;
  std::size_t const end = left.position() + c.n;
  if (has_engine)
    scan_tiles<Engine>(all, end, c.op, p, left);
  else if constexpr (scan_strategy<Source, Sink, Op> == strategy::recurrence)
    scan_tiles<tree_engine<kind, Scan>>(all, end, c.op, p, left);
  if constexpr (!std::is_void_v<detail::scan_total_t<Sink, A>>)
    return all.initial ? A(c.op(*all.initial, *left.prefix())) : *left.prefix();
}

}  // namespace upsweep::host

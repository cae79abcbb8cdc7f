/// The CPU executors: `cpu` for all cores, `serial` for the calling thread.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/host/distribution.hpp>
#include <upsweep/host/few.hpp>
#include <upsweep/host/kernels.hpp>
#include <upsweep/host/scan.hpp>
#include <upsweep/host/select.hpp>

#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep::host {

/// What `upsweep bench --explain` prints: how `cpu` reduces n elements of `Source` or scans them
/// into `Sink`.
template <class Source>
[[nodiscard]] plan explain_reduction(std::size_t n, int threads) {
  plan p = plan_reduce(reduce_workload<Source>, n, threads);
  if (n <= most_reduced<Source>) p.few = few_reduction_strategy<Source>;
  return p;
}
template <class Source, class Sink>
[[nodiscard]] plan explain_scan(std::size_t n, int threads, bool in_place) {
  plan p = plan_scan(scan_workload<Source, Sink>(in_place), n, threads);
  if (n <= most_scanned<Source, Sink>) p.few = few_scan_strategy<Source, Sink>;
  return p;
}

}  // namespace upsweep::host

namespace upsweep {

/// Runs on all cores that this process may use, or on `threads` threads. Calls that are too small
/// to gain from several threads run on the calling thread. So do nested calls, which an operator
/// makes inside a parallel call.
struct cpu {
  static constexpr bool is_executor = true;
  using kernels = host::kernels;
  /// Number of threads. 0: as many as the CPU affinity mask and the cgroup quota allow, at most
  /// 1024. A negative number is an error.
  int threads = 0;
  upsweep::mode mode = mode::reproducible;

  template <class Call>
  typename Call::accumulator reduce(Call const& c) const {
    if constexpr (host::most_reduced<typename Call::source> > 0)
      if (c.n <= host::most_reduced<typename Call::source> && are_few(c))
        return host::reduce_few(c);
    host::plan const p = reduction_plan(c);
    if constexpr (host::is_compiled_either_way<typename Call::source>) {
      auto const& verbs = host::compiled_reduce_of<typename Call::source>();
      auto* const x = host::fixed_pointer(std::to_address(c.in.first()));
      return static_cast<typename Call::accumulator>(
          Call::source::reversed ? verbs.reduce_reversed(x, c.n, p)
                                 : verbs.reduce(x, c.n, mode == mode::fast ? mode : c.how, p));
    } else {
      return host::reduce(c, p);
    }
  }
  template <class Call, class A>
  void reduce_chunk(Call const& c, carry<A>& left) const {
    using Source = typename Call::source;
    host::plan const p = reduction_plan(c);
    if constexpr (host::is_compiled_source<Source>) {
      host::with_fixed_carry<Source>(left, c.op, [&](auto& fixed) {
        host::compiled_reduce_of<Source>().reduce_chunk(host::fixed_pointer(c.in, left.position()),
                                                        c.n, p, fixed);
      });
    } else {
      host::reduce_tiles(host::block_totals<Source, typename Call::operation>{c.in, c.op},
                         left.position() + c.n, c.op, p, left);
    }
  }

  /// Both modes scan in the tree's order, which measurably costs nothing (docs/design/0002-cpu.md).
  template <scan_kind kind, class Call, class Sink>
  detail::scan_total_t<Sink, typename Call::accumulator> scan(Call const& c,
                                                              Sink const& out) const {
    using Source = typename Call::source;
    if constexpr (host::most_scanned<Source, Sink> > 0)
      if (c.n <= host::most_scanned<Source, Sink> && are_few(c))
        return host::scan_few<kind>(c, out);
    host::plan const p = scan_plan(c, out);
    if constexpr (host::is_compiled_scan_either_way<Source, Sink>) {
      host::fixed_value<Source> const initial(c.initial), first(c.first);
      host::compiled_scan_of<Source>().scan(kind, Source::reversed)(
          host::fixed_pointer(std::to_address(c.in.first())),
          host::fixed_pointer(std::to_address(out.first())), c.n, p, initial.get(), first.get());
    } else {
      return host::scan<kind>(c, out, p);
    }
  }
  template <scan_kind kind, class Call, class Sink, class A>
  void scan_chunk(Call const& c, Sink const& out, carry<A>& left) const {
    using Source = typename Call::source;
    host::plan const p = scan_plan(c, out);
    if constexpr (host::is_compiled_scan<Source, Sink>) {
      std::size_t const base = left.position();
      auto const& verbs = host::compiled_scan_of<Source>();
      auto const run = kind == scan_kind::inclusive ? verbs.inclusive_chunk : verbs.exclusive_chunk;
      host::fixed_value<Source> const initial(c.initial), first(c.first);
      host::with_fixed_carry<Source>(left, c.op, [&](auto& fixed) {
        run(host::fixed_pointer(c.in, base), host::fixed_pointer(out, base), c.n, p, initial.get(),
            first.get(), fixed);
      });
    } else {
      host::scan<kind>(c, out, p, &left);
    }
  }

  template <class Call, class Sink>
  void cumulative_distribution(Call const& c, Sink const& out) const {
    host::require_the_same_layouts<Call>();
    host::distribute(c, out, threads);
  }
  template <class Marks, class... Outputs>
  auto select(Marks const& marks, std::size_t n, Outputs const&... outputs) const {
    host::require_the_same_layouts<Marks>();
    return host::select(marks, n, threads, outputs...);
  }
  /// Sorts numbers by their bits and keys with values: see host/simd/loops.hpp.
  template <class U>
  void sort_numbers(U const* from, std::size_t n, U* to, detail::key_map<U> order) const {
    host::sort_numbers(from, n, to, order, threads);
  }
  template <class W>
  void sort_pairs(detail::keyed_blocks<W> const& x, std::size_t n) const {
    host::sort_pairs(x, n, threads);
  }
  /// How many threads a call over n elements uses.
  [[nodiscard]] int width(std::size_t n) const {
    return host::threads::team_size(n, host::worth_waking, threads);
  }

  /// Calls f(round, part, on) for all parts of each round, on several threads, where `on` is the
  /// executor of the call. A part begins when those of the round before have ended that are in its
  /// aligned group of 2^round parts; all threads need not meet.
  template <class F>
  void in_rounds(std::size_t rounds, std::size_t parts, F const& f) const {
    host::tickets calls(rounds * parts);
    auto const may_begin = [&](std::size_t round, std::size_t part) {
      std::size_t const group = std::size_t{1} << round, first = part / group * group,
                        last = detail::at_most(first + group, parts);
      for (std::size_t k = first; k < last; ++k)
        if (round > 0 && !calls.wait((round - 1) * parts + k)) return false;
      return true;
    };
    auto const most = static_cast<std::size_t>(host::threads::usable(threads));
    std::size_t const wanted = detail::at_most(parts, detail::most_in_rounds);
    host::run_tickets(calls, static_cast<int>(detail::at_most(most, wanted)),
                      [&](std::size_t ticket) {
                        std::size_t const round = ticket / parts, part = ticket % parts;
                        if (!may_begin(round, part)) return;
                        f(round, part, cpu{1, mode});
                        calls.mark_ready(ticket);
                      });
  }

  /// Calls f(line, on) for all lines: see host::run_lines.
  template <class F>
  void for_each_line(std::size_t count, std::size_t size, F const& f) const {
    host::run_lines(count, size, threads,
                    [&f, by = mode](std::size_t begin, std::size_t end, int team) {
                      cpu const on{team, by};
                      for (std::size_t line = begin; line < end; ++line) f(line, on);
                    });
  }

  /// Calls f(part) for all parts, each on one thread: see host::run_parts.
  template <class F>
  void for_each_part(std::size_t count, std::size_t size, F const& f) const {
    host::run_parts(count, size, threads, [&f](std::size_t begin, std::size_t end) {
      for (std::size_t part = begin; part < end; ++part) f(part);
    });
  }

 private:
  template <class Call>
  [[nodiscard]] bool are_few(Call const& c) const {
    return host::are_few<typename Call::accumulator>(c.n, threads);
  }
  template <class Call>
  [[nodiscard]] host::plan reduction_plan(Call const& c) const {
    using Source = std::remove_const_t<decltype(c.in)>;
    host::require_the_same_layouts<Call>();
    host::workload const& w = host::reduce_workload<Source>;
    if (are_few(c)) return {.strategy = w.strategy};
    return host::plan_reduce(w, c.n, threads);
  }
  template <class Call, class Sink>
  [[nodiscard]] host::plan scan_plan(Call const& c, Sink const& out) const {
    host::require_the_same_layouts<Call>();
    host::workload const w = host::scan_workload(c, out);
    if (are_few(c)) return {.strategy = w.strategy};
    return host::plan_scan(w, c.n, threads);
  }
};

/// Runs on the calling thread.
struct serial {
  static constexpr bool is_executor = true;
  using kernels = host::kernels;
  upsweep::mode mode = mode::reproducible;

  /// For streams, whose executor is `cpu` unless their type names another.
  operator cpu() const { return on(); }  // NOLINT(google-explicit-constructor)

  template <class Call>
  typename Call::accumulator reduce(Call const& c) const {
    return on().reduce(c);
  }
  template <scan_kind kind, class Call, class Sink>
  detail::scan_total_t<Sink, typename Call::accumulator> scan(Call const& c,
                                                              Sink const& out) const {
    return on().template scan<kind>(c, out);
  }
  template <class Call, class A>
  void reduce_chunk(Call const& c, carry<A>& left) const {
    on().reduce_chunk(c, left);
  }
  template <scan_kind kind, class Call, class Sink, class A>
  void scan_chunk(Call const& c, Sink const& out, carry<A>& left) const {
    on().template scan_chunk<kind>(c, out, left);
  }
  template <class Call, class Sink>
  void cumulative_distribution(Call const& c, Sink const& out) const {
    on().cumulative_distribution(c, out);
  }
  template <class Marks, class... Outputs>
  auto select(Marks const& marks, std::size_t n, Outputs const&... outputs) const {
    return on().select(marks, n, outputs...);
  }
  template <class U>
  void sort_numbers(U const* from, std::size_t n, U* to, detail::key_map<U> order) const {
    on().sort_numbers(from, n, to, order);
  }
  template <class W>
  void sort_pairs(detail::keyed_blocks<W> const& x, std::size_t n) const {
    on().sort_pairs(x, n);
  }
  [[nodiscard]] int width(std::size_t n) const { return on().width(n); }
  template <class F>
  void in_rounds(std::size_t rounds, std::size_t parts, F const& f) const {
    for (std::size_t round = 0; round < rounds; ++round)
      for (std::size_t part = 0; part < parts; ++part) f(round, part, *this);
  }
  template <class F>
  void for_each_line(std::size_t count, std::size_t, F const& f) const {
    for (std::size_t line = 0; line < count; ++line) f(line, *this);
  }

 private:
  [[nodiscard]] cpu on() const { return {.threads = 1, .mode = mode}; }
};

namespace detail {

template <class>
struct default_executor {
  using type = cpu;
};

}  // namespace detail

}  // namespace upsweep

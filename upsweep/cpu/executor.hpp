/// The executors of this machine's processor: `cpu` for all cores, `serial` for the calling thread.
#pragma once

#include <upsweep/cpu/compiled.hpp>
#include <upsweep/cpu/distribution.hpp>
#include <upsweep/cpu/scan.hpp>

namespace upsweep {

/// Runs on all cores that this process may use, or on `threads` of them. Calls too small to gain
/// from several threads, and calls from inside the operator of a call on several threads, run on
/// the calling thread.
struct cpu {
  static constexpr bool is_executor = true;
  int threads = 0;  ///< 0: as many as CPU affinity and the cgroup quota allow; more than 1024 count
                    ///< as 1024, fewer than 0 are an error
  upsweep::mode mode = mode::reproducible;

  template <class Source, class Op>
  auto reduce(Source const& in, std::size_t n, Op const& op, upsweep::mode m) const {
    if (mode == mode::fast) m = mode::fast;
    if constexpr (compiled::reduces<Source>)
      return compiled::reduce<Op>(in.pointer(0), n, threads, m);
    else
      return reduce_on(in, n, op, threads, m);
  }

  /// Both modes scan in the tree's order: measured, it costs nothing (docs/design/0002-cpu.md).
  template <scan_kind kind, class Source, class Sink, class Op, class A>
  void scan(Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial,
            A const* first, upsweep::mode) const {
    if constexpr (compiled::scans<Source, Sink>)
      compiled::scan<kind, Op>(in.pointer(0), out.pointer(0), n, threads, initial, first);
    else
      scan_on<kind>(in, out, n, op, threads, initial, first);
  }

  template <class Source, class Op, class A>
  void reduce_chunk(Source const& in, std::size_t n, Op const& op, carry<A>& left) const {
    if constexpr (compiled::reduces<Source>)
      compiled::reduce_chunk<Op>(in.pointer(left.position()), n, threads, left);
    else
      reduce_chunk_on(in, n, op, threads, left);
  }

  template <scan_kind kind, class Source, class Sink, class Op, class A>
  void scan_chunk(Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial,
                  A const* first, carry<A>& left) const {
    if constexpr (compiled::scans<Source, Sink>)
      compiled::scan_chunk<kind, Op>(in.pointer(left.position()), out.pointer(left.position()), n,
                                     threads, initial, first, left);
    else
      scan_chunk_on<kind>(in, out, n, op, threads, initial, first, left);
  }

  template <class Source, class Sink, class Op, class A>
  void cumulative_distribution(Source const& in, Sink const& out, std::size_t n, Op const& op,
                               A const* initial) const {
    distribution_on(in, out, n, op, threads, initial);
  }

  /// Few long lines run one after another on all threads; many lines are shared out, each on one
  /// thread.
  template <class F>
  void for_each_line(std::size_t count, std::size_t size, F const& f) const {
    constexpr std::size_t worth_waking = std::size_t{1} << 14;  // elements
    int const most = threads::team_size(count * size, worth_waking, threads);
    if (most <= 1 || count < 2 * static_cast<std::size_t>(most)) {
      for (std::size_t line = 0; line < count; ++line) f(line, *this);
      return;
    }
    std::size_t const runs = static_cast<std::size_t>(most) * 8;  // of neighbouring lines
    tickets shares(runs);
    auto work = [&](int) {
      while (auto const run = shares.take()) {
        try {
          for (std::size_t line = count * *run / runs; line < count * (*run + 1) / runs; ++line)
            f(line, cpu{1, mode});
        } catch (...) {
          shares.fail(*run);
        }
      }
    };
    threads::run(most, work);
    shares.rethrow();
  }
};

/// Runs on the calling thread.
struct serial {
  static constexpr bool is_executor = true;
  upsweep::mode mode = mode::reproducible;

  template <class Source, class Op>
  auto reduce(Source const& in, std::size_t n, Op const& op, upsweep::mode m) const {
    return on().reduce(in, n, op, m);
  }
  template <scan_kind kind, class Source, class Sink, class Op, class A>
  void scan(Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial,
            A const* first, upsweep::mode m) const {
    on().template scan<kind>(in, out, n, op, initial, first, m);
  }
  template <class Source, class Op, class A>
  void reduce_chunk(Source const& in, std::size_t n, Op const& op, carry<A>& left) const {
    on().reduce_chunk(in, n, op, left);
  }
  template <scan_kind kind, class Source, class Sink, class Op, class A>
  void scan_chunk(Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial,
                  A const* first, carry<A>& left) const {
    on().template scan_chunk<kind>(in, out, n, op, initial, first, left);
  }
  template <class Source, class Sink, class Op, class A>
  void cumulative_distribution(Source const& in, Sink const& out, std::size_t n, Op const& op,
                               A const* initial) const {
    on().cumulative_distribution(in, out, n, op, initial);
  }
  template <class F>
  void for_each_line(std::size_t count, std::size_t, F const& f) const {
    for (std::size_t line = 0; line < count; ++line) f(line, *this);
  }

 private:
  [[nodiscard]] cpu on() const { return {.threads = 1, .mode = mode}; }
};

template <class>
struct default_executor {
  using type = cpu;
};

}  // namespace upsweep

/// The executors of this machine's processor: `serial`, and `cpu` for all cores.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/executor.hpp>

namespace upsweep {

/// Runs on the calling thread and needs nothing of the element type but that it moves.
struct serial {
  static constexpr bool is_executor = true;
  upsweep::mode mode = mode::reproducible;

  template <class Source, class Op>
  auto reduce(Source const& in, std::size_t n, Op const& op, upsweep::mode) const {
    carry<typename Source::accumulator> left;
    for (std::size_t i = 0; i < n; ++i) left.push(0, in(i), op);
    return *left.prefix();
  }

  template <scan_kind kind, class Source, class Sink, class Op, class A>
  void scan(Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial, A const* first, upsweep::mode) const {
    carry<A> left;
    for (std::size_t i = 0; i < n; ++i) {
      A x = in(i);
      if constexpr (kind == scan_kind::exclusive) {
        if (i == 0)
          out(i, *first);
        else if (initial)
          out(i, op(*initial, *left.prefix()));
        else
          out(i, *left.prefix());
      }
      left.push(0, std::move(x), op);
      if constexpr (kind == scan_kind::inclusive) {
        if (initial)
          out(i, op(*initial, *left.prefix()));
        else
          out(i, *left.prefix());
      }
    }
  }
};

/// Runs on all cores that this process may use, or on `threads` of them.
struct cpu {
  static constexpr bool is_executor = true;
  int threads = 0;  ///< 0: as many as affinity and the cgroup quota allow
  upsweep::mode mode = mode::reproducible;

  template <class Source, class Op>
  auto reduce(Source const& in, std::size_t n, Op const& op, upsweep::mode m) const {
    return serial{mode}.reduce(in, n, op, m);
  }
  template <scan_kind kind, class Source, class Sink, class Op, class A>
  void scan(Source const& in, Sink const& out, std::size_t n, Op const& op, A const* initial, A const* first,
            upsweep::mode m) const {
    serial{mode}.template scan<kind>(in, out, n, op, initial, first, m);
  }
};

template <class>
struct default_executor {
  using type = cpu;
};

}  // namespace upsweep

/// The serial scan of a tile by a running value, for exactly associative operators.
#pragma once

#include <upsweep/host/blocks.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// True when the next element can be combined into a running value in place, and the value stays
/// valid if that throws.
template <class Source>
inline constexpr bool folds_in_place =
    detail::has_absorb<typename Source::operation, typename Source::accumulator,
                       typename Source::transformed> ||
    std::is_move_assignable_v<typename Source::accumulator> ||
    std::is_nothrow_move_constructible_v<typename Source::accumulator>;

/// True for operators that scan an array of results in one call, faster than value by value. The
/// elements must be floating-point numbers that convert to the results without rounding.
template <class Source, class Sink>
inline constexpr bool scans_ranges = [] {
  using Op = typename Source::operation;
  using X = typename Source::transformed;
  using R = result_t<Op, X>;
  if constexpr (requires(Op const& op, typename Source::accumulator& a, R* x, Sink const& out) {
                  op.scan_range(a, x, x, std::size_t{}, true);
                  out.store(std::size_t{}, *x);
                })
    return detail::is_float<X> && !detail::narrows<X, R>;
  else
    return false;
}();

/// For exactly associative operators: a running value, element by element. Reads a tile twice on
/// several threads, once on one.
template <scan_kind kind, class Scan>
class fold_engine {
 public:
  using A = typename Scan::accumulator;

  explicit fold_engine(Scan const& scan) : in_(scan.in), scan_(scan) {}

  A up(std::size_t position, int k) {
    A total = in_(position);
    in_.absorb_into(total, position + 1, position + (std::size_t{1} << k));
    return total;
  }
  void down(std::size_t position, int k, A const* before, A const&) {
    run(position, position + (std::size_t{1} << k), before);
  }

  /// Emits the results of [position, end), where `before` is the prefix in front of it (null at
  /// position 0), and returns the last inclusive one. The initial value is applied once: for an
  /// exact operator, initial op (a op b) is (initial op a) op b.
  A run(std::size_t position, std::size_t end, A const* before) {
    if (before)
      return run(position, end, scan_.initial ? A(scan_.op(*scan_.initial, *before)) : *before);
    if (scan_.initial) return run(position, end, A(*scan_.initial));
    A running = in_(position);
    if constexpr (kind == scan_kind::inclusive)
      scan_.out(position, running);
    else
      scan_.out(position, *scan_.first);
    return run(position + 1, end, std::move(running));
  }

 private:
  A run(std::size_t position, std::size_t end, A running) {
    if constexpr (scans_ranges<typename Scan::source, typename Scan::sink>) {
      run_ranges(position, end, running);
      return running;
    }
    for (; position < end; ++position) {
      if constexpr (kind == scan_kind::inclusive) {
        in_.absorb_into(running, position, position + 1);
        scan_.out(position, std::as_const(running));
      } else {
        auto const x = in_.value(position);  // before an in-place result overwrites it
        scan_.out(position, std::as_const(running));
        in_.absorb_value(running, x, position);
      }
    }
    return running;
  }

  /// Through a buffer in L1 where the elements or the results are not plain memory.
  void run_ranges(std::size_t position, std::size_t end, A& running) {
    using Source = typename Scan::source;
    using R = result_t<typename Scan::operation, typename Source::transformed>;
    constexpr bool inclusive = kind == scan_kind::inclusive;
    if constexpr (requires(R const* x, R* out) {
                    x = in_.pointer(position);
                    out = scan_.out.pointer(position);
                  }) {
      scan_.op.scan_range(running, in_.pointer(position), scan_.out.pointer(position),
                          end - position, inclusive);
    } else {
      constexpr std::size_t size = 1008;
      R buffer[size];
      while (position < end) {
        std::size_t const n = end - position < size ? end - position : size;
        for (std::size_t j = 0; j < n; ++j) buffer[j] = static_cast<R>(in_.value(position + j));
        scan_.op.scan_range(running, buffer, buffer, n, inclusive);
        for (std::size_t j = 0; j < n; ++j) scan_.out.store(position + j, buffer[j]);
        position += n;
      }
    }
  }

  typename Scan::source const& in_;
  Scan const& scan_;
};

}  // namespace upsweep::host

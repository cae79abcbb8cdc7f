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

  typename Scan::source const& in_;
  Scan const& scan_;
};

}  // namespace upsweep::host

/// The scan of a tile by the vector kernels of operators whose accumulator is made of two numbers:
/// moments and log_sum_exp.
#pragma once

#include <upsweep/core/call_memory.hpp>
#include <upsweep/host/blocks.hpp>
#include <upsweep/host/compiled.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::host {

/// The elements of a tile, of any source, are converted to an array in L1, which a kernel reduces
/// and scans; its results are joined to accumulators, or finished by the kernel, and stored.
template <scan_kind kind, class Scan>
class split_engine {
 public:
  using A = typename Scan::accumulator;

  explicit split_engine(Scan const& scan) : scan_(scan), memory_(bytes(scan.nodes)) {
    std::byte* next = memory_.first();
    auto const take = [&](std::size_t size) {
      auto* const first = reinterpret_cast<number*>(next);
      next += padded(size * sizeof(number));
      return first;
    };
    std::size_t const n = scan.nodes;
    x_ = take(n);
    block_.node = {take(n), take(n)};
    block_.result = {take(n + 1), take(n + 1)};
  }

  A up(std::size_t position, int k) {
    block_.n = std::size_t{1} << k;
    block_.x = x_;
    if constexpr (is_memory_of<typename Scan::source, number>)
      block_.x = scan_.in.pointer(position);
    else
      fill_numbers(x_, scan_.in, position, block_.n);
    return verbs().up(block_);
  }

  void down(std::size_t position, int k, A const* before, A const& after) {
    std::size_t const n = std::size_t{1} << k;
    verbs().down(block_, before, after, scan_.initial, finishes);
    std::uint64_t count = before ? split(*before).count : 0;
    if (scan_.initial) count += split(*scan_.initial).count;
    if constexpr (kind == scan_kind::inclusive) {
      emit(position, 1, n, count);
    } else if (before) {
      emit(position, 0, n, count);
    } else {
      scan_.out(position, *scan_.first);
      emit(position + 1, 1, n - 1, count);
    }
  }

 private:
  using Op = typename Scan::operation;
  using number = split_number_t<A>;
  /// The kernel applies the operator's finish(), if the sink takes what it returns.
  static constexpr bool finishes = requires(Op const& op, A const& a, Scan const& scan) {
    scan.out.store(std::size_t{}, op.finish(a));
  };

  static compiled_block_scan<Op, number> const& verbs() {
    return compiled_block_scans<Op, number>();
  }
  /// With a line of padding, because arrays at multiples of 4096 bytes would share the cache's
  /// sets.
  static constexpr std::size_t padded(std::size_t bytes) {
    constexpr std::size_t line = 64;
    return (bytes + line - 1) / line * line + line;
  }
  static std::size_t bytes(std::size_t n) {
    return 3 * padded(n * sizeof(number)) + 2 * padded((n + 1) * sizeof(number));
  }

  /// Stores the n results from result `first` on, the first of which has `count + first` elements.
  void emit(std::size_t position, std::size_t first, std::size_t n, std::uint64_t count) {
    if constexpr (finishes)
      by_64(n, [&](std::size_t i) {
        return [out = scan_.out, at = position + i, from = block_.result.a + first + i](int j) {
          out.store(at + static_cast<std::size_t>(j), from[j]);
        };
      });
    else if constexpr (is_memory_of<typename Scan::sink, A>)
      verbs().join({block_.result.a + first, block_.result.b + first}, count + first, n,
                   scan_.out.pointer(position));
    else
      by_64(n, [&](std::size_t i) {
        return [out = results_from(scan_.out, position + i), a = block_.result.a + first + i,
                b = block_.result.b + first + i, count = count + first + i](int j) {
          out(j, join_parts<A>(count + static_cast<std::uint64_t>(j), a[j], b[j]));
        };
      });
  }

  Scan const& scan_;
  detail::aligned_memory<> const memory_;
  number* x_;
  split_block<A> block_;
};

}  // namespace upsweep::host

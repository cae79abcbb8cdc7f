/// Scans that continue element by element with little state: blocks of 256 elements in the combine
/// tree, joined by a loop (docs/spec/blocks.md).
#pragma once

#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/scan.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace upsweep {

/// Scans elements of type T that arrive one by one or in chunks of any length, in the tree of
/// anchored blocks: anchored_scan<T>([op,] [initial]). A copy is a saved state. It has one
/// accumulator and at most eight totals of the current block, whereas scan_stream has one total for
/// each set bit of the number of elements. The bits are the same for any chunks. They differ from
/// those of inclusive_scan from 257 elements on, and with an initial value.
template <class T, class Op = plus>
class anchored_scan {
 public:
  using accumulator = accumulator_t<Op, T>;

  explicit anchored_scan(Op op = {}, std::optional<accumulator> const& initial = {})
      : op_(std::move(op)), left_(started(op_, initial)) {}

  /// The inclusive scan of the next chunk. `chunk` and `out` are contiguous ranges of the same size
  /// and may be the same memory. If the operator throws, the scan continues after the last element
  /// that it has taken.
  template <class In = std::span<T const>, class Out>
  void inclusive(In const& chunk, Out&& out) {
    detail::expect_kept<Out>();
    if constexpr (detail::chunk_fits<T, Op, In, Out>())
      scan(std::span<T const>(chunk), std::span(out));
  }

  [[nodiscard]] std::size_t size() const { return left_.position(); }

  /// The result of all elements so far, which is the last one of the scan. Throws
  /// precondition_error if there are none and no initial value.
  [[nodiscard]] auto result() const {
    accumulator const* const all = left_.result();
    detail::expects(all != nullptr,
                    "anchored_scan: there are no elements and hence no result; give an initial "
                    "value");
    return detail::finish(op_, *all);
  }

 private:
  template <class R>
  void scan(std::span<T const> chunk, std::span<R> out) {
    detail::float_environment const ieee;
    detail::check_output("anchored_scan", chunk, out);
    detail::as_is const f;
    std::size_t const base = size();
    source<T const*, detail::as_is, Op, false> const in(chunk.data(), chunk.size(), f, op_, base);
    sink<R*, Op, false> const results(out.data(), out.size(), op_, base);
    for (std::size_t i = base; i < base + chunk.size(); ++i) results(i, left_.push(in(i), op_));
  }

  static detail::anchored_carry<accumulator> started(Op const& op,
                                                     std::optional<accumulator> const& initial) {
    if (!initial) return {};
    accumulator const first = detail::start(op, *initial);
    return detail::anchored_carry<accumulator>(std::addressof(first));
  }

  Op op_;
  detail::anchored_carry<accumulator> left_;
};

}  // namespace upsweep

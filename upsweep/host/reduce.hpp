/// Reductions on the CPU.
#pragma once

#include <upsweep/host/blocks.hpp>
#include <upsweep/host/schedule.hpp>

#include <bit>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// Bytes of an element of `Source`; of its accumulator if it does not name its element type.
template <class Source>
inline constexpr std::size_t element_bytes = [] {
  if constexpr (requires { typename Source::element; })
    return sizeof(typename Source::element);
  else
    return sizeof(typename Source::accumulator);
}();

/// What the plan of a reduction depends on.
template <class Source>
inline constexpr workload reduce_workload{reduction_strategy<Source>, element_bytes<Source>,
                                          sizeof(typename Source::accumulator)};

/// The totals of blocks of `in`, for reduce_tiles.
template <class Source, class Op>
struct block_totals {
  using A = typename Source::accumulator;
  Source const& in;
  Op const& op;

  A operator()(std::size_t position, int k) const { return block_total(in, position, k, op); }
  [[nodiscard]] bool is_final(A const& a) const
    requires ends_early<Source>
  {
    return op.is_final(a);
  }
};

/// True for positions of extrema in an array, which a kernel finds in any number of elements: no
/// total depends on where blocks end.
template <class Source>
inline constexpr bool reduces_any_size = [] {
  if constexpr (!has_block_kernel<Source>)
    return false;
  else if constexpr (finds_extremum<typename Source::operation>)
    return Source::plain && std::is_same_v<block_element_t<Source>, typename Source::element>;
  else
    return false;
}();
template <class Source, class Op>
typename Source::accumulator reduce_pieces(Source const& in, std::size_t n, Op const& op) {
  using Kernel = block_kernel<Op, block_element_t<Source>>;
  constexpr std::size_t piece = std::size_t{1} << largest_kernel_log2<Source>;
  auto const total_from = [&](std::size_t i) {
    return Kernel::total(op, fixed_pointer(in, i), detail::at_most(n - i, piece), i);
  };
  auto total = total_from(0);
  for (std::size_t i = piece; i < n; i += piece) total = op(total, total_from(i));
  return total;
}

/// prefix(n) on the calling thread.
template <class Source, class Op>
typename Source::accumulator reduce_serially(Source const& in, std::size_t n, Op const& op) {
  if constexpr (reduces_any_size<Source>) {
    return reduce_pieces(in, n, op);
  } else if constexpr (reduction_strategy<Source> == strategy::running) {
    auto total = in(0);
    in.absorb_into(total, 1, n);
    return total;
  } else {
    std::size_t position = std::bit_floor(n);
    std::optional<typename Source::accumulator> total(
        std::in_place, block_total(in, 0, detail::floor_log2(n), op));
    while (position < n) {
      if constexpr (ends_early<Source>)
        if (op.is_final(std::as_const(*total))) break;
      int const k = detail::aligned_block(position, n);
      total.emplace(op(std::as_const(*total), block_total(in, position, k, op)));
      position += std::size_t{1} << k;
    }
    return *std::move(total);
  }
}

/// prefix(n) of a call, after what is before its elements, without the precompiled verbs. Not
/// inlined: g++ inlines operators of some twenty operations less where it inlines more around them.
template <class Call>
[[gnu::noinline]] typename Call::accumulator reduce(Call const& c, plan const& p) {
  if constexpr (requires { requires Call::source::in_memory; })
    if constexpr (detail::has_replaces<typename Call::operation, typename Call::accumulator>)
      if (auto last = c.in(c.n - 1); c.op.replaces(last)) return last;
  auto const* const before = detail::prefix_before(c.op, c.initial);
  if (p.threads <= 1 && !before) return reduce_serially(c.in, c.n, c.op);
  carry<typename Call::accumulator> left(before);
  reduce_tiles(block_totals<typename Call::source, typename Call::operation>{c.in, c.op}, c.n, c.op,
               p, left);
  return *left.prefix();
}

}  // namespace upsweep::host

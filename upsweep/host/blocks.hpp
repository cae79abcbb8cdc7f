/// The total of an aligned block of elements, by the fastest way that its operator allows.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/host/block_kernels.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/convert.hpp>
#include <upsweep/host/register_levels.hpp>
#include <upsweep/host/strategies.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// True when the results of `Op` are stored in memory as they are.
template <class Sink, class A, class Op>
inline constexpr bool stores_copies = is_memory_of<Sink, A> && std::is_trivially_copyable_v<A> &&
                                      !requires(Op const& op, A const& a) { op.finish(a); };

/// The total of the aligned block of 2^k elements at `position`, by a binary counter: the stack
/// holds one total for each binary digit of the number of elements so far.
template <class Source, class Op>
typename Source::accumulator large_block_total(Source const& in, std::size_t position, int k,
                                               Op const& op) {
  using A = typename Source::accumulator;
  detail::value_stack<A> totals(static_cast<std::size_t>(k) + 1);
  for (std::size_t i = 0; i < std::size_t{1} << k; ++i) {
    std::optional<A> total(std::in_place, in(position + i));
    for (std::size_t digits = i; digits & 1u; digits >>= 1) {
      total.emplace(op(totals.top(), std::as_const(*total)));
      totals.pop();
    }
    totals.push(*std::move(total));
  }
  return totals.top();
}

/// The accumulators of the n elements at `position`, to `to`.
template <class T, class Source>
void fill(T* __restrict to, Source const& in, std::size_t position, std::size_t n) {
  in_widest_registers([=, &in, prefetch = prefetcher<64, Source>(in)]() UPSWEEP_INLINED {
    by_64(n, [&](std::size_t i) UPSWEEP_INLINED {
      prefetch(position + i);
      return [x = elements_from(in, position + i), to = to + i](int j)
                 UPSWEEP_INLINED { to[j] = static_cast<T>(x(j)); };
    });
  });
}

/// The n elements at `position` before lifting, converted, to `to`. Those that do not convert, such
/// as maps of 16-bit floats, are lifted.
template <class N, class Source>
void fill_numbers(N* __restrict to, Source const& in, std::size_t position, std::size_t n) {
  constexpr bool converts = requires(typename Source::transformed const& x) { static_cast<N>(x); };
  if constexpr (!converts)
    fill(to, in, position, n);
  else if constexpr (Source::plain)
    convert(to, fixed_pointer(in, position), n);
  else
    by_64_avx2(n, [&](std::size_t i) UPSWEEP_INLINED {
      return [from = in.values_from(position + i), to = to + i](int j)
                 UPSWEEP_INLINED { to[j] = static_cast<N>(from(j)); };
    });
}

/// True when elements need not be read once a total is final: with contiguous memory nobody can
/// notice, as with a function of the user's.
template <class Source>
inline constexpr bool ends_early = [] {
  if constexpr (requires { requires Source::plain; })
    return detail::has_is_final<typename Source::operation, typename Source::accumulator>;
  else
    return false;
}();

/// log2 of the smallest block for a kernel; small_block takes the smaller ones.
inline constexpr int least_kernel_log2 = 5;

/// log2 of the largest block that block_total gives to a kernel at once.
template <class Source>
inline constexpr int largest_kernel_log2 = [] {
  using Kernel = block_kernel<typename Source::operation, block_element_t<Source>>;
  return Source::plain || Kernel::largest_log2 < 10 ? Kernel::largest_log2 : 10;
}();

/// block_total by a kernel: over the elements themselves where they are plain memory, else over a
/// buffer in L1. Not inlined, so that the recursion around it does not hold a buffer a level.
template <class Source, class Op>
[[gnu::noinline]] typename Source::accumulator kernel_total(Source const& in, std::size_t position,
                                                            int k, Op const& op) {
  using T = block_element_t<Source>;
  using Kernel = block_kernel<Op, T>;
  std::size_t const n = std::size_t{1} << k;
  if constexpr (Source::plain && std::is_same_v<T, typename Source::element>) {
    return Kernel::total(op, fixed_pointer(in, position), n, position);
  } else {
    alignas(64) typename Kernel::element buffer[std::size_t{1} << largest_kernel_log2<Source>];
    if constexpr (std::is_same_v<T, typename Source::accumulator> &&
                  !detail::tries_plain<Op, typename Source::accumulator>)
      fill(buffer, in, position, n);
    else
      by_64_avx2(n, [&, prefetch = prefetcher<64, Source>(in)](std::size_t i) UPSWEEP_INLINED {
        prefetch(position + i);
        return [&in, from = position + i, to = buffer + i](int j) UPSWEEP_INLINED {
          to[j] =
              static_cast<typename Kernel::element>(in.value(from + static_cast<std::size_t>(j)));
        };
      });
    return Kernel::total(op, buffer, n, position);
  }
}

/// The total of the aligned block of 2^k elements at `position`, by a recursion that meets elements
/// and nodes in input order.
template <class Source, class Op>
typename Source::accumulator total_in_order(Source const& in, std::size_t position, int k,
                                            Op const& op) {
  switch (k) {
    case 0:
      return small_block<0>(elements_from(in, position), op);
    case 1:
      return small_block<1>(elements_from(in, position), op);
    case 2:
      return small_block<2>(elements_from(in, position), op);
    case 3:
      return small_block<3>(elements_from(in, position), op);
    case 4:
      return small_block<4>(elements_from(in, position), op);
    default:
      break;
  }
  std::size_t const half = std::size_t{1} << (k - 1);
  auto const earlier = total_in_order(in, position, k - 1, op);
  return op(earlier, total_in_order(in, position + half, k - 1, op));
}

/// to[j] = op(from[2 j], from[2 j + 1]) for j in [0, n).
template <int n, class Elements, class A, class Op>
UPSWEEP_INLINED inline void combine_pairs(Elements const& from, A* __restrict to, Op const& op) {
  UPSWEEP_INDEPENDENT_STEPS
  for (int j = 0; j < n; ++j) {
    A const earlier = from(2 * j), later = from(2 * j + 1);
    to[j] = static_cast<A>(op(earlier, later));
  }
}

/// The total of 2^K accumulators in an array, by its levels; `to` is room for half as many.
template <int K, class A, class Op>
UPSWEEP_INLINED inline A total_of_levels(A* __restrict from, A* __restrict to, Op const& op) {
  auto const element = [from](int j) UPSWEEP_INLINED -> A const& { return from[j]; };
  constexpr int last = sizeof(A) >= 4 ? 4 : 5;  // narrow ones fill a register with 32
  if constexpr (K == last) {
    return small_block<last>(element, op);
  } else {
    combine_pairs<1 << (K - 1)>(element, to, op);
    return total_of_levels<K - 1>(to, from, op);
  }
}

/// block_total of 2^K elements, level by level through arrays in L1: loops of constant length,
/// which compilers vectorize at -O2 whatever the operator, if it is arithmetic.
template <int K, class Source, class Op>
typename Source::accumulator levels_total(Source const& in, std::size_t position, Op const& op) {
  using A = typename Source::accumulator;
  constexpr int step = 64;
  constexpr registers most = fits_registers<A> ? registers::any : registers::avx512;
  auto const levels = [&in, position, &op,
                       prefetch = prefetcher<2 * step, Source>(in)]() UPSWEEP_INLINED {
    alignas(64) A even[std::size_t{1} << (K - 1)], odd[std::size_t{1} << (K - 2)];
    for (int pair = 0; pair < 1 << (K - 1); pair += step) {
      std::size_t const i = position + 2 * static_cast<std::size_t>(pair);
      prefetch(i);
      combine_pairs<step>(elements_from(in, i), even + pair, op);
    }
    return total_of_levels<K - 1>(even, odd, op);
  };
  try {
    return in_widest_registers<most>(levels);
  } catch (...) {
    (void)total_in_order(in, position, K, op);  // throws the first exception in input order
    throw;
  }
}

/// block_total by total_in_registers.
template <class Source, class Op>
typename Source::accumulator register_total(Source const& in, std::size_t position, int k,
                                            Op const& op) {
  using A = typename Source::accumulator;
  try {
    return detail::total_by<A>(op, [&](auto const& by) {
      if constexpr (detail::tries_plain<std::remove_cvref_t<decltype(by)>, A>)
        return total_in_order(in, position, k, by);
      else
        return total_in_registers(in, position, k, by);
    });
  } catch (...) {
    if constexpr (!has_block_kernel<Source>) (void)total_in_order(in, position, k, op);
    throw;
  }
}

/// The total of the aligned block of 2^k elements at `position`.
template <class Source, class Op>
typename Source::accumulator block_total(Source const& in, std::size_t position, int k,
                                         Op const& op) {
  using A = typename Source::accumulator;
  constexpr strategy by = reduction_strategy<Source>;
  if constexpr (is_compiled_source<Source>) {
    return A(compiled_reduce_of<Source>().total(fixed_pointer(in, position), std::size_t{1} << k,
                                                mode::reproducible));
  } else if constexpr (by == strategy::running) {
    auto total = in(position);
    in.absorb_into(total, position + 1, position + (std::size_t{1} << k));
    return total;
  } else if constexpr (by == strategy::objects) {
    return large_block_total(in, position, k, op);
  } else {
    using enum strategy;
    static_assert(by == kernels || by == pairs || by == recurrence || by == registers ||
                      by == levels || by == nodes,
                  "the totals of this strategy are missing");
    if constexpr (by == strategy::registers)
      if (combines_in_registers<A>(k)) return register_total(in, position, k, op);
    if constexpr (has_block_kernel<Source>) {
      if (k >= least_kernel_log2 && k <= largest_kernel_log2<Source>)
        return kernel_total(in, position, k, op);
    } else if constexpr (by == strategy::registers || by == strategy::levels) {
      if (k == 10) return levels_total<10>(in, position, op);
      if (k == 7) return levels_total<7>(in, position, op);
    }
    if (k <= 4) return total_in_order(in, position, k, op);
    std::size_t const half = std::size_t{1} << (k - 1);
    auto const earlier = block_total(in, position, k - 1, op);
    if constexpr (ends_early<Source>)
      if (op.is_final(earlier)) return earlier;
    return op(earlier, block_total(in, position + half, k - 1, op));
  }
}

}  // namespace upsweep::host

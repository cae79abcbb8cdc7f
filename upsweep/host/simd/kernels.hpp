/// The vector kernels: one thread, contiguous memory, built-in types and operators. Private to the
/// library.
#pragma once

#include <upsweep/host/restored_products.hpp>
#include <upsweep/host/simd/families.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::host::simd {

/// prefix(n) of the combine tree over x[0, n), n >= 1, where the position of x[0] is a multiple of
/// a power of two >= n. With mode::fast, commutative operators may use any grouping.
template <class Op, class T>
accumulator_t<Op, T> reduce(T const* x, std::size_t n, mode m) {
  using entry = reduce_kernel<Op, T>;
  auto const total = static_cast<accumulator_t<Op, T>>(
      active_kernel<entry>().reduce(reinterpret_cast<typename entry::element const*>(x), n, m));
  if constexpr (restores_products<Op, T>)
    return total_of_product(x, n, total);
  else
    return total;
}

/// Scans the tile x[0, n), n >= 1, into out; out == x is allowed. The position of x[0] is a
/// multiple of a power of two >= n. `prefix` points to the exclusive prefix of the tile, or is null
/// at the start of the input. The first i elements of the tile split into aligned blocks b1, b2,
/// ..., largest first; with P = *prefix let
///   D(i) = ((P op b1) op b2) ...
/// Then:
///   inclusive: out[i] = initial op D(i + 1)
///   exclusive: out[i] = initial op D(i)
/// without `initial op` if `initial` is null, and without `P op` if `prefix` is null; an exclusive
/// scan does not write out[0] then. If n is a power of two, the last inclusive result depends on
/// larger blocks, and the caller replaces it. The kernel also prefetches n elements from `ahead`
/// on, if that is not null. If `total` is not null, n must be a power of two and
/// scan_gives_total<Op, T> true; *total becomes the total of the tile, at no cost. Products are
/// those of IEEE 754, to be corrected by restored_products.hpp.
template <scan_kind kind, class Op, class T>
void scan(T const* x, T* out, std::size_t n, accumulator_t<Op, T> const* prefix,
          accumulator_t<Op, T> const* initial, stores s, T const* ahead = nullptr,
          accumulator_t<Op, T>* total = nullptr) {
  using entry = scan_kernel<Op, T>;
  using element = typename entry::element;
  using accumulator = accumulator_t<typename entry::operation, element>;
  active_kernel<entry>().scan(
      kind, reinterpret_cast<element const*>(x), reinterpret_cast<element*>(out), n,
      reinterpret_cast<accumulator const*>(prefix), reinterpret_cast<accumulator const*>(initial),
      s, reinterpret_cast<element const*>(ahead), reinterpret_cast<accumulator*>(total));
}

/// compiled_block_scan's up(), down() and join().
template <class Op, class T>
accumulator_t<Op, T> block_up(split_block<accumulator_t<Op, T>>& block) {
  return active_kernel<block_entry<Op, T>>().up(block);
}
template <class Op, class T>
void block_down(split_block<accumulator_t<Op, T>>& block, accumulator_t<Op, T> const* before,
                accumulator_t<Op, T> const& after, accumulator_t<Op, T> const* initial,
                bool finish) {
  active_kernel<block_entry<Op, T>>().down(block, before, after, initial, finish);
}
template <class Op, class T>
void block_join(split_array<T> from, std::uint64_t count, std::size_t n, accumulator_t<Op, T>* to) {
  active_kernel<block_entry<Op, T>>().join(from, count, n, to);
}

/// False for sums and products of narrow integers: the scan wraps in the element's type, but a
/// total is wider.
template <class Op, class T>
inline constexpr bool scan_gives_total =
    !std::is_integral_v<T> || sizeof(T) == sizeof(accumulator_t<Op, T>);

}  // namespace upsweep::host::simd

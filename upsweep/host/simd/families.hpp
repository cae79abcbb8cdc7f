/// Which vector kernels exist, from the list of compiled pairs, in families that are compiled
/// together, and the tables of function pointers through which they are called.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/registers.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::host::simd {

/// How a tile's results are stored: `cached`, or `streamed` past the caches (for outputs that are
/// larger than the caches and not in place).
enum class stores { cached, streamed };

/// How many bytes ahead a reduction of `bytes` prefetches; 0: not at all.
[[nodiscard]] inline std::size_t prefetch_distance(std::size_t bytes) {
  return bytes >= std::size_t{1} << 20 && gains_from_prefetching() ? prefetched_bytes : 0;
}

template <class Op, class T>
struct reduce_entry {
  using operation = Op;
  using element = T;
  accumulator_t<Op, T> (*reduce)(T const* x, std::size_t n, mode m);
};

template <class Op, class T>
struct scan_entry {
  using operation = Op;
  using element = T;
  void (*scan)(scan_kind kind, T const* x, T* out, std::size_t n,
               accumulator_t<Op, T> const* prefix, accumulator_t<Op, T> const* initial, stores s,
               T const* ahead, accumulator_t<Op, T>* total);
};

/// The scan of a block in two steps: simd/split_scan.inl.
template <class Op, class T>
struct block_entry {
  using operation = Op;
  using element = T;
  using A = accumulator_t<Op, T>;
  A (*up)(split_block<A>& block);
  void (*down)(split_block<A>& block, A const* before, A const& after, A const* initial,
               bool finish);
  void (*join)(split_array<T> from, std::uint64_t count, std::size_t n, A* to);
};

// Pairs with the same bits share one kernel. A min_number of integers is their min. Scans wrap in
// the element's type, so signed and unsigned types share a kernel unless the operator compares.
// Reductions widen, so only 64-bit types share one, and none that are converted to double.
template <class Op>
inline constexpr bool compares = dynamic::is_in<Op, dynamic::min_max_operators>;
template <class Op>
inline constexpr bool is_bitwise = dynamic::is_in<Op, dynamic::bitwise_operators>;

template <class Op, class T>
using kernel_operation = std::conditional_t<
    std::is_integral_v<T> && std::is_same_v<Op, min_number>, min,
    std::conditional_t<std::is_integral_v<T> && std::is_same_v<Op, max_number>, max, Op>>;

template <bool without_sign, class T>
struct kernel_element {
  using type = T;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct kernel_element<true, T> {
  using type = std::make_unsigned_t<T>;
};
template <bool without_sign>
struct kernel_element<without_sign, bool> {
  using type = std::uint8_t;
};

/// The kernels that reduce and scan elements of type T by Op.
template <class Op, class T>
using reduce_kernel = reduce_entry<
    kernel_operation<Op, T>,
    typename kernel_element<is_bitwise<Op> ||
                                (!compares<Op> && !has_wide_accumulator<Op> && sizeof(T) == 8),
                            dynamic::fixed_width_t<T>>::type>;
template <class Op, class T>
using scan_kernel =
    scan_entry<kernel_operation<Op, T>,
               typename kernel_element<!compares<Op>, dynamic::fixed_width_t<T>>::type>;

/// A list of types without duplicates.
template <class List, class... T>
struct unique_types {
  using type = List;
};
template <class... Kept, class T, class... Rest>
struct unique_types<dynamic::types<Kept...>, T, Rest...>
    : unique_types<std::conditional_t<dynamic::is_in<T, dynamic::types<Kept...>>,
                                      dynamic::types<Kept...>, dynamic::types<Kept..., T>>,
                   Rest...> {};

template <class Op, bool integers, class Types>
struct kernels_over;
template <class Op, bool integers, class... T>
struct kernels_over<Op, integers, dynamic::types<T...>> {
  template <class Entry, class Element>
  using if_kind = std::conditional_t<std::is_integral_v<Element> == integers, dynamic::types<Entry>,
                                     dynamic::types<>>;
  using reductions = dynamic::join<if_kind<reduce_kernel<Op, T>, T>...>;
  using scans = dynamic::join<if_kind<scan_kernel<Op, T>, T>...>;
  using blocks = dynamic::join<if_kind<block_entry<Op, T>, T>...>;
};

template <class Entries>
struct table;
template <class... Entry>
struct table<dynamic::types<Entry...>> : Entry... {};

template <class List>
struct table_without_repetitions;
template <class... Entry>
struct table_without_repetitions<dynamic::types<Entry...>> {
  using type = table<typename unique_types<dynamic::types<>, Entry...>::type>;
};

/// The kernels of some operators over their compiled types: the integers, or all others.
/// Reductions and scans have separate tables, so that a program that only reduces is linked without
/// the kernels of scans, which are three quarters of the code.
template <bool integers, class Operators>
struct family;
template <bool integers, class... Op>
struct family<integers, dynamic::types<Op...>> {
  template <dynamic::target t, class O>
  using over = kernels_over<O, integers, dynamic::types_for<t, O>>;
  using reductions = typename table_without_repetitions<
      dynamic::join<typename over<dynamic::target::simd, Op>::reductions...,
                    typename over<dynamic::target::simd_total, Op>::reductions...>>::type;
  using scans = typename table_without_repetitions<
      dynamic::join<typename over<dynamic::target::simd, Op>::scans...,
                    typename over<dynamic::target::simd_block, Op>::blocks...>>::type;
};

using arithmetic_integer_sums = family<true, dynamic::types<plus>>;
using arithmetic_integer_products = family<true, dynamic::types<multiplies>>;
using min_max_integers = family<true, dynamic::min_max_operators>;
using bitwise_integers = family<true, dynamic::bitwise_operators>;
using arithmetic_float_sums = family<false, dynamic::types<plus>>;
using arithmetic_float_products = family<false, dynamic::types<multiplies>>;
using min_max_floats = family<false, dynamic::min_max_operators>;
using affine_floats = family<false, dynamic::affine_operators>;
using moments_integers = family<true, dynamic::moments_operators>;
using moments_floats = family<false, dynamic::moments_operators>;
using log_sum_exp_floats = family<false, dynamic::log_sum_exp_operators>;

using all_families = dynamic::types<arithmetic_integer_sums, arithmetic_integer_products,
                                    min_max_integers, bitwise_integers, arithmetic_float_sums,
                                    arithmetic_float_products, min_max_floats, affine_floats,
                                    moments_integers, moments_floats, log_sum_exp_floats>;

/// The family that contains `Entry`.
template <class Entry, class Families>
struct family_among;
template <class Entry, class First, class... Rest>
struct family_among<Entry, dynamic::types<First, Rest...>>
    : std::conditional_t<std::is_base_of_v<Entry, typename First::reductions> ||
                             std::is_base_of_v<Entry, typename First::scans>,
                         std::type_identity<First>, family_among<Entry, dynamic::types<Rest...>>> {
};
template <class Entry>
using family_with = typename family_among<Entry, all_families>::type;

/// A family's kernels for the SIMD target in use, chosen at the first call. Null until then, and
/// after dispatch.hpp changes the target.
template <class Family>
inline constinit std::atomic<typename Family::reductions const*> active_reductions{nullptr};
template <class Family>
inline constinit std::atomic<typename Family::scans const*> active_scans{nullptr};

/// The tables of the SIMD target in use. Defined in family.cpp.
template <class Family>
typename Family::reductions const& choose_reductions();
template <class Family>
typename Family::scans const& choose_scans();

/// The table in `active`, or else the chosen one.
template <class Table>
Table const& active_table(std::atomic<Table const*>& active, Table const& (*choose)()) {
  auto const* table = active.load(std::memory_order_relaxed);  // a constant, so no order is needed
  if (!table) [[unlikely]] {
    table = &choose();
    active.store(table, std::memory_order_relaxed);
  }
  return *table;
}

/// The kernel `Entry` of the SIMD target in use.
template <class Entry>
Entry const& active_kernel() {
  using Family = family_with<Entry>;
  if constexpr (std::is_base_of_v<Entry, typename Family::reductions>)
    return active_table(active_reductions<Family>, choose_reductions<Family>);
  else
    return active_table(active_scans<Family>, choose_scans<Family>);
}

}  // namespace upsweep::host::simd

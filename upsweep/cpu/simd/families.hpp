/// Which kernels exist, in families that are compiled together, and the table of function pointers
/// through which each is called. Private to the .cpp files of this folder.
#pragma once

#include <upsweep/cpu/simd/kernels.hpp>

#include <atomic>
#include <cstdint>
#include <tuple>
#include <type_traits>

namespace upsweep::simd {

template <class Op, class T>
struct reduce_entry {
  accumulator_t<Op, T> (*run)(T const* x, std::size_t n, mode m);
};

template <class Op, class T>
struct scan_entry {
  void (*run)(scan_kind kind, T const* x, T* out, std::size_t n, accumulator_t<Op, T> const* prefix,
              accumulator_t<Op, T> const* initial, stores s, T const* ahead,
              accumulator_t<Op, T>* total);
};

/// A table's kernels for the SIMD target in use, chosen at the first call. Null until then, and
/// after dispatch.hpp changes the target.
template <class Table>
inline constinit std::atomic<Table const*> active_table{nullptr};

/// The table of the SIMD target in use. Defined in the family's own file.
template <class Table>
Table const& choose();

template <class Table>
Table const& active() {
  auto const* table = active_table<Table>.load(
      std::memory_order_relaxed);  // tables are constants, so no order is needed
  if (!table) [[unlikely]] {
    table = &choose<Table>();
    active_table<Table>.store(table, std::memory_order_relaxed);
  }
  return *table;
}

template <class Op, class... T>
using reductions = std::tuple<reduce_entry<Op, T>...>;
template <class Op, class... T>
using scans = std::tuple<scan_entry<Op, T>...>;
template <class... Tuples>
using join_tables = decltype(std::tuple_cat(std::declval<Tuples>()...));

// Integer scans wrap in the element's type, so signed and unsigned share a kernel; reductions
// widen, so only 64-bit ones do.
template <class Op>
using integer_arithmetic =
    join_tables<reductions<Op, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                           std::uint32_t, std::uint64_t>,
                scans<Op, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
#ifdef UPSWEEP_HAS_FLOAT16
template <class Op>
using float_arithmetic = join_tables<reductions<Op, float, double, bfloat16, float16>,
                                     scans<Op, float, double, bfloat16, float16>>;
#else
template <class Op>
using float_arithmetic =
    join_tables<reductions<Op, float, double, bfloat16>, scans<Op, float, double, bfloat16>>;
#endif
template <class Op>
using integer_selection =
    join_tables<reductions<Op, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                           std::uint32_t, std::int64_t, std::uint64_t>,
                scans<Op, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                      std::uint32_t, std::int64_t, std::uint64_t>>;
template <class Op>
using float_selection = join_tables<reductions<Op, float, double>, scans<Op, float, double>>;
template <class Op>
using bitwise =
    join_tables<reductions<Op, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>,
                scans<Op, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;

using integer_sums = integer_arithmetic<plus>;
using integer_products = integer_arithmetic<multiplies>;
using float_sums = float_arithmetic<plus>;
using float_products = float_arithmetic<multiplies>;
using integer_extrema = join_tables<integer_selection<min>, integer_selection<max>>;
using float_extrema = join_tables<float_selection<min>, float_selection<max>,
                                  float_selection<min_number>, float_selection<max_number>>;
using bit_operations = join_tables<bitwise<bit_and>, bitwise<bit_or>, bitwise<bit_xor>>;
using recurrences = join_tables<reductions<affine, affine_map<float>, affine_map<double>>,
                                scans<affine, affine_map<float>, affine_map<double>>>;

using all_families = std::tuple<integer_sums, integer_products, float_sums, float_products,
                                integer_extrema, float_extrema, bit_operations, recurrences>;

template <class Entry, class Table>
inline constexpr bool holds = false;
template <class Entry, class... Entries>
inline constexpr bool holds<Entry, std::tuple<Entries...>> =
    (std::is_same_v<Entry, Entries> || ...);

/// The family that has `Entry`.
template <class Entry, class Families = all_families>
struct family_with;
template <class Entry, class First, class... Rest>
struct family_with<Entry, std::tuple<First, Rest...>>
    : std::conditional_t<holds<Entry, First>, std::type_identity<First>,
                         family_with<Entry, std::tuple<Rest...>>> {};
template <class Entry>
struct family_with<Entry, std::tuple<>> {};

/// The kernel `Entry` of the SIMD target in use.
template <class Entry>
Entry const& active_kernel() {
  return std::get<Entry>(active<typename family_with<Entry>::type>());
}

}  // namespace upsweep::simd

/// The rows of the benchmark that are called by name: every operator of the catalog over numbers,
/// with each element type for which the library compiles it.
#pragma once

#include <bench/rows/work.hpp>

#include <upsweep/names/compiled.hpp>
#include <upsweep/names/dtype.hpp>
#include <upsweep/ops/catalog.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::bench {

/// Calls f.operator()<Op, T>() for each operator without calls by name, which the benchmark
/// compiles over f32, or i32 if it takes integers; not `concat`, which takes text.
template <class F>
constexpr void for_each_other_pair(F&& f) {
  catalog::for_each_row([&]<class Op>(catalog::row<Op> const&) {
    constexpr auto takes = Op::about.takes;
    if constexpr (takes == catalog::operand_kind::text ||
                  dynamic::types_for<dynamic::target::call, Op>::size > 0)
      return;
    else if constexpr (takes == catalog::operand_kind::matrices)
      f.template operator()<Op, matrix2x2<float>>();
    else if constexpr (takes == catalog::operand_kind::pairs)
      f.template operator()<Op, xy<float>>();
    else if constexpr (takes == catalog::operand_kind::integers)
      f.template operator()<Op, std::int32_t>();
    else
      f.template operator()<Op, float>();
  });
}

/// Calls f.operator()<Op, T>() for each operator and element type of the rows.
template <class F>
constexpr void for_each_row_pair(F&& f) {
  dynamic::for_each_pair<dynamic::target::call>(f);
  for_each_other_pair(f);
}

/// Whether a work by name is by Op over elements of type T.
template <class Op, class T>
[[nodiscard]] constexpr bool is_row_of(work const& w) {
  return w.op == operation_of(catalog::id_of<Op>) &&
         w.type == element_of(dynamic::dtype_of<dynamic::number_of<T>>);
}

/// An operator over one element type, and its data.
struct catalog_row {
  operation op;
  element type;
  std::size_t element_bytes, result_bytes;
  bool exact;  ///< every order of the data gives the same bits
  /// Writes pattern_elements elements of which every order gives the same bits, if any do.
  void (*pattern)(void* block);
  /// Writes the result of a reduction or an inclusive scan, by a serial loop without the library's
  /// executors.
  void (*reference)(verb v, void const* in, void* out, std::size_t n);
};

/// All rows.
[[nodiscard]] std::span<catalog_row const> catalog_rows();

/// The row of the operation and the type, or null.
[[nodiscard]] catalog_row const* find_row(work const& w);

}  // namespace upsweep::bench

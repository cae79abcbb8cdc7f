/// A unit of measurement: a verb with an operation over n elements of one type. All devices share
/// this vocabulary, although each measures only a part of it.
#pragma once

#include <upsweep/names/dtype.hpp>
#include <upsweep/names/verb.hpp>
#include <upsweep/ops/catalog.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace upsweep::bench {

using dynamic::verb;

/// The operators of the catalog, of which some have names here, and four more: `user` is the sum as
/// an operator that the library does not know, `user_in_large_file` the same compiled in a source
/// file with many other calls, `squares` the sum of x * x, `join` a user-defined operator over a
/// structure of 16 bytes.
enum class operation : std::uint8_t {
  sum = static_cast<int>(catalog::id::sum),
  product = static_cast<int>(catalog::id::product),
  min = static_cast<int>(catalog::id::min),
  max = static_cast<int>(catalog::id::max),
  affine = static_cast<int>(catalog::id::affine),
  exact_sum = static_cast<int>(catalog::id::exact_sum),
  user_in_large_file = 252,
  user = 253,
  squares = 254,
  join = 255
};
[[nodiscard]] constexpr operation operation_of(catalog::id id) {
  return static_cast<operation>(id);
}
/// Not defined for the four that are not in the catalog.
[[nodiscard]] constexpr catalog::id id_of(operation op) {
  return static_cast<catalog::id>(op);
}

/// Types of dynamic::dtype, and two structures.
enum class element : std::uint8_t {
  i8 = static_cast<int>(dynamic::dtype::i8),
  u8 = static_cast<int>(dynamic::dtype::u8),
  i16 = static_cast<int>(dynamic::dtype::i16),
  u16 = static_cast<int>(dynamic::dtype::u16),
  i32 = static_cast<int>(dynamic::dtype::i32),
  u32 = static_cast<int>(dynamic::dtype::u32),
  i64 = static_cast<int>(dynamic::dtype::i64),
  u64 = static_cast<int>(dynamic::dtype::u64),
  f16 = static_cast<int>(dynamic::dtype::f16),
  bf16 = static_cast<int>(dynamic::dtype::bf16),
  f32 = static_cast<int>(dynamic::dtype::f32),
  f64 = static_cast<int>(dynamic::dtype::f64),
  complex_f32 = 254,
  struct16 = 255
};
[[nodiscard]] constexpr element element_of(dynamic::dtype type) {
  return static_cast<element>(type);
}
/// Not defined for the structures.
[[nodiscard]] constexpr dynamic::dtype dtype_of(element type) {
  return static_cast<dynamic::dtype>(type);
}

inline constexpr std::array all_operations = [] {
  std::array<operation, catalog::operator_count + 4> all{
      operation::user, operation::user_in_large_file, operation::squares, operation::join};
  std::size_t at = 4;
  for (auto const& entry : catalog::operators) all[at++] = operation_of(entry.id);
  return all;
}();
inline constexpr std::array all_elements{
    element::i8,  element::u8,  element::i16,         element::u16,     element::i32,
    element::u32, element::i64, element::u64,         element::f16,     element::bf16,
    element::f32, element::f64, element::complex_f32, element::struct16};

/// The elements of `affine` are pairs (a, b) of the type, for the map x -> a * x + b; those of
/// `matrix2x2` are four numbers.
struct work {
  bench::verb verb = bench::verb::reduce;
  bench::operation op = bench::operation::sum;
  bench::element type = bench::element::f32;
  bool in_place = false;
  /// A row of bench/rows/catalog.hpp, whose results have the types of the library's calls by
  /// name: those of sums of i8 are i64. Otherwise results have the type of the elements.
  bool by_name = false;

  bool operator==(work const&) const = default;
};

/// A work at one size.
struct configuration {
  bench::work work;
  std::size_t n = 0;
};

using dynamic::name_of;
/// The names in reports, with underscores.
[[nodiscard]] std::string name_of(operation);
[[nodiscard]] std::string name_of(element);

/// The value with this name. Throws std::invalid_argument with a list of the names.
[[nodiscard]] operation operation_named(std::string const& name);
[[nodiscard]] element element_named(std::string const& name);

/// "inclusive_scan sum f32", with ", in place" appended if it is.
[[nodiscard]] std::string title_of(work const&);

/// True if the CPU's benchmark has this work with peers: sums, maxima and sums by a user's
/// operator of i32, i64, f32 and f64, scans of affine maps, reductions of squares and of exact sums
/// over f32 and f64.
[[nodiscard]] bool is_for_processor(work const&);

/// The work of the CPU's benchmark with this verb, operation and type: one with peers if
/// there is one, else one by name, of reductions and inclusive scans. Nothing if there is neither.
[[nodiscard]] std::optional<work> work_for_processor(work const&);

[[nodiscard]] std::size_t bytes_of(element);
/// Size in bytes of an input element.
[[nodiscard]] std::size_t element_bytes(work const&);
/// Size in bytes of a result: of a reduction, or of a scan per element. Integer sums have 64 bits.
[[nodiscard]] std::size_t result_bytes(work const&);
/// The minimum number of bytes that a call moves: the input, and for a scan also the output.
[[nodiscard]] std::size_t traffic(work const&, std::size_t n);
/// Bytes of memory that a call accesses: as traffic, but an in-place output is not counted again.
[[nodiscard]] std::size_t footprint(work const&, std::size_t n);

}  // namespace upsweep::bench

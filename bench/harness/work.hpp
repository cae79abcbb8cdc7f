/// What is measured: a verb with an operation over elements of one type, and n of them. One
/// vocabulary for every device, though each device measures a part of it only.
#pragma once

#include <cstddef>
#include <string>

namespace upsweep::bench {

enum class verb { reduce, inclusive_scan, exclusive_scan };

/// `join` is a user's operator over a structure of 16 bytes.
enum class operation { sum, product, min, max, affine, exact_sum, join };

enum class element { i8, u8, i16, u16, i32, u32, i64, u64, bf16, f32, f64, complex_f32, struct16 };

/// The elements of `affine` are pairs (a, b) of the type, standing for x -> a * x + b.
struct work {
  bench::verb verb = bench::verb::reduce;
  bench::operation op = bench::operation::sum;
  bench::element type = bench::element::f32;
  bool in_place = false;

  bool operator==(work const&) const = default;
};

/// A work at one size.
struct configuration {
  bench::work work;
  std::size_t n = 0;
};

[[nodiscard]] char const* name_of(verb);
[[nodiscard]] char const* name_of(operation);
[[nodiscard]] char const* name_of(element);

/// The value with this name; throws std::invalid_argument with a sentence that lists the names.
[[nodiscard]] operation operation_named(std::string const& name);
[[nodiscard]] element element_named(std::string const& name);

/// "inclusive_scan sum f32", with ", in place" where it is.
[[nodiscard]] std::string title_of(work const&);

/// Whether the processor's benchmark has this: sums and maxima of i32, i64, f32 and f64, scans of
/// affine maps and reductions of exact sums over f32 and f64.
[[nodiscard]] bool is_for_processor(work const&);

[[nodiscard]] std::size_t bytes_of(element);
/// Bytes of one input element.
[[nodiscard]] std::size_t element_bytes(work const&);
/// Bytes that a call must move at least: the input once, and for a scan the output once.
[[nodiscard]] std::size_t traffic(work const&, std::size_t n);
/// Bytes of memory that a call touches: as traffic, but in place the output is the input.
[[nodiscard]] std::size_t footprint(work const&, std::size_t n);

}  // namespace upsweep::bench

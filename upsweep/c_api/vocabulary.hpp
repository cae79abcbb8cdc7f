/// Conversions between the enumerators of the C interface, which count from 1, and those of
/// names/, which have the same order and count from 0.
#pragma once

#include <upsweep/upsweep.h>
#include <upsweep/names/dtype.hpp>
#include <upsweep/ops/catalog.hpp>

namespace upsweep::c_api {

[[nodiscard]] constexpr dynamic::dtype dtype_of(upsweep_type type) {
  return static_cast<dynamic::dtype>(type - 1);
}
/// A bool is a byte in C.
[[nodiscard]] constexpr upsweep_type type_of(dynamic::dtype type) {
  return type == dynamic::dtype::boolean ? UPSWEEP_U8
                                         : static_cast<upsweep_type>(static_cast<int>(type) + 1);
}
[[nodiscard]] constexpr catalog::id id_of(upsweep_operator op) {
  return static_cast<catalog::id>(op - 1);
}
[[nodiscard]] constexpr upsweep_operator operator_of(catalog::id op) {
  return static_cast<upsweep_operator>(static_cast<int>(op) + 1);
}

inline constexpr auto last_operator = static_cast<upsweep_operator>(catalog::operator_count_in_c);

static_assert(type_of(dynamic::dtype::i8) == UPSWEEP_I8);
static_assert(type_of(dynamic::dtype::i64) == UPSWEEP_I64);
static_assert(type_of(dynamic::dtype::u8) == UPSWEEP_U8);
static_assert(type_of(dynamic::dtype::u64) == UPSWEEP_U64);
static_assert(type_of(dynamic::dtype::f16) == UPSWEEP_F16);
static_assert(type_of(dynamic::dtype::bf16) == UPSWEEP_BF16);
static_assert(type_of(dynamic::dtype::f64) == UPSWEEP_F64);
static_assert(operator_of(catalog::id::sum) == UPSWEEP_SUM);
static_assert(operator_of(catalog::id::min_number) == UPSWEEP_MIN_NUMBER);
static_assert(operator_of(catalog::id::bit_xor) == UPSWEEP_BIT_XOR);
static_assert(operator_of(catalog::id::all) == UPSWEEP_ALL);
static_assert(operator_of(catalog::id::parity) == UPSWEEP_PARITY);
static_assert(operator_of(catalog::id::argmax) == UPSWEEP_ARGMAX);
static_assert(operator_of(catalog::id::gcd) == UPSWEEP_GCD);
static_assert(operator_of(catalog::id::checked_product) == UPSWEEP_CHECKED_PRODUCT);
static_assert(operator_of(catalog::id::exact_sum) == UPSWEEP_EXACT_SUM);

}  // namespace upsweep::c_api

/// The operations that warp-reduce and atomic instructions support, and the operators of ops/ that
/// they implement.
///
/// A kernel that uses such an instruction takes both the operator and this enumerator. It is
/// deduced from the operator's type; a caller with type-erased operators (the laboratory) passes it
/// to the plan.
#pragma once

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/min_max.hpp>

namespace upsweep::textbook {

enum class hardware_operation { none, add, min, max, bit_and, bit_or, bit_xor };

template <class Op>
inline constexpr hardware_operation hardware_operation_of = hardware_operation::none;
template <>
inline constexpr hardware_operation hardware_operation_of<plus> = hardware_operation::add;
template <>
inline constexpr hardware_operation hardware_operation_of<upsweep::min> = hardware_operation::min;
template <>
inline constexpr hardware_operation hardware_operation_of<upsweep::max> = hardware_operation::max;
template <>
inline constexpr hardware_operation hardware_operation_of<bit_and> = hardware_operation::bit_and;
template <>
inline constexpr hardware_operation hardware_operation_of<bit_or> = hardware_operation::bit_or;
template <>
inline constexpr hardware_operation hardware_operation_of<bit_xor> = hardware_operation::bit_xor;

}  // namespace upsweep::textbook

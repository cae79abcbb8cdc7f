/// The enumerator of the C interface for a number type.
#pragma once

#include <upsweep/upsweep.h>
#include <upsweep/core/number_types.hpp>

#include <type_traits>

namespace upsweep::c_api {

template <class T>
inline constexpr upsweep_type type_of = [] {
  if constexpr (std::is_same_v<T, float>) return UPSWEEP_F32;
  if constexpr (std::is_same_v<T, double>) return UPSWEEP_F64;
  if constexpr (std::is_same_v<T, bfloat16>) return UPSWEEP_BF16;
#ifdef UPSWEEP_HAS_FLOAT16
  if constexpr (std::is_same_v<T, float16>) return UPSWEEP_F16;
#endif
  constexpr upsweep_type of_signed[] = {UPSWEEP_I8, UPSWEEP_I16, UPSWEEP_I32, UPSWEEP_I64};
  constexpr upsweep_type of_unsigned[] = {UPSWEEP_U8, UPSWEEP_U16, UPSWEEP_U32, UPSWEEP_U64};
  constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return std::is_signed_v<T> ? of_signed[log2_size] : of_unsigned[log2_size];
}();

}  // namespace upsweep::c_api

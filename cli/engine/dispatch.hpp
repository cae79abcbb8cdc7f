/// Dispatch from the type of a column to its C++ type, or to that in which operators compute.
#pragma once

#include <io/dtype.hpp>
#include <io/error.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep::cli {

/// Calls `f.template operator()<T>()` with the C++ type of `type` (bool for booleans). Throws
/// usage_error for f16 if the compiler has no such type.
template <class F>
decltype(auto) dispatch(io::dtype type, F&& f) {
  return dynamic::dispatch(dynamic::numbers_and_bool{}, type, f,
                           []() -> decltype(f.template operator()<double>()) {
                             throw io::usage_error(
                                 "This build does not support f16, because its compiler does not; "
                                 "use --dtype f32.");
                           });
}

/// Calls `f.template operator()<T>()` with the C++ type of a compute type.
template <class F>
decltype(auto) with_compute_type(io::dtype type, F&& f) {
  switch (type) {
    case io::dtype::i64:
      return f.template operator()<std::int64_t>();
    case io::dtype::u64:
      return f.template operator()<std::uint64_t>();
    case io::dtype::f32:
      return f.template operator()<float>();
    default:
      return f.template operator()<double>();
  }
}

/// -0 and 0 are one number, and all NaNs are.
template <class T>
T one_of_equals(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(x) ? std::numeric_limits<T>::quiet_NaN() : x + T(0);
  return x;
}

}  // namespace upsweep::cli

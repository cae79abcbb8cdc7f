/// From the type of a column to the C++ type in which operators compute.
#pragma once

#include <io/dtype.hpp>
#include <io/error.hpp>
#include <upsweep/core/number_types.hpp>

#include <cstdint>

namespace upsweep::cli {

/// Calls `f.template operator()<T>()` with the C++ type of `type` (bool for booleans). Throws
/// usage_error for f16 where the compiler has no such type.
template <class F>
decltype(auto) dispatch(io::dtype type, F&& f) {
  switch (type) {
    case io::dtype::i8:
      return f.template operator()<std::int8_t>();
    case io::dtype::u8:
      return f.template operator()<std::uint8_t>();
    case io::dtype::i16:
      return f.template operator()<std::int16_t>();
    case io::dtype::u16:
      return f.template operator()<std::uint16_t>();
    case io::dtype::i32:
      return f.template operator()<std::int32_t>();
    case io::dtype::u32:
      return f.template operator()<std::uint32_t>();
    case io::dtype::i64:
      return f.template operator()<std::int64_t>();
    case io::dtype::u64:
      return f.template operator()<std::uint64_t>();
#ifdef UPSWEEP_HAS_FLOAT16
    case io::dtype::f16:
      return f.template operator()<float16>();
#else
    case io::dtype::f16:
      throw io::usage_error(
          "This build has no 16-bit floats (f16), because its compiler has none; use --dtype f32.");
#endif
    case io::dtype::bf16:
      return f.template operator()<bfloat16>();
    case io::dtype::f32:
      return f.template operator()<float>();
    case io::dtype::f64:
      return f.template operator()<double>();
    case io::dtype::boolean:
      return f.template operator()<bool>();
  }
  __builtin_unreachable();
}

}  // namespace upsweep::cli

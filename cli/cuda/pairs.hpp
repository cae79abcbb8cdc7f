/// The pairs of operator and element with compiled kernels, as types: the list of
/// upsweep/cuda/instances.hpp with names.
#pragma once

#include <upsweep/cuda/instances.hpp>

#include <cstdint>

namespace upsweep::cli::gpu {

/// Calls `f.template operator()<T, Op>(op, type)` for each pair.
template <class F>
void for_each_pair(F&& f) {
  f.template operator()<std::int8_t, plus>("sum", "i8");
  f.template operator()<std::uint8_t, plus>("sum", "u8");
  f.template operator()<std::int16_t, plus>("sum", "i16");
  f.template operator()<std::uint16_t, plus>("sum", "u16");
  f.template operator()<std::uint32_t, plus>("sum", "u32");
  f.template operator()<std::uint64_t, plus>("sum", "u64");
  f.template operator()<bfloat16, plus>("sum", "bf16");
  auto wide = [&]<class Op>(char const* op) {
    f.template operator()<std::int32_t, Op>(op, "i32");
    f.template operator()<std::int64_t, Op>(op, "i64");
    f.template operator()<float, Op>(op, "f32");
    f.template operator()<double, Op>(op, "f64");
  };
  wide.template operator()<plus>("sum");
  wide.template operator()<multiplies>("product");
  wide.template operator()<min>("min");
  wide.template operator()<max>("max");
  f.template operator()<affine_map<float>, affine>("affine", "f32");
  f.template operator()<affine_map<double>, affine>("affine", "f64");
}

}  // namespace upsweep::cli::gpu

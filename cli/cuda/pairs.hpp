/// The pairs of operator and element with compiled kernels, as types: the list of
/// upsweep/cuda/instances.hpp with the
/// benchmark's names.
#pragma once

#include <bench/harness/work.hpp>
#include <upsweep/cuda/instances.hpp>

#include <cstdint>

namespace upsweep::cli::gpu {

/// Calls `f.template operator()<T, Op>(operation, element)` for each pair.
template <class F>
void for_each_pair(F&& f) {
  using bench::operation, bench::element;
  f.template operator()<std::int8_t, plus>(operation::sum, element::i8);
  f.template operator()<std::uint8_t, plus>(operation::sum, element::u8);
  f.template operator()<std::int16_t, plus>(operation::sum, element::i16);
  f.template operator()<std::uint16_t, plus>(operation::sum, element::u16);
  f.template operator()<std::uint32_t, plus>(operation::sum, element::u32);
  f.template operator()<std::uint64_t, plus>(operation::sum, element::u64);
  f.template operator()<bfloat16, plus>(operation::sum, element::bf16);
  auto wide = [&]<class Op>(operation op) {
    f.template operator()<std::int32_t, Op>(op, element::i32);
    f.template operator()<std::int64_t, Op>(op, element::i64);
    f.template operator()<float, Op>(op, element::f32);
    f.template operator()<double, Op>(op, element::f64);
  };
  wide.template operator()<plus>(operation::sum);
  wide.template operator()<multiplies>(operation::product);
  wide.template operator()<min>(operation::min);
  wide.template operator()<max>(operation::max);
  f.template operator()<affine_map<float>, affine>(operation::affine, element::f32);
  f.template operator()<affine_map<double>, affine>(operation::affine, element::f64);
}

}  // namespace upsweep::cli::gpu

/// The SIMD targets that are compiled; include this before any Highway header. Private to the .cpp
/// files of this folder.
///
/// SSSE3 and AVX3_DL would add compile time and no speed; SVE and RVV have registers whose size is
/// not a constant, which the kernels need.
#pragma once

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

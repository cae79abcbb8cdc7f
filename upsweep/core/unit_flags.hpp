/// Says once if a translation unit's flags let compilers change a user's arithmetic.
///
/// The library's own operators keep their bits under any flags that core/rounding.hpp can see. A
/// user's operator with a * b + c does not, and no macro tells of -ffp-contract or of
/// -fassociative-math alone. So each unit computes two examples when the program starts. Define
/// UPSWEEP_ANY_FLAGS to compile without this check.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/core/rounding.hpp>

namespace upsweep::detail {

/// What compilers did to the arithmetic of a translation unit.
struct unit_flags {
  char const* file;
  bool fuses;     ///< a * b + c is rounded once
  bool reorders;  ///< (a + b) - a became b
};

/// Writes a sentence about such a unit to the standard error output, once for each.
UPSWEEP_API void report_flags(unit_flags& unit) noexcept;

#if !defined(UPSWEEP_ANY_FLAGS) && !defined(__CUDA_ARCH__) && defined(__BASE_FILE__)
namespace {

/// The arguments are volatile, so that it is this unit's instructions that compute.
inline unit_flags examined_flags() {
  double const volatile above = 1 + 0x1p-30, below = 1 - 0x1p-30, one = 1, large = 0x1p60;
  double const a = above, b = below, c = one, d = large;
  return {__BASE_FILE__, a * b - c != 0, (d + c) - d != 0};
}
unit_flags this_unit = examined_flags();

/// For a call with an operator or a function of the user's over floating-point numbers; `own`: with
/// the library's alone.
template <bool own>
inline void check_flags() {
#ifdef __FAST_MATH__
  constexpr bool is_safe = own;
#else
  constexpr bool is_safe = false;
#endif
  if constexpr (!is_safe)
    if ((!own && __atomic_load_n(&this_unit.fuses, __ATOMIC_RELAXED)) ||
        __atomic_load_n(&this_unit.reorders, __ATOMIC_RELAXED)) [[unlikely]]
      report_flags(this_unit);
}

}  // namespace
#else
template <bool own>
void check_flags() {}
#endif

}  // namespace upsweep::detail

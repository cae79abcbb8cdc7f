/// The IEEE default floating-point environment for the duration of a call.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <cstdint>

namespace upsweep {

namespace detail {

/// Every verb has one for the whole of its call, and so has every thread of the pool while it works
/// for us: what the caller has set decides on no bit. While it lives, the thread rounds to nearest
/// and keeps subnormal numbers. Linking a program with -ffast-math switches the latter off for the
/// whole process (crtfastmath.o), and the bits of a result must not depend on that. Costs a few
/// cycles.
class float_environment {
 public:
  float_environment() : saved_(get()) {
    if (saved_ & deviations) set(saved_ & ~deviations);
  }
  ~float_environment() {
    if (saved_ & deviations) set(saved_);
  }
  float_environment(float_environment const&) = delete;
  float_environment& operator=(float_environment const&) = delete;

 private:
#if defined(__x86_64__)
  using word = unsigned;
  static constexpr word deviations =
      0x8000u | 0x6000u | 0x0040u;  // MXCSR: flush to zero, rounding control, denormals are zeros
  static word get() { return __builtin_ia32_stmxcsr(); }
  static void set(word w) { __builtin_ia32_ldmxcsr(w); }
#elif defined(__aarch64__)
  using word = std::uint64_t;
  static constexpr word deviations =
      word{7} << 22 |
      word{1} << 19;  // FPCR: rounding mode, flush to zero, the same for half precision
  static word get() {
    word w;
    __asm__ volatile("mrs %0, fpcr" : "=r"(w));
    return w;
  }
  static void set(word w) { __asm__ volatile("msr fpcr, %0" : : "r"(w)); }
#else
  using word = unsigned;
  static constexpr word deviations = 0;
  static word get() { return 0; }
  static void set(word) {}
#endif

  word saved_;
};

}  // namespace detail

}  // namespace upsweep

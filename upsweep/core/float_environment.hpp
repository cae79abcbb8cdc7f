/// The IEEE default floating-point environment for the duration of a call.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <cstdint>

namespace upsweep {

namespace detail {

/// While one lives, the thread rounds to nearest and keeps subnormal numbers. Every verb has one
/// for the duration of its call, and so has every pool thread while it works on that call, so no
/// setting of the caller can change a bit. Linking a program with -ffast-math, for example, turns
/// subnormals off for the whole process (crtfastmath.o). Costs 20 cycles on x86-64.
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
  // MXCSR: flush to zero, rounding control, denormals are zeros
  static constexpr word deviations = 0x8000u | 0x6000u | 0x0040u;
  static word get() { return __builtin_ia32_stmxcsr(); }
  static void set(word w) { __builtin_ia32_ldmxcsr(w); }
#elif defined(__aarch64__)
  using word = std::uint64_t;
  // FPCR: rounding mode, flush to zero, flush to zero in half precision
  static constexpr word deviations = word{7} << 22 | word{1} << 19;
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

/// Replaces the other for calls that round nothing: on x86-64 to read the environment waits for
/// all results before it.
struct any_environment {
  any_environment() {}  // NOLINT(modernize-use-equals-default): else its variables are unused
};

}  // namespace detail

}  // namespace upsweep

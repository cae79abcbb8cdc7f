/// Floating-point environments other than the default, for the calling thread.
#pragma once

#include <cfenv>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace upsweep::test {

enum class environment { rounding_up, rounding_down, rounding_to_zero, flushing };

#if defined(__SSE2__)
inline constexpr environment strange_environments[] = {
    environment::rounding_up, environment::rounding_down, environment::rounding_to_zero,
    environment::flushing};
inline constexpr unsigned flush = 0x8040, rounding = 0x6000;  // of MXCSR

/// The part of the thread's environment that affects the bits of float and double.
inline unsigned control() {
  return _mm_getcsr() & (flush | rounding);
}
inline void set_flushing(bool on) {
  _mm_setcsr(on ? _mm_getcsr() | flush : _mm_getcsr() & ~flush);
}
#else  // there is no portable way to flush subnormals to zero
inline constexpr environment strange_environments[] = {
    environment::rounding_up, environment::rounding_down, environment::rounding_to_zero};
inline unsigned control() {
  return static_cast<unsigned>(std::fegetround());
}
inline void set_flushing(bool) {}
#endif

inline unsigned const default_control = control();  // before main

inline bool in_default_environment() {
  return control() == default_control;
}

inline char const* name_of(environment e) {
  return e == environment::rounding_up     ? "rounding up"
         : e == environment::rounding_down ? "rounding down"
         : e == environment::flushing      ? "flushing subnormals to zero"
                                           : "rounding to zero";
}

/// Sets an environment while it lives.
class environment_scope {
 public:
  explicit environment_scope(environment e) {
    std::fesetround(e == environment::rounding_up        ? FE_UPWARD
                    : e == environment::rounding_down    ? FE_DOWNWARD
                    : e == environment::rounding_to_zero ? FE_TOWARDZERO
                                                         : FE_TONEAREST);
    set_flushing(e == environment::flushing);
    control_ = control();
  }
  ~environment_scope() {
    std::fesetround(FE_TONEAREST);
    set_flushing(false);
  }
  environment_scope(environment_scope const&) = delete;
  environment_scope& operator=(environment_scope const&) = delete;

  /// Whether the environment is unchanged.
  [[nodiscard]] bool is_still_set() const { return control() == control_; }

 private:
  unsigned control_;
};

}  // namespace upsweep::test

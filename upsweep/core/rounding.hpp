/// Arithmetic that rounds after every operation, whatever flags a user's translation unit has.
///
/// Compilers may contract a * b + c to one fused multiply-add, which rounds once where two
/// operations round twice: g++ by default for all CPUs with such an instruction
/// (-march=native), clang within an expression, nvcc everywhere. -ffast-math lets them also reorder
/// sums and assume that there is no NaN. The library's own operators must not change by that.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

// The CMake and pkg-config packages define UPSWEEP_ROUNDS_PRODUCTS together with -ffp-contract=off.
// clang's -ffast-math allows contraction whatever was said before.
#if defined(UPSWEEP_ROUNDS_PRODUCTS) && !(defined(__clang__) && defined(__FAST_MATH__))
#define UPSWEEP_CONTRACTS 0
#elif defined(__x86_64__) || defined(__i386__) || defined(_M_X64)
#if defined(__FMA__) || defined(__FMA4__)
#define UPSWEEP_CONTRACTS 1
#else
#define UPSWEEP_CONTRACTS 0
#endif
#elif defined(__wasm__)
#define UPSWEEP_CONTRACTS 0
#else
#define UPSWEEP_CONTRACTS 1
#endif

namespace upsweep::detail {

UPSWEEP_IEEE_BEGIN

/// Constants, because with -ffast-math what a function returns is never infinite for clang.
template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T largest = std::numeric_limits<T>::max();
template <class T>
inline constexpr T lowest = std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T smallest_normal = std::numeric_limits<T>::min();

template <class T>
inline constexpr bool is_contracted = std::is_same_v<T, float> || std::is_same_v<T, double>;

/// The bits of x without its sign. With -ffast-math, g++ 14 takes x != x for false where a function
/// that returns it is called, whatever options that function has. So bits are compared then.
#if UPSWEEP_FAST_MATH && !UPSWEEP_ON_DEVICE
#define UPSWEEP_COMPARES_BITS 1
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr auto magnitude_bits(T x) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return static_cast<bits>(__builtin_bit_cast(bits, x) << 1);
}
#else
#define UPSWEEP_COMPARES_BITS 0
#endif

template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr bool is_nan_value(T const& x) {
#if UPSWEEP_COMPARES_BITS
  if constexpr (sizeof(T) == 2) return is_nan_value(static_cast<float>(x));
  if constexpr (is_contracted<T>) return magnitude_bits(x) > magnitude_bits(infinity<T>);
#endif
  return x != x;
}
template <class T>
[[nodiscard]] UPSWEEP_BOTH constexpr bool is_finite_value(T const& x) {
#if UPSWEEP_COMPARES_BITS
  if constexpr (is_contracted<T>) return magnitude_bits(x) < magnitude_bits(infinity<T>);
#endif
  return x - x == T{};
}

/// x, hidden from the compiler, which then cannot contract a product. Costs no instruction, but
/// loops that contain it are not vectorized; nothing at all where products cannot be contracted.
template <class T>
[[nodiscard]] UPSWEEP_INLINED UPSWEEP_BOTH constexpr T rounded(T x) {
#if UPSWEEP_CONTRACTS && !UPSWEEP_ON_DEVICE
  if constexpr (is_contracted<T>) {
    if (!__builtin_is_constant_evaluated()) {
#if defined(__x86_64__) || defined(__i386__)
      asm("" : "+x"(x));
#elif defined(__aarch64__)
      asm("" : "+w"(x));
#elif defined(__s390x__) || defined(__riscv)
      asm("" : "+f"(x));
#elif defined(__powerpc64__)
      asm("" : "+d"(x));
#elif defined(__GNUC__)
      asm("" : "+m"(x));
#else
      T volatile const kept = x;
      return kept;
#endif
    }
  }
#endif
  return x;
}

/// a * b, rounded.
template <class T>
[[nodiscard]] UPSWEEP_INLINED UPSWEEP_BOTH constexpr T product(T const& a, T const& b) {
#if UPSWEEP_ON_DEVICE
  if constexpr (std::is_same_v<T, float>) {
    if (!__builtin_is_constant_evaluated()) return __fmul_rn(a, b);
  } else if constexpr (std::is_same_v<T, double>) {
    if (!__builtin_is_constant_evaluated()) return __dmul_rn(a, b);
  }
#endif
  return rounded(static_cast<T>(a * b));
}

/// a + b, rounded, also if a or b is a product.
template <class T>
[[nodiscard]] UPSWEEP_INLINED UPSWEEP_BOTH constexpr T sum(T const& a, T const& b) {
#if UPSWEEP_ON_DEVICE
  if constexpr (std::is_same_v<T, float>) {
    if (!__builtin_is_constant_evaluated()) return __fadd_rn(a, b);
  } else if constexpr (std::is_same_v<T, double>) {
    if (!__builtin_is_constant_evaluated()) return __dadd_rn(a, b);
  }
#endif
  return static_cast<T>(a + b);
}

/// A number for formulas: every operation with it is rounded.
template <class T>
struct ieee {
  T value;

  UPSWEEP_BOTH constexpr ieee(T x)
      : value(x) {}  // NOLINT: implicit, so that formulas read as formulas
  [[nodiscard]] UPSWEEP_BOTH constexpr operator T() const { return value; }  // NOLINT

  friend UPSWEEP_BOTH constexpr ieee operator*(ieee a, ieee b) { return product(a.value, b.value); }
  friend UPSWEEP_BOTH constexpr ieee operator+(ieee a, ieee b) { return sum(a.value, b.value); }
  friend UPSWEEP_BOTH constexpr ieee operator-(ieee a, ieee b) { return sum(a.value, -b.value); }
  friend UPSWEEP_BOTH constexpr ieee operator/(ieee a, ieee b) { return a.value / b.value; }
  // Exact matches, or built-in operators on the converted number would fit as well.
  friend UPSWEEP_BOTH constexpr ieee operator*(ieee a, T b) { return a * ieee(b); }
  friend UPSWEEP_BOTH constexpr ieee operator*(T a, ieee b) { return ieee(a) * b; }
  friend UPSWEEP_BOTH constexpr ieee operator+(ieee a, T b) { return a + ieee(b); }
  friend UPSWEEP_BOTH constexpr ieee operator+(T a, ieee b) { return ieee(a) + b; }
  friend UPSWEEP_BOTH constexpr ieee operator-(ieee a, T b) { return a - ieee(b); }
  friend UPSWEEP_BOTH constexpr ieee operator-(T a, ieee b) { return ieee(a) - b; }
  friend UPSWEEP_BOTH constexpr ieee operator/(ieee a, T b) { return a / ieee(b); }
  friend UPSWEEP_BOTH constexpr ieee operator/(T a, ieee b) { return ieee(a) / b; }
};

UPSWEEP_IEEE_END

}  // namespace upsweep::detail

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

/// What upsweep requires of a compiler. Every header includes this first, so that the first message
/// of an unsuitable compiler is one of these sentences.
#pragma once

#if defined(__clang__) ? __clang_major__ < 14 : defined(__GNUC__) && __GNUC__ < 12
#error upsweep needs g++ 12, clang 14 or a newer one
#endif
#ifdef _MSVC_LANG  // __cplusplus says 199711 there, unless it is compiled with /Zc:__cplusplus
#define UPSWEEP_LANGUAGE _MSVC_LANG
#else
#define UPSWEEP_LANGUAGE __cplusplus
#endif
#if UPSWEEP_LANGUAGE < 202002L
#error upsweep needs C++20: compile with -std=c++20 or newer
#endif
#ifndef __cpp_exceptions
#error upsweep reports errors as exceptions: compile without -fno-exceptions
#endif

/// Whether device code is compiled. On the emulator, which defines nvcc's macros, kernels are
/// compiled for the host.
#if defined(__CUDA_ARCH__) && !defined(UPSWEEP_EMULATED)
#define UPSWEEP_ON_DEVICE 1
#else
#define UPSWEEP_ON_DEVICE 0
#endif

/// Before a constexpr function that kernels call too. nvcc calls one from device code only with
/// --expt-relaxed-constexpr, or if it is declared for both sides.
#if defined(__CUDACC__) && !defined(UPSWEEP_EMULATED)
#define UPSWEEP_BOTH __host__ __device__
#else
#define UPSWEEP_BOTH
#endif

/// Before such a function that calls one for the host in branches that device code never takes.
/// Elsewhere it hides a fault: nvcc drops such a call, and what depends on it, from a kernel.
#if defined(__CUDACC__) && !defined(UPSWEEP_EMULATED)
#define UPSWEEP_SIDES_UNCHECKED _Pragma("nv_exec_check_disable")
#else
#define UPSWEEP_SIDES_UNCHECKED
#endif

/// Before a loop whose steps neither read nor write what another writes: g++ then vectorizes it
/// without comparing addresses, which it does not do at -O2.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define UPSWEEP_INDEPENDENT_STEPS _Pragma("GCC ivdep")
#else
#define UPSWEEP_INDEPENDENT_STEPS
#endif

/// The same before a loop that fills a register: unrolled, as at -O3, it would not be vectorized.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define UPSWEEP_ONE_REGISTER _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#else
#define UPSWEEP_ONE_REGISTER
#endif

/// Before a loop of at most eight steps that has to be unrolled, also at -O2.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define UPSWEEP_UNROLLED _Pragma("GCC unroll 8")
#else
#define UPSWEEP_UNROLLED
#endif

/// Before a function, or after the parameters of a lambda, that is always inlined if the file is
/// optimized. At -O0 g++ would spend a third of its time on the copies.
#if defined(__OPTIMIZE__) || defined(__CUDACC__)
#define UPSWEEP_INLINED __attribute__((always_inline))
#else
#define UPSWEEP_INLINED
#endif

/// Before copies of a function for CPUs with AVX2 and AVX-512, both with F16C, which converts
/// 16-bit floats (otherwise g++ calls a function for each). nvcc's front end knows neither.
#if defined(__x86_64__) && !defined(__CUDACC__)
#define UPSWEEP_AVX2 __attribute__((target("avx2,f16c")))
#else
#define UPSWEEP_AVX2
#endif

/// AVX-512 brings fused products, which must not change results: g++ can be told so for a function,
/// clang cannot. If the file is compiled for fused products, all copies have them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#ifdef __FMA__
#define UPSWEEP_NO_FUSED_PRODUCTS
#else
#define UPSWEEP_NO_FUSED_PRODUCTS __attribute__((optimize("fp-contract=off")))
#endif
#define UPSWEEP_AVX512      \
  UPSWEEP_NO_FUSED_PRODUCTS \
  __attribute__((target("f16c,avx512f,avx512vl,avx512bw,avx512dq,prefer-vector-width=512")))
#endif

/// Around the definitions of operators: between them, -ffast-math and -ffinite-math-only have no
/// effect. g++ then calls such functions instead of inlining them into functions with other flags,
/// which costs some nanoseconds an element; the kernels of the compiled library are as fast as
/// ever.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#define UPSWEEP_FAST_MATH 1
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0
#define UPSWEEP_FAST_MATH 1
#else
#define UPSWEEP_FAST_MATH 0
#endif
#if UPSWEEP_FAST_MATH && defined(__clang__)
#define UPSWEEP_IEEE_BEGIN _Pragma("float_control(precise, on, push)")
#define UPSWEEP_IEEE_END _Pragma("float_control(pop)")
#elif UPSWEEP_FAST_MATH && !defined(__CUDACC__)
// One pragma, because g++ forgets a part of the first one when it reads a second. For x86 g++ also
// needs the target's flag, or it takes NaN for equal to everything where it compares twice.
#if defined(__x86_64__) || defined(__i386__)
#define UPSWEEP_IEEE_TARGET _Pragma("GCC target(\"ieee-fp\")")
#else
#define UPSWEEP_IEEE_TARGET
#endif
#define UPSWEEP_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define UPSWEEP_IEEE_BEGIN                                                                       \
  _Pragma("GCC push_options") UPSWEEP_PRAGMA(                                                    \
      GCC optimize("no-fast-math", "no-finite-math-only", "signed-zeros", "no-associative-math", \
                   "no-reciprocal-math", "trapping-math", "fp-contract=off")) UPSWEEP_IEEE_TARGET
#define UPSWEEP_IEEE_END _Pragma("GCC pop_options")
#else
#define UPSWEEP_IEEE_BEGIN
#define UPSWEEP_IEEE_END
#endif

/// Words of kernels, against plain loops and known bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "launch.cuh"

#include "buffer.cuh"

#include <vector>

__global__ void integers(unsigned* p) {
  unsigned a = 0x12345678u, b = 0x9abcdef0u;
  if (threadIdx.x != 0) return;
  p[0] = __funnelshift_l(a, b, 8);
  p[1] = __funnelshift_r(a, b, 40);
  p[2] = __funnelshift_lc(a, b, 40);
  p[3] = __funnelshift_rc(a, b, 4);
  p[4] = __byte_perm(a, b, 0x7c10);
  p[5] = __dp4a(0x01020304, -1, 5);
  p[6] = __umulhi(a, b);
  p[7] = __mulhi(-5, 7);
  p[8] = __sad(-3, 4, 10);
  p[9] = __hadd(-3, 4);
  p[10] = __rhadd(3, 4);
  p[11] = __vadd4(0xff01ff01u, 0x01010101u);
  p[12] = __vcmpeq4(0x01020304u, 0x01ff03ffu);
  p[13] = __brev(b);
  p[14] = __clz(0) + __ffs(0) + __popcll(~0ull);
  p[15] = static_cast<unsigned>(__umul64hi(1ull << 40, 1ull << 30));
}
extern "C" bool integer_intrinsics() {
  buffer<unsigned> out(16);
  LAUNCH(integers, 1, 32)(out.place);
  unsigned const want[16] = {0xbcdef012u, 0xf0123456u, 0x12345678u, 0x01234567u | 0u,
                             0x9aff5678u, 5u - 10u,    0x0b00ea4eu, ~0u,
                             17u,         0u,          4u,          0x00020002u,
                             0xff00ff00u, 0x0f7b3d59u, 96u,         64u};
  return holds(out, [&](int i) { return i == 3 ? 0x01234567u : want[i]; });
}

__global__ void rounds(float* p, float third, float big, float small) {
  if (threadIdx.x != 0) return;
  p[0] = __fdiv_rd(1.0f, third) == 1.0f / third;
  p[1] = __fadd_ru(big, small) > big;
  p[2] = __fadd_rd(big, small) == big;
  p[3] = __fadd_rz(-big, -small) == -big;
  p[4] = __fmul_ru(third, third) > __fmul_rd(third, third);
  p[5] = __fmaf_rn(third, third, -__fmul_rn(third, third)) != 0;
  p[6] = __fsqrt_rd(2.0f) < __fsqrt_ru(2.0f);
  p[7] = __saturatef(1.5f) == 1.0f && __saturatef(-1.0f) == 0.0f;
}
extern "C" bool rounding_modes() {
  buffer<float> out(8);
  LAUNCH(rounds, 1, 32)(out.place, 0.5f, 16777216.0f, 0.25f);
  return holds(out, [](int i) { return i == 4 || i == 5 ? 0.0f : 1.0f; });
}

__global__ void converts(long long* p, float x) {
  if (threadIdx.x != 0) return;
  p[0] = __float2int_rn(2.5f * x);
  p[1] = __float2int_rz(-2.5f * x);
  p[2] = __float2int_ru(2.25f * x);
  p[3] = __float2int_rd(-2.25f * x);
  p[4] = __float2int_rz(1e20f * x);
  p[5] = __float2uint_rz(-5.0f * x);
  p[6] = static_cast<long long>(__int2float_rz(16777217 * static_cast<int>(x)));
  p[7] = static_cast<long long>(__int2float_ru(16777217 * static_cast<int>(x)));
  p[8] = __double2hiint(1.0 * x);
  p[9] = __double_as_longlong(__hiloint2double(0x3ff00000, 0)) >> 52;
}
extern "C" bool conversions() {
  buffer<long long> out(10);
  LAUNCH(converts, 1, 32)(out.place, 1.0f);
  long long const want[] = {2, -2, 3, -3, 2147483647, 0, 16777216, 16777218, 0x3ff00000, 1023};
  return holds(out, [&](int i) { return want[i]; });
}

struct alignas(16) quad {
  int a, b, c, d;
};
__global__ void all_atomics(unsigned long long* sums, double* d, float* f, __half2* h,
                            unsigned short* s, quad* q) {
  atomicAdd(&sums[0], 2ull);
  atomicMax(&sums[1], static_cast<unsigned long long>(threadIdx.x) << 33);
  atomicXor_block(&sums[2 + blockIdx.x], 1ull << threadIdx.x);
  atomicAdd(d, 0.5);
  atomicAdd_system(f, 1.0f);
  atomicAdd(h, __floats2half2_rn(1.0f, 2.0f));
  unsigned short seen = 0, old;
  while ((old = atomicCAS(s, seen, static_cast<unsigned short>(seen + 1))) != seen) seen = old;
  quad const mine = atomicExch(q, quad{1, 2, 3, 4});
  if (mine.a != 1) atomicAdd(&sums[4], 1ull);
}
extern "C" bool atomics_of_types() {
  buffer<unsigned long long> sums(5);
  buffer<double> d(1);
  buffer<float> f(1);
  buffer<__half2> h(std::vector<__half2>{__floats2half2_rn(0.0f, 0.0f)});
  buffer<unsigned short> s(1);
  buffer<quad> q(1);
  LAUNCH(all_atomics, 2, 64)(sums.place, d.place, f.place, h.place, s.place, q.place);
  unsigned long long const want[] = {256, 63ull << 33, ~0ull, ~0ull, 1};
  return holds(sums, [&](int i) { return want[i]; }) && d.get()[0] == 64 && f.get()[0] == 128 &&
         __low2float(h.get()[0]) == 128 && __high2float(h.get()[0]) == 256 && s.get()[0] == 128 &&
         q.get()[0].d == 4;
}

__global__ void use_ordered_atomics(unsigned* u, double* d, unsigned* flag) {
  __nv_atomic_add(&u[0], 2u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_max(&u[1], threadIdx.x, __NV_ATOMIC_RELAXED);
  __nv_atomic_or(&u[2 + blockIdx.x], 1u << threadIdx.x % 32, __NV_ATOMIC_RELAXED,
                 __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_fetch_add(d, 0.5, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
  unsigned seen = __nv_atomic_load_n(&u[4], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  while (!__nv_atomic_compare_exchange_n(&u[4], &seen, seen + 3, false, __NV_ATOMIC_ACQ_REL,
                                         __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE)) {
  }
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    u[5] = 42;
    __nv_atomic_store_n(flag, 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {
    }
    unsigned mine = u[5] + 1, old = 0;
    __nv_atomic_exchange(&u[6], &mine, &old, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
  }
}
extern "C" bool atomics_with_orders() {
  buffer<unsigned> u(7), flag(1);
  buffer<double> d(1);
  LAUNCH(use_ordered_atomics, 2, 64)(u.place, d.place, flag.place);
  unsigned const want[] = {256, 63, ~0u, ~0u, 384, 42, 43};
  return holds(u, [&](int i) { return want[i]; }) && d.get()[0] == 64;
}

__global__ void shuffles_of_words(double* d, unsigned long long* u) {
  d[threadIdx.x] = __shfl_xor_sync(~0u, threadIdx.x + 0.5, 31);
  u[threadIdx.x] =
      __shfl_down_sync(~0u, (static_cast<unsigned long long>(threadIdx.x) << 40), 4, 8);
}
extern "C" bool wide_values() {
  buffer<double> d(32);
  buffer<unsigned long long> u(32);
  LAUNCH(shuffles_of_words, 1, 32)(d.place, u.place);
  return holds(d, [](int i) { return 31 - i + 0.5; }) && holds(u, [](int i) {
           return static_cast<unsigned long long>(i % 8 < 4 ? i + 4 : i) << 40;
         });
}

/// One third, 1 + 2^-11 (a tie), products and sums whose rounding is known.
__global__ void use_halves(unsigned short* p, float one) {
  if (threadIdx.x != 0) return;
  __half third = __float2half(one / 3), two = __int2half_rn(2);
  p[0] = __half_as_ushort(third);
  p[1] = __half_as_ushort(__float2half_rn(one + one / 2048));
  p[2] = __half_as_ushort(__hmul(third, two));
  p[3] = __half_as_ushort(third + two);
  p[4] = __half_as_ushort(__hfma(third, third, two));
  p[5] = __half_as_ushort(hsqrt(two));
  p[6] = __half_as_ushort(__float2half(70000.0f * one));
  __half2 v = __hadd2(__half2half2(two), __floats2half2_rn(1.0f, 0.5f));
  p[7] = __half_as_ushort(__high2half(v));
  p[8] = __hlt(third, two) + 2 * (two > third) + 4 * __hisnan(third);
  p[9] = static_cast<unsigned short>(__half2int_rn(two / third));
}
extern "C" bool half_arithmetic() {
  buffer<unsigned short> out(10);
  LAUNCH(use_halves, 1, 32)(out.place, 1.0f);
  unsigned short const want[] = {0x3555, 0x3c00, 0x3955, 0x40ab, 0x4039,
                                 0x3da8, 0x7c00, 0x4100, 3,      6};
  return holds(out, [&](int i) { return want[i]; });
}

__global__ void use_bfloats(unsigned short* p, float one) {
  if (threadIdx.x != 0) return;
  __nv_bfloat16 third = __float2bfloat16(one / 3), two = __float2bfloat16(2.0f * one);
  p[0] = __bfloat16_as_ushort(third);
  p[1] = __bfloat16_as_ushort(third * two);
  p[2] = __bfloat16_as_ushort(third + two);
  p[3] = __bfloat16_as_ushort(__float2bfloat16(one + one / 256));
  p[4] = __bfloat16_as_ushort(__float2bfloat16(one + 3 * one / 256));
  p[5] = __bfloat162float(two) == 2.0f;
}
extern "C" bool bfloat16_arithmetic() {
  buffer<unsigned short> out(6);
  LAUNCH(use_bfloats, 1, 32)(out.place, 1.0f);
  unsigned short const want[] = {0x3eab, 0x3f2b, 0x4015, 0x3f80, 0x3f82, 1};
  return holds(out, [&](int i) { return want[i]; });
}

// How often operators read their operands, in memory that is const and in memory that is not. A
// thread's loads are counted by hand: tests/lab/operands_test.py expects these numbers.
#include <cstdio>

#define CELL(a, b, i) ((int)(a)[i] * 2 + (int)(b)[i])
#define SQUARE(v) ((v) * (v))
#define SHIFTED(a, b, i) ((a)[i] << (b)[i])
#define KERNEL                         \
  template <class I, class F, class B> \
  __global__ void
#define PARAMETERS (I * x, I * y, F * f, F * g, B * b, int* o)

struct bits {
  int word, by;
  __device__ int bit(int i) const { return word >> i & 1; }
  __device__ int shifted() const { return word << by; }
};
__device__ int whole(float const& x) {
  return (int)x;
}

// LOADS 1
KERNEL shift PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 1 << x[t];
}
// LOADS 1
KERNEL shift_right PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 4096 >> x[t];
}
// LOADS 2
KERNEL shift_of_memory PARAMETERS {
  int const t = threadIdx.x;
  o[t] = x[t] << y[t];
}
// LOADS 1
KERNEL shift_by_a_constant PARAMETERS {
  int const t = threadIdx.x;
  o[t] = x[t] << 3;
}
// LOADS 2
KERNEL shift_by_a_sum PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 1 << (x[t] + y[t]);
}
// LOADS 1
KERNEL shift_by_masked PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 1 << (x[t] & 7);
}
// LOADS 2
KERNEL shift_by_masked_sum PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 1 << ((x[t] + y[t]) & 7);
}
// LOADS 1
KERNEL shift_by_a_rest PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 1 << x[t] % 5;
}
// LOADS 2
KERNEL shift_by_nested PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 1 << x[31 - x[t]];
}
// LOADS 1
KERNEL shift_by_shift PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 1 << (1 << (x[t] & 3));
}
// LOADS 2
KERNEL shift_assigned PARAMETERS {
  int const t = threadIdx.x;
  o[t] <<= x[t];
}
// LOADS 2
KERNEL shift_right_assigned PARAMETERS {
  int const t = threadIdx.x;
  o[t] >>= x[t];
}
// LOADS 2
KERNEL two_shifts PARAMETERS {
  int const t = threadIdx.x;
  o[t] = (1 << x[t]) + (2 << y[t]);
}
// LOADS 2
KERNEL twice_the_same PARAMETERS {
  int const t = threadIdx.x;
  o[t] = (1 << x[t]) << x[t];
}
// LOADS 2
KERNEL tested_bit PARAMETERS {
  int const t = threadIdx.x;
  if (x[t] >> y[t] & 1) o[t] = 1;
}
// LOADS 2
KERNEL bits_of_members PARAMETERS {
  int const t = threadIdx.x;
  o[t] = b[t].bit(t) + b[t].bit(31 - t);
}
// LOADS 4
KERNEL member_of_members PARAMETERS {
  int const t = threadIdx.x;
  o[t] = b[t].shifted() + b[t].shifted();
}
// LOADS 1
KERNEL to_int PARAMETERS {
  int const t = threadIdx.x;
  o[t] = (int)f[t];
}
// LOADS 1
KERNEL to_int_unsaid PARAMETERS {
  int const t = threadIdx.x;
  o[t] = f[t];
}
// LOADS 1
KERNEL to_byte PARAMETERS {
  int const t = threadIdx.x;
  o[t] = (unsigned char)f[t];
}
// LOADS 2
KERNEL to_int_by_reference PARAMETERS {
  int const t = threadIdx.x;
  o[t] = whole(f[t]) + whole(f[31 - t]);
}
// LOADS 1
KERNEL sum_to_int PARAMETERS {
  int const t = threadIdx.x;
  o[t] = (int)(f[t] + 0.5f);
}
// LOADS 2
KERNEL product_to_int PARAMETERS {
  int const t = threadIdx.x;
  o[t] = (int)(f[t] * g[t]);
}
// LOADS 2
KERNEL two_to_int PARAMETERS {
  int const t = threadIdx.x;
  o[t] = (int)f[t] + (int)g[t];
}
// LOADS 1
KERNEL bin PARAMETERS {
  int const t = threadIdx.x;
  o[(int)f[t]] = t;
}
// LOADS 2
KERNEL two_in_a_macro PARAMETERS {
  int const t = threadIdx.x;
  o[t] = CELL(f, g, t);
}
// LOADS 2
KERNEL square_in_a_macro PARAMETERS {
  int const t = threadIdx.x;
  o[t] = 1 << SQUARE(x[t]);
}
// LOADS 2
KERNEL shift_in_a_macro PARAMETERS {
  int const t = threadIdx.x;
  o[t] = SHIFTED(x, y, t);
}
// LOADS 2
KERNEL quotient PARAMETERS {
  int const t = threadIdx.x;
  o[t] = x[t] / y[t];
}
// LOADS 2
KERNEL rest PARAMETERS {
  int const t = threadIdx.x;
  o[t] = x[t] % y[t];
}
// LOADS 2
KERNEL quotient_assigned PARAMETERS {
  int const t = threadIdx.x;
  o[t] /= y[t];
}
// LOADS 2
KERNEL rest_assigned PARAMETERS {
  int const t = threadIdx.x;
  o[t] %= y[t];
}
// LOADS 2
KERNEL product PARAMETERS {
  int const t = threadIdx.x;
  o[t] = x[t] * x[t];
}
// LOADS 2
KERNEL comparison PARAMETERS {
  int const t = threadIdx.x;
  o[t] = x[t] < y[t];
}
// LOADS 2
KERNEL smaller PARAMETERS {
  int const t = threadIdx.x;
  o[t] = min(x[t], y[t]);
}
// LOADS 2
KERNEL larger PARAMETERS {
  int const t = threadIdx.x;
  o[t] = max(x[t], y[t]);
}
// LOADS 1
KERNEL absolute PARAMETERS {
  int const t = threadIdx.x;
  o[t] = abs(x[t]);
}
// LOADS 3
KERNEL chosen PARAMETERS {
  int const t = threadIdx.x;
  o[t] = x[t] < y[t] ? x[t] : y[t];
}
// LOADS 1
KERNEL incremented PARAMETERS {
  int const t = threadIdx.x;
  o[t]++;
}
// LOADS 2
KERNEL added PARAMETERS {
  int const t = threadIdx.x;
  o[t] += x[t];
}

template <class Plain, class Const>
void run(char const* name, int* o, Plain const& plain, Const const& in_const) {
  for (int i = 0; i < 32; ++i) o[i] = i;
  plain();
  in_const();
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += o[i];
  std::printf("%s %d\n", name, sum);
}
#define RUN(k)                                        \
  run(                                                \
      #k, o, [&] { k<<<1, 32>>>(x, y, f, g, b, o); }, \
      [&] { k<int const, float const, bits const><<<1, 32>>>(x, y, f, g, b, o); })

int main() {
  int *x, *y, *o;
  float *f, *g;
  bits* b;
  cudaMallocManaged(&x, 32 * sizeof(int));
  cudaMallocManaged(&y, 32 * sizeof(int));
  cudaMallocManaged(&o, 32 * sizeof(int));
  cudaMallocManaged(&f, 32 * sizeof(float));
  cudaMallocManaged(&g, 32 * sizeof(float));
  cudaMallocManaged(&b, 32 * sizeof(bits));
  for (int i = 0; i < 32; ++i) {
    x[i] = i % 4;
    y[i] = 1 + i % 3;
    f[i] = 31 - i;
    g[i] = 1;
    b[i] = {i, i % 5};
  }
  RUN(shift);
  RUN(shift_right);
  RUN(shift_of_memory);
  RUN(shift_by_a_constant);
  RUN(shift_by_a_sum);
  RUN(shift_by_masked);
  RUN(shift_by_masked_sum);
  RUN(shift_by_a_rest);
  RUN(shift_by_nested);
  RUN(shift_by_shift);
  RUN(shift_assigned);
  RUN(shift_right_assigned);
  RUN(two_shifts);
  RUN(twice_the_same);
  RUN(tested_bit);
  RUN(bits_of_members);
  RUN(member_of_members);
  RUN(to_int);
  RUN(to_int_unsaid);
  RUN(to_byte);
  RUN(to_int_by_reference);
  RUN(sum_to_int);
  RUN(product_to_int);
  RUN(two_to_int);
  RUN(bin);
  RUN(two_in_a_macro);
  RUN(square_in_a_macro);
  RUN(shift_in_a_macro);
  RUN(quotient);
  RUN(rest);
  RUN(quotient_assigned);
  RUN(rest_assigned);
  RUN(product);
  RUN(comparison);
  RUN(smaller);
  RUN(larger);
  RUN(absolute);
  RUN(chosen);
  RUN(incremented);
  RUN(added);
}

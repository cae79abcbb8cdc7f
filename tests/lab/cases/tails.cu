// Tails of reductions by shuffles: lanes beyond the last element take no part, and what is read
// from them must not be used. The argument is the number of elements.
#include "cases.cuh"

__device__ unsigned those(bool take_part) {
  return __ballot_sync(~0u, take_part);
}

// The lane `t`, which ends here unless it has an element, and the mask `m` of those that have one.
#define LANES_BELOW_N              \
  int const t = threadIdx.x;       \
  unsigned const m = those(t < n); \
  if (t >= n) return

// EXPECT none; with 1
// EXPECT none; with 10
// EXPECT none; with 20; prints 210
// EXPECT none; with 31
__global__ void added_in_a_branch(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    int const o = __shfl_down_sync(m, v, s);
    if (t + s < n) v += o;
  }
  if (t == 0) y[0] = v;
}
CASE(added_in_a_branch, 1, 32)

// EXPECT none; with 1
// EXPECT none; with 10
// EXPECT none; with 20; prints 210
// EXPECT none; with 31
__global__ void added_by_a_choice(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    int const o = __shfl_down_sync(m, v, s);
    v = t + s < n ? v + o : v;
  }
  if (t == 0) y[0] = v;
}
CASE(added_by_a_choice, 1, 32)

// EXPECT none; with 1
// EXPECT none; with 10
// EXPECT none; with 20; prints 210
// EXPECT none; with 31
__global__ void added_as_a_product(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    int const o = __shfl_down_sync(m, v, s);
    v += (t + s < n) * o;
  }
  if (t == 0) y[0] = v;
}
CASE(added_as_a_product, 1, 32)

// EXPECT none; with 10
// EXPECT none; with 20; prints 210
// EXPECT none; with 31
__global__ void floats(int* x, int* y, int n) {
  LANES_BELOW_N;
  float v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    float const o = __shfl_down_sync(m, v, s);
    if (t + s < n) v += o;
  }
  if (t == 0) *reinterpret_cast<float*>(y + 2) = v;
  if (t == 0) y[0] = static_cast<int>(v);
}
CASE(floats, 1, 32)

// EXPECT none; with 10
// EXPECT none; with 20; prints 210
// EXPECT none; with 31
__global__ void doubles(int* x, int* y, int n) {
  LANES_BELOW_N;
  double v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    double const o = __shfl_down_sync(m, v, s);
    if (t + s < n) v += o;
  }
  if (t == 0) *reinterpret_cast<double*>(y + 2) = v;
  if (t == 0) y[0] = static_cast<int>(v);
}
CASE(doubles, 1, 32)

// EXPECT none; with 10
// EXPECT none; with 20; prints 210
// EXPECT none; with 31
__global__ void long_numbers(int* x, int* y, int n) {
  LANES_BELOW_N;
  long long v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    long long const o = __shfl_down_sync(m, v, s);
    if (t + s < n) v += o;
  }
  if (t == 0) *reinterpret_cast<long long*>(y + 2) = v;
  if (t == 0) y[0] = static_cast<int>(v);
}
CASE(long_numbers, 1, 32)

// EXPECT none; with 1
// EXPECT none; with 10
// EXPECT none; with 20; prints 20
// EXPECT none; with 31
__global__ void largest_in_a_branch(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    int const o = __shfl_down_sync(m, v, s);
    if (t + s < n && o > v) v = o;
  }
  if (t == 0) y[0] = v;
}
CASE(largest_in_a_branch, 1, 32)

// EXPECT none; with 1
// EXPECT none; with 10
// EXPECT none; with 20; prints 210
// EXPECT none; with 31
__global__ void read_by_number(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    int const o = __shfl_sync(m, v, t + s);
    if (t + s < n) v += o;
  }
  if (t == 0) y[0] = v;
}
CASE(read_by_number, 1, 32)

// EXPECT none; with 20
// EXPECT none; with 31
// EXPECT none; with 16; prints 136
__global__ void butterfly(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) {
    int const o = __shfl_xor_sync(m, v, s);
    if ((t ^ s) < n) v += o;
  }
  if (t == 0) y[0] = v;
}
CASE(butterfly, 1, 32)

// The last warp of a block, whose total many threads use later.
// EXPECT none; with 20
// EXPECT none; with 7
__global__ void total_is_used_later(int* x, int* y, int n) {
  __shared__ int total;
  int const t = threadIdx.x;
  unsigned const m = those(t < n);
  if (t < n) {
    int v = x[t];
    for (int s = 16; s > 0; s /= 2) {
      int const o = __shfl_down_sync(m, v, s);
      if (t + s < n) v += o;
    }
    if (t == 0) total = v;
  }
  __syncthreads();
  if (t < n) y[t] = 100 * x[t] / total;
}
CASE(total_is_used_later, 1, 32)

// EXPECT none; with 20; prints 39
// EXPECT none; with 9
__global__ void value_and_place(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t], at = t;
  for (int s = 16; s > 0; s /= 2) {
    int const other = __shfl_down_sync(m, v, s);
    int const place = __shfl_down_sync(m, at, s);
    if (t + s < n && other > v) {
      v = other;
      at = place;
    }
  }
  if (t == 0) y[0] = v + at;
}
CASE(value_and_place, 1, 32)

// EXPECT none; with 20
__global__ void atomic_at_the_end(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t], o;
  o = __shfl_down_sync(m, v, 16), v += t + 16 < n ? o : 0;
  o = __shfl_down_sync(m, v, 8), v += t + 8 < n ? o : 0;
  o = __shfl_down_sync(m, v, 4), v += t + 4 < n ? o : 0;
  o = __shfl_down_sync(m, v, 2), v += t + 2 < n ? o : 0;
  o = __shfl_down_sync(m, v, 1), v += t + 1 < n ? o : 0;
  if (t == 0) atomicAdd(y, v);
}
CASE(atomic_at_the_end, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
// EXPECT missing lane: does not take part in the shuffle; with 10
__global__ void adds_anything(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(m, v, s);
  if (t == 0) y[0] = v;
}
CASE(adds_anything, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
// EXPECT missing lane: does not take part in the shuffle; with 10
__global__ void adds_any_floats(int* x, int* y, int n) {
  LANES_BELOW_N;
  float v = x[t];
  for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(m, v, s);
  if (t == 0) y[0] = static_cast<int>(v);
}
CASE(adds_any_floats, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
// EXPECT missing lane: does not take part in the shuffle; with 10
__global__ void adds_any_doubles(int* x, int* y, int n) {
  LANES_BELOW_N;
  double v = x[t];
  for (int s = 16; s > 0; s /= 2) v += __shfl_down_sync(m, v, s);
  if (t == 0) y[0] = static_cast<int>(v);
}
CASE(adds_any_doubles, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
// EXPECT missing lane: does not take part in the shuffle; with 10
__global__ void takes_any_maximum(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) v = max(v, __shfl_down_sync(m, v, s));
  if (t == 0) y[0] = v;
}
CASE(takes_any_maximum, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
// EXPECT missing lane: does not take part in the shuffle; with 10
__global__ void multiplies_and_adds(int* x, int* y, int n) {
  LANES_BELOW_N;
  int v = x[t];
  for (int s = 16; s > 0; s /= 2) v = 3 * v + __shfl_down_sync(m, v, s);
  if (t == 0) y[0] = v;
}
CASE(multiplies_and_adds, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
__global__ void writes_a_difference(int* x, int* y, int n) {
  LANES_BELOW_N;
  y[t] = __shfl_down_sync(m, x[t], 1) - x[t];
}
CASE(writes_a_difference, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
__global__ void writes_a_mean(int* x, int* y, int n) {
  LANES_BELOW_N;
  int const own = x[t];
  y[t] = (__shfl_down_sync(m, own, 1) + own) / 2;
}
CASE(writes_a_mean, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
__global__ void writes_a_sum_of_two(int* x, int* y, int n) {
  LANES_BELOW_N;
  int const a = __shfl_down_sync(m, x[t], 1), b = __shfl_down_sync(m, 3 * x[t], 2);
  y[t] = a + b;
}
CASE(writes_a_sum_of_two, 1, 32)

// EXPECT missing lane: does not take part in the shuffle; with 20
__global__ void adds_atomically(int* x, int* y, int n) {
  LANES_BELOW_N;
  atomicAdd(y, __shfl_down_sync(m, x[t], 1));
}
CASE(adds_atomically, 1, 32)

int main(int count, char** words) {
  return cases::run(count, words);
}

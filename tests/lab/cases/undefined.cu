// What C++ or CUDA does not define: accesses outside of arrays of a thread's own, words, loops
// without an end, and arithmetic.
#include "cases.cuh"

// Arrays of a thread's own, whose accesses no compiler reports.

// EXPECT out of bounds: element 4 of its own array 'best' at; which has 4 elements; with 5
// EXPECT none; with 4; prints 10
__global__ void writes_after(int* x, int* y, int n) {
  int best[4];
  for (int j = 0; j < n; ++j) best[j] = x[j];
  int sum = 0;
  for (int j = 0; j < 4; ++j) sum += best[j];
  y[0] = sum;
}
CASE(writes_after, 1, 1)

// EXPECT out of bounds: element -1 of its own array 'near'; with -1
// EXPECT none; with 2; prints 3
__global__ void reads_before(int* x, int* y, int n) {
  int near[3] = {x[0], x[1], x[2]};
  y[0] = near[n];
}
CASE(reads_before, 1, 1)

// EXPECT out of bounds: of its own array 'table'; which has 3 elements; with 3
// EXPECT none; with 2; prints 6
__global__ void second_dimension(int* x, int* y, int n) {
  float table[2][3];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) table[i][j] = x[3 * i + j];
  y[0] = static_cast<int>(table[1][n]);
}
CASE(second_dimension, 1, 1)

// EXPECT out of bounds: element 2 of its own array 'table'; which has 2 elements; with 2
__global__ void first_dimension(int* x, int* y, int n) {
  float table[2][3] = {};
  table[n][0] = x[0];
  y[0] = static_cast<int>(table[0][0]);
}
CASE(first_dimension, 1, 1)

template <class T, int count>
__device__ T last_of(T const* x, unsigned at) {
  T first[count], second[count];
  for (int i = 0; i < count; ++i) second[i] = first[i] = x[i];
  return second[at];
}

// EXPECT out of bounds: element 8 of its own array 'second'; with 8
// EXPECT none; with 7; prints 8
__global__ void in_a_template(int* x, int* y, int n) {
  y[0] = last_of<int, 8>(x, n);
}
CASE(in_a_template, 1, 1)

// EXPECT out of bounds: of its own array 'digits'; with 99
__global__ void counts_digits(int* x, int* y, int n) {
  unsigned char digits[10] = {0};
  digits[n]++;
  y[0] = digits[3];
}
CASE(counts_digits, 1, 1)

// Shared arrays are used across their rows, and their ends are checked elsewhere; an address after
// the last element is no access.
// EXPECT none; with 7; prints 20
__global__ void other_arrays(int* x, int* y, int n) {
  __shared__ int rows[4][8];
  int const t = threadIdx.x;
  rows[0][t] = x[t];
  __syncthreads();
  int own[4] = {1, 2, 3, 4}, sum = 0;
  for (int* p = own; p != &own[4]; ++p) sum += *p;
  int const* const there = own;
  sum += there[n % 4] + own[[&] { return n % 2; }()] + rows[0][3];
  y[t] = sum;
}
CASE(other_arrays, 1, 32)

// Words used as CUDA does not define them, and loops without an end.

// EXPECT undefined use: by __ldg(); which this kernel has written
__global__ void ldg_of_what_it_wrote(int* x, int* y, int) {
  int const t = threadIdx.x;
  x[t] = 3 * t;
  __syncthreads();
  y[t] = __ldg(&x[63 - t]);
}
CASE(ldg_of_what_it_wrote, 1, 64)

// EXPECT undefined use: by __ldg()
__global__ void ldg_of_a_counter(int* x, int* y, int) {
  atomicAdd(y + 1, x[0]);
  __syncthreads();
  if (threadIdx.x == 0) y[0] = __ldg(y + 1);
}
CASE(ldg_of_a_counter, 1, 64)

// EXPECT none; prints 64
__global__ void ldg_of_input(int* x, int* y, int) {
  int const t = threadIdx.x;
  y[t] = __ldg(&x[63 - t]);
}
CASE(ldg_of_input, 1, 64)

// EXPECT no progress: comes back to the barrier; stride >> 1 does not; on in-order
__global__ void endless_with_a_barrier(int* x, int* y, int) {
  for (int s = blockDim.x; s > 0; s >> 1) {
    __syncthreads();
    if (threadIdx.x < s) y[threadIdx.x] += 1;
  }
}
CASE(endless_with_a_barrier, 1, 32)

// EXPECT none; prints 70000
__global__ void many_rounds(int* x, int* y, int) {
  for (int round = 0; round < 70000; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) y[0] += 1;
  }
}
CASE(many_rounds, 1, 2)

// EXPECT out of bounds: element -2147479015 of buffer 'x'; has an int index overflowed
__global__ void product_of_ints(int* x, int* y, int) {
  int const row = 46340 + x[0], columns = row;
  y[0] = x[row * columns];
}
CASE(product_of_ints, 1, 1)

// What C++ leaves undefined and a GPU computes in its own way: a finding, or the GPU's value. The
// GPU's values are those of an H200.

// EXPECT undefined use: divides an integer by 0; with 0; prints 7
// EXPECT none; with 3; prints 7
__global__ void divides(int* x, int* y, int n) {
  if (threadIdx.x == 5) y[5] = x[5] / n;
  if (threadIdx.x == 0) y[0] = 7;
}
CASE(divides, 1, 32)

// EXPECT undefined use: divides an integer by 0; with 0
__global__ void modulo(int* x, int* y, int n) {
  y[threadIdx.x] = x[threadIdx.x] % n;
}
CASE(modulo, 1, 32)

// EXPECT undefined use: divides an integer by 0; with 0; prints -1
__global__ void unsigned_quotient(int* x, int* y, int n) {
  unsigned const d = n;
  y[0] = static_cast<unsigned>(x[3]) / d;
}
CASE(unsigned_quotient, 1, 1)

// EXPECT undefined use: divides an integer by 0; with 0; prints -1
__global__ void long_quotient(int* x, int* y, int n) {
  long long const a = x[3], d = n;
  y[0] = static_cast<int>(a / d);
}
CASE(long_quotient, 1, 1)

// EXPECT undefined use: divides an integer by 0; with 0
__global__ void long_unsigned_rest(int* x, int* y, int n) {
  unsigned long long const a = x[3], d = n;
  y[0] = static_cast<int>(a % d);
}
CASE(long_unsigned_rest, 1, 1)

// EXPECT undefined use: divides an integer by 0; with 0
__global__ void bytes_divided(int* x, int* y, int n) {
  unsigned char const a = x[3], d = n;
  y[0] = a / d + a % d;
}
CASE(bytes_divided, 1, 1)

// EXPECT undefined use: divides an integer by 0; with 0
__global__ void divisor_in_memory(int* x, int* y, int n) {
  __shared__ int counts[32];
  counts[threadIdx.x] = n;
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x] / counts[31 - threadIdx.x];
}
CASE(divisor_in_memory, 1, 32)

// EXPECT none; with -1; prints -2147483648
__global__ void smallest_by_minus_one(int* x, int* y, int n) {
  int const smallest = -2147483647 - x[0];
  y[0] = smallest / n;
  y[1] = smallest % n;
}
CASE(smallest_by_minus_one, 1, 1)

// EXPECT none; with -1; prints 0
__global__ void smallest_rest(int* x, int* y, int n) {
  long long const smallest = -9223372036854775807 - x[0];
  y[0] = static_cast<int>(smallest % n);
}
CASE(smallest_rest, 1, 1)

// EXPECT undefined use: shifts 32 bits by 32; with 32
// EXPECT undefined use: shifts 32 bits by 40; with 40
// EXPECT undefined use: shifts 32 bits by -1; with -1
// EXPECT none; with 31; prints -2147483648
__global__ void shifts_left(int* x, int* y, int n) {
  y[0] = static_cast<int>(static_cast<unsigned>(x[0]) << n);
}
CASE(shifts_left, 1, 1)

// EXPECT undefined use: shifts 32 bits by 32; with 32
// EXPECT none; with 1; prints 0
__global__ void shifts_right(int* x, int* y, int n) {
  unsigned const mask = 0xffffffffu >> n;
  y[0] = static_cast<int>(mask & ~0x7fffffffu);
}
CASE(shifts_right, 1, 1)

// EXPECT undefined use: shifts 64 bits by 64; with 64
// EXPECT none; with 63; prints 1
__global__ void shifts_long(int* x, int* y, int n) {
  unsigned long long const one = x[0];
  y[0] = static_cast<int>((one << n) >> 63);
}
CASE(shifts_long, 1, 1)

// EXPECT undefined use: shifts 32 bits by 40
__global__ void shifts_by_const_memory(int* x, int* y, int) {
  int const* const distances = x;
  y[threadIdx.x] = 1 << distances[39];
}
CASE(shifts_by_const_memory, 1, 32)

// EXPECT out of bounds: element 2000000 of buffer 'x'; with 2000000
__global__ void shifts_by_missing_memory(int* x, int* y, int n) {
  int const* const distances = x;
  y[threadIdx.x] = 1 << distances[n];
}
CASE(shifts_by_missing_memory, 1, 1)

// EXPECT out of bounds: element 2000000 of buffer 'x'; with 2000000
__global__ void converts_missing_memory(int* x, int* y, int n) {
  auto const* const numbers = reinterpret_cast<float const*>(x);
  y[threadIdx.x] = static_cast<int>(numbers[n]);
}
CASE(converts_missing_memory, 1, 1)

// EXPECT undefined use: shifts 32 bits by 32
__global__ void lanes_up_to_mine(int* x, int* y, int) {
  unsigned const lane = threadIdx.x, b = __ballot_sync(~0u, lane % 3 == 0);
  y[lane] = __popc(b & ((1u << (lane + 1)) - 1));
}
CASE(lanes_up_to_mine, 1, 32)

// EXPECT none; prints 1
__global__ void lanes_before_mine(int* x, int* y, int) {
  unsigned const lane = threadIdx.x, b = __ballot_sync(~0u, lane % 3 == 0);
  y[lane] = 1 + __popc(b & ((1u << lane) - 1));
}
CASE(lanes_before_mine, 1, 32)

// EXPECT undefined use: converts -4 to unsigned int; with -1
// EXPECT none; with 2; prints 8
__global__ void bin_of_a_float(int* x, int* y, int n) {
  float const value = static_cast<float>(n);
  y[0] = static_cast<int>(static_cast<unsigned>(value * 4));
}
CASE(bin_of_a_float, 1, 1)

// EXPECT none; with 0; prints 0
__global__ void between_minus_one_and_zero(int* x, int* y, int n) {
  float const value = n - 0.5f;
  y[0] = static_cast<int>(static_cast<unsigned>(value));
}
CASE(between_minus_one_and_zero, 1, 1)

// EXPECT undefined use: converts 1e+20 to int
__global__ void large_float(int* x, int* y, int) {
  float const value = 1e20f * x[0];
  y[0] = static_cast<int>(value);
}
CASE(large_float, 1, 1)

// EXPECT undefined use: to int
__global__ void not_a_number(int* x, int* y, int) {
  float const zero = x[0] - 1.0f;
  y[0] = static_cast<int>(zero / zero);
}
CASE(not_a_number, 1, 1)

// EXPECT undefined use: converts 300 to unsigned char; with 300
// EXPECT none; with 255; prints 255
__global__ void double_to_byte(int* x, int* y, int n) {
  double const value = n;
  y[0] = static_cast<unsigned char>(value);
}
CASE(double_to_byte, 1, 1)

// EXPECT undefined use: converts 1e+19 to long
__global__ void double_to_long(int* x, int* y, int) {
  double const value = 1e19 * x[0];
  y[0] = static_cast<int>(static_cast<long long>(value));
}
CASE(double_to_long, 1, 1)

int main(int count, char** words) {
  return cases::run(count, words);
}

// What C++ leaves undefined and a GPU computes in its own way: a finding, or the GPU's value. The
// GPU's values are those of an H200.
#include "cases.cuh"

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

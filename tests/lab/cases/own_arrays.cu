// Arrays of a thread's own, whose accesses no compiler reports.
#include "cases.cuh"

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

int main(int count, char** words) {
  return cases::run(count, words);
}

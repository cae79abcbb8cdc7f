// What the product of matrices includes; it has a launch of its own.
#pragma once

#include <vector>

constexpr int tile = 8;

inline std::vector<float> filled(int n, int seed) {
  std::vector<float> m(n * n);
  for (int i = 0; i < n * n; ++i) m[i] = float((i * seed + 3) % 7);
  return m;
}

__global__ void set_zero(float* p, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 0;
}
inline void clear(float* p, int n) {
  set_zero<<<(n + 127) / 128, 128>>>(p, n);
}

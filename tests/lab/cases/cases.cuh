// Many small kernels in one program, which runs the one that its argument names. Above each kernel
// stands what the emulator has to say about it: tests/lab/cases_test.py.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cases {

constexpr int elements = 256;

struct entry {
  char const* name;
  void (*run)(int* x, int* y, int n);
  entry* next;
};
inline entry* first = nullptr;
inline int add(entry& e) {
  e.next = first;
  first = &e;
  return 0;
}

// x[i] is i + 1, y[i] is 0; y[0] is printed afterwards.
inline int run(int count, char** words) {
  int host[elements], *x, *y;
  for (int i = 0; i < elements; ++i) host[i] = i + 1;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(y, 0, sizeof host);
  for (entry* e = first; e != nullptr; e = e->next)
    if (count > 1 && std::strcmp(e->name, words[1]) == 0)
      e->run(x, y, count > 2 ? std::atoi(words[2]) : 0);
  cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[0]);
  return 0;
}

}  // namespace cases

#define CASE(name, blocks, threads)                             \
  static void run_##name(int* x, int* y, int n) {               \
    name<<<blocks, threads>>>(x, y, n);                         \
  }                                                             \
  static cases::entry entry_##name{#name, run_##name, nullptr}; \
  static int const added_##name = cases::add(entry_##name);

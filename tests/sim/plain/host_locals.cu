/// Thread-local variables of the host beside shared arrays, and exceptions in host code.
#include "launch.cuh"

#include <cstdint>
#include <exception>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>

thread_local int calls;                       // of this thread
thread_local long sums[3] = {100, 200, 300};  // with values, so in another section
inline thread_local int first = 7;
static thread_local std::string letters = std::string(3, 'a');  // initialized by a call

namespace {

template <class T>
thread_local T largest = T(-1);

std::uint32_t next_number() {
  static thread_local std::mt19937 numbers;
  return numbers();
}

/// Prints and throws in its destructor, after main().
struct at_exit {
  ~at_exit() {
    try {
      throw std::runtime_error("at exit");
    } catch (std::exception const& e) {
      std::cout << "caught " << e.what() << std::endl;
    }
  }
} const last;

}  // namespace

__shared__ int tile[64];

template <class T>
__global__ void reverse(T* out) {
  __shared__ T mine[64], copy[64];
  int t = threadIdx.x;
  mine[t] = t;
  __syncthreads();
  tile[t] = mine[63 - t];
  __syncthreads();
  copy[t] = tile[t];
  out[t] = copy[t];
}

namespace {

/// Whether a kernel has reversed 0 .. 63.
bool reverses() {
  int* place = nullptr;
  cudaMalloc(&place, 64 * sizeof(int));
  LAUNCH(reverse<int>, 1, 64)(place);
  int out[64];
  cudaMemcpy(out, place, sizeof out, cudaMemcpyDeviceToHost);
  cudaFree(place);
  bool is_right = true;
  for (int i = 0; i < 64; ++i) is_right = is_right && out[i] == 63 - i;
  return is_right;
}

struct counted {
  int& ended;
  ~counted() { ++ended; }
};

int recurse(int depth, int& ended) {
  counted const c{ended};
  if (depth == 0) throw std::out_of_range("depth " + std::to_string(calls));
  return recurse(depth - 1, ended) + 1;
}

}  // namespace

extern "C" {

/// Changes each variable `count` times, and returns their values.
void use_host_locals(int count, long* values) {
  std::uint32_t number = 0;
  for (int i = 0; i < count; ++i) {
    ++calls;
    sums[calls % 3] += calls;
    first += 2;
    letters += 'b';
    largest<double> += 0.5;
    number = next_number();
  }
  long const now[] = {calls,
                      sums[0],
                      sums[1],
                      sums[2],
                      first,
                      static_cast<long>(letters.size()),
                      static_cast<long>(2 * largest<double>),
                      static_cast<long>(number)};
  for (int i = 0; i < 8; ++i) values[i] = now[i];
}

bool host_kernel_is_right() {
  return reverses();
}

/// Throws through `depth` frames, launches in the handler, and throws on.
int count_of_ended_frames(int depth) {
  int ended = 0;
  try {
    try {
      recurse(depth, ended);
    } catch (std::out_of_range const&) {
      if (!reverses() || std::uncaught_exceptions() != 0) return -1;
      throw;
    }
  } catch (std::exception const& e) {
    return std::string(e.what()) == "depth " + std::to_string(calls) ? ended : -2;
  }
  return -3;
}

int host_reads_shared() {
  return tile[3];  // WRONG host_reads_shared
}
}

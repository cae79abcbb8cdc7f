// Two comparisons of one value with constants, of which a compiler may make one that reads it once.
#include <cstdio>

__device__ bool is_letter(char const* c) {
  return ('a' <= *c && *c <= 'z') || ('A' <= *c && *c <= 'Z');
}
__global__ void conditions(unsigned char const* in, signed char const* small, int* out) {
  int const t = threadIdx.x;
  if (in[t] >= 'a' && in[t] <= 'z') out[t] += 1;
  if (in[t] < 'a' || in[t] > 'z') out[t] += 2;
  if (t > 3 && in[t] > 64 && in[t] < 91) out[t] += 4;
  if (t > 3 && (in[t] > 64 && in[t] < 91)) out[t] += 8;
  if (t > 3 || (in[t] == 32 || in[t] == 33)) out[t] += 16;
  if (in[t] == 32 || in[t] == 35) out[t] += 32;
  if (in[t] != 32 && in[t] != 33) out[t] += 64;
  if (small[t] != 0 && small[t] < 5) out[t] += 128;
  if (in[t] != 0 && in[t] < 100) out[t] += 256;
  if (t > 3)
    if (in[t] > 64 && in[t] < 91) out[t] += 512;
  if (small[t] >= -3 && small[t] <= 3)
    out[t] += 1024;
  else
    out[t] -= 1024;
}
__global__ void values(int const* in, unsigned const* numbers, int* out) {
  int const t = threadIdx.x;
  bool const is_in = in[t] > 2 && in[t] < 9, is_out = in[t] < 2 || in[t] > 9;
  out[t] = is_in + 2 * is_out;
  out[t] += (3 <= in[t] && in[t] < 9) ? 4 : 0;
  out[t] += (t > 1 && in[t] >= 3 && in[t] < 9) ? 8 : 0;
  out[t] += (t > 1 && (in[t] >= 3 && in[t] < 9)) ? 16 : 0;
  while (numbers[t] > 0 && numbers[t] < 7 && out[t] < 99) out[t] += 10;
  for (int i = in[t]; i > 0 && i < 6; ++i) out[t] += in[i];
  out[t] += in[t] - 4 >= 0 && in[t] - 4 < 3;
}
__global__ void letters(char const* text, int* out) {
  for (int i = threadIdx.x; i < 64; i += 8)
    if (is_letter(text + i)) atomicAdd(out, 1);
}

int main() {
  unsigned char* in;
  signed char* small;
  int *out, *numbers;
  cudaMallocManaged(&in, 64);
  cudaMallocManaged(&small, 64);
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&numbers, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) {
    in[i] = i * 2;
    small[i] = i % 11 - 5;
    out[i] = 0;
    numbers[i] = i % 11;
  }
  conditions<<<1, 64>>>(in, small, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) std::printf("%d ", out[i]);
  values<<<1, 64>>>(numbers, reinterpret_cast<unsigned const*>(numbers), out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) std::printf("%d ", out[i]);
  out[0] = 0;
  letters<<<1, 8>>>(reinterpret_cast<char const*>(in), out);
  cudaDeviceSynchronize();
  std::printf("%d\n", out[0]);
}

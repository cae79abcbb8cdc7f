// Numbers and text of the host's libraries are those of the tool.
#include <complex>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>

__global__ void above(int const* in, int* count, int limit) {
  if (in[threadIdx.x] % 100 > limit) atomicAdd(count, 1);
}

int main() {
  int *in, *count;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  for (unsigned const seed : {0u, 42u, 3000000000u}) {
    std::srand(seed);
    for (int i = 0; i < 64; ++i) in[i] = std::rand();
    *count = 0;
    above<<<1, 64>>>(in, count, 60);
    cudaDeviceSynchronize();
    std::cout << *count << ' ' << std::rand() << std::endl;
  }
  std::unordered_map<std::string, std::shared_ptr<int>> named;
  named["count"] = std::make_shared<int>(*count);
  std::stringstream text;
  text << std::setw(6) << std::fixed << std::setprecision(2) << 2.5 << ' ' << *named["count"];
  std::string word;
  text >> word;
  std::complex<float> z(1, 2);
  z = z * z / std::complex<float>(0, 1);
  std::cout << word << ' ' << z << std::endl;
}

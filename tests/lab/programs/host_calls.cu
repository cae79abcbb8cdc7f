// Calls of the host that a GPU refuses, one for each argument.
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  int host[10] = {}, *device = nullptr, *managed = nullptr;
  cudaMalloc(&device, 10 * sizeof(int));
  cudaMallocManaged(&managed, 10 * sizeof(int));
  cudaError_t error = cudaSuccess;
  switch (argc > 1 ? std::atoi(argv[1]) : 0) {
    case 0:  // all is well
      std::memset(managed, 0, 10 * sizeof(int));
      error = cudaMemcpy(device, host, 10 * sizeof(int), cudaMemcpyHostToDevice);
      if (error == cudaSuccess)
        error = cudaMemcpy(host, managed, 10 * sizeof(int), cudaMemcpyDeviceToHost);
      if (error == cudaSuccess)
        error = cudaMemcpy(host, device, 10 * sizeof(int), cudaMemcpyDefault);
      break;
    case 1:
      cudaFree(device);
      error = cudaFree(device);
      break;
    case 2:
      error = cudaMemcpy(device, host, 10 * sizeof(int), cudaMemcpyDeviceToHost);
      break;
    case 3:
      error = cudaMemcpy(device, host, 11 * sizeof(int), cudaMemcpyHostToDevice);
      break;
    case 4:
      error = cudaMemset(host, 0, 10 * sizeof(int));
      break;
    case 5:
      error = cudaFree(device + 1);
      break;
    case 6:
      cudaFree(device);
      error = cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost);
      break;
  }
  std::printf("%d\n", static_cast<int>(error));
}

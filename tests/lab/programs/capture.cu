// Calls that a capture does not allow; the argument chooses one.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void increment(int* x) {
  x[threadIdx.x] += 1;
}

int main(int, char** words) {
  int const which = std::atoi(words[1]);
  int *x, host[32];
  cudaMalloc(&x, sizeof host);
  cudaMemset(x, 0, sizeof host);
  cudaStream_t stream;
  cudaEvent_t event;
  cudaGraph_t graph;
  if (which == 10)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  else
    cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaStreamBeginCapture(stream,
                         which == 6 ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeGlobal);
  increment<<<1, 32, 0, stream>>>(x);
  cudaEventRecord(event, stream);
  cudaError_t inside = cudaSuccess;
  if (which == 1) inside = cudaStreamSynchronize(stream);
  if (which == 2) inside = cudaStreamQuery(stream);
  if (which == 3) inside = cudaEventSynchronize(event);
  if (which == 4 || which == 6) inside = cudaDeviceSynchronize();
  if (which == 5) inside = cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  if (which == 7 || which == 10) increment<<<1, 32>>>(x);
  if (which == 7 || which == 10) inside = cudaGetLastError();
  if (which == 8) inside = cudaMemset(x, 0, sizeof host);
  if (which == 9) inside = cudaMemsetAsync(x, 0, sizeof host);
  increment<<<1, 32, 0, stream>>>(x);
  cudaError_t const end = cudaStreamEndCapture(stream, &graph);
  std::printf("%s / %s\n", cudaGetErrorName(inside), cudaGetErrorName(end));
  cudaGetLastError();
  std::printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
}

/// The sum and the running sums of an array of which each GPU has a piece, with NCCL, called by one
/// thread for all GPUs of this machine. Exit status: 0 both agree, 1 they do not, 5 there is no
/// GPU.
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <upsweep/nccl.cuh>

#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

int main() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 5;  // no GPU
  auto const gpus = static_cast<std::size_t>(count);
  std::vector<ncclComm_t> comms(gpus);
  if (ncclCommInitAll(comms.data(), count, nullptr) != ncclSuccess) return 1;

  // A piece of 2^20 floats on each GPU.
  std::size_t const size = std::size_t{1} << 20;
  std::vector<cudaStream_t> streams(gpus);
  std::vector<std::span<float const>> pieces;
  std::vector<std::span<float>> sums;
  for (int k = 0; k < count; ++k) {
    (void)cudaSetDevice(k);
    (void)cudaStreamCreate(&streams[static_cast<std::size_t>(k)]);
    std::vector<float> const ones(size, 1);
    float *x = nullptr, *y = nullptr;
    (void)cudaMalloc(reinterpret_cast<void**>(&x), size * sizeof(float));
    (void)cudaMalloc(reinterpret_cast<void**>(&y), size * sizeof(float));
    (void)cudaMemcpy(x, ones.data(), size * sizeof(float), cudaMemcpyHostToDevice);
    pieces.emplace_back(x, size);
    sums.emplace_back(y, size);
  }
  float sum = 0;
  {
    upsweep::nccl_group const mine(comms, streams);
    sum = upsweep::reduce(mine, pieces);
    upsweep::inclusive_scan(mine, pieces, sums);  // does not wait
  }  // before ncclCommDestroy
  float last = 0;
  (void)cudaSetDevice(count - 1);
  (void)cudaStreamSynchronize(streams.back());
  (void)cudaMemcpy(&last, &sums.back().back(), sizeof last, cudaMemcpyDeviceToHost);
  std::printf("sum %g, last running sum %g\n", static_cast<double>(sum), static_cast<double>(last));
  for (auto const comm : comms) (void)ncclCommDestroy(comm);
  return last == sum ? 0 : 1;
}

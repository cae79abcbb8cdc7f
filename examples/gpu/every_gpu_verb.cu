/// Results on the device, plans and workspaces in a few lines, with what they print: examples of
/// the reference. Exit status 5: there is no GPU.
#include <cuda_runtime_api.h>
#include <upsweep/cuda.cuh>

#include <cstddef>
#include <exception>
#include <iostream>
#include <span>
#include <vector>

#include "../print.hpp"

namespace {

/// n numbers in device memory.
class device_array {
 public:
  explicit device_array(std::vector<float> const& numbers) : size_(numbers.size()) {
    (void)cudaMalloc(reinterpret_cast<void**>(&first_), size_ * sizeof(float));
    (void)cudaMemcpy(first_, numbers.data(), size_ * sizeof(float), cudaMemcpyHostToDevice);
  }
  ~device_array() { (void)cudaFree(first_); }
  device_array(device_array const&) = delete;
  device_array& operator=(device_array const&) = delete;

  std::span<float> all() const { return {first_, size_}; }
  std::vector<float> copy() const {  // waits for the default stream
    std::vector<float> numbers(size_);
    (void)cudaMemcpy(numbers.data(), first_, size_ * sizeof(float), cudaMemcpyDeviceToHost);
    return numbers;
  }

 private:
  std::size_t size_;
  float* first_ = nullptr;
};

std::vector<float> const numbers{3, 1, 4, 1, 5};

void gpu() {
  device_array const x(numbers), y(numbers);
  upsweep::gpu const on{.stream = nullptr};  // the default stream
  print(upsweep::reduce(on, x.all()));       // waits for the result
  upsweep::inclusive_scan(on, x.all(), y.all());
  print(y.copy());
}
void reduce_into() {
  device_array const x(numbers), sum({0});
  upsweep::reduce_into(upsweep::gpu{}, x.all(), sum.all().data());  // does not wait
  print(sum.copy());
}
void transform_reduce_into() {
  device_array const x(numbers), y(numbers), dot({0});
  upsweep::transform_reduce_into(upsweep::gpu{}, x.all(), y.all(), dot.all().data(),
                                 [] __host__ __device__(float a, float b) { return a * b; });
  print(dot.copy());
}
void plan_reduce() {
  upsweep::cuda_plan const reduction = upsweep::plan_reduce<float>(1 << 20);
  upsweep::cuda_plan const scan = upsweep::plan_scan<float, float>(1 << 20);
  std::cerr << reduction.describe() << '\n';
  print(reduction.launches, scan.launches, reduction.traffic_bytes >> 20);
}
void cuda_device() {
  upsweep::cuda_device const here = upsweep::cuda_device::current();
  upsweep::cuda_plan_options const backward{.reverse = true};
  auto const plan = upsweep::plan_scan<float, float>(1 << 20, here, backward);
  print(here.multiprocessors > 0, plan.blocks > 0);
}
void cuda_plans() {
  device_array const x(numbers), y(numbers);
  upsweep::cuda_plans plans;
  plans.device = upsweep::cuda_device::current();
  upsweep::gpu const planned{.plans_to = &plans};
  upsweep::inclusive_scan(planned, x.all(), y.all());  // nothing runs
  print(plans.launches.size(), y.copy());
}
void cuda_workspace() {
  device_array const x(numbers);
  upsweep::cuda_workspace workspace(nullptr, 1 << 16);  // for calls on the default stream
  print(upsweep::reduce(upsweep::gpu{.workspace = &workspace}, x.all()));
}
void release_cuda_workspaces() {
  upsweep::release_cuda_workspaces();  // before cudaDeviceReset, or at the end of a program
}

example const examples[] = {EXAMPLE(gpu),
                            EXAMPLE(reduce_into),
                            EXAMPLE(transform_reduce_into),
                            EXAMPLE(plan_reduce),
                            EXAMPLE(cuda_device),
                            EXAMPLE(cuda_plans),
                            EXAMPLE(cuda_workspace),
                            EXAMPLE(release_cuda_workspaces)};

}  // namespace

int main() {
  try {
    (void)upsweep::cuda_device::current();
  } catch (std::exception const& e) {
    std::cerr << e.what() << '\n';
    return 5;
  }
  run_all(examples);
}

/// Runs the textbook's kernels on the GPU for `upsweep run`, `verify` and `ladder`.
#include <bench/textbook/kernels.hpp>
#include <io/error.hpp>
#include <lab/gpu_kernels.hpp>
#include <upsweep/cuda/machine.cuh>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace upsweep::lab::gpu {

namespace {

using gpu_textbook::map_element;

gpu_textbook::gpu_kernel const* find(std::string_view stem) {
  for (auto const& k : gpu_textbook::kernels())
    if (k.stem == stem) return &k;
  return nullptr;
}

/// Runs the algorithm on device memory. Its temporary storage is allocated in every run, and the
/// allocation is timed.
template <class T>
struct on_device {
  gpu_textbook::start_function<T> start;
  T const* in;
  T* out;
  bool exclusive;

  double seconds(std::size_t n, int* launches = nullptr) const {
    cuda_machine machine;
    float const milliseconds = machine.time([&] { start(machine, in, out, n, exclusive); });
    if (launches != nullptr) *launches = machine.launches();
    return static_cast<double>(milliseconds) * 1e-3;
  }
};

template <class T>
kernel_run run_on(gpu_textbook::start_function<T> start, T const* in, std::size_t n, T* out,
                  std::size_t results, bool exclusive, double patience, bool skip_slow) {
  constexpr std::size_t fence = 64, probe = std::size_t{1} << 16;
  constexpr int most_runs = 7;
  cuda_machine memory;
  auto const from = memory.allocate<T>(n, "in");
  auto const to = memory.allocate<T>(results + fence, "out");
  memory.to_device(from, std::span<T const>(in, n));
  auto const before = memory.to_host(to + results, fence);
  on_device<T> const kernel{start, from, to, exclusive};
  kernel_run r;
  if (skip_slow && n > probe) {
    (void)kernel.seconds(probe);
    double const expected =
        kernel.seconds(probe) * static_cast<double>(n) / static_cast<double>(probe);
    if (expected > patience) {
      r.left_out = "would take about " + std::to_string(static_cast<long>(expected + 1)) + " s";
      return r;
    }
  }
  r.first_seconds = kernel.seconds(n, &r.launches);
  auto const values = memory.to_host(to, results);
  std::copy(values.begin(), values.end(), out);
  r.wrote_past_end = std::memcmp(before.data(), memory.to_host(to + results, fence).data(),
                                 fence * sizeof(T)) != 0;
  double spent = r.first_seconds;
  while (spent < patience && static_cast<int>(r.seconds.size()) < most_runs) {
    r.seconds.push_back(kernel.seconds(n));
    spent += r.seconds.back();
  }
  return r;
}

}  // namespace

int block_size() {
  return gpu_textbook::threads;
}

bool has_kernel(std::string_view stem, workload what) {
  auto const* const k = find(stem);
  if (k == nullptr) return false;
  return what == workload::sum_i32   ? k->sum_i32 != nullptr
         : what == workload::sum_f32 ? k->sum_f32 != nullptr
                                     : k->affine_maps != nullptr;
}

kernel_run run_kernel(std::string_view stem, workload what, void const* in, std::size_t n,
                      void* out, std::size_t results, bool exclusive, double patience,
                      bool skip_slow) {
  auto const run = [&]<class T>(gpu_textbook::start_function<T> start) {
    return run_on<T>(start, static_cast<T const*>(in), n, static_cast<T*>(out), results, exclusive,
                     patience, skip_slow);
  };
  auto const& k = *find(stem);
  try {
    switch (what) {
      case workload::sum_f32:
        return run(k.sum_f32);
      case workload::affine_maps:
        return run(k.affine_maps);
      case workload::sum_i32:
        break;
    }
    return run(k.sum_i32);
  } catch (cuda_error const& e) {
    throw io::unavailable_error(std::string(stem) + " on the GPU: " + e.what());
  }
}

}  // namespace upsweep::lab::gpu

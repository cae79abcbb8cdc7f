/// Selections on a GPU beside CUB and a copy: prints docs/performance_gpu_verbs.md.
///
///   upsweep_gpu_selections [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 12 and 30
///
/// Inputs and outputs rotate through pools of 512 MiB, so that large ones are not in the cache. A
/// time is the median of nine, of ten calls each. Counts stay on the device.
#include <cuda_runtime_api.h>
#include <bench/harness/machine.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/cuda/device_memory.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

/// A number below 100 for each run of `length` elements.
template <class T>
__global__ void fill(T* x, std::size_t n, unsigned length) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step) {
    unsigned long long z = (i / length + 1) * 0x9e3779b97f4a7c15ULL;
    z ^= z >> 29;
    z *= 0xbf58476d1ce4e5b9ULL;
    x[i] = static_cast<T>((z ^ z >> 32) % 100);
  }
}
template <class T>
struct is_below {
  T limit;
  __host__ __device__ bool operator()(T const& x) const { return x < limit; }
};

/// Microseconds of call(i), i = 0 ... 9.
template <class Call>
double time_of(Call const& call) {
  cudaEvent_t begin = nullptr, end = nullptr;
  check_cuda(cudaEventCreate(&begin), "create an event");
  check_cuda(cudaEventCreate(&end), "create an event");
  std::vector<double> times;
  call(0);
  for (int round = 0; round < 9; ++round) {
    check_cuda(cudaEventRecord(begin), "record an event");
    for (int i = 0; i < 10; ++i) call(i);
    check_cuda(cudaEventRecord(end), "record an event");
    check_cuda(cudaEventSynchronize(end), "wait");
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin, end), "read a time");
    times.push_back(1000.0 * ms / 10);
  }
  check_cuda(cudaEventDestroy(begin), "destroy an event");
  check_cuda(cudaEventDestroy(end), "destroy an event");
  std::nth_element(times.begin(), times.begin() + 4, times.end());
  return times[4];
}

/// Arrays of n elements, as many as fit the pool.
template <class T>
class pool {
 public:
  explicit pool(std::size_t n)
      : n_(n),
        count_(std::clamp<std::size_t>((std::size_t{1} << 29) / (n * sizeof(T)), 2, 64)),
        memory_(count_ * n * sizeof(T)) {}
  [[nodiscard]] T* at(int i) const {
    return reinterpret_cast<T*>(memory_.data()) + static_cast<std::size_t>(i) % count_ * n_;
  }
  [[nodiscard]] std::span<T> span(int i) const { return {at(i), n_}; }
  [[nodiscard]] std::size_t size() const { return count_ * n_; }

 private:
  std::size_t n_, count_;
  device_memory memory_;
};

template <class T>
class table {
 public:
  table(char const* type, std::size_t n)
      : type_(type), n_(n), in_(n), out_(n), rest_(n), counts_(64) {
    check_cuda(cudaMalloc(&scratch_, scratch_bytes), "allocate memory for CUB");
    copy_ = time_of([&](int i) {
      check_cuda(cudaMemcpyAsync(out_.at(i), in_.at(i), n_ * sizeof(T), cudaMemcpyDeviceToDevice),
                 "copy");
    });
  }
  ~table() { (void)cudaFree(scratch_); }

  void print() {
    refill(1);
    for (unsigned const percent : {0u, 1u, 10u, 50u, 90u, 100u}) select(percent);
    partition();
    for (unsigned const length : {1u, 2u, 10u, 1000u}) {
      refill(length);
      runs(length);
    }
  }

 private:
  void refill(unsigned length) { fill<<<2048, 256>>>(in_.at(0), in_.size(), length); }

  void select(unsigned percent) {
    is_below<T> const keep{static_cast<T>(percent)};
    row("select " + std::to_string(percent) + " %", 1 + percent / 100.0,
        time_of([&](int i) { (void)upsweep::select(on(), in_.span(i), out_.span(i), keep); }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DeviceSelect::If(scratch_, bytes, in_.at(i), out_.at(i), counts(),
                                static_cast<std::int64_t>(n_), keep);
        }));
  }
  void partition() {
    is_below<T> const half{static_cast<T>(50)}, first{static_cast<T>(33)},
        second{static_cast<T>(66)};
    row("partition", 2, time_of([&](int i) {
          (void)upsweep::partition(on(), in_.span(i), out_.span(i), rest_.span(i), half);
        }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DevicePartition::If(scratch_, bytes, in_.at(i), out_.at(i), counts(),
                                   static_cast<std::int64_t>(n_), half);
        }));
    pool<T> others(n_);
    row("partition in three", 2, time_of([&](int i) {
          (void)upsweep::partition(on(), in_.span(i), out_.span(i), rest_.span(i), others.span(i),
                                   first, second);
        }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DevicePartition::If(scratch_, bytes, in_.at(i), out_.at(i), rest_.at(i),
                                   others.at(i), counts(), static_cast<std::int64_t>(n_), first,
                                   second);
        }));
  }
  void runs(unsigned length) {
    std::string const of = ", runs of " + std::to_string(length);
    row("unique" + of, 1 + 1.0 / length,
        time_of([&](int i) { (void)upsweep::unique(on(), in_.span(i), out_.span(i)); }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DeviceSelect::Unique(scratch_, bytes, in_.at(i), out_.at(i), counts(),
                                    static_cast<std::int64_t>(n_));
        }));
    pool<std::uint32_t> lengths(n_);
    row("runs" + of, 1 + (1.0 + 4.0 / sizeof(T)) / length, time_of([&](int i) {
          (void)upsweep::runs(on(), in_.span(i), out_.span(i), lengths.span(i));
        }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DeviceRunLengthEncode::Encode(scratch_, bytes, in_.at(i), out_.at(i), lengths.at(i),
                                             counts(), static_cast<std::int64_t>(n_));
        }));
  }

  /// `traffic`: what the verb must read and write, in inputs.
  void row(std::string const& what, double traffic, double ours, double cubs) const {
    double const bytes = traffic * static_cast<double>(n_ * sizeof(T));
    std::printf("| %s | %s | %.1f | %.1f | %.2f | %.0f | %.2f |\n", type_, what.c_str(), ours, cubs,
                cubs / ours, bytes / ours / 1000, traffic / ours / (2 / copy_));
    std::fflush(stdout);
  }
  [[nodiscard]] gpu on() const { return {.count_to = counts()}; }
  [[nodiscard]] std::uint64_t* counts() const {
    return reinterpret_cast<std::uint64_t*>(counts_.data());
  }

  static constexpr std::size_t scratch_bytes = std::size_t{1} << 28;
  char const* type_;
  std::size_t n_;
  pool<T> in_, out_, rest_;
  device_memory counts_;
  void* scratch_ = nullptr;
  double copy_;
};

void print_size(unsigned log2) {
  std::size_t const bytes = std::size_t{1} << log2;
  std::printf("\n## 2^%u bytes\n\n", log2);
  std::puts(
      "| type | verb | µs | CUB, µs | times as fast | GB/s of its own traffic | of a copy's |\n"
      "| --- | --- | --- | --- | --- | --- | --- |");
  table<float>("f32", bytes / 4).print();
  table<double>("f64", bytes / 8).print();
  table<std::uint8_t>("u8", bytes).print();
}

int print_all(unsigned smallest, unsigned largest) {
  cudaDeviceProp device{};
  int driver = 0;
  check_cuda(cudaGetDeviceProperties(&device, 0), "query the device");
  check_cuda(cudaDriverGetVersion(&driver), "query the driver");
  std::printf(
      "# Selections on a GPU\n\nPrinted by `upsweep_gpu_selections %u %u` "
      "(bench/gpu/selections.cu):"
      " medians of nine\ntimes of ten calls, cold, on %s, CUDA %d.%d, driver for CUDA %d.%d, CUB"
      " %d.%d, revision %s.\nCounts stay on the device; one launch each. A verb's own traffic is "
      "one"
      " read of the input and one\nwrite of what is stored; the last column compares it with"
      " cudaMemcpy.\n",
      smallest, largest, device.name, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
      driver / 1000, driver % 1000 / 10, CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
      this_build().revision.c_str());
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 20 ? 4 : log2 < 24 ? 2 : 3)
    print_size(log2);
  return 0;
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  auto const given = [&](int i, unsigned otherwise) {
    return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  try {
    return upsweep::bench::print_all(given(1, 12), given(2, 30));
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "upsweep_gpu_selections: %s\n", failure.what());
    return 5;
  }
}

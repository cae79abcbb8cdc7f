/// windowed, pad and unpad on a GPU beside a copy: prints a part of docs/performance_gpu_verbs.md.
///
///   upsweep_gpu_windows [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 20 and 30
///
/// Inputs and outputs rotate through pools of 512 MiB, so that large ones are not in the cache. A
/// time is the median of nine, of ten calls each.
#include <cuda_runtime_api.h>
#include <bench/gpu/pool.cuh>
#include <bench/harness/machine.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/windowed.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace upsweep::bench {
namespace {

/// The time of a call, and the speed at which it moves `bytes`, of which half are read, beside that
/// of cudaMemcpyAsync.
void print_row(char const* type, std::string const& what, double us, double bytes,
               double copy_speed) {
  std::printf("| %s | %s | %.1f | %.0f | %.2f |\n", type, what.c_str(), us, bytes / us / 1000,
              bytes / us / copy_speed);
  std::fflush(stdout);
}

template <class T>
class windows_table {
 public:
  windows_table(char const* type, std::size_t n) : type_(type), n_(n), in_(n), out_(n) {
    check_cuda(cudaMemset(in_.at(0), 0, in_.size() * sizeof(T)), "fill the inputs");
    double const us = time_of([&](int i) {
      check_cuda(cudaMemcpyAsync(out_.at(i), in_.at(i), n_ * sizeof(T), cudaMemcpyDeviceToDevice),
                 "copy");
    });
    copy_speed_ = bytes() / us;
    print_row(type_, "cudaMemcpyAsync", us, bytes(), copy_speed_);
  }

  template <class Op>
  void print(char const* op_name, Op const& op) const {
    for (std::size_t const width : {3u, 16u, 100u, 1000u, 4096u}) {
      double const us = time_of([&](int i) {
        upsweep::windowed(gpu{}, std::span<T const>(in_.span(i)), width,
                          out_.span(i).first(n_ - width + 1), op);
      });
      print_row(type_, std::string(op_name) + " of " + std::to_string(width), us, bytes(),
                copy_speed_);
    }
  }

 private:
  [[nodiscard]] double bytes() const { return 2.0 * static_cast<double>(n_ * sizeof(T)); }

  char const* type_;
  std::size_t n_;
  pool<T> in_, out_;
  double copy_speed_ = 0;
};

void print_size(unsigned log2) {
  std::size_t const bytes = std::size_t{1} << log2;
  std::printf("\n## 2^%u bytes\n\n", log2);
  std::puts("| type | call | µs | GB/s | of a copy's |\n| --- | --- | --- | --- | --- |");
  windows_table<float> const floats("f32", bytes / 4);
  floats.print("sum", plus{});
  floats.print("max", max{});
  windows_table<double>("f64", bytes / 8).print("sum", plus{});
}

int print_all(unsigned smallest, unsigned largest) {
  cudaDeviceProp device{};
  check_cuda(cudaGetDeviceProperties(&device, 0), "query the device");
  std::printf(
      "# Windows and matrices in place on a GPU\n\nPrinted by `upsweep_gpu_windows %u %u` "
      "(bench/gpu/windows.cu): medians of nine\ntimes of ten calls, cold, on %s, CUDA %d.%d, "
      "revision %s.\nBytes are what a call must read and write.\n",
      smallest, largest, device.name, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
      this_build().revision.c_str());
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 24 ? 4 : 3) print_size(log2);
  return 0;
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  auto const given = [&](int i, unsigned otherwise) {
    return argc > i ? static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)) : otherwise;
  };
  try {
    return upsweep::bench::print_all(given(1, 20), given(2, 30));
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "upsweep_gpu_windows: %s\n", failure.what());
    return 5;
  }
}

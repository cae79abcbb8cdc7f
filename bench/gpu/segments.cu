/// Verbs over segments on a GPU beside CUB and a read: prints a part of
/// docs/performance_gpu_verbs.md.
///
///   upsweep_gpu_segments [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 18 and 30
///
/// Inputs rotate through pools of 512 MiB, so that large ones are not in the cache. A time is the
/// median of nine, of ten calls each. All calls are of floats, and offsets of int32.
#include <bench/gpu/cold_calls.cuh>
#include <bench/harness/random.hpp>
#include <upsweep/cuda.cuh>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <memory>
#include <string>

namespace upsweep::bench {
namespace {

template <class T>
class device_array {
 public:
  explicit device_array(std::vector<T> const& values)
      : size_(values.size()), memory_(values.size() * sizeof(T)) {
    check_cuda(cudaMemcpy(memory_.data(), values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
               "copy offsets");
  }
  [[nodiscard]] std::span<T const> span() const {
    return {reinterpret_cast<T const*>(memory_.data()), size_};
  }

 private:
  std::size_t size_;
  device_memory memory_;
};

/// Offsets of segments of lengths next() that cover n elements.
template <class Next>
std::vector<std::int32_t> offsets_by(std::size_t n, Next const& next) {
  std::vector<std::int32_t> offsets{0};
  for (std::size_t at = 0; at < n;) {
    at = std::min(n, at + static_cast<std::size_t>(next()));
    offsets.push_back(static_cast<std::int32_t>(at));
  }
  return offsets;
}

/// Keys in runs of `length`.
__global__ void fill_runs(std::uint32_t* keys, std::size_t n, unsigned length) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    keys[i] = static_cast<std::uint32_t>(i / length);
}

class table {
 public:
  explicit table(std::size_t n) : n_(n), in_(n), scanned_(n) {
    check_cuda(cudaMemset(in_.at(0), 0, in_.size() * sizeof(float)), "fill the inputs");
    check_cuda(cudaMalloc(&scratch_, scratch_bytes), "allocate memory for CUB");
    device_memory const total(64);
    auto* const out = reinterpret_cast<float*>(total.data());
    double const us = time_of([&](int i) { upsweep::reduce_into(gpu{}, in_.span(i), out); });
    read_speed_ = static_cast<double>(n * sizeof(float)) / us;
    std::printf("| reduce_into, a read | | %.1f | | | %.0f | 1 |\n", us, read_speed_ / 1000);
    double const copy = time_of([&](int i) {
      check_cuda(
          cudaMemcpyAsync(scanned_.at(i), in_.at(i), n_ * sizeof(float), cudaMemcpyDeviceToDevice),
          "copy");
    });
    copy_speed_ = static_cast<double>(2 * n * sizeof(float)) / copy;
    std::printf("| cudaMemcpyAsync | | %.1f | | | %.0f | |\n", copy, copy_speed_ / 1000);
  }
  ~table() { (void)cudaFree(scratch_); }

  void print() {
    auto next = [i = std::uint64_t{0}]() mutable { return random_word(i++); };
    for (std::size_t const average : {10u, 100u, 1000u, 1'000'000u}) {
      if (average > n_) continue;
      auto const offsets = offsets_by(n_, [&] { return next() % (2 * average + 1); });
      reduce("average of " + std::to_string(average), offsets);
      scan("average of " + std::to_string(average), offsets);
    }
    for (double const power : {0.8, 1.2}) {
      auto const what = "lengths by a power law, " + std::to_string(power).substr(0, 3);
      auto const offsets = offsets_by(n_, [&] {
        double const u = static_cast<double>(next() % (1U << 24) + 1) / (1U << 24);
        return std::min(1e6, std::pow(u, -1 / power));
      });
      reduce(what, offsets);
      scan(what, offsets);
    }
    for (unsigned const length : {1u, 10u, 100u, 1000u}) runs(length);
    reduce("a million empty", std::vector<std::int32_t>(1'000'001, 0));
  }

 private:
  void reduce(std::string const& what, std::vector<std::int32_t> const& offsets) {
    device_array<std::int32_t> const on_device(offsets);
    std::size_t const count = offsets.size() - 1, n = static_cast<std::size_t>(offsets.back());
    pool<float> out(count);
    auto const at = on_device.span();
    row("reduce_segments", what,
        static_cast<double>(n * sizeof(float) + count * (sizeof(std::int32_t) + sizeof(float))),
        time_of(
            [&](int i) { upsweep::reduce_segments(gpu{}, in_.span(i).first(n), at, out.span(i)); }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DeviceSegmentedReduce::Sum(scratch_, bytes, in_.at(i), out.at(i),
                                          static_cast<std::int64_t>(count), at.data(),
                                          at.data() + 1);
        }));
  }

  void scan(std::string const& what, std::vector<std::int32_t> const& offsets) {
    device_array<std::int32_t> const on_device(offsets);
    double const us = time_of([&](int i) {
      upsweep::inclusive_scan_segments(gpu{}, in_.span(i), on_device.span(), scanned_.span(i));
    });
    double const bytes =
        static_cast<double>(n_ * 2 * sizeof(float) + offsets.size() * sizeof(std::int32_t));
    std::printf("| inclusive_scan_segments | %s | %.1f | | | %.0f | %.2f of a copy |\n",
                what.c_str(), us, bytes / us / 1000, bytes / us / copy_speed_);
    std::fflush(stdout);
  }

  void runs(unsigned length) {
    pool<std::uint32_t> keys(n_), keys_out(n_);
    device_memory const count(64);
    auto* const to = reinterpret_cast<std::uint64_t*>(count.data());
    fill_runs<<<2048, 256>>>(keys.at(0), keys.size(), length);
    row("reduce_runs", "runs of " + std::to_string(length),
        static_cast<double>(n_) * 8 * (1 + 1.0 / length), time_of([&](int i) {
          (void)upsweep::reduce_runs(gpu{.count_to = to}, keys.span(i), in_.span(i),
                                     keys_out.span(i), scanned_.span(i));
        }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DeviceReduce::ReduceByKey(scratch_, bytes, keys.at(i), keys_out.at(i), in_.at(i),
                                         scanned_.at(i), to, cuda::std::plus<>(),
                                         static_cast<std::int64_t>(n_));
        }));
    double const bytes = static_cast<double>(n_) * 12;
    double const us = time_of([&](int i) {
      upsweep::inclusive_scan_runs(gpu{}, keys.span(i), in_.span(i), scanned_.span(i));
    });
    double const cubs = time_of([&](int i) {
      std::size_t room = scratch_bytes;
      cub::DeviceScan::InclusiveSumByKey(scratch_, room, keys.at(i), in_.at(i), scanned_.at(i),
                                         static_cast<std::int64_t>(n_));
    });
    std::printf(
        "| inclusive_scan_runs | runs of %u | %.1f | %.1f | %.2f | %.0f | %.2f of a copy |\n",
        length, us, cubs, cubs / us, bytes / us / 1000, bytes / us / copy_speed_);
    std::fflush(stdout);
  }

  /// `bytes`: what the verb must read and write.
  void row(char const* verb, std::string const& what, double bytes, double ours,
           double cubs) const {
    std::printf("| %s | %s | %.1f | %.1f | %.2f | %.0f | %.2f |\n", verb, what.c_str(), ours, cubs,
                cubs / ours, bytes / ours / 1000, bytes / ours / read_speed_);
    std::fflush(stdout);
  }

  static constexpr std::size_t scratch_bytes = std::size_t{1} << 28;
  std::size_t n_;
  pool<float> in_, scanned_;
  void* scratch_ = nullptr;
  double read_speed_, copy_speed_;
};

int print_all(unsigned smallest, unsigned largest) {
  print_head("Segments on a GPU", "upsweep_gpu_segments", "segments.cu", smallest, largest,
             "A verb's own traffic is one read of elements and offsets and one write of results; "
             "the last\ncolumn compares it with a reduction of all elements, or with a copy.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += 4) {
    std::printf(
        "\n## 2^%u bytes\n\n| verb | segments | µs | CUB, µs | times as fast | GB/s of its own "
        "traffic | of a read's |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        log2);
    table(std::size_t{1} << (log2 - 2)).print();
  }
  return 0;
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 18);
}

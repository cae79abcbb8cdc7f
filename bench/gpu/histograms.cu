/// Histograms on a GPU beside CUB and a loop that only reads: prints a section of
/// docs/generated/performance_gpu_verbs.md.
///
///   upsweep_gpu_histograms [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 12 and 30
#include <bench/gpu/timed_calls.cuh>
#include <upsweep/cuda/sort.cuh>
#include <upsweep/histogram.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::bench {
namespace {

enum class samples { uniform, one, zipf };

/// Samples from 0 to `bins`.
template <class T>
struct sample {
  unsigned bins;
  samples kind;
  __host__ __device__ T operator()(std::size_t i) const {
    double const part = static_cast<double>(random_word(i) >> 11) * 0x1p-53;
    double const bin = kind == samples::uniform ? part * bins
                       : kind == samples::one   ? bins / 3
                                                : exp(part * log(bins + 1.0)) - 1;
    return static_cast<T>(bin < bins - 1 ? bin : bins - 1);
  }
};

/// Reads 16 bytes a thread and step, four steps at once.
__global__ void __launch_bounds__(512) read_only(uint4 const* x, std::size_t n, unsigned* out) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += 4 * step)
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      if (i + k * step < n) {
        uint4 const v = __ldcs(x + i + k * step);
        sum += v.x ^ v.y ^ v.z ^ v.w;
      }
  if (sum == 0x12345678) *out = sum;
}

template <class T>
class table {
 public:
  table(char const* type, std::size_t n) : type_(type), n_(n), in_(n), counts_(1 << 20) {
    int multiprocessors = 0;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
               "query the device");
    std::size_t const vectors = std::max<std::size_t>(n * sizeof(T) / 16, 1);
    auto const blocks = static_cast<unsigned>(std::min<std::size_t>(
        (vectors + 2047) / 2048, static_cast<std::size_t>(multiprocessors) * 4));
    read_ = time_of([&](int i) {
      read_only<<<blocks, 512, 0, stream()>>>(reinterpret_cast<uint4 const*>(in_.at(i)), vectors,
                                              counts());
      check_cuda(cudaGetLastError(), "read the input");
    });
  }

  void print() {
    for (samples const kind : {samples::uniform, samples::one, samples::zipf})
      for (unsigned const bins : {256u, 4096u, 65536u})
        if (bins == 256 || sizeof(T) > 1) print(bins, kind);
  }

 private:
  void print(unsigned bins, samples kind) {
    char const* const names[] = {"uniform", "one bin", "zipf"};
    fill(in_.at(0), in_.size(), sample<T>{bins, kind});
    std::string const of = std::to_string(bins) + " bins, " + names[static_cast<int>(kind)];
    auto const size = static_cast<std::size_t>(bins);
    row("even, " + of, time_of([&](int i) {
          (void)upsweep::histogram(on(), in_.span(i), std::span(counts(), size),
                                   even{0.0, static_cast<double>(bins)});
        }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceHistogram::HistogramEven(
              memory, bytes, in_.at(i), counts(), static_cast<int>(bins) + 1, 0.0f,
              static_cast<float>(bins), static_cast<std::int64_t>(n_), stream());
        })));
    if (bins != 256 || sizeof(T) == 1) return;
    std::vector<float> levels;
    for (unsigned b = 0; b <= bins; ++b)
      levels.push_back(static_cast<float>(b) * static_cast<float>(b) / static_cast<float>(bins));
    device_memory given(levels.size() * sizeof(float));
    check_cuda(cudaMemcpyAsync(given.data(), levels.data(), levels.size() * sizeof(float),
                               cudaMemcpyHostToDevice, stream()),
               "copy the levels");
    row("levels, " + of, time_of([&](int i) {
          (void)upsweep::histogram(on(), in_.span(i), std::span(counts(), size), levels);
        }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceHistogram::HistogramRange(
              memory, bytes, in_.at(i), counts(), static_cast<int>(bins) + 1,
              reinterpret_cast<float*>(given.data()), static_cast<std::int64_t>(n_), stream());
        })));
    if constexpr (std::is_integral_v<T>)
      row("indices, " + of, time_of([&](int i) {
            upsweep::count_indices(on(), in_.span(i), std::span(counts(), size));
          }),
          std::nan(""));
  }
  void row(std::string const& what, double ours, double cubs) const {
    auto const bytes = static_cast<double>(n_ * sizeof(T));
    print_cells({type_, what, cell_of(ours, 1), cell_of(cubs, 1), cell_of(cubs / ours, 2),
                 cell_of(bytes / ours / 1000, 0), cell_of(read_ / ours, 2)});
  }
  [[nodiscard]] gpu on() const {
    return on_stream(reinterpret_cast<std::uint64_t*>(outside_.data()));
  }
  [[nodiscard]] unsigned* counts() const { return reinterpret_cast<unsigned*>(counts_.data()); }

  char const* type_;
  std::size_t n_;
  pool<T> in_;
  device_memory counts_, outside_{64};
  double read_;
};

/// The bin of a sample, as a user would compute it.
struct bin_of_sample {
  float const* x;
  __host__ __device__ unsigned operator()(std::size_t i) const {
    return static_cast<unsigned>(x[i]);
  }
};

/// Sums of weights in each bin, beside CUB's sort of the weights by their bins and reduction by
/// key, whose sums depend on the device.
template <class W>
class weighted_table {
 public:
  weighted_table(char const* type, std::size_t n)
      : type_(type), n_(n), in_(n), weights_(n), moved_(n), keys_(n), other_(n) {
    fill(weights_.at(0), weights_.size(), random_element<W>{});
  }

  void print() {
    for (samples const kind : {samples::uniform, samples::one})
      for (unsigned const bins : {250u, 256u, 65536u}) print(bins, kind);
  }

 private:
  void print(unsigned bins, samples kind) {
    fill(in_.at(0), in_.size(), sample<float>{bins, kind});
    pool<W> sums(bins);
    pool<unsigned> found(bins), count(1);
    gpu const on = on_stream(reinterpret_cast<std::uint64_t*>(outside_.data()));
    double const ours = time_of([&](int i) {
      (void)upsweep::weighted_histogram(on, in_.span(i), weights_.span(i), sums.span(i),
                                        even{0.0, static_cast<double>(bins)});
    });
    int const bits = std::bit_width(bins - 1);
    auto const size = static_cast<std::uint32_t>(n_);
    cub_calls const sort([&](void* memory, std::size_t& bytes, int i) {
      return cub::DeviceRadixSort::SortPairs(memory, bytes, keys_.at(i), other_.at(i),
                                             weights_.at(i), moved_.at(i), size, 0, bits, stream());
    });
    cub_calls const reduce([&](void* memory, std::size_t& bytes, int i) {
      return cub::DeviceReduce::ReduceByKey(memory, bytes, other_.at(i), found.at(i), moved_.at(i),
                                            sums.at(i), count.at(i), cuda::std::plus<>{}, size,
                                            stream());
    });
    double const cubs = time_of([&](int i) {
      fill(keys_.at(i), n_, bin_of_sample{in_.at(i)});
      sort(i);
      reduce(i);
    });
    auto const bytes = static_cast<double>(n_ * (sizeof(float) + sizeof(W)));
    print_cells(
        {type_,
         std::to_string(bins) + (kind == samples::uniform ? " bins, uniform" : " bins, one bin"),
         cell_of(ours, 1), cell_of(cubs, 1), cell_of(cubs / ours, 2),
         cell_of(bytes / ours / 1000, 0)});
  }

  char const* type_;
  std::size_t n_;
  pool<float> in_;
  pool<W> weights_, moved_;
  pool<unsigned> keys_, other_;
  device_memory outside_{64};
};

void print_tables(std::size_t bytes) {
  std::puts(
      "| type | histogram | µs | CUB, µs | times as fast | GB/s | of reading |\n"
      "| --- | --- | --- | --- | --- | --- | --- |");
  table<float>("f32", bytes / 4).print();
  table<std::uint32_t>("u32", bytes / 4).print();
  table<std::uint8_t>("u8", bytes).print();
  std::puts(
      "\n| weights | weighted histogram of f32 | µs | CUB, µs | times as fast | GB/s |\n"
      "| --- | --- | --- | --- | --- | --- |");
  weighted_table<float>("f32", bytes / 4).print();
  weighted_table<double>("f64", bytes / 4).print();
}

void print_all(unsigned smallest, unsigned largest) {
  print_head(
      "Histograms on a GPU", "upsweep_gpu_histograms", "histograms.cu", smallest, largest,
      "Counts stay on the device. The column \"of reading\" compares the time with that of a loop "
      "that only\nreads the input. CUB's weighted histogram is a sort by bins and a reduction by "
      "key, with its temporary\nstorage allocated before; upsweep allocates it in each call, from "
      "the "
      "device's "
      "pool, which keeps it.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 20 ? 4 : log2 < 24 ? 2 : 3) {
    std::size_t const bytes = std::size_t{1} << log2;
    print_section("2^" + std::to_string(log2) + " bytes", 2 * bytes, [&] { print_tables(bytes); });
  }
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all);
}

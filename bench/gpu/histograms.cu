/// Histograms on a GPU beside CUB and a loop that only reads: prints a section of
/// docs/performance_gpu_verbs.md.
///
///   upsweep_gpu_histograms [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 12 and 30
#include <bench/gpu/cold_calls.cuh>
#include <upsweep/cuda.cuh>
#include <upsweep/histogram.hpp>

#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <string>

namespace upsweep::bench {
namespace {

enum class samples { uniform, one, zipf };

/// Bins of samples from 0 to `bins`.
template <class T>
__global__ void fill(T* x, std::size_t n, unsigned bins, samples kind) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step) {
    unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    double const part = static_cast<double>(z >> 11) * 0x1p-53;
    double const bin = kind == samples::uniform ? part * bins
                       : kind == samples::one   ? bins / 3
                                                : exp(part * log(bins + 1.0)) - 1;
    x[i] = static_cast<T>(bin < bins - 1 ? bin : bins - 1);
  }
}

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
    check_cuda(cudaMalloc(&scratch_, scratch_bytes), "allocate memory for CUB");
    int multiprocessors = 0;
    check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
               "query the device");
    std::size_t const vectors = std::max<std::size_t>(n * sizeof(T) / 16, 1);
    auto const blocks = static_cast<unsigned>(std::min<std::size_t>(
        (vectors + 2047) / 2048, static_cast<std::size_t>(multiprocessors) * 4));
    read_ = time_of([&](int i) {
      read_only<<<blocks, 512>>>(reinterpret_cast<uint4 const*>(in_.at(i)), vectors, counts());
    });
  }
  ~table() { (void)cudaFree(scratch_); }
  table(table const&) = delete;
  table& operator=(table const&) = delete;

  void print() {
    for (samples const kind : {samples::uniform, samples::one, samples::zipf})
      for (unsigned const bins : {256u, 4096u, 65536u})
        if (bins == 256 || sizeof(T) > 1) print(bins, kind);
  }

 private:
  void print(unsigned bins, samples kind) {
    char const* const names[] = {"uniform", "one bin", "zipf"};
    fill<<<2048, 256>>>(in_.at(0), in_.size(), bins, kind);
    std::string const of = std::to_string(bins) + " bins, " + names[static_cast<int>(kind)];
    auto const size = static_cast<std::size_t>(bins);
    row("even, " + of, time_of([&](int i) {
          (void)upsweep::histogram(on(), in_.span(i), std::span(counts(), size),
                                   even{0.0, static_cast<double>(bins)});
        }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DeviceHistogram::HistogramEven(
              scratch_, bytes, in_.at(i), counts(), static_cast<int>(bins) + 1, 0.0f,
              static_cast<float>(bins), static_cast<std::int64_t>(n_));
        }));
    if (bins != 256 || sizeof(T) == 1) return;
    std::vector<float> levels;
    for (unsigned b = 0; b <= bins; ++b)
      levels.push_back(static_cast<float>(b) * static_cast<float>(b) / static_cast<float>(bins));
    device_memory given(levels.size() * sizeof(float));
    check_cuda(cudaMemcpy(given.data(), levels.data(), levels.size() * sizeof(float),
                          cudaMemcpyHostToDevice),
               "copy the levels");
    row("levels, " + of, time_of([&](int i) {
          (void)upsweep::histogram(on(), in_.span(i), std::span(counts(), size), levels);
        }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DeviceHistogram::HistogramRange(
              scratch_, bytes, in_.at(i), counts(), static_cast<int>(bins) + 1,
              reinterpret_cast<float*>(given.data()), static_cast<std::int64_t>(n_));
        }));
    if constexpr (std::is_integral_v<T>)
      row("indices, " + of, time_of([&](int i) {
            upsweep::count_indices(on(), in_.span(i), std::span(counts(), size));
          }),
          0);
  }
  void row(std::string const& what, double ours, double cubs) const {
    auto const bytes = static_cast<double>(n_ * sizeof(T));
    std::printf("| %s | %s | %.1f | ", type_, what.c_str(), ours);
    if (cubs > 0)
      std::printf("%.1f | %.2f", cubs, cubs / ours);
    else
      std::printf(" | ");
    std::printf(" | %.0f | %.2f |\n", bytes / ours / 1000, read_ / ours);
    std::fflush(stdout);
  }
  [[nodiscard]] gpu on() const {
    return {.count_to = reinterpret_cast<std::uint64_t*>(outside_.data())};
  }
  [[nodiscard]] unsigned* counts() const { return reinterpret_cast<unsigned*>(counts_.data()); }

  static constexpr std::size_t scratch_bytes = std::size_t{1} << 28;
  char const* type_;
  std::size_t n_;
  pool<T> in_;
  device_memory counts_, outside_{64};
  void* scratch_ = nullptr;
  double read_;
};

int print_all(unsigned smallest, unsigned largest) {
  print_head(
      "Histograms on a GPU", "upsweep_gpu_histograms", "histograms.cu", smallest, largest,
      "Counts stay on the device. The last column compares the time with that of a loop that "
      "only reads the input.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 20 ? 4 : log2 < 24 ? 2 : 3) {
    std::size_t const bytes = std::size_t{1} << log2;
    std::printf("\n## 2^%u bytes\n\n", log2);
    std::puts(
        "| type | histogram | µs | CUB, µs | times as fast | GB/s | of reading |\n"
        "| --- | --- | --- | --- | --- | --- | --- |");
    table<float>("f32", bytes / 4).print();
    table<std::uint32_t>("u32", bytes / 4).print();
    table<std::uint8_t>("u8", bytes).print();
  }
  return 0;
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all);
}

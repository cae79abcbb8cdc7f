/// Selections on a GPU beside CUB and a copy: prints docs/performance_gpu_verbs.md.
///
///   upsweep_gpu_selections [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 12 and 30
///
/// Inputs and outputs rotate through pools of 512 MiB, so that large ones are not in the cache. A
/// time is the median of nine, of ten calls each. Counts stay on the device.
#include <bench/gpu/cold_calls.cuh>
#include <upsweep/cuda.cuh>

#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <string>

namespace upsweep::bench {
namespace {

/// A number below 100 for each run of `length` elements.
template <class T>
struct number_of_run {
  unsigned length;
  __host__ __device__ T operator()(std::size_t i) const {
    return static_cast<T>(random_word(i / length) % 100);
  }
};
/// Flags of which so many per cent are 1.
struct flag_of {
  unsigned percent;
  __host__ __device__ std::uint8_t operator()(std::size_t i) const {
    return random_word(i) % 100 < percent;
  }
};
template <class T>
struct is_below {
  T limit;
  __host__ __device__ bool operator()(T const& x) const { return x < limit; }
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
    for (unsigned const percent : {1u, 50u}) select_by_flags(percent);
    partition();
    for (unsigned const length : {1u, 2u, 10u, 1000u}) {
      refill(length);
      runs(length);
    }
  }

 private:
  void refill(unsigned length) { fill(in_.at(0), in_.size(), number_of_run<T>{length}); }

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
  void select_by_flags(unsigned percent) {
    pool<std::uint8_t> flags(n_);
    fill(flags.at(0), flags.size(), flag_of{percent});
    row("select by flags, " + std::to_string(percent) + " %", 1 + percent / 100.0 + 1.0 / sizeof(T),
        time_of(
            [&](int i) { (void)upsweep::select(on(), in_.span(i), flags.span(i), out_.span(i)); }),
        time_of([&](int i) {
          std::size_t bytes = scratch_bytes;
          cub::DeviceSelect::Flagged(scratch_, bytes, in_.at(i), flags.at(i), out_.at(i), counts(),
                                     static_cast<std::int64_t>(n_));
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
  print_head("Selections on a GPU", "upsweep_gpu_selections", "selections.cu", smallest, largest,
             "Counts stay on the device; one launch each. A verb's own traffic is one read of the "
             "input and one\nwrite of what is stored; the last column compares it with "
             "cudaMemcpy.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 20 ? 4 : log2 < 24 ? 2 : 3)
    print_size(log2);
  return 0;
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all);
}

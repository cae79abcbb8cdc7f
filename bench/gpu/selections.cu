/// Selections on a GPU beside CUB and a copy: prints docs/generated/performance_gpu_verbs.md.
///
///   upsweep_gpu_selections [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 12 and 30
///
/// A time is the median of nine, of ten calls each: cold, and up to 2^24 bytes also warm and in a
/// graph. Counts stay on the device.
#include <bench/gpu/timed_calls.cuh>
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
    copy_ = time_of([&](int i) { copy(out_.at(i), in_.at(i), n_); });
  }

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
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceSelect::If(memory, bytes, in_.at(i), out_.at(i), counts(), size(), keep,
                                       stream());
        })));
  }
  void select_by_flags(unsigned percent) {
    pool<std::uint8_t> flags(n_);
    fill(flags.at(0), flags.size(), flag_of{percent});
    row("select by flags, " + std::to_string(percent) + " %", 1 + percent / 100.0 + 1.0 / sizeof(T),
        time_of(
            [&](int i) { (void)upsweep::select(on(), in_.span(i), flags.span(i), out_.span(i)); }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceSelect::Flagged(memory, bytes, in_.at(i), flags.at(i), out_.at(i),
                                            counts(), size(), stream());
        })));
  }
  void partition() {
    is_below<T> const half{static_cast<T>(50)}, first{static_cast<T>(33)},
        second{static_cast<T>(66)};
    row("partition", 2, time_of([&](int i) {
          (void)upsweep::partition(on(), in_.span(i), out_.span(i), rest_.span(i), half);
        }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DevicePartition::If(memory, bytes, in_.at(i), out_.at(i), counts(), size(),
                                          half, stream());
        })));
    pool<T> others(n_);
    row("partition in three", 2, time_of([&](int i) {
          (void)upsweep::partition(on(), in_.span(i), out_.span(i), rest_.span(i), others.span(i),
                                   first, second);
        }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DevicePartition::If(memory, bytes, in_.at(i), out_.at(i), rest_.at(i),
                                          others.at(i), counts(), size(), first, second, stream());
        })));
  }
  void runs(unsigned length) {
    std::string const of = ", runs of " + std::to_string(length);
    row("unique" + of, 1 + 1.0 / length,
        time_of([&](int i) { (void)upsweep::unique(on(), in_.span(i), out_.span(i)); }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceSelect::Unique(memory, bytes, in_.at(i), out_.at(i), counts(), size(),
                                           stream());
        })));
    pool<std::uint32_t> lengths(n_);
    row("runs" + of, 1 + (1.0 + 4.0 / sizeof(T)) / length, time_of([&](int i) {
          (void)upsweep::runs(on(), in_.span(i), out_.span(i), lengths.span(i));
        }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceRunLengthEncode::Encode(memory, bytes, in_.at(i), out_.at(i),
                                                    lengths.at(i), counts(), size(), stream());
        })));
  }

  /// `traffic`: what the verb must read and write, in inputs.
  void row(std::string const& what, double traffic, double ours, double cubs) const {
    double const bytes = traffic * static_cast<double>(n_ * sizeof(T));
    print_cells({type_, what, cell_of(ours, 1), cell_of(cubs, 1), cell_of(cubs / ours, 2),
                 cell_of(bytes / ours / 1000, 0), cell_of(traffic / ours / (2 / copy_), 2)});
  }
  [[nodiscard]] gpu on() const { return on_stream(counts()); }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(n_); }
  [[nodiscard]] std::uint64_t* counts() const {
    return reinterpret_cast<std::uint64_t*>(counts_.data());
  }

  char const* type_;
  std::size_t n_;
  pool<T> in_, out_, rest_;
  device_memory counts_;
  double copy_;
};

void print_tables(std::size_t bytes) {
  std::puts(
      "| type | verb | µs | CUB, µs | times as fast | GB/s of its own traffic | of a copy's |\n"
      "| --- | --- | --- | --- | --- | --- | --- |");
  table<float>("f32", bytes / 4).print();
  table<double>("f64", bytes / 8).print();
  table<std::uint8_t>("u8", bytes).print();
}

void print_all(unsigned smallest, unsigned largest) {
  print_head("Selections on a GPU", "upsweep_gpu_selections", "selections.cu", smallest, largest,
             "Counts stay on the device; one launch each. A verb's own traffic is one read of the "
             "input and one\nwrite of what is stored; the last column compares it with "
             "cudaMemcpy.");
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

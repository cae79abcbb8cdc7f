/// Verbs over segments on a GPU beside CUB and a read: prints a part of
/// docs/generated/performance_gpu_verbs.md.
///
///   upsweep_gpu_segments [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 18 and 30
///
/// A time is the median of nine, of ten calls each: cold, and up to 2^24 bytes also warm and in a
/// graph. Calls are of floats, by key of integers too, and offsets of int32.
#include <bench/gpu/timed_calls.cuh>
#include <bench/harness/random.hpp>
#include <upsweep/cuda.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

template <class T>
class device_array {
 public:
  explicit device_array(std::vector<T> const& values)
      : size_(values.size()), memory_(values.size() * sizeof(T)) {
    check_cuda(cudaMemcpyAsync(memory_.data(), values.data(), size_ * sizeof(T),
                               cudaMemcpyHostToDevice, stream()),
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
struct key_of_run {
  unsigned length;
  __host__ __device__ std::uint32_t operator()(std::size_t i) const {
    return static_cast<std::uint32_t>(i / length);
  }
};

class table {
 public:
  explicit table(std::size_t n) : n_(n), in_(n), scanned_(n) {
    clear(in_.at(0), in_.size());
    device_memory const total(64);
    auto* const out = reinterpret_cast<float*>(total.data());
    double const read =
        time_of([&](int i) { upsweep::reduce_into(on_stream(), in_.span(i), out); });
    read_speed_ = static_cast<double>(n * sizeof(float)) / read;
    print_cells(
        {"reduce_into, a read", "", cell_of(read, 1), "", "", cell_of(read_speed_ / 1000, 0), "1"});
    double const copied = time_of([&](int i) { copy(scanned_.at(i), in_.at(i), n_); });
    copy_speed_ = static_cast<double>(2 * n * sizeof(float)) / copied;
    print_cells(
        {"cudaMemcpyAsync", "", cell_of(copied, 1), "", "", cell_of(copy_speed_ / 1000, 0), ""});
  }

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
    for (unsigned const length : {1u, 10u, 100u, 1000u}) runs<float>("f32 by u32", length);
    for (unsigned const length : {1u, 10u, 100u, 1000u}) runs<std::uint32_t>("u32 by u32", length);
    reduce("a million empty", std::vector<std::int32_t>(1'000'001, 0));
  }

 private:
  void reduce(std::string const& what, std::vector<std::int32_t> const& offsets) {
    device_array<std::int32_t> const on_device(offsets);
    std::size_t const count = offsets.size() - 1, n = static_cast<std::size_t>(offsets.back());
    pool<float> out(count);
    auto const at = on_device.span();
    double const bytes =
        static_cast<double>(n * sizeof(float) + count * (sizeof(std::int32_t) + sizeof(float)));
    row("reduce_segments", what, bytes, time_of([&](int i) {
          upsweep::reduce_segments(on_stream(), in_.span(i).first(n), at, out.span(i));
        }),
        time_of(cub_calls([&](void* memory, std::size_t& room, int i) {
          return cub::DeviceSegmentedReduce::Sum(memory, room, in_.at(i), out.at(i),
                                                 static_cast<std::int64_t>(count), at.data(),
                                                 at.data() + 1, stream());
        })));
  }

  void scan(std::string const& what, std::vector<std::int32_t> const& offsets) {
    device_array<std::int32_t> const on_device(offsets);
    double const us = time_of([&](int i) {
      upsweep::inclusive_scan_segments(on_stream(), in_.span(i), on_device.span(),
                                       scanned_.span(i));
    });
    scan_row("inclusive_scan_segments", what,
             static_cast<double>(n_ * 2 * sizeof(float) + offsets.size() * sizeof(std::int32_t)),
             us, std::nan(""));
  }

  /// By key, of floats, whose results are those of each run alone, or of integers, whose sums do
  /// not depend on the order.
  template <class T>
  void runs(std::string const& types, unsigned length) {
    std::string const what = types + ", runs of " + std::to_string(length);
    pool<std::uint32_t> keys(n_), keys_out(n_);
    pool<T> in(n_), out(n_);
    clear(in.at(0), in.size());
    device_memory const count(64);
    auto* const to = reinterpret_cast<std::uint64_t*>(count.data());
    fill(keys.at(0), keys.size(), key_of_run{length});
    row("reduce_runs", what, static_cast<double>(n_) * 8 * (1 + 1.0 / length), time_of([&](int i) {
          (void)upsweep::reduce_runs(on_stream(to), keys.span(i), in.span(i), keys_out.span(i),
                                     out.span(i));
        }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceReduce::ReduceByKey(memory, bytes, keys.at(i), keys_out.at(i), in.at(i),
                                                out.at(i), to, cuda::std::plus<>(),
                                                static_cast<std::int64_t>(n_), stream());
        })));
    double const us = time_of([&](int i) {
      upsweep::inclusive_scan_runs(on_stream(), keys.span(i), in.span(i), out.span(i));
    });
    double const cubs = time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
      return cub::DeviceScan::InclusiveSumByKey(memory, bytes, keys.at(i), in.at(i), out.at(i),
                                                static_cast<std::int64_t>(n_),
                                                cuda::std::equal_to<>(), stream());
    }));
    scan_row("inclusive_scan_runs", what, static_cast<double>(n_) * 12, us, cubs);
  }

  /// `bytes`: what the verb must read and write.
  void row(char const* verb, std::string const& what, double bytes, double ours,
           double cubs) const {
    print_cells({verb, what, cell_of(ours, 1), cell_of(cubs, 1), cell_of(cubs / ours, 2),
                 cell_of(bytes / ours / 1000, 0), cell_of(bytes / ours / read_speed_, 2)});
  }
  /// The same of a scan, which is compared with a copy.
  void scan_row(char const* verb, std::string const& what, double bytes, double ours,
                double cubs) const {
    std::string const of_copy = cell_of(bytes / ours / copy_speed_, 2);
    print_cells({verb, what, cell_of(ours, 1), cell_of(cubs, 1), cell_of(cubs / ours, 2),
                 cell_of(bytes / ours / 1000, 0), of_copy.empty() ? "" : of_copy + " of a copy"});
  }

  std::size_t n_;
  pool<float> in_, scanned_;
  double read_speed_, copy_speed_;
};

void print_all(unsigned smallest, unsigned largest) {
  print_head("Segments on a GPU", "upsweep_gpu_segments", "segments.cu", smallest, largest,
             "A verb's own traffic is one read of elements and offsets and one write of results; "
             "the last\ncolumn compares it with a reduction of all elements, or with a copy.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += 4) {
    std::size_t const bytes = std::size_t{1} << log2;
    print_section("2^" + std::to_string(log2) + " bytes", 2 * bytes, [&] {
      std::puts(
          "| verb | segments | µs | CUB, µs | times as fast | GB/s of its own traffic | of a "
          "read's |\n| --- | --- | --- | --- | --- | --- | --- |");
      table(bytes / 4).print();
    });
  }
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 18);
}

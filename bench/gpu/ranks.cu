/// Global sums and dot products of arrays in the memory of GPUs, beside CUB's sums that are added
/// over the ranks: what an exact result costs. Ranks are threads, each with a GPU of its own.
///
///   upsweep_gpu_ranks    prints JSON: medians in microseconds of turns in one run, and whether the
///                        results are those of the host and of one rank
#include <cuda_runtime_api.h>
#include <upsweep/upsweep_cuda.h>
#include <bench/rank_team.hpp>
#include <upsweep/cuda/check.cuh>
#include <upsweep/cuda/device_memory.cuh>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace upsweep::bench {
namespace {

using array = std::vector<double>;
constexpr int rounds = 15;

/// The elements [begin, begin + n) of a global array of numbers of many magnitudes and both signs.
array part_of(std::uint64_t begin, std::size_t n) {
  array x(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t word = (begin + i + 1) * 0x9e3779b97f4a7c15U;
    word = (word ^ word >> 31) * 0xbf58476d1ce4e5b9U;
    word ^= word >> 29;
    x[i] = std::bit_cast<double>((word & 0x803fffffffffffffU) + (std::uint64_t{1000} << 52));
  }
  return x;
}

double sum_of(upsweep_ranks const& ranks, double const* x, std::size_t n) {
  upsweep_field field{};
  field.values = upsweep_array_of(UPSWEEP_F64, x, n);
  double sum = 0;
  if (upsweep_global_sum(&ranks, &field, nullptr, &sum) != UPSWEEP_OK)
    throw std::runtime_error(upsweep_last_error_message());
  return sum;
}
double dot_of(upsweep_ranks const& ranks, double const* x, double const* y, std::size_t n) {
  upsweep_array const a = upsweep_array_of(UPSWEEP_F64, x, n),
                      b = upsweep_array_of(UPSWEEP_F64, y, n);
  double sum = 0;
  if (upsweep_global_dot(&ranks, &a, &b, nullptr, nullptr, &sum) != UPSWEEP_OK)
    throw std::runtime_error(upsweep_last_error_message());
  return sum;
}

template <class T>
class on_gpu {
 public:
  on_gpu() = default;
  explicit on_gpu(std::size_t n) : memory_(std::make_unique<device_memory>(n * sizeof(T))) {}
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_->data()); }

 private:
  std::unique_ptr<device_memory> memory_;
};

struct product {
  double const *x, *y;
  __device__ double operator()(std::int64_t i) const { return x[i] * y[i]; }
};

/// What each rank has, and the methods to be compared.
class rank_with_gpu {
 public:
  rank_with_gpu(rank_team& all, int number, array const& x, array const& y)
      : me_{&all, number}, n_(x.size()), x_(to_device(x)), y_(to_device(y)), out_(to_device({0})) {
    ranks_ = ranks_of(me_);
    ranks_.device = upsweep_cuda_device();
    cub_sum(nullptr, sum_bytes_);
    cub_dot(nullptr, dot_bytes_);
    temporary_ = on_gpu<unsigned char>(std::max(sum_bytes_, dot_bytes_));
  }

  double plain_sum() {
    cub_sum(temporary_.data(), sum_bytes_);
    return added();
  }
  double plain_dot() {
    cub_dot(temporary_.data(), dot_bytes_);
    return added();
  }
  [[nodiscard]] double sum() const { return sum_of(ranks_, x_.data(), n_); }
  [[nodiscard]] double dot() const { return dot_of(ranks_, x_.data(), y_.data(), n_); }

 private:
  static on_gpu<double> to_device(array const& x) {
    on_gpu<double> there(x.size());
    check_cuda(cudaMemcpy(there.data(), x.data(), x.size() * sizeof(double), cudaMemcpyDefault),
               "copy the elements");
    return there;
  }
  void cub_sum(void* temporary, std::size_t& bytes) {
    check_cuda(cub::DeviceReduce::Sum(temporary, bytes, x_.data(), out_.data(),
                                      static_cast<std::int64_t>(n_)),
               "sum by CUB");
  }
  void cub_dot(void* temporary, std::size_t& bytes) {
    check_cuda(
        cub::DeviceReduce::TransformReduce(
            temporary, bytes, thrust::counting_iterator<std::int64_t>(0), out_.data(),
            static_cast<std::int64_t>(n_), cuda::std::plus<>{}, product{x_.data(), y_.data()}, 0.0),
        "dot product by CUB");
  }
  double added() {
    double mine = 0, total = 0;
    check_cuda(cudaMemcpy(&mine, out_.data(), sizeof mine, cudaMemcpyDefault), "copy the sum");
    me_.all->all_reduce(me_.number, &mine, &total, 1, std::plus<>{});
    return total;
  }

  rank me_;
  upsweep_ranks ranks_;
  std::size_t n_, sum_bytes_ = 0, dot_bytes_ = 0;
  on_gpu<double> x_, y_, out_;
  on_gpu<unsigned char> temporary_;
};

struct measured {
  array plain_sum, sum, plain_dot, dot;
  double total = 0, product_total = 0;
};

/// Arrays of n elements, of which each rank has an equal part.
measured of_ranks(int size, std::size_t n) {
  rank_team all(size);
  measured found;
  on_ranks(size, [&](int number) {
    check_cuda(cudaSetDevice(number), "choose a device");
    std::size_t const each = n / static_cast<std::size_t>(size);
    std::uint64_t const begin = each * static_cast<std::uint64_t>(number);
    rank_with_gpu mine(all, number, part_of(begin, each), part_of(begin + n, each));
    auto const timed = [&](array& times, auto const& call) {
      int const calls = n > 10'000'000 ? 5 : 50;
      double result = call();
      all.meet();
      auto const start = std::chrono::steady_clock::now();
      for (int k = 0; k < calls; ++k) result = call();
      all.meet();
      if (number == 0) times.push_back(us_since(start) / calls);
      return result;
    };
    for (int k = 0; k < rounds; ++k) {
      timed(found.plain_sum, [&] { return mine.plain_sum(); });
      double const sum = timed(found.sum, [&] { return mine.sum(); });
      timed(found.plain_dot, [&] { return mine.plain_dot(); });
      double const dot = timed(found.dot, [&] { return mine.dot(); });
      if (number == 0) std::tie(found.total, found.product_total) = std::pair(sum, dot);
    }
  });
  return found;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void print() {
  int gpus = 0;
  check_cuda(cudaGetDeviceCount(&gpus), "count the devices");
  std::printf("{\"gpus\": %d,\n \"sums\": [", gpus);
  char const* comma = "";
  for (std::size_t const n : {10'000U, 1'000'000U, 100'000'000U}) {
    array const x = part_of(0, n), y = part_of(n, n);
    upsweep_ranks const host = upsweep_one_rank();
    double const sum = sum_of(host, x.data(), n), dot = dot_of(host, x.data(), y.data(), n);
    for (int size = 1; size <= gpus; size *= 2) {
      measured const found = of_ranks(size, n);
      std::printf(
          "%s\n  {\"ranks\": %d, \"n\": %zu, \"bits_of_the_host\": %s,"
          " \"cub_sum_us\": %.1f, \"upsweep_sum_us\": %.1f,"
          " \"cub_dot_us\": %.1f, \"upsweep_dot_us\": %.1f}",
          comma, size, n,
          same_bits(found.total, sum) && same_bits(found.product_total, dot) ? "true" : "false",
          median(found.plain_sum), median(found.sum), median(found.plain_dot), median(found.dot));
      comma = ",";
    }
  }
  std::printf("]}\n");
}

}  // namespace
}  // namespace upsweep::bench

int main() {
  try {
    upsweep::bench::print();
  } catch (std::exception const& e) {
    std::fprintf(stderr, "upsweep_gpu_ranks: %s\n", e.what());
    return 1;
  }
}

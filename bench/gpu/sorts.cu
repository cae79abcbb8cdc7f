/// Sorts on a GPU beside CUB: prints a part of docs/performance_gpu_verbs.md.
///
///   upsweep_gpu_sorts [SMALLEST [LARGEST]]    log2 of the numbers of elements; 10 and 24; to 28 it
///                                             takes some minutes
///
/// Inputs rotate through pools of 512 MiB, so that large ones are not in the cache. A time is the
/// median of nine, of ten calls each. CUB has its scratch memory before; upsweep allocates it in
/// each call.
#include <bench/gpu/cold_calls.cuh>
#include <upsweep/cuda/sort.cuh>

#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>
#include <string>
#include <type_traits>

namespace upsweep::bench {
namespace {

template <class T>
class table {
 public:
  table(char const* type, std::size_t n) : type_(type), n_(n), in_(n), work_(n), other_(n) {
    fill(in_.at(0), in_.size(), random_element<T>{});
  }

  void print() {
    double const copy = time_of([&](int i) { refill(i); });
    keys("sort", copy, ascending{});
    if (n_ >= std::size_t{1} << 20) keys("sort, descending", copy, descending{});
    pairs<std::uint32_t>("sort_by_key, 4 bytes", copy);
    pairs<std::uint64_t>("sort_by_key, 8 bytes", copy);
    positions();
    first_100();
  }

 private:
  void refill(int i) {
    check_cuda(cudaMemcpyAsync(work_.at(i), in_.at(i), n_ * sizeof(T), cudaMemcpyDeviceToDevice),
               "copy keys");
  }

  /// Keys are copied before each call, whose time is subtracted.
  template <class Less>
  void keys(char const* verb, double copy, Less const& less) {
    int i = 0;
    auto const call = [&](void* memory, std::size_t& bytes) {
      cub::DoubleBuffer<T> x(work_.at(i), other_.at(i));
      if constexpr (std::is_same_v<Less, descending>)
        return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, x, count());
      else
        return cub::DeviceRadixSort::SortKeys(memory, bytes, x, count());
    };
    cub_memory memory;
    memory.prepare(call);
    double const ours = time_of([&](int k) {
      refill(k);
      upsweep::sort(gpu{}, work_.span(k), less);
    });
    row(verb, ours - copy, time_of([&](int k) {
                             refill(i = k);
                             memory(call);
                           }) - copy);
  }
  template <class V>
  void pairs(char const* verb, double copy) {
    pool<V> values(n_), other(n_);
    int i = 0;
    auto const call = [&](void* memory, std::size_t& bytes) {
      cub::DoubleBuffer<T> x(work_.at(i), other_.at(i));
      cub::DoubleBuffer<V> v(values.at(i), other.at(i));
      return cub::DeviceRadixSort::SortPairs(memory, bytes, x, v, count());
    };
    cub_memory memory;
    memory.prepare(call);
    double const ours = time_of([&](int k) {
      refill(k);
      upsweep::sort_by_key(gpu{}, work_.span(k), values.span(k));
    });
    row(verb, ours - copy, time_of([&](int k) {
                             refill(i = k);
                             memory(call);
                           }) - copy);
  }
  /// CUB is given the positions before sorting.
  void positions() {
    pool<std::uint32_t> order(n_), before(n_);
    int i = 0;
    auto const call = [&](void* memory, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(memory, bytes, in_.at(i), other_.at(i), before.at(i),
                                             order.at(i), count());
    };
    cub_memory memory;
    memory.prepare(call);
    double const ours =
        time_of([&](int k) { upsweep::argsort(gpu{}, in_.span(k), order.span(k)); });
    row("argsort", ours, time_of([&](int k) {
          i = k;
          memory(call);
        }));
  }
  /// CUB sorts everything.
  void first_100() {
    pool<T> first(100);
    int i = 0;
    auto const call = [&](void* memory, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, in_.at(i), other_.at(i),
                                                      count());
    };
    cub_memory memory;
    memory.prepare(call);
    double const ours =
        time_of([&](int k) { (void)upsweep::top(gpu{}, in_.span(k), first.span(k)); });
    row("top 100", ours, time_of([&](int k) {
          i = k;
          memory(call);
        }));
  }

  void row(char const* verb, double ours, double cubs) const {
    std::printf("| %s | %s | %.1f | %.1f | %.2f | %.2f |\n", type_, verb, ours, cubs, cubs / ours,
                static_cast<double>(n_) / ours / 1000);
    std::fflush(stdout);
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(n_); }

  char const* type_;
  std::size_t n_;
  pool<T> in_, work_, other_;
};

void print_size(unsigned log2) {
  std::size_t const n = std::size_t{1} << log2;
  std::printf(
      "\n## 2^%u elements\n\n| keys | verb | µs | CUB, µs | times as fast | 10^9 keys a second |\n"
      "| --- | --- | --- | --- | --- | --- |\n",
      log2);
  table<std::uint32_t>("u32", n).print();
  table<float>("f32", n).print();
  table<std::uint64_t>("u64", n).print();
  table<double>("f64", n).print();
}

int print_all(unsigned smallest, unsigned largest) {
  print_head("Sorts on a GPU", "upsweep_gpu_sorts", "sorts.cu", smallest, largest,
             "Random keys. sort and sort_by_key take a copy of them, whose time is subtracted; "
             "CUB sorts between\ntwo arrays (DoubleBuffer), may leave the result in either, and "
             "has -0 equal to +0.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += 2) print_size(log2);
  return 0;
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 10, 24);
}

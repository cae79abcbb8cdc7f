/// Sorts on a GPU beside CUB: prints a part of docs/generated/performance_gpu_verbs.md.
///
///   upsweep_gpu_sorts [SMALLEST [LARGEST]]    log2 of the numbers of elements; 10 and 24; to 28 it
///                                             takes some minutes
///
/// A time is the median of nine, of ten calls each: cold, and up to 2^20 elements also warm and in
/// a graph. CUB gets its temporary storage; upsweep allocates it in each call, from a pool that
/// keeps it.
#include <bench/gpu/timed_calls.cuh>
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
    double const copied = time_of([&](int i) { refill(i); });
    keys("sort", copied, ascending{});
    if (n_ >= std::size_t{1} << 20) keys("sort, descending", copied, descending{});
    pairs<std::uint32_t>("sort_by_key, 4 bytes", copied);
    pairs<std::uint64_t>("sort_by_key, 8 bytes", copied);
    positions();
    first_100();
  }

 private:
  void refill(int i) { copy(work_.at(i), in_.at(i), n_); }

  /// Keys are copied before each call, whose time is subtracted.
  template <class Less>
  void keys(char const* verb, double copied, Less const& less) {
    cub_calls const sort([&](void* memory, std::size_t& bytes, int i) {
      cub::DoubleBuffer<T> x(work_.at(i), other_.at(i));
      if constexpr (std::is_same_v<Less, descending>)
        return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, x, count(), 0, all_bits,
                                                        stream());
      else
        return cub::DeviceRadixSort::SortKeys(memory, bytes, x, count(), 0, all_bits, stream());
    });
    double const ours = time_of([&](int i) {
      refill(i);
      upsweep::sort(on_stream(), work_.span(i), less);
    });
    double const cubs = time_of([&](int i) {
      refill(i);
      sort(i);
    });
    row(verb, ours - copied, cubs - copied);
  }
  template <class V>
  void pairs(char const* verb, double copied) {
    pool<V> values(n_), other(n_);
    cub_calls const sort([&](void* memory, std::size_t& bytes, int i) {
      cub::DoubleBuffer<T> x(work_.at(i), other_.at(i));
      cub::DoubleBuffer<V> v(values.at(i), other.at(i));
      return cub::DeviceRadixSort::SortPairs(memory, bytes, x, v, count(), 0, all_bits, stream());
    });
    double const ours = time_of([&](int i) {
      refill(i);
      upsweep::sort_by_key(on_stream(), work_.span(i), values.span(i));
    });
    double const cubs = time_of([&](int i) {
      refill(i);
      sort(i);
    });
    row(verb, ours - copied, cubs - copied);
  }
  /// CUB is given the positions before sorting.
  void positions() {
    pool<std::uint32_t> order(n_), before(n_);
    row("argsort",
        time_of([&](int i) { upsweep::argsort(on_stream(), in_.span(i), order.span(i)); }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceRadixSort::SortPairs(memory, bytes, in_.at(i), other_.at(i),
                                                 before.at(i), order.at(i), count(), 0, all_bits,
                                                 stream());
        })));
  }
  /// CUB sorts everything.
  void first_100() {
    pool<T> first(100);
    row("top 100",
        time_of([&](int i) { (void)upsweep::top(on_stream(), in_.span(i), first.span(i)); }),
        time_of(cub_calls([&](void* memory, std::size_t& bytes, int i) {
          return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, in_.at(i), other_.at(i),
                                                          count(), 0, all_bits, stream());
        })));
  }

  void row(char const* verb, double ours, double cubs) const {
    print_cells({type_, verb, cell_of(ours, 1), cell_of(cubs, 1), cell_of(cubs / ours, 2),
                 cell_of(static_cast<double>(n_) / ours / 1000, 2)});
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(n_); }

  static constexpr int all_bits = 8 * static_cast<int>(sizeof(T));
  char const* type_;
  std::size_t n_;
  pool<T> in_, work_, other_;
};

void print_tables(std::size_t n) {
  std::puts(
      "| keys | verb | µs | CUB, µs | times as fast | 10^9 keys a second |\n"
      "| --- | --- | --- | --- | --- | --- |");
  table<std::uint32_t>("u32", n).print();
  table<float>("f32", n).print();
  table<std::uint64_t>("u64", n).print();
  table<double>("f64", n).print();
}

void print_all(unsigned smallest, unsigned largest) {
  print_head(
      "Sorts on a GPU", "upsweep_gpu_sorts", "sorts.cu", smallest, largest,
      "Random keys. sort and sort_by_key take a copy of them, whose time is subtracted; "
      "CUB sorts between\ntwo arrays (DoubleBuffer), may leave the result in either, and "
      "has -0 equal to +0. Its temporary\nstorage is allocated before; upsweep allocates it in "
      "each call, from the device's pool, which keeps it.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += 2) {
    std::size_t const n = std::size_t{1} << log2, most = n * 32;
    print_section("2^" + std::to_string(log2) + " elements", most, [&] { print_tables(n); });
  }
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 10, 24);
}

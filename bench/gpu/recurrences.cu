/// Recurrences on a GPU beside a copy: prints a part of docs/generated/performance_gpu_verbs.md.
///
///   upsweep_gpu_recurrences [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 20 and 30
///
/// A time is the median of nine, of ten calls each: cold, and up to 2^24 bytes also warm and in a
/// graph.
#include <bench/gpu/timed_calls.cuh>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/recurrence.hpp>

#include <cstdio>
#include <span>
#include <string>

namespace upsweep::bench {
namespace {

/// Arrays of `bytes` bytes of type T, and the speed at which they are copied.
template <class T>
class recurrence_table {
 public:
  recurrence_table(char const* type, std::size_t bytes)
      : type_(type), n_(bytes / sizeof(T)), in_(n_), out_(n_) {
    clear(in_.at(0), in_.size());
    double const us = time_of([&](int i) { copy(out_.at(i), in_.at(i), n_); });
    copy_speed_ = 2.0 * static_cast<double>(bytes) / us;
    print_row("cudaMemcpyAsync", us, 2);
  }

  template <std::size_t order>
  void print(recurrence<order, T> const& op) const {
    char name[40];
    std::snprintf(name, sizeof name, "scan, order %zu", order);
    print_row(name, time_of([&](int i) { scan(i, op, {}); }), 2);
    std::snprintf(name, sizeof name, "scan with .initial, order %zu", order);
    print_row(name, time_of([&](int i) { scan(i, op, {.initial = op.lift(1)}); }), 2);
    std::snprintf(name, sizeof name, "reduction, order %zu", order);
    print_row(name, time_of([&](int i) {
                upsweep::reduce_into(on_stream(), std::span<T const>(in_.span(i)), out_.at(i), op);
              }),
              1);
  }
  /// The same recurrence of order 1 by maps, which are twice the bytes.
  void print_affine() const {
    using map = affine_map<T>;
    auto const maps = [](T* first, std::size_t n) {
      return std::span<map>(reinterpret_cast<map*>(first), n / 2);
    };
    print_row("scan of affine maps, as many bytes", time_of([&](int i) {
                upsweep::inclusive_scan(on_stream(), std::span<map const>(maps(in_.at(i), n_)),
                                        maps(out_.at(i), n_), affine{});
              }),
              2);
  }

 private:
  template <class Op>
  void scan(int i, Op const& op, options<typename Op::state> const& o) const {
    upsweep::inclusive_scan(on_stream(), std::span<T const>(in_.span(i)), out_.span(i), op, o);
  }
  /// The time of a call that accesses every element `accesses` times, and its speed beside the
  /// copy's.
  void print_row(char const* call, double us, int accesses) const {
    double const bytes = accesses * static_cast<double>(n_ * sizeof(T));
    print_cells({type_, call, cell_of(us, 1), cell_of(bytes / us / 1000, 0),
                 cell_of(bytes / us / copy_speed_, 2)});
  }

  char const* type_;
  std::size_t n_;
  pool<T> in_, out_;
  double copy_speed_ = 0;
};

template <class T>
void print_type(char const* type, std::size_t bytes) {
  recurrence_table<T> const table(type, bytes);
  table.print(recurrence({T(0.75)}));
  table.print_affine();
  table.print(recurrence({T(1.6), T(-0.64)}));
  table.print(recurrence({T(0.5), T(0.25), T(-0.125), T(0.0625)}));
}

void print_all(unsigned smallest, unsigned largest) {
  print_head("Recurrences on a GPU", "upsweep_gpu_recurrences", "recurrences.cu", smallest, largest,
             "Bytes are what a call must read and write.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 24 ? 4 : 3) {
    std::size_t const bytes = std::size_t{1} << log2;
    print_section("2^" + std::to_string(log2) + " bytes", 2 * bytes, [&] {
      std::puts("| type | call | µs | GB/s | of a copy's |\n| --- | --- | --- | --- | --- |");
      print_type<float>("f32", bytes);
      print_type<double>("f64", bytes);
    });
  }
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 20);
}

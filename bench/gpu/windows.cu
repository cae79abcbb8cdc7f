/// windowed, pad and unpad on a GPU beside a copy: prints a part of
/// docs/generated/performance_gpu_verbs.md.
///
///   upsweep_gpu_windows [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 20 and 30
///
/// A time is the median of nine, of ten calls each: cold, and up to 2^24 bytes also warm and in a
/// graph.
#include <bench/gpu/timed_calls.cuh>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/padding.hpp>
#include <upsweep/windowed.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

namespace upsweep::bench {
namespace {

/// The time of a call that must read and write `bytes`, and its speed beside `copy_speed`.
void print_row(char const* type, std::string const& what, double us, double bytes,
               double copy_speed) {
  print_cells({type, what, cell_of(us, 1), cell_of(bytes / us / 1000, 0),
               cell_of(bytes / us / copy_speed, 2)});
}

template <class T>
class windows_table {
 public:
  windows_table(char const* type, std::size_t n) : type_(type), n_(n), in_(n), out_(n) {
    clear(in_.at(0), in_.size());
    double const us = time_of([&](int i) { copy(out_.at(i), in_.at(i), n_); });
    copy_speed_ = bytes() / us;
    print_row(type_, "cudaMemcpyAsync", us, bytes(), copy_speed_);
  }

  template <class Op>
  void print(char const* op_name, Op const& op) const {
    for (std::size_t const width : {3u, 16u, 100u, 1000u, 4096u}) {
      double const us = time_of([&](int i) {
        upsweep::windowed(on_stream(), std::span<T const>(in_.span(i)), width,
                          out_.span(i).first(n_ - width + 1), op);
      });
      print_row(type_, std::string(op_name) + " of " + std::to_string(width), us, bytes(),
                copy_speed_);
    }
  }

 private:
  [[nodiscard]] double bytes() const { return 2.0 * static_cast<double>(n_ * sizeof(T)); }

  char const* type_;
  std::size_t n_;
  pool<T> in_, out_;
  double copy_speed_ = 0;
};

/// Matrices of floats in `n` elements, in place; cudaMemcpy2DAsync copies to another array.
class rows_table {
 public:
  explicit rows_table(std::size_t n) : n_(n), in_(n), out_(n) { clear(in_.at(0), in_.size()); }

  void print(std::size_t columns, std::size_t padded) const {
    std::size_t const rows = n_ / padded;
    std::string const shape = " " + std::to_string(columns) + " of " + std::to_string(padded);
    auto const kept = static_cast<double>(rows * columns * sizeof(float)),
               all = static_cast<double>(rows * padded * sizeof(float));
    auto const matrix = [&](int i) { return in_.span(i).first(rows * padded); };
    double const copy_us = time_of([&](int i) { copy(out_.at(i), in_.at(i), rows * columns); });
    double const speed = 2 * kept / copy_us;
    print_row("f32", "cudaMemcpyAsync of" + shape, copy_us, 2 * kept, speed);
    print_row("f32", "unpad" + shape, time_of([&](int i) {
                upsweep::unpad(on_stream(), matrix(i), rows, columns, padded);
              }),
              2 * kept, speed);
    print_row("f32", "cudaMemcpy2DAsync, unpad" + shape, time_of([&](int i) {
                copy_rows(out_.at(i), columns, in_.at(i), padded, columns, rows);
              }),
              2 * kept, speed);
    print_row("f32", "pad" + shape, time_of([&](int i) {
                upsweep::pad(on_stream(), matrix(i), rows, columns, padded, 1.0f);
              }),
              kept + all, speed);
    print_row("f32", "cudaMemcpy2DAsync, pad without fill" + shape, time_of([&](int i) {
                copy_rows(out_.at(i), padded, in_.at(i), columns, columns, rows);
              }),
              2 * kept, speed);
  }

 private:
  static void copy_rows(float* to, std::size_t to_pitch, float const* from, std::size_t from_pitch,
                        std::size_t columns, std::size_t rows) {
    check_cuda(cudaMemcpy2DAsync(to, to_pitch * sizeof(float), from, from_pitch * sizeof(float),
                                 columns * sizeof(float), rows, cudaMemcpyDeviceToDevice, stream()),
               "copy rows");
  }

  std::size_t n_;
  pool<float> in_, out_;
};

void print_tables(std::size_t bytes) {
  std::puts("| type | call | µs | GB/s | of a copy's |\n| --- | --- | --- | --- | --- |");
  windows_table<float> const floats("f32", bytes / 4);
  floats.print("sum", plus{});
  floats.print("max", max{});
  windows_table<double>("f64", bytes / 8).print("sum", plus{});
  rows_table const matrices(bytes / 4);
  matrices.print(1000, 1024);
  matrices.print(31, 32);
  matrices.print(10, 16);
}

void print_all(unsigned smallest, unsigned largest) {
  print_head("Windows and matrices in place on a GPU", "upsweep_gpu_windows", "windows.cu",
             smallest, largest, "Bytes are what a call must read and write.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 24 ? 4 : 3) {
    std::size_t const bytes = std::size_t{1} << log2;
    print_section("2^" + std::to_string(log2) + " bytes", 2 * bytes, [&] { print_tables(bytes); });
  }
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 20);
}

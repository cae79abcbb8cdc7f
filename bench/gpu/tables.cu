/// Summed-area tables on a GPU beside a copy: prints a part of
/// docs/generated/performance_gpu_verbs.md.
///
///   upsweep_gpu_tables [SMALLEST [LARGEST]]    log2 of the rows and columns; 10 and 14
///
/// A time is the median of nine, of ten calls each: cold, and of 1024 rows also warm and in a
/// graph.
#include <bench/gpu/timed_calls.cuh>
#include <upsweep/apps/summed_area.hpp>
#include <upsweep/cuda.cuh>

#include <cstdint>
#include <cstdio>
#include <string>

namespace upsweep::bench {
namespace {

void print_row(char const* types, char const* what, double us, double bytes, double copy_speed) {
  print_cells({types, what, cell_of(us, 1), cell_of(bytes / us / 1000, 0),
               cell_of(bytes / us / copy_speed, 2)});
}

/// The table of a matrix of T as R, beside a copy that reads and writes as many bytes.
template <class T, class R>
void print_table(char const* types, std::size_t side) {
  std::size_t const n = side * side, bytes = n * (sizeof(T) + sizeof(R));
  pool<T> const in(n);
  pool<R> const out(n);
  pool<unsigned char> const from(bytes / 2), to(bytes / 2);
  clear(in.at(0), in.size());
  clear(from.at(0), from.size());
  double const copy_us = time_of([&](int i) { copy(to.at(i), from.at(i), bytes / 2); });
  auto const all = static_cast<double>(bytes);
  print_row(types, "cudaMemcpyAsync", copy_us, all, all / copy_us);
  double const us = time_of([&](int i) {
    apps::summed_area_table(strided_view<T const>(in.at(i), {side, side}),
                            strided_view<R>(out.at(i), {side, side}), on_stream());
  });
  print_row(types, "summed_area_table", us, all, all / copy_us);
}

void print_tables(std::size_t side) {
  std::puts("| types | call | µs | GB/s | of a copy's |\n| --- | --- | --- | --- | --- |");
  print_table<float, float>("f32", side);
  print_table<float, double>("f32, sums f64", side);
  print_table<std::uint8_t, std::uint32_t>("u8, sums u32", side);
}

void print_all(unsigned smallest, unsigned largest) {
  largest = largest < 14 ? largest : 14;
  print_head("Summed-area tables on a GPU", "upsweep_gpu_tables", "tables.cu", smallest, largest,
             "Bytes are what a call must read and write.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += 2) {
    std::size_t const side = std::size_t{1} << log2, most = side * side * 12;
    print_section(std::to_string(side) + " rows and columns", most, [&] { print_tables(side); });
  }
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 10);
}

/// Recurrences on a GPU beside a copy: prints a part of docs/generated/performance_gpu_verbs.md.
///
///   upsweep_gpu_recurrences [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 20 and 30
///
/// A time is the median of nine, of ten calls each: cold, and up to 2^24 bytes also warm and in a
/// graph.
#include <bench/gpu/recurrences.cuh>

#include <string>

namespace upsweep::bench {
namespace {

void print_all(unsigned smallest, unsigned largest) {
  print_head("Recurrences on a GPU", "upsweep_gpu_recurrences", "recurrences.cu", smallest, largest,
             "Bytes are what a call must read and write.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 24 ? 4 : 3) {
    std::size_t const bytes = std::size_t{1} << log2;
    print_section("2^" + std::to_string(log2) + " bytes", 2 * bytes, [&] {
      std::puts("| type | call | µs | GB/s | of a copy's |\n| --- | --- | --- | --- | --- |");
      print_type<float>("f32", bytes);
      print_recurrences_of_doubles(bytes);
    });
  }
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 20);
}

/// Recurrences on a GPU beside a copy: prints a part of docs/performance_gpu_verbs.md.
///
///   upsweep_gpu_recurrences [SMALLEST [LARGEST]]    log2 of the numbers of bytes; 20 and 30
///
/// Inputs and outputs rotate through pools of 512 MiB, so that large ones are not in the cache. A
/// time is the median of nine, of ten calls each.
#include <bench/gpu/recurrences.cuh>

namespace upsweep::bench {
namespace {

int print_all(unsigned smallest, unsigned largest) {
  print_head("Recurrences on a GPU", "upsweep_gpu_recurrences", "recurrences.cu", smallest, largest,
             "Bytes are what a call must read and write.");
  for (unsigned log2 = smallest; log2 <= largest; log2 += log2 < 24 ? 4 : 3) {
    std::printf("\n## 2^%u bytes\n\n", log2);
    std::puts("| type | call | µs | GB/s | of a copy's |\n| --- | --- | --- | --- | --- |");
    print_type<float>("f32", std::size_t{1} << log2);
    print_recurrences_of_doubles(std::size_t{1} << log2);
  }
  return 0;
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  return upsweep::bench::run_with_sizes(argc, argv, upsweep::bench::print_all, 20);
}

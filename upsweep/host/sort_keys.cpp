/// Sorting of integers: a radix sort, or Highway's vectorised quicksort.
#include <upsweep/core/radix_sort.hpp>
#include <upsweep/host/sort_keys.hpp>

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

namespace upsweep::host {

namespace {

/// Whether Highway's quicksort (1.0.3, compiled by g++ 12) is faster than a radix sort for 32 bits:
/// with AVX-512 of Intel, but not of AMD, whose compressing stores are slow
/// (docs/design/0006-verbs-on-scan.md).
bool quicksorts_32_bits() {
#if defined(__x86_64__)
  return (hwy::SupportedTargets() & HWY_AVX3) != 0 && !__builtin_cpu_is("amd");
#else
  return false;
#endif
}

}  // namespace

void sort_keys(std::uint16_t* first, std::size_t n) {
  detail::radix_sort(first, n, [](std::uint16_t key) { return key; });
}
void sort_keys(std::uint32_t* first, std::size_t n) {
  static bool const by_quicksort = quicksorts_32_bits();
  if (!by_quicksort)
    detail::radix_sort(first, n, [](std::uint32_t key) { return key; });
  else if (n > 1)
    hwy::Sorter()(first, n, hwy::SortAscending());
}
void sort_keys(std::uint64_t* first, std::size_t n) {
  if (n > 1) hwy::Sorter()(first, n, hwy::SortAscending());
}

}  // namespace upsweep::host

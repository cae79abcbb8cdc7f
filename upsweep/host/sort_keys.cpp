/// Sorting of integers: a radix sort, or Highway's vectorised quicksort.
#include <upsweep/core/radix_sort.hpp>
#include <upsweep/host/sort_keys.hpp>

#include <hwy/contrib/sort/vqsort.h>

namespace upsweep::host {

// Highway's vectorised quicksort (1.0.3, compiled by g++ 12) is faster than a radix sort for 64
// bits only: docs/design/0006-verbs-on-scan.md.
void sort_keys(std::uint16_t* first, std::size_t n) {
  detail::radix_sort(first, n, [](std::uint16_t key) { return key; });
}
void sort_keys(std::uint32_t* first, std::size_t n) {
  detail::radix_sort(first, n, [](std::uint32_t key) { return key; });
}
void sort_keys(std::uint64_t* first, std::size_t n) {
  if (n > 1) hwy::Sorter()(first, n, hwy::SortAscending());
}

}  // namespace upsweep::host

/// Sorting of integers: a radix sort, or Highway's vectorized quicksort; and maps of integers.
#include <upsweep/core/radix_sort.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

/// Highway's quicksort takes as long for keys that are in order as for others.
template <class Key>
void quicksort(Key* first, std::size_t n) {
  constexpr std::size_t few = 16;  // an insertion sort takes less time
  if (n <= few) return std::sort(first, first + n);
  std::size_t const ordered = detail::ordered_front(first, n, [](Key key) { return key; });
  bool const mostly = n - ordered <= n / 8;
  Key* const rest = mostly ? first + ordered : first;
  hwy::Sorter()(rest, static_cast<std::size_t>(first + n - rest), hwy::SortAscending());
  std::inplace_merge(first, rest, first + n);
}

/// Two loops, because the compiler vectorizes one only for pointers that are equal or far apart if
/// it knows which.
template <class Key>
void map_each(Key const* from, std::size_t n, Key* to, detail::key_map<Key> map) {
  if (from == to)
    for (std::size_t i = 0; i < n; ++i) to[i] = map(to[i]);
  else
    for (std::size_t i = 0; i < n; ++i) to[i] = map(from[i]);
}

}  // namespace

void sort_keys(std::uint16_t* first, std::size_t n) {
  detail::radix_sort(first, n, [](std::uint16_t key) { return key; });
}
void sort_keys(std::uint32_t* first, std::size_t n) {
  static bool const by_quicksort = quicksorts_32_bits();
  if (!by_quicksort)
    detail::radix_sort(first, n, [](std::uint32_t key) { return key; });
  else
    quicksort(first, n);
}
void sort_keys(std::uint64_t* first, std::size_t n) {
  quicksort(first, n);
}

void map_keys(std::uint16_t const* from, std::size_t n, std::uint16_t* to,
              detail::key_map<std::uint16_t> map) {
  map_each(from, n, to, map);
}
void map_keys(std::uint32_t const* from, std::size_t n, std::uint32_t* to,
              detail::key_map<std::uint32_t> map) {
  map_each(from, n, to, map);
}
void map_keys(std::uint64_t const* from, std::size_t n, std::uint64_t* to,
              detail::key_map<std::uint64_t> map) {
  map_each(from, n, to, map);
}

}  // namespace upsweep::host

/// Sorts of integers, by a radix sort or Highway's vectorized quicksort, and of numbers and pairs
/// on several threads: parts on each, which are then merged, or buckets.
#include <upsweep/core/radix_sort.hpp>
#include <upsweep/generic/sort/sorting.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

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

namespace {

/// Whether numbers of so many bytes together are divided into buckets: by two or three threads from
/// 32 MiB on, by four from 16 MiB, by eight, whose merges have three rounds, from 2 MiB.
bool worth_buckets_of_numbers(cpu const& on, std::size_t bytes) {
  using detail::threads_for;
  return threads_for(on, bytes / 32) >= 8 || threads_for(on, bytes / 512) >= 4 ||
         threads_for(on, bytes / 2048) >= 2;
}

/// Numbers of one byte are counted.
void sort_bytes(std::uint8_t const* from, std::size_t n, std::uint8_t* to,
                detail::key_map<std::uint8_t> order) {
  std::size_t counts[256] = {};
  for (std::size_t i = 0; i < n; ++i) ++counts[from[i]];
  auto const inverse = order.inverse();
  for (unsigned key = 0; key < 256; ++key) {
    std::uint8_t const x = inverse(static_cast<std::uint8_t>(key));
    to = std::fill_n(to, counts[x], x);
  }
}

/// As sort_numbers, on several threads, in parts or buckets.
template <class U>
void sort_parts_of_numbers(cpu const& on, U const* from, std::size_t n, U* to,
                           detail::key_map<U> order, std::size_t parts) {
  auto const inverse = order.inverse();
  auto const finish = [&](U* keys, std::size_t begin, std::size_t size, bool is_sorted) {
    if (!is_sorted) sort_keys(keys, size);
    map_keys(keys, size, to + begin, inverse);
  };
  auto const keys = [&](std::size_t begin, std::size_t size, U* memory) {
    for (std::size_t i = 0; i < size; ++i) memory[i] = order(from[begin + i]);
    return memory;
  };
  if (worth_buckets_of_numbers(on, n * sizeof(U)) &&
      detail::sort_by_keys<U>(on, keys, n, [](U key) { return key; }, finish))
    return;
  auto const other = detail::memory_for<U>(n);
  detail::sort_parts(
      on, to, other.get(), n, parts, std::less{},
      [&](std::size_t begin, std::size_t size, U* part, U*, auto const&) {
        map_keys(from + begin, size, part, order);
        sort_keys(part, size);
      },
      [&](U* first, std::size_t size) {
        if (!inverse.is_identity()) map_keys(first, size, first, inverse);
      });
}

}  // namespace

template <class U>
void sort_numbers(U const* from, std::size_t n, U* to, detail::key_map<U> order, int threads) {
  if constexpr (sizeof(U) == 1) {
    sort_bytes(from, n, to, order);
  } else {
    cpu const on{.threads = threads};
    std::size_t const parts = detail::parts_of_numbers(on, n);
    if (parts == 1) {
      // The keys are stored where the numbers are at the end.
      if (from != to || !order.is_identity()) map_keys(from, n, to, order);
      sort_keys(to, n);
      if (!order.is_identity()) map_keys(to, n, to, order.inverse());
    } else if (!detail::are_in_order(on, from, n, order)) {
      sort_parts_of_numbers(on, from, n, to, order, parts);
    } else if (from != to) {
      detail::in_subranges(on, n, [&](std::size_t begin, std::size_t end) {
        std::copy(from + begin, from + end, to + begin);
      });
    }
  }
}

template <class W>
void sort_pairs(detail::keyed_blocks<W> const& x, std::size_t n, int threads) {
  using pair = typename detail::keyed_blocks<W>::pair;
  if (n == 0) return;
  detail::sort_keyed<pair>(
      cpu{.threads = threads}, n,
      [&](std::size_t begin, std::size_t size, pair* to) { x.load(begin, size, to); },
      [&](std::size_t begin, std::size_t size, pair const* from) { x.store(begin, size, from); },
      x.key_bytes);
}

#define UPSWEEP_INSTANTIATE(U)                                                    \
  template void sort_numbers(U const*, std::size_t, U*, detail::key_map<U>, int); \
  template void sort_pairs(detail::keyed_blocks<U> const&, std::size_t, int);
UPSWEEP_INSTANTIATE(std::uint8_t)
UPSWEEP_INSTANTIATE(std::uint16_t)
UPSWEEP_INSTANTIATE(std::uint32_t)
UPSWEEP_INSTANTIATE(std::uint64_t)
#undef UPSWEEP_INSTANTIATE

}  // namespace upsweep::host

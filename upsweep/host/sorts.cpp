/// Sorts on several threads: parts on each, which are then merged, or buckets.
#include <upsweep/generic/sort/sorting.hpp>
#include <upsweep/host/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace upsweep::host {
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

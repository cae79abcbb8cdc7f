/// The first mismatch of two sequences, their order, and all occurrences of a pattern in a text, on
/// all threads.
///
/// The first mismatch is a reduction by minimum over the positions where the two differ, block by
/// block, so nothing after the first block with a mismatch is read. A search marks where the first
/// and the last byte of the pattern occur at its distance, 64 positions at a time, compares the
/// pattern there, and counts; a scan of the counts tells each block where to store its positions.
/// Cost: two comparisons per byte, and one of the pattern wherever the two bytes fit. A text in
/// which they fit everywhere costs the product of both lengths.
/// Source: Muła 2016, "SIMD-friendly algorithms for substring searching", for the filter.
#pragma once

#include <upsweep/apps/text_masks.hpp>

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::detail {

/// Sequences in memory whose elements are equal when their bytes are.
template <class R>
concept plain_bytes = elements<R> && std::ranges::contiguous_range<R const> &&
                      std::has_unique_object_representations_v<std::ranges::range_value_t<R>>;

}  // namespace upsweep::detail

namespace upsweep {

namespace apps {

/// The first position at which `a` and `b` differ; if one is a prefix of the other, the size of the
/// shorter. Both are contiguous ranges of one type of integers or characters, or another type
/// without padding, which is compared by its bytes.
template <detail::plain_bytes A, detail::plain_bytes B, executor E = cpu>
[[nodiscard]] std::size_t first_mismatch(A const& a, B const& b, E const& on = {}) {
  using namespace upsweep::detail;
  using T = std::ranges::range_value_t<A>;
  static_assert(std::is_same_v<T, std::ranges::range_value_t<B>>,
                "upsweep: first_mismatch compares sequences of one type");
  auto const *const x = std::ranges::data(a), *const y = std::ranges::data(b);
  std::size_t const n = at_most(std::ranges::size(a), std::ranges::size(b));
  constexpr std::size_t block = text_block / sizeof(T) + 1, blocks = 256;  // 4 MiB at a time
  for (std::size_t begin = 0; begin < n; begin += block * blocks) {
    std::size_t const end = at_most(n, begin + block * blocks);
    std::vector<std::size_t> found((end - begin + block - 1) / block, n);
    on.for_each_line(found.size(), block * sizeof(T), [&](std::size_t k, auto const&) {
      std::size_t const from = begin + k * block, to = at_most(end, from + block);
      if (std::memcmp(x + from, y + from, (to - from) * sizeof(T)) == 0) return;
      found[k] = from;
      while (x[found[k]] == y[found[k]]) ++found[k];
    });
    std::size_t const first = upsweep::reduce(on, found, min{});
    if (first < n) return first;
  }
  return n;
}

/// The order of `a` and `b`, element by element and then by size. Characters are compared as
/// unsigned numbers, as std::string does.
template <detail::plain_bytes A, detail::plain_bytes B, executor E = cpu>
[[nodiscard]] std::strong_ordering compare_three_way(A const& a, B const& b, E const& on = {}) {
  std::size_t const i = apps::first_mismatch(a, b, on);
  if (i == std::ranges::size(a) || i == std::ranges::size(b))
    return std::ranges::size(a) <=> std::ranges::size(b);
  auto const x = std::ranges::data(a)[i], y = std::ranges::data(b)[i];
  if constexpr (std::is_same_v<decltype(x), char const>)
    return static_cast<unsigned char>(x) <=> static_cast<unsigned char>(y);
  else
    return x <=> y;
}

/// The offsets of all occurrences of `pattern` in `text`, in ascending order; occurrences may
/// overlap. Throws precondition_error for an empty pattern.
template <executor E = cpu>
[[nodiscard]] std::vector<std::size_t> find_all(std::string_view text, std::string_view pattern,
                                                E const& on = {}) {
  using namespace upsweep::detail;
  expects(!pattern.empty(),
          "find_all: the pattern is empty and would match everywhere; give at least one character");
  std::size_t const m = pattern.size();
  if (text.size() < m) return {};
  std::size_t const places = text.size() - m + 1;
  text_words const words{text.substr(0, places)};
  char const first = pattern.front(), last = pattern.back();
  call_memory<std::uint64_t> const hits(words.count());
  std::vector<std::size_t> counts(words.blocks() + 1);
  auto const fits = [&](std::size_t i) {
    return i < places && std::memcmp(&text[i], pattern.data(), m) == 0;
  };
  words.for_each_block(on, [&](std::size_t b, std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      std::uint64_t maybe = ~std::uint64_t{0}, found = 0;
      if (64 * (w + 1) <= places) {
        maybe = mask_of(text.data() + 64 * w, [=](char c) { return c == first; });
        if (maybe != 0)
          maybe &= mask_of(text.data() + 64 * w + m - 1, [=](char c) { return c == last; });
      }
      for_each_bit(maybe, w, [&](std::size_t i) { found |= std::uint64_t{fits(i)} << i % 64; });
      hits.first()[w] = found;
      counts[b] += static_cast<std::size_t>(std::popcount(found));
    }
  });
  upsweep::exclusive_scan(on, counts, counts);
  std::vector<std::size_t> found(counts.back());
  words.for_each_block(on, [&](std::size_t b, std::size_t begin, std::size_t end) {
    std::size_t* out = found.data() + counts[b];
    for (std::size_t w = begin; w < end; ++w)
      for_each_bit(hits.first()[w], w, [&](std::size_t i) { *out++ = i; });
  });
  return found;
}

}  // namespace apps

}  // namespace upsweep

/// Sorting on several threads by division into buckets, each of which is then sorted on one: by the
/// leading bits of integer keys if that makes buckets of similar sizes, or by any order.
#pragma once

#include <upsweep/core/radix_sort.hpp>
#include <upsweep/generic/sort/merging.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// A number that looks random, by the finalizer of SplitMix64.
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A source(begin, size, memory) returns where the elements from `begin` on are, `size` of them:
// where they lie, or in `memory`, to which it has written them.

/// The element at position i.
template <class T, class Source>
[[nodiscard]] T element_of(Source const& source, std::size_t i) {
  T memory;
  return *source(i, 1, &memory);
}
/// Calls f(i, x, size) for blocks of the elements [begin, end), which lie from x on.
template <class T, class Source, class F>
void for_each_block(Source const& source, std::size_t begin, std::size_t end, F const& f) {
  constexpr std::size_t most = 64;
  T memory[most];
  for (std::size_t i = begin; i < end; i += most) {
    std::size_t const size = at_most(end - i, most);
    f(i, source(i, size, memory), size);
  }
}
/// Moves the elements [begin, end) to the next positions of their buckets.
template <class Source, class T, class BucketOf>
void move_to_buckets(Source const& source, std::size_t begin, std::size_t end, T* out,
                     std::size_t* places, BucketOf const& bucket_of) {
  for_each_block<T>(source, begin, end, [&](std::size_t i, T const* x, std::size_t size) {
    for (std::size_t j = 0; j < size; ++j) {
      T const element = x[j];
      T* const place = out + places[bucket_of(i + j, element)]++;
      fetch_next_line(place);
      *place = element;
    }
  });
}

/// Buckets of integer keys: the leading bits of a key's distance from the lowest one of a sample
/// tell its bucket, by a table that makes the sample's buckets equal.
template <class T, class KeyOf>
class key_buckets {
  using Key = std::invoke_result_t<KeyOf const&, T const&>;

 public:
  template <class Source>
  key_buckets(Source const& source, std::size_t n, KeyOf const& key_of)
      : key_of_(key_of), count_(std::clamp<std::size_t>(std::bit_floor(n >> 12), 64, 256)) {
    std::size_t const size = std::max<std::size_t>(4 * count_, 1024);
    std::vector<Key> sample(size);
    for (std::size_t i = 0; i < size; ++i) sample[i] = key_of(element_of<T>(source, mixed(i) % n));
    radix_sort(sample.data(), size, [](Key key) { return key; });
    lowest_ = sample[0];
    auto const range = static_cast<Key>(sample[size - 1] - lowest_);
    shift_ = std::max(static_cast<int>(std::bit_width(range)) - prefix_bits, 0);
    std::size_t below = 0, most = 0;
    for (std::size_t prefix = 0; prefix < prefixes; ++prefix) {
      std::size_t const first = below;
      buckets_[prefix] = static_cast<std::uint8_t>(at_most(first * count_ / size, count_ - 1));
      while (below < size && prefix_of(sample[below]) == prefix) ++below;
      most = std::max(most, below - first);
    }
    is_even_ = most <= size / 32;
  }

  /// Whether no prefix has so many keys that its bucket would take longer than all others.
  [[nodiscard]] bool are_even() const { return is_even_; }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] static bool is_sorted(std::size_t) { return false; }
  template <class Source>
  void add_counts(Source const& source, std::size_t begin, std::size_t end, std::size_t* counts) {
    for_each_block<T>(source, begin, end, [&](std::size_t, T const* x, std::size_t size) {
      for (std::size_t j = 0; j < size; ++j) ++counts[buckets_[prefix_of(key_of_(x[j]))]];
    });
  }
  template <class Source>
  void move(Source const& source, std::size_t begin, std::size_t end, T* out,
            std::size_t* places) const {
    move_to_buckets(source, begin, end, out, places, [&](std::size_t, T const& element) {
      return buckets_[prefix_of(key_of_(element))];
    });
  }

 private:
  static constexpr int prefix_bits = 14;
  static constexpr std::size_t prefixes = std::size_t{1} << prefix_bits;

  [[nodiscard]] std::size_t prefix_of(Key key) const {
    auto const distance = static_cast<Key>(key > lowest_ ? key - lowest_ : 0);
    return at_most(static_cast<std::size_t>(distance >> shift_), prefixes - 1);
  }

  KeyOf const& key_of_;
  std::size_t count_;
  Key lowest_;
  int shift_;
  bool is_even_;
  std::array<std::uint8_t, prefixes> buckets_;
};

/// 511 buckets, told by 255 sorted splitters of a sample: elements equal to splitter b belong to
/// bucket 2 b + 1, so that many equal elements are not sorted again, and those between b - 1 and b
/// to bucket 2 b.
template <class T, class Less>
class splitter_buckets {
 public:
  template <class Source>
  splitter_buckets(Source const& source, std::size_t n, Less const& less)
      : less_(less), buckets_(memory_for<std::uint16_t>(n)) {
    std::size_t const oversampling = n < std::size_t{1} << 22 ? 4 : 16;
    std::vector<T> sample;
    for (std::size_t i = 0; i < splitters * oversampling; ++i)
      sample.push_back(element_of<T>(source, mixed(i) % n));
    sort_in_place(sample.data(), sample.size(), less);
    for (std::size_t b = 0; b < splitters; ++b)
      borders_[b] = sample[b * oversampling + oversampling / 2];
  }

  [[nodiscard]] static std::size_t count() { return 2 * splitters + 1; }
  [[nodiscard]] static bool is_sorted(std::size_t b) { return b % 2 == 1; }
  /// Eight searches at a time, because each step of one waits for the one before it.
  template <class Source>
  void add_counts(Source const& source, std::size_t begin, std::size_t end, std::size_t* counts) {
    for_each_block<T>(source, begin, end, [&](std::size_t i, T const* x, std::size_t size) {
      std::uint16_t* const to = &buckets_[i];
      std::size_t j = 0;
      for (; j + 8 <= size; j += 8) find<8>(x + j, to + j);
      for (; j < size; ++j) find<1>(x + j, to + j);
      for (j = 0; j < size; ++j) ++counts[to[j]];
    });
  }
  template <class Source>
  void move(Source const& source, std::size_t begin, std::size_t end, T* out,
            std::size_t* places) const {
    move_to_buckets(source, begin, end, out, places,
                    [&](std::size_t i, T const&) { return buckets_[i]; });
  }

 private:
  static constexpr std::size_t splitters = 255;

  template <std::size_t elements>
  void find(T const* x, std::uint16_t* to) const {
    std::size_t below[elements] = {};
    for (std::size_t half = (splitters + 1) / 2; half > 0; half /= 2) UPSWEEP_UNROLLED
    for (std::size_t j = 0; j < elements; ++j)
      below[j] += half * static_cast<std::size_t>(less_(borders_[below[j] + half - 1], x[j]));
    UPSWEEP_UNROLLED
    for (std::size_t j = 0; j < elements; ++j) {
      bool const is_border = below[j] < splitters && !less_(x[j], borders_[below[j]]);
      to[j] = static_cast<std::uint16_t>(2 * below[j] + (is_border ? 1 : 0));
    }
  }

  Less const& less_;
  T borders_[splitters];
  scratch<std::uint16_t> buckets_;
};

/// Moves the n elements of `source`, which are bytes in memory, to their buckets in `out`, in input
/// order, and then calls finish(begin, size, is_sorted) for parts of it: whole buckets, or elements
/// that are sorted there already.
template <class E, class Source, class T, class Buckets, class Finish>
void sort_by_buckets(E const& on, Source const& source, T* out, std::size_t n, Buckets& buckets,
                     Finish const& finish) {
  // Threads move elements to all buckets, and wait for each other three times: below 2^21 elements
  // more than 32, for which this is work, lose more than they gain.
  constexpr std::size_t enough = std::size_t{1} << 18;
  auto const work = [n](std::size_t of_each) {
    return n < std::size_t{1} << 21 ? at_most(n * of_each, enough) : n * of_each;
  };
  std::size_t const shares = 4 * threads_for(on, work(1)), count = buckets.count();
  auto const begin = [&](std::size_t share) { return part_begin(n, shares, share); };
  // How many elements of each bucket a share has, then where its first one goes.
  std::vector<std::size_t> places(shares * count), starts(count + 1);
  for_each_part(on, shares, work(1) / shares, [&](std::size_t share) {
    buckets.add_counts(source, begin(share), begin(share + 1), &places[share * count]);
  });
  for (std::size_t share = 0; share < shares; ++share)
    for (std::size_t b = 0; b < count; ++b) starts[b + 1] += places[share * count + b];
  for (std::size_t b = 0; b < count; ++b) starts[b + 1] += starts[b];
  std::vector<std::size_t> next = starts;
  for (std::size_t share = 0; share < shares; ++share)
    for (std::size_t b = 0; b < count; ++b)
      next[b] += std::exchange(places[share * count + b], next[b]);
  for_each_part(on, shares, work(1) / shares, [&](std::size_t share) {
    buckets.move(source, begin(share), begin(share + 1), out, &places[share * count]);
  });

  struct part {
    std::size_t begin, size;
    bool is_sorted;
  };
  std::vector<part> parts;
  for (std::size_t b = 0; b < count; ++b) {
    bool const is_sorted = buckets.is_sorted(b);
    std::size_t const most = is_sorted ? std::size_t{1} << 15 : n;
    for (std::size_t at = starts[b]; at < starts[b + 1]; at += most)
      parts.push_back({at, at_most(starts[b + 1] - at, most), is_sorted});
  }
  for_each_part(on, parts.size(), work(8) / parts.size(),
                [&](std::size_t k) { finish(parts[k].begin, parts[k].size, parts[k].is_sorted); });
}

}  // namespace upsweep::detail

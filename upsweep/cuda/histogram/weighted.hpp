/// What weighted histograms add to sorts and reductions of segments: the bin of each element, and
/// where the weights of each bin are once they are sorted by bins.
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

namespace upsweep::device {

/// The keys by which weights are sorted: bins, and others for elements below the bins, above them,
/// NaN, and beyond the input's length. Those are after the bins in this order. If so the keys
/// would have one more digit than the bins, the others end in the bits of bin 0 instead: a sort by
/// `bits` leaves their weights among those of bin 0, from which they have to be taken out.
struct bin_keys {
  unsigned bins, bits;
  bool are_mixed;

  [[nodiscard]] static bin_keys of(std::size_t bins) {
    auto const digits = [](unsigned bits) { return (bits + 7) / 8; };
    auto const all = static_cast<unsigned>(std::bit_width(bins + 3)),
               own = static_cast<unsigned>(std::bit_width(bins - 1));
    bool const mixed = own > 0 && digits(own) < digits(all);
    return {static_cast<unsigned>(bins), mixed ? own : all, mixed};
  }
  /// That of a slot of a search, which is 0 below the bins.
  [[nodiscard]] __device__ unsigned of_place(unsigned place) const {
    return place == 0 ? other(0) : place <= bins ? place - 1 : other(place - bins);
  }
  [[nodiscard]] __host__ __device__ unsigned other(unsigned kind) const {
    return are_mixed ? (kind + 1) << bits : bins + kind;
  }
  /// Whether all keys have 16 bits.
  [[nodiscard]] bool are_short() const { return other(3) <= 0xffff; }
};

/// Stores the key of element i. finish() adds to counted[] how many are below, above, NaN and
/// beyond the length, unless it is null.
template <class It, class Search, class Key>
struct find_key {
  It x;
  Search search;
  bin_keys of;
  bounded_size size;
  Key* keys;
  unsigned long long* counted;
  unsigned below = 0, above = 0, nan = 0, beyond = 0;

  __device__ void operator()(std::size_t i) {
    if (i >= size.size()) {
      keys[i] = static_cast<Key>(of.other(3));
      ++beyond;
      return;
    }
    unsigned const place = search(x[i]);
    keys[i] = static_cast<Key>(of.of_place(place));
    below += place == 0;
    above += place == of.bins + 1;
    nan += place == of.bins + 2;
  }
  __device__ void finish() const {
    if (counted == nullptr) return;
    add(0, below);
    add(1, above);
    add(2, nan);
    add(3, beyond);
  }

 private:
  __device__ void add(unsigned kind, unsigned long long count) const {
#pragma unroll
    for (int k = 1; k < 32; k *= 2) count += simt::shuffle_xor(whole_warp, count, k);
    if (threadIdx.x % 32 == 0 && count > 0) atomicAdd(&counted[kind], count);
  }
};

/// Stores where the sorted keys of bin k begin, for k = 0 ... bins, and how many elements are
/// below, above and NaN. Keys are searched for from the last one on: those after the bins are the
/// first lanes of one warp, which subtract what the next lane finds. So whole warps have to call
/// this, for indices below size(). If keys are mixed, slots 0 and 2 ... bins + 1 get the borders:
/// 1 is for how many stay in bin 0, and bins + 2 gets how many have to be looked at: none if
/// nothing is outside.
template <class Key>
struct find_bin_borders {
  Key const* keys;
  std::size_t n;
  bin_keys of;
  unsigned long long *borders, *outside;
  unsigned long long const* counted;  ///< of mixed keys

  [[nodiscard]] std::size_t size() const { return (std::size_t{of.bins} + 4 + 31) / 32 * 32; }
  __device__ void operator()(std::size_t i) const {
    std::size_t const last = std::size_t{of.bins} + 3;
    std::size_t const begin = i <= last ? begin_of(static_cast<unsigned>(last - i)) : 0,
                      before = simt::shuffle_down(whole_warp, begin, 1);
    if (i < 3)
      outside[2 - i] = of.are_mixed ? counted[2 - i] : begin - before;
    else if (i <= last)
      borders[last - i + (of.are_mixed && i < last ? 1 : 0)] = begin;
    if (of.are_mixed && last - i == 1)
      borders[of.bins + 2] = (counted[0] | counted[1] | counted[2] | counted[3]) != 0 ? begin : 0;
  }

 private:
  /// How many keys are less. Each step looks at 16 keys at once.
  [[nodiscard]] __device__ std::size_t begin_of(unsigned key) const {
    constexpr unsigned ways = 16;
    unsigned const mask = of.are_mixed ? (1U << of.bits) - 1 : ~0U;
    std::size_t first = 0, last = n;  // keys before the first are less, from the last on not
    while (first < last) {
      std::size_t const step = (last - first + ways - 1) / ways;
      unsigned less = 0;
#pragma unroll
      for (unsigned p = 0; p < ways; ++p) {
        std::size_t const at = first + (p + 1) * step - 1;
        if (at < last && (keys[at] & mask) < key) less = p + 1;
      }
      first += less * step;
      if (less < ways && first + step - 1 < last) last = first + step - 1;
    }
    return first;
  }
};

/// Flags of mixed keys: those of bins.
template <class Key>
struct keys_of_bins {
  Key const* keys;
  unsigned bits;
  __device__ bool operator[](std::size_t i) const { return keys[i] >> bits == 0; }
};

/// The borders of the segments that are bins.
struct bin_borders {
  unsigned long long const* at;
  unsigned bins;
  bool are_mixed;

  __device__ std::size_t operator()(std::size_t k, std::size_t) const {
    std::size_t const border = at[k];
    return are_mixed && k == 1 ? border + at[2] - at[bins + 2] : border;
  }
};

/// Where the result of each segment goes, if `skips` without that of number 1.
template <class Sink>
struct bin_sink {
  Sink out;
  bool skips;

  template <class A>
  __device__ void operator()(std::size_t k, A const& total) const {
    if (!skips || k == 0)
      out(k, total);
    else if (k > 1)
      out(k - 1, total);
  }
};

}  // namespace upsweep::device

/// What weighted histograms add to sorts and reductions of segments: the bin of each element, and
/// where the weights of each bin are once they are sorted by bins.
/// docs/design/0004-cuda.md
#pragma once

#include <upsweep/cuda/device/element_input.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::device {

/// Stores the key of element i. Keys are bins, and behind those one each for what is below the
/// bins, above them, NaN, and beyond the input's length.
template <class It, class Search>
struct find_key {
  It x;
  Search search;
  unsigned bins;
  bounded_size size;
  unsigned* keys;

  __device__ void operator()(std::size_t i) const {
    keys[i] = i < size.size() ? key_of(search(x[i])) : bins + 3;
  }

 private:
  [[nodiscard]] __device__ unsigned key_of(unsigned place) const {
    return place == 0 ? bins : place <= bins ? place - 1 : place;
  }
};

/// Stores where the sorted keys of bin k begin, for k = 0 ... bins, and for the next three k how
/// many elements are below, above and NaN.
struct find_bin_borders {
  unsigned const* keys;
  std::size_t n;
  unsigned bins;
  unsigned long long *borders, *outside;

  __device__ void operator()(std::size_t k) const {
    auto const key = static_cast<unsigned>(k);
    std::size_t const begin = begin_of(key);
    if (key <= bins)
      borders[k] = begin;
    else
      outside[key - bins - 1] = begin - begin_of(key - 1);
  }

 private:
  /// How many keys are less.
  [[nodiscard]] __device__ std::size_t begin_of(unsigned key) const {
    std::size_t first = 0, last = n;
    while (first < last) {
      std::size_t const middle = first + (last - first) / 2;
      if (keys[middle] < key)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
};

}  // namespace upsweep::device

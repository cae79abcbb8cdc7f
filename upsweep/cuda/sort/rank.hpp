/// The element of a rank, digit by digit from the highest: the counts of a digit tell which one the
/// element has.
/// One read of the elements for each digit of 11 bits · three launches for each
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/generic/sort/sorting.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

/// What is known of the element of a rank. Each digit has its own, since threads read that of the
/// digit before while one stores.
struct found_digits {
  std::uint64_t prefix;  ///< the highest bits of its key
  std::uint64_t rank;    ///< among the elements that have them
  std::uint64_t equal;   ///< how many have them
};

inline constexpr unsigned digit_bits = 11;

/// The position of an element, for count_places: 1 + the digit at `shift` of its key, and 0 if the
/// bits above are not those found before.
template <class Less, class T>
struct digit_search {
  static constexpr bool has_table = false, refuses = false;

  found_digits const* found;  ///< null for the first digit
  unsigned shift, bits;

  __device__ unsigned operator()(T const& x) const {
    std::uint64_t const key = std::uint64_t{detail::sort_key<Less>(x)} >> shift;
    if (found != nullptr && key >> bits != found->prefix) return 0;
    return 1 + static_cast<unsigned>(key & ((1U << bits) - 1));
  }
};

/// The parameters of find_digit.
struct digit_call {
  std::uint64_t const* counts;  ///< of each digit
  found_digits const* before;   ///< null for the first digit
  std::uint64_t rank;           ///< of the element, for the first digit
  unsigned bits;
  found_digits* to;
};

/// Finds the digit of the element of this rank: at most `rank` elements have a smaller digit, and
/// more than `rank` have this one or a smaller one. One block.
template <unsigned threads>
__global__ void __launch_bounds__(threads) find_digit(digit_call call) {
  constexpr unsigned items = (1U << digit_bits) / threads;
  __shared__ std::uint64_t sums[threads];

  wait_for_earlier_work();
  unsigned const digits = 1U << call.bits, t = threadIdx.x;
  std::uint64_t counts[items], mine = 0;
#pragma unroll
  for (unsigned j = 0; j < items; ++j) {
    counts[j] = t * items + j < digits ? call.counts[t * items + j] : 0;
    mine += counts[j];
  }
  sums[t] = mine;
  __syncthreads();  // every thread's sum is there
  for (unsigned stride = 1; stride < threads; stride *= 2) {
    std::uint64_t const left = t >= stride ? sums[t - stride] : 0;
    __syncthreads();  // they have been read
    sums[t] += left;
    __syncthreads();  // sums[t] covers the 2 * stride threads that end at t
  }
  std::uint64_t const rank = call.before != nullptr ? call.before->rank : call.rank,
                      prefix = call.before != nullptr ? call.before->prefix : 0;
  std::uint64_t before = sums[t] - mine;
#pragma unroll
  for (unsigned j = 0; j < items; ++j) {
    if (before <= rank && rank - before < counts[j])
      *call.to = {prefix << call.bits | (t * items + j), rank - before, counts[j]};
    before += counts[j];
  }
}

/// Whether an element comes before that of the rank.
template <class Less, class T>
struct comes_before {
  found_digits const* found;
  __device__ bool operator()(T const& x) const { return detail::sort_key<Less>(x) < found->prefix; }
};

/// The key of an element if it is larger than that of the rank, otherwise the largest integer.
template <class T>
struct larger_key {
  found_digits const* found;
  __host__ __device__ std::uint64_t operator()(T const& x) const {
    std::uint64_t const key = detail::ordered_bits(x);
    return key > found->prefix ? key : ~std::uint64_t{0};
  }
};

/// The element of the rank, at every index.
template <class Less, class T>
struct found_element {
  found_digits const* found;
  __device__ T operator[](std::size_t) const {
    return detail::from_sort_key<Less, T>(
        static_cast<detail::bits_of_size<sizeof(T)>>(found->prefix));
  }
};

}  // namespace upsweep::device

/// top and quantile: the key of a rank by counts of its digits, then a selection of what comes
/// before it. One read of the elements for each 11 bits of a key, and one for the selection.
#pragma once

#include <upsweep/cuda/histogram/launch.cuh>
#include <upsweep/cuda/select/launch.cuh>
#include <upsweep/cuda/sort/launch.cuh>
#include <upsweep/cuda/sort/rank.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>  // brings std::ranges::subrange
#include <type_traits>

namespace upsweep::device {

/// Temporary storage to find one rank.
class rank_memory {
 public:
  explicit rank_memory(gpu const& on)
      : counts_at_(parts_.add<std::uint64_t>(std::size_t{1} << digit_bits)),
        outside_at_(parts_.add<std::uint64_t>(3)),
        found_at_(parts_.add<found_digits>(8)),
        memory_(on, parts_) {}
  [[nodiscard]] std::uint64_t* counts() const { return memory_.at<std::uint64_t>(counts_at_); }
  [[nodiscard]] std::uint64_t* outside() const { return memory_.at<std::uint64_t>(outside_at_); }
  [[nodiscard]] found_digits* found() const { return memory_.at<found_digits>(found_at_); }

 private:
  scratch_parts parts_;
  std::size_t counts_at_, outside_at_, found_at_;
  scratch_memory memory_;
};

/// Enqueues the search for the element of a rank below n. Returns where its key will be.
template <class Less, class It>
[[nodiscard]] found_digits const* enqueue_rank(gpu const& on, It const& first, std::size_t n,
                                               std::size_t rank, rank_memory const& memory) {
  using T = typename element_input<It>::element;
  gpu counting = on;
  counting.count_to = memory.outside();
  cuda_device const device = device_of(on);
  constexpr unsigned threads = 256;
  cuda_plan const plan{
      .algorithm = cuda_algorithm::find_digit, .blocks = 1, .threads = threads, .launches = 1};
  found_digits const* before = nullptr;
  found_digits* to = memory.found();
  for (unsigned left = 8 * sizeof(T); left > 0; ++to) {
    unsigned const bits = std::min(left, digit_bits);
    left -= bits;
    std::size_t const digits = std::size_t{1} << bits;
    enqueue_count(counting, first, count_call_of(counting, n, digits + 3, 1, digits),
                  digit_search<Less, T>{before, left, bits}, memory.counts());
    launch<find_digit<threads>>(plan, on, device,
                                digit_call{memory.counts(), before, rank, bits, to});
    before = to;
  }
  return before;
}

/// Up to so many elements one block sorts; from there on a rank is found faster than CUB sorts.
inline constexpr std::size_t least_by_rank = 4096;

/// The first `count` numbers in the order of `Less`. Equal numbers have equal bits, so those that
/// are not before the last one are copies of it.
template <class Less, class It, class T>
void top_numbers(gpu const& on, It const& first, std::size_t n, T* to, std::size_t count) {
  rank_memory const memory(on);
  found_digits const* const last = enqueue_rank<Less>(on, first, n, count - 1, memory);
  launch_for_each(on, {count, nullptr}, false,
                  copy_element<found_element<Less, T>, T*>{{last}, to});
  enqueue_select(on, marks_of_values<comes_before<Less, T>>{{last}}, first, n, false,
                 reinterpret_cast<word*>(memory.outside()),
                 selection_output<taken::values, 0, T*, T>{to, count});
  sort_on(on, to, count, Less{});
}

/// Sorts everything where that is faster: small inputs, in one launch if nothing is converted, and
/// a large part of one.
template <class It, class Out, class Less>
void top_on(gpu const& on, It const& given, std::size_t n, Out const& to, std::size_t count,
            Less const& less) {
  detail::expects(on.length_from == nullptr, "top: .length_from is not supported; use sort");
  auto const first = device_iterator(given);
  using input = std::remove_const_t<decltype(first)>;
  using T = typename element_input<input>::element;
  check_sorted<T>();
  constexpr bool are_numbers = detail::sorts_by_bits<T, Less>;
  if constexpr (are_numbers && std::is_same_v<input, T const*> && std::is_same_v<Out, T*>)
    if (n <= most_in_block<radix_key<T>, cub::NullType>)
      return sort_first_on(on, first, to, n, count, less);
  bool const by_rank = are_numbers && n > least_by_rank && count <= n / 8;
  if constexpr (are_numbers && std::is_same_v<Out, T*>)
    if (by_rank) return top_numbers<Less>(on, first, n, to, count);
  scratch_parts parts;
  auto const candidates = parts.add<T>(by_rank ? count : n);
  scratch_memory const memory(on, parts);
  T* const x = memory.at<T>(candidates);
  if constexpr (are_numbers)
    if (by_rank) top_numbers<Less>(on, first, n, x, count);
  if (!by_rank) {
    launch_for_each(on, {n, nullptr}, false, copy_element<input, T*>{first, x});
    sort_on(on, x, n, less);
  }
  launch_for_each(on, {count, nullptr}, false, copy_element<T const*, Out>{x, to});
}

/// The elements of ranks `rank` and `rank + 1`, or the last, in ascending order. Waits. The second
/// is equal to the first, or the smallest of those that are larger.
template <class It>
detail::rank_neighbors<std::iter_value_t<It>> rank_neighbors_on(gpu const& on, It const& first,
                                                                std::size_t n, std::size_t rank) {
  detail::expects(on.length_from == nullptr,
                  "upsweep::gpu: elements of a rank do not support .length_from; use sort");
  using T = std::iter_value_t<It>;
  rank_memory const memory(on);
  auto const* const found = enqueue_rank<ascending>(on, device_iterator(first), n, rank, memory);
  auto const end = first + static_cast<std::iter_difference_t<It>>(n);
  std::uint64_t const larger =
      upsweep::transform_reduce(on, std::ranges::subrange(first, end), larger_key<T>{found}, min{});
  if (on.plans_to != nullptr) return {};
  auto* const here = static_cast<found_digits*>(host_slot::of_this_thread());
  check_cuda(cudaMemcpyAsync(here, found, sizeof *here, cudaMemcpyDeviceToHost, stream_of(on)),
             "copy the element of a rank");
  wait_for(on, "find the element of a rank");
  auto const number = [](std::uint64_t key) {
    return detail::from_ordered_bits<T>(static_cast<detail::bits_of_size<sizeof(T)>>(key));
  };
  bool const has_equal = here->rank + 1 < here->equal || rank + 1 == n;
  return {number(here->prefix), number(has_equal ? here->prefix : larger)};
}

}  // namespace upsweep::device

/// histogram and count_indices: each block counts its share in shared memory and adds it to the
/// results, which a launch has cleared, or leaves its counters for a launch that sums them.
/// One read of each element · 1 launch for few elements, otherwise 2
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/histogram/search.hpp>
#include <upsweep/cuda/histogram/sums.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

/// Calls each(position, x) for the elements of this block's share, `items` at a time; all lanes of
/// a warp call it equally often.
template <unsigned items, class Input, class Each>
__device__ void for_each_vector(Input const& in, std::size_t n, Each const& each) {
  using T = typename Input::element;
  constexpr unsigned at_once = 4;
  std::size_t const block = std::size_t{blockDim.x} * items, step = gridDim.x * block;
  for (std::size_t begin = blockIdx.x * block; begin < n; begin += at_once * step) {
    T x[at_once][items];
    std::size_t const mine = begin + threadIdx.x * std::size_t{items};
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) in.template load<items>(mine + k * step, n, x[k]);
#pragma unroll
    for (unsigned k = 0; k < at_once; ++k) each(mine + k * step, x[k]);
  }
}

/// Counts this block's share, `items` elements of a thread at a time. Bytes are counted by their
/// values.
template <bool by_value, unsigned items, class Input, class Search, class Counters>
__device__ void count_share(Input const& in, std::size_t n, Search const& search,
                            refused_elements& refused, Counters const& to) {
  using T = typename Input::element;
  auto const place_of = [&](T const& x, std::size_t i) {
    if constexpr (by_value) {
      return unsigned{__builtin_bit_cast(std::uint8_t, x)};
    } else {
      unsigned const place = search(x);
      if constexpr (Search::refuses)
        if (place == search.size) refused.add(1, word{i});
      return place;
    }
  };
  for_each_vector<items>(in, n, [&](std::size_t i, T const(&x)[items]) {
    std::size_t const of_warp = i - threadIdx.x % 32 * std::size_t{items};
    // The whole warp has vectors, or the elements are counted one by one.
    if (of_warp + std::size_t{32} * items <= n) {
      unsigned places[items];
#pragma unroll
      for (unsigned j = 0; j < items; ++j) places[j] = place_of(x[j], i + j);
      add_places(to, places, threadIdx.x % 32);
    } else if (of_warp < n) {
#pragma unroll
      for (unsigned j = 0; j < items; ++j)
        if (i + j < n) to.add(place_of(x[j], i + j), 1);
    }
  });
}

/// Bytes are counted by value. Adds these counts to the slots, which follow the copies, or to the
/// totals.
template <class T, class Search>
__device__ void add_values(count_call const& call, unsigned* counters, Search const& search,
                           total_counts const& totals) {
  unsigned* const places = counters + call.copies * 256;
  for (unsigned p = threadIdx.x; p < call.words_left(); p += blockDim.x) places[p] = 0;
  __syncthreads();  // the slots are cleared
  if (call.kind == counter_kind::totals) totals.wait_until_cleared();
  for (unsigned v = threadIdx.x; v < 256; v += blockDim.x) {
    unsigned const place = search(__builtin_bit_cast(T, static_cast<std::uint8_t>(v))),
                   count = own_counts{counters, call.copies, 256}.sum(v);
    if (call.kind == counter_kind::totals)
      totals.add(place, count);
    else
      atomicAdd(&places[place], count);
  }
  __syncthreads();  // all values have been added
}

/// Whether blocks can add to the results: those are words, and no element is refused, as then
/// nothing may be stored.
template <class Search, class Out>
inline constexpr bool can_add_counts = false;
template <class Search, class U>
inline constexpr bool can_add_counts<Search, U*> =
    !Search::refuses && std::is_integral_v<U> && sizeof(U) >= 4;

/// Adds the block's counts to the results.
template <bool by_value, class T, class Search, class U>
__device__ void add_to_results(count_call const& call, unsigned const* counters,
                               Search const& search, U* out) {
  using bits = std::conditional_t<sizeof(U) == 4, unsigned, word>;
  unsigned const counted = by_value ? 256 : call.places;
  own_counts{counters, call.copies, counted}.for_each([&](unsigned place, word count) {
    if (count == 0) return;
    if constexpr (by_value) place = search(__builtin_bit_cast(T, static_cast<std::uint8_t>(place)));
    unsigned const bin = place - call.offset;
    if (bin < call.bins)
      atomicAdd(simt::pointer_cast<bits>(out + bin), static_cast<bits>(count));
    else
      atomicAdd(&call.outside[place == 0 ? 0 : place - call.bins], count);
  });
}

/// Clears the results to which blocks add.
template <class Out>
__global__ void __launch_bounds__(clear_threads) clear_counts(count_call call, Out out) {
  wait_for_earlier_work();
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < call.bins) out[i] = 0;
  if (i < 3) call.outside[i] = 0;
}

template <class Input, class Search, class Out>
__global__ void __launch_bounds__(count_threads, 1)
    count_places(count_call call, Input in, Search given, Out out, workspace_words workspace) {
  using T = typename Input::element;
  constexpr bool by_value = sizeof(T) == 1 && !Search::refuses;
  __shared__ ticket drawn[1];
  __shared__ refused_elements refused[1];
  __shared__ sums_memory sums[1];
  unsigned* const counters = simt::dynamic_shared<unsigned>();
  Search search = given;

  unsigned const words = by_value ? call.copies * 256 : call.counter_words();
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) counters[i] = 0;
  wait_for_earlier_work();
  if (threadIdx.x == 0) {
    if (call.has_totals) drawn[0] = draw_ticket(workspace);
    refused[0] = {0, ~word{0}};
  }
  if constexpr (Search::has_table)
    if (call.shared_table > 0) {
      search.table = counters + call.table_at;
      for (unsigned i = threadIdx.x; i < call.shared_table; i += blockDim.x)
        counters[call.table_at + i] = given.table[2 * i];
    }
  __syncthreads();  // the ticket is known, the counters are cleared, the table has been copied
  total_counts totals{workspace, call.places, 0};
  if (call.has_totals) {
    totals.epoch = drawn[0].epoch;
    if (drawn[0].tile == 0) totals.clear();
  }

  std::size_t const n = call.size();
  if (by_value || call.kind == counter_kind::copies) {
    unsigned const counted = by_value ? 256 : call.places;
    copied_counters const mine{counters + threadIdx.x / 32 % call.copies * counted};
    constexpr unsigned few = by_value ? few_bytes : items_of<T>;
    if (few < items_of<T> && call.are_few)
      count_share<by_value, few>(in, n, search, refused[0], mine);
    else
      count_share<by_value, items_of<T>>(in, n, search, refused[0], mine);
  } else if (call.kind == counter_kind::halves) {
    count_share<false, items_of<T>>(in, n, search, refused[0], half_counters{counters, totals});
  } else {
    totals.wait_until_cleared();
    count_share<false, items_of<T>>(in, n, search, refused[0], total_counters{totals});
  }
  __syncthreads();  // the block has counted its share
  if constexpr (can_add_counts<Search, Out>)
    if (call.adds) return add_to_results<by_value, T>(call, counters, search, out);
  if constexpr (by_value) add_values<T>(call, counters, search, totals);
  own_counts const own{counters + (by_value ? call.copies * 256 : 0), by_value ? 1 : call.copies,
                       call.words_left()};
  if (call.is_alone)
    store_sums<Search::refuses>(call, own, refused[0], out, sums[0]);
  else
    own.leave(refused[0], call.left(workspace).of(blockIdx.x));
  if (call.has_totals && threadIdx.x == 0) leave(workspace, totals.epoch);
}

/// Stores the sums of the counters that `blocks` blocks have left.
template <bool refuses, class Out>
__global__ void __launch_bounds__(count_threads)
    sum_counts(count_call call, unsigned blocks, Out out, workspace_words workspace) {
  __shared__ sums_memory sums[1];
  __shared__ refused_elements refused[1];
  wait_for_earlier_work();
  left_counts const left{call, blocks, workspace, sums[0]};
  if (threadIdx.x == 0) refused[0] = {0, ~word{0}};
  __syncthreads();  // nothing is refused yet
  if constexpr (refuses) left.add_refused(refused[0]);
  __syncthreads();  // it is known what is
  store_sums<refuses>(call, left, refused[0], out, sums[0]);
}

/// Part of a table, as a parameter: a launch that is captured in a graph keeps it.
template <unsigned size>
struct table_part {
  unsigned words[size];
};
/// In the workspace, where upper halves of words must be 0, `stride` is 2.
template <unsigned size>
__global__ void store_table(table_part<size> part, unsigned count, unsigned stride, unsigned* to) {
  wait_for_earlier_work();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    to[i * stride] = part.words[i];
    if (stride == 2) to[i * stride + 1] = 0;
  }
}

}  // namespace upsweep::device

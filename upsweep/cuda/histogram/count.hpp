/// histogram and count_indices: counters in shared memory, which the blocks add to totals.
/// One read of each element · 1 launch
/// docs/design/0004-cuda.md
///
/// The block with the first ticket clears the totals; the last one to add to them stores them.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/histogram/counters.hpp>
#include <upsweep/cuda/histogram/search.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep::device {

inline constexpr unsigned most_count_threads = 1024;

/// The parameters of every count.
struct count_call : bounded_size {
  unsigned places;  ///< of the search
  unsigned offset;  ///< the place of the output's first count
  unsigned bins;    ///< of the output
  counter_kind kind;
  unsigned copies;        ///< of the counters
  unsigned shared_table;  ///< words of shared memory behind the counters for the search's table
  word* outside;          ///< what is not in the output
  bool reports;           ///< `outside` is a count_report

  /// 32-bit words of shared memory for the counters.
  [[nodiscard]] __host__ __device__ unsigned counter_words() const {
    return kind == counter_kind::copies   ? copies * places
           : kind == counter_kind::halves ? (places + 1) / 2
                                          : 0;
  }
};

/// What the host reads. If an element is refused or a count does not fit the output, nothing else
/// has been stored.
struct count_report {
  word outside[3];     ///< below, above, NaN; or how many elements were refused
  word first_refused;  ///< the position of the first
  word too_large;  ///< the first place whose count does not fit; all bits are set if there is none
  word largest;    ///< that count
};

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

/// Counts this block's share. Bytes are counted by their values.
template <bool by_value, class Input, class Search, class Counters>
__device__ void count_share(Input const& in, std::size_t n, Search const& search,
                            total_counts const& totals, Counters const& to) {
  using T = typename Input::element;
  constexpr unsigned items = items_of<T>;
  auto const place_of = [&](T const& x, std::size_t i) {
    if constexpr (by_value) {
      return unsigned{__builtin_bit_cast(std::uint8_t, x)};
    } else {
      unsigned const place = search(x);
      if constexpr (Search::refuses)
        if (place + 1 == totals.places) {
          totals.wait_until_cleared();
          atomicMin(totals.first_refused(), word{i});
        }
      return place;
    }
  };
  for_each_vector<items>(in, n, [&](std::size_t i, T const(&x)[items]) {
    // The whole warp has vectors, or the elements are counted one by one.
    if (i - threadIdx.x % 32 * std::size_t{items} + std::size_t{32} * items <= n) {
      unsigned places[items];
#pragma unroll
      for (unsigned j = 0; j < items; ++j) places[j] = place_of(x[j], i + j);
      add_places(to, places, threadIdx.x % 32);
    } else {
#pragma unroll
      for (unsigned j = 0; j < items; ++j)
        if (i + j < n) to.add(place_of(x[j], i + j), 1);
    }
  });
}

/// Adds the block's counters to the totals.
template <bool by_value, class T, class Search>
__device__ void add_counters(count_call const& call, unsigned const* counters, Search const& search,
                             total_counts const& totals) {
  unsigned const counted = by_value ? 256 : call.places;
  for (unsigned p = threadIdx.x; p < counted; p += blockDim.x) {
    unsigned sum = 0;
    if (!by_value && call.kind == counter_kind::halves)
      sum = counters[p / 2] >> p % 2 * 16 & 0xffff;
    else
      for (unsigned c = 0; c < call.copies; ++c) sum += counters[c * counted + p];
    if (sum == 0) continue;
    if constexpr (by_value)
      totals.add(search(__builtin_bit_cast(T, static_cast<std::uint8_t>(p))), sum);
    else
      totals.add(p, sum);
  }
}

/// Called by the last block: stores the totals, and leaves zeros.
template <bool refuses, class Out>
__device__ void store_totals_in(count_call const& call, std::size_t n, total_counts const& totals,
                                Out const& out, unsigned* first_too_large) {
  using U = std::remove_cvref_t<decltype(out[0])>;
  constexpr auto most = static_cast<word>(std::numeric_limits<U>::max());
  auto const total = [&](unsigned place) {
    word x = 0;
    load_relaxed(totals.of(place), 1, x);
    return x;
  };
  if (threadIdx.x == 0) *first_too_large = ~0U;
  __syncthreads();  // it is cleared
  if (call.reports && n > most)
    for (unsigned b = threadIdx.x; b < call.bins; b += blockDim.x)
      if (total(call.offset + b) > most) atomicMin(first_too_large, b);
  __syncthreads();  // it is known
  unsigned const too_large = *first_too_large;
  bool const refused = refuses && total(call.bins) > 0;
  if (!refused && too_large == ~0U)
    for (unsigned b = threadIdx.x; b < call.bins; b += blockDim.x)
      out[b] = static_cast<U>(total(call.offset + b));
  if (threadIdx.x == 0) {
    if constexpr (refuses) {
      call.outside[0] = total(call.bins);
    } else {
      call.outside[0] = total(0);
      call.outside[1] = total(call.bins + 1);
      call.outside[2] = total(call.bins + 2);
    }
    if (call.reports) {
      auto* const report = reinterpret_cast<count_report*>(call.outside);
      report->first_refused = total(call.places);
      report->too_large = too_large == ~0U ? ~word{0} : too_large;
      report->largest = too_large == ~0U ? 0 : total(call.offset + too_large);
    }
  }
  __syncthreads();  // all totals have been read
  for (unsigned p = threadIdx.x; p <= call.places; p += blockDim.x)
    store_relaxed(totals.of(p), 0);  // no later launch takes a count for a word with its epoch
}

template <class Input, class Search, class Out>
__global__ void __launch_bounds__(most_count_threads, 1)
    count_places(count_call call, Input in, Search given, Out out, workspace_words workspace) {
  using T = typename Input::element;
  constexpr bool by_value = sizeof(T) == 1 && !Search::refuses;
  __shared__ ticket drawn[1];
  __shared__ unsigned first_too_large[1];
  __shared__ bool last[1];
  unsigned* const counters = simt::dynamic_shared<unsigned>();
  Search search = given;

  wait_for_earlier_work();
  if (threadIdx.x == 0) drawn[0] = draw_ticket(workspace);
  unsigned const words = by_value ? call.copies * 256 : call.counter_words();
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x) counters[i] = 0;
  if constexpr (Search::has_table)
    if (call.shared_table > 0) {
      search.table = counters + (words + 1) / 2 * 2;
      for (unsigned i = threadIdx.x; i < call.shared_table; i += blockDim.x)
        counters[(words + 1) / 2 * 2 + i] = given.table[i];
    }
  __syncthreads();  // the ticket is known, the counters are cleared, the table has been copied
  total_counts const totals{workspace, call.places, drawn[0].epoch};
  if (drawn[0].tile == 0) totals.clear();

  std::size_t const n = call.size();
  unsigned const counted = by_value ? 256 : call.places;
  if (by_value || call.kind == counter_kind::copies) {
    copied_counters const mine{counters + threadIdx.x / 32 % call.copies * counted};
    count_share<by_value>(in, n, search, totals, mine);
  } else if (call.kind == counter_kind::halves) {
    count_share<false>(in, n, search, totals, half_counters{counters, totals});
  } else {
    totals.wait_until_cleared();
    count_share<false>(in, n, search, totals, total_counters{totals});
  }
  __syncthreads();  // the block has counted its share
  if (by_value || call.kind != counter_kind::totals) {
    totals.wait_until_cleared();
    add_counters<by_value, T>(call, counters, search, totals);
  }
  __threadfence();
  __syncthreads();  // the block has added to the totals
  if (threadIdx.x == 0) last[0] = is_last_to_leave(workspace);
  __syncthreads();  // whether it is the last one is known
  if (!last[0]) return;
  __threadfence();
  store_totals_in<Search::refuses>(call, n, totals, out, first_too_large);
  if (threadIdx.x == 0) begin_next_launch(workspace, totals.epoch);
}

/// Part of a table, as a parameter: a launch that is captured in a graph keeps it.
template <unsigned size>
struct table_part {
  unsigned words[size];
};
template <unsigned size>
__global__ void store_table(table_part<size> part, unsigned count, unsigned* to) {
  wait_for_earlier_work();
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to[i] = part.words[i];
}

}  // namespace upsweep::device

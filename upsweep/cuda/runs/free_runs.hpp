/// Reductions and scans by key with an exact operator, whose results do not depend on the grouping:
/// one scan of any kernel, in which an operator restarts where a run begins.
/// 1 launch · keys and values are read once · fewer than 2^32 elements
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/element_input.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// Of some elements: the number of runs that begin in them, and the total of those from the begin
/// of the last one on, or of all if none begins.
template <class A>
struct run_so_far {
  static constexpr bool is_of_runs = true;
  unsigned runs;
  A value;
};

/// `Op` over such totals, restarted where a run begins.
template <class Op>
struct restarted {
  static constexpr bool commutative = false, exact = true;
  Op op;

  template <class A>
  __device__ run_so_far<A> operator()(run_so_far<A> const& earlier,
                                      run_so_far<A> const& later) const {
    return {earlier.runs + later.runs,
            later.runs > 0 ? later.value : A(op(earlier.value, later.value))};
  }
};
/// Nothing follows an empty prefix but the first element, which begins a run.
template <class Op, class A>
inline constexpr bool has_neutral<restarted<Op>, run_so_far<A>> = true;

/// The elements of such a scan. `Marks` compares neighboring keys, some of them twice.
template <class It, class KeyIt, class Marks, class Op, class A>
struct run_elements {
  using element = typename element_input<It>::element;
  using key = typename element_input<KeyIt>::element;
  using accumulator = run_so_far<A>;
  using operation = restarted<Op>;
  static constexpr bool reversed = false, plain = false, as_they_are = false;
  /// What a lane has loaded: bit j <= items of `heads` is set if a run begins with element j, or if
  /// that is after the end.
  template <unsigned items>
  struct lane_items {
    element value[items];
    unsigned heads;
  };

  element_input<It> values;
  element_input<KeyIt> keys;
  Marks marks;
  std::size_t size;
  operation op;

  __device__ bool has_whole(std::size_t i, std::size_t count) const {
    return values.vectors && keys.vectors && i + count <= size;
  }
  template <unsigned items>
  __device__ void load_whole(std::size_t i, lane_items<items>& x) const {
    key k[items];
    load_vectors<items>(values, i, x.value);
    load_vectors<items>(keys, i, k);
    bool const is_first = i == 0, is_last = i + items == size;
    key const earlier = keys.first[is_first ? 0 : i - 1],
              later = keys.first[is_last ? i : i + items];
    x.heads = is_first ? 1 : marks.of(earlier, k[0]);
#pragma unroll
    for (unsigned j = 1; j < items; ++j) x.heads |= marks.of(k[j - 1], k[j]) << j;
    x.heads |= (is_last ? 1 : marks.of(k[items - 1], later)) << items;
  }
  /// Positions past the end have copies of the last element.
  template <unsigned items>
  __device__ void load(std::size_t i, lane_items<items>& x) const {
    x.heads = 0;
#pragma unroll
    for (unsigned j = 0; j < items; ++j) {
      std::size_t const at = i + j;
      x.value[j] = values.first[at < size ? at : size - 1];
      x.heads |= (begins(at) ? 1U : 0U) << j;
    }
    x.heads |= (begins(i + items) ? 1U : 0U) << items;
  }
  template <unsigned items>
  __device__ accumulator item(lane_items<items> const& x, unsigned j, std::size_t) const {
    return {x.heads >> j & 1, detail::lift(op.op, x.value[j], 0)};
  }
  /// The keys and values of `count` elements from i on, of which a thread asks for all, will soon
  /// be loaded.
  __device__ void fetch_ahead(std::size_t i, unsigned count) const {
    fetch_to_l2(values, i, count, size);
    fetch_to_l2(keys, i, count, size);
  }

 private:
  __device__ bool begins(std::size_t i) const {
    if (i == 0 || i >= size) return true;
    key const earlier = keys.first[i - 1], here = keys.first[i];
    return marks.of(earlier, here) != 0;
  }
  template <unsigned items, class Input, class T>
  __device__ static void load_vectors(Input const& in, std::size_t i, T (&x)[items]) {
    constexpr unsigned step = vector_items<T>(items);
#pragma unroll
    for (unsigned j = 0; j < items; j += step) {
      T piece[step];
      in.template load<step>(i + j, i + items, piece);
#pragma unroll
      for (unsigned k = 0; k < step; ++k) x[j + k] = piece[k];
    }
  }
};

/// Stores the scan of each run. `Results` are segment_results.
template <scan_kind kind, class Elements, class Results>
struct run_scans {
  static constexpr bool sees_items = true;
  Elements elements;
  Results results;

  template <unsigned items, class A>
  __device__ void store(std::size_t i, run_so_far<A> const* at,
                        typename Elements::template lane_items<items> const& x) const {
    A prefix[items];
#pragma unroll
    for (unsigned j = 0; j < items; ++j) {
      prefix[j] = at[j].value;
      if (results.has_initial) prefix[j] = results.op(results.initial, at[j].value);
      if constexpr (kind == scan_kind::exclusive)
        if ((x.heads >> j & 1) != 0) prefix[j] = results.empty;
    }
    results.out.template store<items>(i, prefix);
  }
};

/// Stores the first key and the reduction of each run, as far as there is room, and the number of
/// runs. `Keys` is a selection_output.
template <class Elements, class Keys, class Results>
struct run_reductions {
  static constexpr bool sees_items = true;
  Elements elements;
  Keys keys;
  Results results;
  std::size_t room;
  word* count;

  template <unsigned items, class A>
  __device__ void store(std::size_t i, run_so_far<A> const* at,
                        typename Elements::template lane_items<items> const& x) const {
    std::size_t const n = elements.size;
#pragma unroll
    for (unsigned j = 0; j < items; ++j) {
      if (i + j >= n) break;
      std::size_t const k = at[j].runs - 1;
      if ((x.heads >> j & 1) != 0 && k < keys.room)
        keys.out[k] = static_cast<typename Keys::element>(elements.keys.first[i + j]);
      if ((x.heads >> j & 2) != 0 && k < room) results.store(k, at[j].value);
      if (i + j + 1 == n) count[0] = at[j].runs;
    }
  }
};

}  // namespace upsweep::device

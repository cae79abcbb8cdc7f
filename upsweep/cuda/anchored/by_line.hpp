/// Linear recurrences in the tree of anchored blocks of lines whose tokens are adjacent in memory,
/// as those of sequences with one channel: tiles are transposed in shared memory.
/// One read of each a and b, one store of each h · 1 launch
/// docs/design/0018-anchored-blocks.md
#pragma once

#include <upsweep/cuda/anchored/fold.hpp>
#include <upsweep/simt/kernel.hpp>

#include <cstddef>

namespace upsweep::device {

/// The tokens of a tile, [line, token], with a gap after each line so that columns are in different
/// banks. A warp moves whole lines between it and memory.
template <class E, unsigned lines, unsigned threads>
class line_stage {
  static constexpr unsigned tokens = upsweep::detail::anchored_size, row = tokens + 1,
                            each = lines * 32 / threads, pieces = tokens / 32;
  static_assert(each * threads == lines * 32);

 public:
  static constexpr std::size_t bytes = lines * row * sizeof(simt::boxed<E>);
  /// Where the lines of a tile are in memory: slots [from, end) from that of slot 0 on.
  template <class X>
  struct places {
    X* slot_0[lines];
    unsigned from[lines], end[lines];
  };
  /// What a thread moves, in registers.
  struct moved {
    E x[each * pieces];
  };

  __device__ line_stage(simt::boxed<E>* memory, bool backward)
      : memory_(memory), backward_(backward) {}

  template <class X>
  __device__ moved read(places<X> const& at) const {
    moved m{};
    for_each(at, [&](unsigned k, X& x, unsigned, unsigned) { m.x[k] = x; });
    return m;
  }
  __device__ void put(moved const& m) const {
#pragma unroll
    for (unsigned k = 0; k < each * pieces; ++k) memory_[line_of(k) * row + slot_of(k)] = m.x[k];
  }
  /// Stores what is in the stage.
  template <class X>
  __device__ void write(places<X> const& at) const {
    for_each(at, [&](unsigned, X& x, unsigned line, unsigned slot) {
      E const y = memory_[line * row + slot];
      x = y;
    });
  }
  __device__ simt::boxed<E>& operator()(unsigned line, unsigned slot) const {
    return memory_[line * row + slot];
  }

 private:
  static __device__ unsigned line_of(unsigned k) { return threadIdx.x / 32 * each + k / pieces; }
  static __device__ unsigned slot_of(unsigned k) { return k % pieces * 32 + threadIdx.x % 32; }
  /// Calls use(k, element, line, slot) for the tokens that the call has.
  template <class X, class Use>
  __device__ void for_each(places<X> const& at, Use const& use) const {
#pragma unroll
    for (unsigned k = 0; k < each * pieces; ++k) {
      unsigned const line = line_of(k), slot = slot_of(k);
      if (slot < at.from[line] || slot >= at.end[line]) continue;
      auto const distance = static_cast<std::ptrdiff_t>(slot);
      use(k, at.slot_0[line][backward_ ? -distance : distance], line, slot);
    }
  }

  simt::boxed<E>* memory_;
  bool backward_;
};

/// Where the line of a thread of the first part is, for the warps that move it.
template <class E, class N, class Places, class X>
__device__ void set_place(anchored_call<E, N> const& call, token_memory<X> const& x,
                          anchored_place const& place, unsigned beside, Places& places) {
  places.slot_0[beside] = place.exists ? first_slot(call, x, place) : nullptr;
  places.from[beside] = place.from;
  places.end[beside] = place.exists ? place.end : 0;
}

/// Loads a tile whose tokens are adjacent in memory, and makes the totals of each thread. Called by
/// all threads.
template <class Stage, unsigned tokens, class E, class N, class Thread>
__device__ void load_by_line(anchored_call<E, N> const& call, Thread const& thread,
                             anchored_place const& place, unsigned beside, unsigned part,
                             recurrence_map<N> (&x)[tokens]) {
  if (call.a.token != 1 || call.b.token != 1) {
    if (thread.exists()) thread.make_totals(x);
    return;
  }
  __shared__ typename Stage::template places<E const> of_a, of_b;
  Stage const stage(simt::dynamic_shared<simt::boxed<E>>(), call.backward);
  if (part == 0) {
    set_place(call, call.a, place, beside, of_a);
    set_place(call, call.b, place, beside, of_b);
  }
  __syncthreads();  // the lines are known
  auto const a = stage.read(of_a), b = stage.read(of_b);
  stage.put(a);
  __syncthreads();  // a is in the stage
#pragma unroll
  for (unsigned i = 0; i < tokens; ++i) {
    E const one = stage(beside, part * tokens + i);
    x[i].a = thread.coefficient(one);
  }
  __syncthreads();  // nobody reads a any more
  stage.put(b);
  __syncthreads();  // b is in the stage
#pragma unroll
  for (unsigned i = 0; i < tokens; ++i) {
    E const one = stage(beside, part * tokens + i);
    x[i].b = to_number<N>(one);
  }
  if (thread.exists()) thread.make_totals_in_place(x);
}

/// Stores the results of a tile. Called by all threads.
template <class Stage, unsigned tokens, class E, class N, class Thread>
__device__ void store_by_line(anchored_call<E, N> const& call, Thread const& thread,
                              anchored_place const& place, unsigned beside, unsigned part,
                              recurrence_map<N> const (&x)[tokens], N start, N longer) {
  if (call.h.token != 1) {
    if (thread.exists()) thread.store(x, start, longer, thread.first_result());
    return;
  }
  __shared__ typename Stage::template places<E> of_h;
  Stage const stage(simt::dynamic_shared<simt::boxed<E>>(), call.backward);
  if (part == 0) set_place(call, call.h, place, beside, of_h);
  if (thread.exists()) {
    N results[tokens];
    results_of(x, start, longer, results, [&](unsigned i, N result) {
      stage(beside, part * tokens + i) = to_element<E>(result);
    });
  }
  __syncthreads();  // the results are in the stage
  stage.write(of_h);
}

}  // namespace upsweep::device

/// Linear recurrences h[t] = a[t] h[t-1] + b[t] of many lines in the tree of anchored blocks
/// (docs/spec/blocks.md), in one pass.
/// One read of each a and b, one store of each h · 1 launch
/// docs/design/0018-anchored-blocks.md
///
/// A tile is a block of 256 tokens of some lines. A thread holds 16 tokens of a line in registers
/// and makes the totals of their aligned blocks in place: slot m - 1 has the total of the aligned
/// block that ends after m tokens and has as many as the lowest set bit of m. The threads of a line
/// continue this tree in shared memory. Then the state before the block arrives from the tile of
/// the block before, and each result follows from an earlier one by the total of its slot.
///
/// Progress: tiles are drawn in the order of their blocks, and a tile waits only for that of the
/// block before.
#pragma once

#include <upsweep/cuda/anchored/by_line.hpp>
#include <upsweep/cuda/anchored/call.hpp>
#include <upsweep/cuda/anchored/fold.hpp>
#include <upsweep/cuda/anchored/states.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

inline constexpr unsigned anchored_tokens = 16;  ///< of a thread
inline constexpr unsigned anchored_parts = upsweep::detail::anchored_size / anchored_tokens;
/// Lines of a tile: a row of a and of b has 128 bytes where numbers have those of elements.
template <class N>
inline constexpr unsigned anchored_lines = 128 / sizeof(N);
template <class N>
inline constexpr unsigned anchored_threads = anchored_lines<N> * anchored_parts;

/// What one thread does: tokens [16 part, 16 part + 16) of the block of a line. With `gradients`,
/// the memory of a begins a token earlier than that of b.
template <class E, class N, bool gradients = false>
class anchored_thread {
  using map = recurrence_map<N>;
  static constexpr unsigned tokens = anchored_tokens, digits = upsweep::detail::anchored_digits;

 public:
  __device__ anchored_thread(anchored_call<E, N> const& call, anchored_place const& place,
                             unsigned part)
      : call_(call), place_(place), part_(part) {}

  __device__ bool exists() const { return place_.exists; }
  __device__ bool is_last() const { return place_.is_last; }
  /// Whether the block has 256 tokens.
  __device__ bool is_whole() const { return place_.end == 256; }
  __device__ N const& value_before() const { return call_.before.value[line()]; }
  /// The coefficient of token i, that of the token before where gradients are made.
  __device__ N coefficient(E a) const { return conjugate_of_gradients(to_number<N>(a)); }

  /// Loads the tokens, and makes the totals of their aligned blocks in place.
  __device__ void make_totals(map (&x)[tokens]) const {
    if (has_all()) {
      load<true>(x);
      up<true>(x);
    } else {
      load<false>(x);
      restore(x);
      up<false>(x);
    }
  }
  /// Where gradients are made of tokens that are in registers: the coefficient of the first.
  __device__ void set_first_coefficient(map (&x)[tokens]) const {
    if constexpr (gradients) {
      if (!place_.is_first) return;
#pragma unroll
      for (unsigned i = 0; i < tokens; ++i)
        if (is_first<false>(i)) x[i].a = coefficient(call_.gradient.factor[line()]);
    }
  }
  /// The same of tokens that are in registers; those that the call does not have may be any.
  __device__ void make_totals_in_place(map (&x)[tokens]) const {
    if (place_.from == 0) return up<true>(x);
    restore(x);
    up<false>(x);
  }
  /// Whether the blocks that end with token i have one of this call.
  __device__ bool is_new(unsigned i) const { return slot(i) >= place_.from; }

  /// Stores the results. `start` is the one before the thread's tokens, and `longer` the one before
  /// the aligned block that ends with the last of them; `h` is where the thread's first token is.
  __device__ void store(map const (&x)[tokens], N start, N longer, E* h) const {
    has_all() ? down<true>(x, start, longer, h) : down<false>(x, start, longer, h);
  }
  __device__ E* first_result() const { return first(call_.h); }
  /// In the last block of a line: stores the state after it.
  __device__ void save(map const (&x)[tokens], N value) const {
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i)
      if (place_.end < 256 && ends_total(i, place_.end)) {
        *total(call_.after, i, 0) = x[i].a;
        *total(call_.after, i, 1) = x[i].b;
      }
    if (part_ < digits && (place_.end % 256 >> part_ & 1) == 0)  // no total
      for (unsigned k = 0; k < 2; ++k) row(call_.after, part_, k)[0] = N{};
    if (part_ != 0) return;
    call_.after.value[line()] = value;
    if (place_.lane == 0) call_.after.position[place_.sequence] = place_.end % 256;
  }

 private:
  /// `all`: the call has every token of the thread, so that nothing is tested.
  template <bool all>
  __device__ void load(map (&x)[tokens]) const {
    E const* a = first(call_.a);
    E const* b = first(call_.b);
    E from_a[tokens], from_b[tokens];
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i, a += step(call_.a), b += step(call_.b))
      if (all || has(i)) {
        from_a[i] = is_first<all>(i) ? call_.gradient.factor[line()] : *a;
        from_b[i] = *b;
      }
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i)
      x[i] = all || has(i) ? map{coefficient(from_a[i]), to_number<N>(from_b[i])} : map{};
  }
  /// Loads the totals of the tokens before the call, at the ends of their blocks.
  __device__ void restore(map (&x)[tokens]) const {
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i)
      if (ends_total(i, place_.from))
        x[i] = {*total(call_.before, i, 0), *total(call_.before, i, 1)};
  }
  template <bool all>
  __device__ void up(map (&x)[tokens]) const {
    combine_in_place(x, [&](unsigned i) { return all || is_new(i); });
  }
  template <bool all>
  __device__ void down(map const (&x)[tokens], N start, N longer, E* h) const {
    N results[tokens];
    std::ptrdiff_t const at = h - call_.h.first;
    results_of(x, start, longer, results, [&](unsigned i, N result) {
      if (!gradients && (all || has(i))) *h = to_element<E>(result);
      h += step(call_.h);
    });
    if constexpr (gradients) down_gradients<all>(results, at);
  }
  /// Stores results, and their products with the results of the other recurrence. `at` is where the
  /// thread's first token is.
  template <bool all>
  __device__ void down_gradients(N const (&results)[tokens], std::ptrdiff_t at) const {
    constexpr unsigned some = tokens / 2;  // at once: all need too many registers
    std::ptrdiff_t const by = step(call_.h);
#pragma unroll
    for (unsigned i = 0; i < tokens; i += some) {
      asm volatile("" ::: "memory");
      E before[some];
#pragma unroll
      for (unsigned k = 0; k < some; ++k)
        if (all || has(i + k))
          before[k] =
              is_final<all>(i + k) ? result_at_start() : call_.gradient.of[at + (k + 1) * by];
#pragma unroll
      for (unsigned k = 0; k < some; ++k, at += by)
        if (all || has(i + k)) {
          E const x = to_element<E>(results[i + k]);
          call_.h.first[at] = x;
          call_.gradient.of_a[at] =
              to_element<E>(times(to_number<N>(x), conjugate(to_number<N>(before[k]))));
        }
    }
  }
  /// The result of the other recurrence before its first token.
  __device__ E result_at_start() const {
    anchored_states<N> const& of = call_.gradient.start;
    N x = of.value[line()];
    auto const position = static_cast<unsigned>(of.position[place_.sequence]);
#pragma unroll 1
    for (unsigned k = digits; k-- > 0;)
      if ((position >> k & 1) != 0) x = map{*row(of, k, 0), *row(of, k, 1)}(x);
    return to_element<E>(x);
  }
  /// Whether token i is the first or the last of the call, where gradients are made. A thread that
  /// has `all` its tokens can have these only at its ends.
  template <bool all>
  __device__ bool is_first(unsigned i) const {
    return gradients && (!all || i == 0) && place_.is_first && slot(i) == place_.from;
  }
  template <bool all>
  __device__ bool is_final(unsigned i) const {
    return gradients && (!all || i + 1 == tokens) && place_.is_last && slot(i) + 1 == place_.end;
  }
  __device__ N conjugate_of_gradients(N a) const {
    if constexpr (gradients) return conjugate(a);
    return a;
  }
  __device__ std::size_t line() const { return place_.sequence * call_.lanes + place_.lane; }
  __device__ unsigned slot(unsigned i) const { return part_ * tokens + i; }
  __device__ bool has(unsigned i) const { return slot(i) >= place_.from && slot(i) < place_.end; }
  __device__ bool has_all() const { return has(0) && has(tokens - 1); }
  /// Whether token i is the last of one of the aligned blocks that `count` tokens split into.
  __device__ bool ends_total(unsigned i, unsigned count) const {
    unsigned const m = slot(i) + 1;
    return m <= count && (count & ~((m & (~m + 1)) - 1)) == m;
  }
  __device__ N* row(anchored_states<N> const& of, unsigned digit, unsigned k) const {
    return of.totals + ((place_.sequence * digits + digit) * 2 + k) * call_.lanes + place_.lane;
  }
  __device__ N* total(anchored_states<N> const& of, unsigned i, unsigned k) const {
    return row(of, static_cast<unsigned>(upsweep::detail::trailing_zeros(slot(i) + 1)), k);
  }
  template <class X>
  __device__ std::ptrdiff_t step(token_memory<X> const& x) const {
    return call_.backward ? -x.token : x.token;
  }
  /// The thread's first token, which is outside the array if the thread does not have it.
  template <class X>
  __device__ X* first(token_memory<X> const& x) const {
    return first_slot(call_, x, place_) + static_cast<std::ptrdiff_t>(slot(0)) * step(x);
  }

  anchored_call<E, N> const& call_;
  anchored_place const place_;
  unsigned part_;
};

/// The results before the tokens of part `part`, and before the aligned block of parts that ends
/// with it: the state joined with totals of parts, the largest first.
template <unsigned apart, class N>
__device__ void join_parts(simt::boxed<recurrence_map<N>> const* totals, unsigned part, N state,
                           N& start, N& longer) {
  start = longer = state;
  unsigned const longest = part & (part + 1);  // without the ones that it ends in
#pragma unroll
  for (unsigned bit = anchored_parts / 2; bit != 0; bit /= 2) {
    if ((part & bit) == 0) continue;
    recurrence_map<N> const x = totals[((part & ~(bit - 1)) - 1) * apart];
    start = x(start);
    if ((longest & bit) != 0) longer = start;
  }
}

/// Combines the totals of parts in place, as the threads did those of tokens. Called by all threads
/// of the block, whose own total is `own`; those of a line are `apart` from one another.
template <unsigned apart, class N, class Thread>
__device__ void combine_parts(Thread const& thread, unsigned part,
                              simt::boxed<recurrence_map<N>>* own) {
#pragma unroll
  for (unsigned size = 1; size < anchored_parts; size *= 2) {
    __syncthreads();  // totals of `size` parts are in their last parts
    if ((part & (2 * size - 1)) != 2 * size - 1 || !thread.is_new(anchored_tokens - 1)) continue;
    recurrence_map<N> const left = own[-static_cast<std::ptrdiff_t>(size * apart)], right = *own;
    *own = right.after(left);
  }
  __syncthreads();  // every part has its total
}

/// With `gradients`: the gradients of a recurrence in the other direction. With `by_line`, arrays
/// whose tokens are adjacent are moved line by line.
template <class E, class N, bool gradients, bool by_line = false>
__global__ void __launch_bounds__(anchored_threads<N>, 2)
    anchored_recurrence(anchored_call<E, N> call, workspace_words workspace) {
  constexpr unsigned width = anchored_lines<N>, parts = anchored_parts;
  using map = recurrence_map<N>;
  using stage_of = line_stage<E, width, parts * width>;
  __shared__ simt::boxed<map> totals[parts * width];
  __shared__ simt::boxed<N> states[width];
  __shared__ simt::boxed<map> seen_totals[parts * width];
  __shared__ simt::boxed<N> seen_states[parts * width];
  __shared__ unsigned seen[3][width];
  __shared__ ticket drawn[1];
  unsigned const beside = threadIdx.x % width, part = threadIdx.x / width;
  wait_for_earlier_work();
  if (threadIdx.x == 0) {
    ticket const mine = draw_ticket(workspace);
    drawn[0] = mine;
    if (mine.tile + 1 == gridDim.x) begin_next_launch(workspace, mine.epoch);
  }
  __syncthreads();  // the block knows its tile
  ticket const mine = drawn[0];
  unsigned const block = mine.tile / call.tiles;
  std::size_t const first_line = std::size_t{mine.tile % call.tiles} * width,
                    line = first_line + beside;
  auto const place =
      line < call.lines() ? place_of(call, line, block, position_of(call, line)) : anchored_place{};
  anchored_thread<E, N, gradients> const thread(call, place, part);
  if (__syncthreads_or(thread.exists()) == 0) return;  // beyond the ends of all lines
  map x[anchored_tokens];
  if constexpr (by_line)
    load_by_line<stage_of, anchored_tokens>(call, thread, place, beside, part, x);
  else
    thread.make_totals(x);
  simt::boxed<map>* const own = totals + part * width + beside;
  *own = x[anchored_tokens - 1];
  combine_parts<width, N>(thread, part, own);
  x[anchored_tokens - 1] = *own;
  map const whole = totals[(parts - 1) * width + beside];
  auto const published = published_by(call, workspace, mine.epoch);
  typename tile_totals<N>::tagged_total found{};
  if (part == 0 && thread.exists() && block != 0)
    published.state(block - 1, line).look(0, 1, found);
  hand_on_states<parts * width, width>(
      call, published, thread, block, first_line, found, whole, states,
      look_back_memory<N>{seen_totals, seen_states, seen[0], seen[1], seen[2]});
  if (!by_line && !thread.exists()) return;
  N state{};
  if (thread.exists()) state = states[beside];
  N start, longer;
  join_parts<width>(totals + beside, part, state, start, longer);
  if constexpr (by_line)
    store_by_line<stage_of, anchored_tokens>(call, thread, place, beside, part, x, start, longer);
  else
    thread.store(x, start, longer, thread.first_result());
  if (thread.is_last()) thread.save(x, thread.is_whole() ? whole(state) : state);
}

}  // namespace upsweep::device

/// The gradients of a selective scan, with the bits of those of the operators that upsweep.torch
/// computes it by on the CPU.
/// Two reads of u, delta and B, one of the others, one store of each result · 1 launch
/// docs/design/0018-anchored-blocks.md
///
/// A thread goes through the tokens of its state from the last to the first, 32 at a time: the scan
/// has kept the result before them. It computes the one before the later 16, then goes back through
/// both groups, computes their results once more, and continues the recurrence of the gradients,
/// g[t] = y'[t] C[t] + a[t+1] g[t+1].
///
/// Sums over the tokens are those of blocks of 256, and sums over channels those of 16 channels.
/// They are aligned blocks of the combine tree of all if the tokens are a multiple of 256 and the
/// channels of a group one of 16.
#pragma once

#include <upsweep/cuda/anchored/selective.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

inline constexpr unsigned gradient_channels = 16;
inline constexpr unsigned gradient_threads = gradient_channels * scan_states;

/// `scan` is the call whose gradients these are; it has `starts`. Gradients
/// of elements are [sequence, channel, token] without gaps.
template <class E, class A>
struct selective_gradients_call {
  selective_call<E, A> scan;
  token_memory<E const> of_y;
  E *of_u, *of_delta, *of_z;
  A* of_rate;  ///< sums over blocks of tokens, [sequence, block, lane]
  A* of_skip;  ///< likewise [sequence, block, channel], or null
  A* of_bias;  ///< likewise
  A* of_b;     ///< sums over 16 channels, [tile of channels, sequence, state, token]
  A* of_c;     ///< likewise
};

/// Totals of groups on the way to that of their block. Groups may arrive from the last on, because
/// sums are commutative.
template <class A>
class block_total {
  static constexpr unsigned levels = anchored_fold<A>::levels;

 public:
  /// Returns the total of the longest aligned block that ends with group `group` in the order of
  /// arrival.
  __device__ A append(unsigned group, A total) {
#pragma unroll
    for (unsigned k = 0; k < levels; ++k) {
      bool const joins = (~group & ((2U << k) - 1)) == 0;
      if (joins) total = added(total, totals_[k]);
      if (!joins && (k == 0 || (~group & ((1U << k) - 1)) == 0)) totals_[k] = total;
    }
    return total;
  }

 private:
  A totals_[levels];
};

/// Of values x of the 16 tokens in both halves of a warp: their sums over the halves. Lane l has
/// those of the tokens 2 i + l / 16.
template <class A>
__device__ void add_halves(A const (&x)[16], A (&sums)[8]) {
  bool const odd = threadIdx.x % 32 >= 16;
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    A const kept = select(odd, x[2 * i + 1], x[2 * i]), given = select(odd, x[2 * i], x[2 * i + 1]);
    sums[i] = added(kept, simt::shuffle_xor(whole_warp, given, 16));
  }
}
/// The sum of the values of 16 adjacent lanes, in the combine tree.
template <class A>
__device__ A row_sum(A x) {
#pragma unroll
  for (int k = 1; k < 16; k *= 2) x = added(x, simt::shuffle_xor(whole_warp, x, k));
  return x;
}
/// The sum of x[0], ..., x[15] in the combine tree.
template <class A>
__device__ A sum_of_16(A (&x)[16]) {
#pragma unroll
  for (unsigned size = 1; size < 16; size *= 2)
#pragma unroll
    for (unsigned i = 0; i < 16; i += 2 * size) x[i] = added(x[i], x[i + size]);
  return x[0];
}

template <class A>
__device__ void reverse(A (&x)[16]) {
#pragma unroll
  for (unsigned i = 0; i < 8; ++i) {
    A const other = x[i];
    x[i] = x[15 - i];
    x[15 - i] = other;
  }
}

/// What the threads of a block have in shared memory, of two groups of tokens.
template <class A>
struct alignas(16) gradients_memory {
  static constexpr unsigned warps = gradient_threads / 32, column = 17;
  using rows = A[2][gradient_threads];

  A of_b[2][scan_states * state_row], of_c[2][scan_states * state_row];
  rows steps, inputs, of_y;  ///< what all states of a channel need of each token
  rows u, z, gate, of_result, slope;
  A sums[2][2][warps][scan_states * column];  ///< of B and C, for each group
};

/// What a block does: 16 channels of a sequence.
template <class E, class A>
class gradients_block {
  using thread = selective_thread<E, A>;
  using map = recurrence_map<A>;
  using fold = anchored_fold<A>;
  using memory = gradients_memory<A>;
  using states = moved_states<A, gradient_threads>;
  static constexpr unsigned tokens = thread::tokens;
  static_assert(kept_tokens == 2 * tokens);

 public:
  __device__ gradients_block(selective_gradients_call<E, A> const& call, memory& shared,
                             std::size_t sequence, std::size_t tile)
      : call_(call),
        memory_(shared),
        sequence_(sequence),
        tile_(tile),
        mine_(call.scan, sequence, tile * gradient_channels + threadIdx.x / scan_states),
        u_(mine_.own(call.scan.u)),
        delta_(mine_.own(call.scan.delta)),
        z_(mine_.own(call.scan.z)),
        of_y_(mine_.own(call.of_y)),
        b_(mine_.own(call.scan.b, tile * gradient_channels)),
        c_(mine_.own(call.scan.c, tile * gradient_channels)),
        out_(static_cast<std::ptrdiff_t>(
            (sequence * call.scan.channels + mine_.lane() / scan_states) * call.scan.tokens +
            state())),
        fold_(A{}) {}

  /// 32 tokens from that slot on. They come from the last on.
  __device__ void process(std::int64_t slot) {
    for (unsigned group = 0; group < 2; ++group) stage(group, slot + group * tokens);
    A const start = kept_result(slot), end = kept_result(slot + kept_tokens);
    __syncthreads();  // the groups are in shared memory
    map x[tokens];
    make_maps(0, x);
    combine_in_place(x, [](unsigned) { return true; });
    A const middle = x[tokens - 1](start);
#pragma unroll 1
    for (unsigned group = 2; group-- > 0;)
      go_back(group, slot + group * tokens, group == 0 ? start : middle, group == 0 ? middle : end);
    __syncthreads();  // the sums over the channels of warps are there
#pragma unroll 1
    for (unsigned group = 0; group < 2; ++group) {
      add_channels(memory_.sums[0][group], slot + group * tokens, call_.of_b);
      add_channels(memory_.sums[1][group], slot + group * tokens, call_.of_c);
    }
  }

 private:
  static __device__ unsigned state() { return thread::state(); }
  static __device__ unsigned row() { return threadIdx.x - state(); }
  [[nodiscard]] __device__ A kept_result(std::int64_t slot) const {
    auto const number = static_cast<std::size_t>(slot / kept_tokens);
    return call_.scan.starts[number * call_.scan.sequences * call_.scan.lanes() + mine_.line()];
  }

  /// Puts what a group's results and gradients are made of in shared memory.
  __device__ void stage(unsigned group, std::int64_t slot) const {
    unsigned const at = threadIdx.x;
    A const u = to_number<A>(u_[slot]), biased = mine_.biased(to_number<A>(delta_[slot])),
            of_result = to_number<A>(of_y_[slot]), step = mine_.step_of(biased);
    states(&b_[slot], call_.scan.b.state, true).put(memory_.of_b[group]);
    states(&c_[slot], call_.scan.c.state, true).put(memory_.of_c[group]);
    memory_.u[group][at] = u;
    memory_.steps[group][at] = step;
    memory_.inputs[group][at] = times(step, u);
    if (call_.scan.softplus) memory_.slope[group][at] = logistic_of(biased);
    memory_.of_y[group][at] = of_result;
    if (!call_.scan.z.first) return;
    A const z = to_number<A>(z_[slot]), gate = logistic_of(z);
    memory_.z[group][at] = z;
    memory_.gate[group][at] = gate;
    memory_.of_result[group][at] = of_result;
    memory_.of_y[group][at] = times(of_result, times(z, gate));
  }
  __device__ void make_maps(unsigned group, map (&x)[tokens]) const {
    mine_.make_maps(memory_.steps[group] + row(), memory_.inputs[group] + row(),
                    memory_.of_b[group] + state() * state_row, x);
  }

  /// `start` is the result before the group, and `end` that of its last token.
  __device__ void go_back(unsigned group, std::int64_t slot, A start, A end) {
    map x[tokens];
    A a[tokens], h[tokens], of_y[tokens], some[tokens];
    make_maps(group, x);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) a[i] = x[i].a;
    combine_in_place(x, [](unsigned) { return true; });
    results_of(x, start, A{}, h, [](unsigned, A) {});
    h[tokens - 1] = end;

    A const* const of_c = memory_.of_c[group] + state() * state_row;
    if (call_.scan.z.first) {
      read_row(of_c, some);
#pragma unroll
      for (unsigned i = 0; i < tokens; ++i) some[i] = times(h[i], some[i]);
      store_gradient_of_z(group, slot, column_sum(some, state()));
    }
    read_row(memory_.of_y[group] + row(), of_y);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) some[i] = times(of_y[i], h[i]);
    leave_channels(memory_.sums[1][group], some);

    read_row(of_c, some);
#pragma unroll
    for (unsigned k = 0; k < tokens; ++k) {  // the other direction
      unsigned const i = tokens - 1 - k;
      x[k] = {k == 0 ? next_a_ : a[i + (k != 0)], times(of_y[i], some[i])};
    }
    next_a_ = a[0];
    combine_in_place(x, [](unsigned) { return true; });
    unsigned const order = fold::groups - 1 - static_cast<unsigned>(slot / tokens) % fold::groups;
    A const later = fold_.last(), longer = fold_.append(order, x[tokens - 1]);
    A g[tokens];
    results_of(x, later, longer, g, [](unsigned, A) {});
    reverse(g);

    read_row(memory_.inputs[group] + row(), some);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) some[i] = times(g[i], some[i]);
    leave_channels(memory_.sums[0][group], some);
    read_row(memory_.of_b[group] + state() * state_row, some);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) some[i] = times(g[i], some[i]);
    A const of_input = column_sum(some, state());
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) {  // the gradients of step A
      a[i] = times(times(g[i], i == 0 ? start : h[i - (i != 0)]), a[i]);
      some[i] = times(a[i], mine_.rate());
    }
    A const of_exponent = column_sum(some, state());
    read_row(memory_.steps[group] + row(), some);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) some[i] = times(a[i], some[i]);
    A const of_rate = of_rate_.append(order, sum_of_16(some));
    store_gradients(group, slot, of_input, of_exponent);
    if (order + 1 == fold::groups) store_totals(slot, of_rate);
  }

  /// Of z in y z logistic(z), where y is the sum of the states' parts and of that of u.
  __device__ void store_gradient_of_z(unsigned group, std::int64_t slot, A y) const {
    unsigned const at = threadIdx.x;
    A const z = memory_.z[group][at], gate = memory_.gate[group][at];
    if (call_.scan.of.skip) y = added(y, times(memory_.u[group][at], mine_.skip()));
    A const of_product = times(memory_.of_result[group][at], y),
            slope = times(gate, added(A{1}, -gate));
    call_.of_z[out_ + slot] =
        to_element<E>(added(times(of_product, gate), times(times(of_product, z), slope)));
  }
  /// Of u and delta of the thread's token, from the sums over states.
  __device__ void store_gradients(unsigned group, std::int64_t slot, A of_input, A of_exponent) {
    unsigned const at = threadIdx.x;
    A const u = memory_.u[group][at], of_y = memory_.of_y[group][at];
    A of_step = added(times(of_input, u), of_exponent),
      of_u = times(of_input, memory_.steps[group][at]);
    if (call_.scan.softplus) of_step = times(of_step, memory_.slope[group][at]);
    if (call_.scan.of.skip) of_u = added(of_u, times(of_y, mine_.skip()));
    call_.of_u[out_ + slot] = to_element<E>(of_u);
    call_.of_delta[out_ + slot] = to_element<E>(of_step);
    unsigned const order = fold::groups - 1 - static_cast<unsigned>(slot / tokens) % fold::groups;
    bias_total_ = of_bias_.append(order, row_sum(of_step));
    skip_total_ = of_skip_.append(order, row_sum(times(of_y, u)));
  }
  /// Those of the block of 256 tokens that begins with the slot.
  __device__ void store_totals(std::int64_t slot, A of_rate) const {
    selective_call<E, A> const& scan = call_.scan;
    std::size_t const row = sequence_ * (scan.tokens / 256) + static_cast<std::size_t>(slot) / 256;
    call_.of_rate[row * scan.lanes() + mine_.lane()] = of_rate;
    if (state() != 0) return;
    std::size_t const to = row * scan.channels + mine_.lane() / scan_states;
    if (call_.of_bias) call_.of_bias[to] = bias_total_;
    if (call_.of_skip) call_.of_skip[to] = skip_total_;
  }
  /// The sums of 16 tokens over the two channels of a warp.
  template <class Sums>
  __device__ void leave_channels(Sums& to_warps, A const (&x)[tokens]) const {
    A sums[8];
    add_halves(x, sums);
    A* const to = to_warps[warp_in_block()] + state() * memory::column;
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) to[2 * i + threadIdx.x % 32 / 16] = sums[i];
  }
  /// Adds those of the warps, and stores the sum of a state and a token.
  template <class Sums>
  __device__ void add_channels(Sums const& of_warps, std::int64_t slot, A* out) const {
    unsigned const of = threadIdx.x / 16, token = threadIdx.x % 16;
    A x[memory::warps];
#pragma unroll
    for (unsigned k = 0; k < memory::warps; ++k) x[k] = of_warps[k][of * memory::column + token];
#pragma unroll
    for (unsigned size = 1; size < memory::warps; size *= 2)
#pragma unroll
      for (unsigned k = 0; k < memory::warps; k += 2 * size) x[k] = added(x[k], x[k + size]);
    selective_call<E, A> const& scan = call_.scan;
    std::size_t const row = (tile_ * scan.sequences + sequence_) * scan_states + of;
    out[row * scan.tokens + static_cast<std::size_t>(slot) + token] = x[0];
  }

  selective_gradients_call<E, A> const& call_;
  memory& memory_;
  std::size_t sequence_, tile_;
  thread mine_;
  strided<E const> u_, delta_, z_, of_y_, b_, c_;
  std::ptrdiff_t out_;  ///< the first token of the gradients of elements
  fold fold_;           ///< of the recurrence of the gradients
  A next_a_{};          ///< the coefficient of the token after the group
  block_total<A> of_rate_, of_bias_, of_skip_;
  A bias_total_{}, skip_total_{};
};

/// A block for 16 channels of a sequence, with dynamic shared memory for gradients_memory.
template <class E, class A>
__global__ void __launch_bounds__(gradient_threads, 2)
    selective_gradients_of(selective_gradients_call<E, A> call) {
  wait_for_earlier_work();
  std::size_t const tiles = call.scan.channels / gradient_channels;
  gradients_block<E, A> block(call, *simt::dynamic_shared<gradients_memory<A>>(),
                              blockIdx.x / tiles, blockIdx.x % tiles);
  for (auto slot = static_cast<std::int64_t>(call.scan.tokens); slot > 0;) {
    slot -= kept_tokens;
    block.process(slot);
  }
}

}  // namespace upsweep::device

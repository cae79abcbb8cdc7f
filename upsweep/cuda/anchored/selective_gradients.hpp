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
  template <unsigned k = 0>
  __forceinline__ __device__ A append(unsigned group, A total) {
    if constexpr (k < levels) {
      if ((group >> k & 1) != 0) return append<k + 1>(group, added(total, totals_[k]));
      totals_[k] = total;
    }
    return total;
  }

 private:
  A totals_[levels];
};

/// Fetches an element into L2.
__device__ inline void fetch_to_l2([[maybe_unused]] void const* at) {
#if UPSWEEP_ON_DEVICE
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}

/// What the threads of a block have in shared memory, of two groups of tokens.
template <class A>
struct alignas(16) gradients_memory {
  static constexpr unsigned parts = 16 * sizeof(A) / 16;  ///< vectors of 16 numbers
  using rows = A[2][gradient_threads];
  using vector = simt::packed<A, 16 / parts>;

  A of_b[2][scan_states * state_row], of_c[2][scan_states * state_row];
  rows steps, inputs, of_y;  ///< what all states of a channel need of each token
  rows u, z, gate, of_result, slope;
  vector factors[2][parts][gradient_threads];  ///< the exponentials of each thread
  /// Of one group, the gradients of B and C by channels. The first is also where sums over states
  /// are computed.
  channel_rows<A> of_channels[2][gradient_channels];
  powers_of_exp powers;
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
        u_(mine_.own(call.scan.u, last_group())),
        delta_(mine_.own(call.scan.delta, last_group())),
        z_(mine_.own(call.scan.z, last_group())),
        of_y_(mine_.own(call.of_y, last_group())),
        b_(mine_.own(call.scan.b, tile * gradient_channels, last_group())),
        c_(mine_.own(call.scan.c, tile * gradient_channels, last_group())),
        start_(mine_.start_of(static_cast<std::int64_t>(call.scan.tokens))),
        out_(static_cast<std::ptrdiff_t>(
            (sequence * call.scan.channels + mine_.lane() / scan_states) * call.scan.tokens +
            state())),
        fold_(A{}) {
    copy_powers(memory_.powers, gradient_threads);
    __syncthreads();  // they are in shared memory
  }

  /// All tokens, 32 at a time, from the last on.
  __device__ void process() {
    A end = *start_;
    for (auto slot = static_cast<std::int64_t>(call_.scan.tokens); slot > 0; slot -= kept_tokens) {
      start_ -= mine_.starts_step();
      A const start = *start_;
      moved_group const later = load(), earlier = load();
      stage(1, later), stage(0, earlier);
      if (slot > kept_tokens) fetch();
      __syncthreads();  // the groups are in shared memory
      process(slot - kept_tokens, start, end);
      end = start;
    }
  }

 private:
  /// What a thread moves of a group.
  struct moved_group {
    A u, delta, z, of_y;
    states b, c;
  };
  static __device__ unsigned state() { return thread::state(); }
  static __device__ unsigned row() { return threadIdx.x - state(); }
  [[nodiscard]] __device__ std::int64_t last_group() const {
    return static_cast<std::int64_t>(call_.scan.tokens) - tokens;
  }

  [[nodiscard]] __device__ moved_group load() {
    moved_group const loaded{to_number<A>(*u_),
                             to_number<A>(*delta_),
                             call_.scan.z.first ? to_number<A>(*z_) : A{},
                             to_number<A>(*of_y_),
                             states(b_.at, call_.scan.b.state, true),
                             states(c_.at, call_.scan.c.state, true)};
    --u_, --delta_, --of_y_, --z_, --b_, --c_;
    return loaded;
  }
  /// Fetches the next 32 tokens into L2.
  __device__ void fetch() const {
    for (std::ptrdiff_t k = 0; k < 2; ++k) {
      fetch_to_l2(u_.at - k * u_.group), fetch_to_l2(delta_.at - k * delta_.group);
      if (call_.scan.z.first) fetch_to_l2(z_.at - k * z_.group);
      fetch_to_l2(of_y_.at - k * of_y_.group);
      fetch_to_l2(b_.at - k * b_.group), fetch_to_l2(c_.at - k * c_.group);
    }
  }
  /// Puts what a group's results and gradients are made of in shared memory.
  __device__ void stage(unsigned k, moved_group const& next) const {
    unsigned const at = threadIdx.x;
    A step = mine_.biased(next.delta);
    if (call_.scan.softplus) {
      auto const of = softplus_with_slope(step, memory_.powers);
      step = of.value;
      memory_.slope[k][at] = of.slope;
    }
    next.b.put(memory_.of_b[k]);
    next.c.put(memory_.of_c[k]);
    memory_.u[k][at] = next.u;
    memory_.steps[k][at] = step;
    memory_.inputs[k][at] = times(step, next.u);
    memory_.of_y[k][at] = next.of_y;
    if (!call_.scan.z.first) return;
    A const gate = logistic_of(next.z, memory_.powers);
    memory_.z[k][at] = next.z;
    memory_.gate[k][at] = gate;
    memory_.of_result[k][at] = next.of_y;
    memory_.of_y[k][at] = times(next.of_y, times(next.z, gate));
  }
  /// 32 tokens from that slot on, between these results.
  __device__ void process(std::int64_t slot, A start, A end) {
    map x[tokens];
    make_maps(0, x);
    combine_in_place(x, [](unsigned) { return true; });
    A const middle = x[tokens - 1](start);
#pragma unroll 1
    for (unsigned k = 2; k-- > 0;) {
      go_back(k, slot + k * tokens, k == 0 ? start : middle, k == 0 ? middle : end);
      __syncthreads();  // the gradients by channels are there
      add_channels(0, slot + k * tokens, call_.of_b);
      add_channels(1, slot + k * tokens, call_.of_c);
      __syncthreads();  // nobody reads them any more
    }
  }

  /// Makes the maps of a group, and keeps their factors.
  __device__ void make_maps(unsigned group, map (&x)[tokens]) const {
    mine_.make_maps(memory_.steps[group] + row(), memory_.inputs[group] + row(),
                    memory_.of_b[group] + state() * state_row, memory_.powers, x);
    constexpr unsigned size = tokens / memory::parts;
#pragma unroll
    for (unsigned k = 0; k < memory::parts; ++k) {
      typename memory::vector part;
#pragma unroll
      for (unsigned i = 0; i < size; ++i) part.value[i] = x[k * size + i].a;
      memory_.factors[group][k][threadIdx.x] = part;
    }
  }
  __device__ void read_factors(unsigned group, A (&a)[tokens]) const {
    constexpr unsigned size = tokens / memory::parts;
#pragma unroll
    for (unsigned k = 0; k < memory::parts; ++k) {
      auto const part = memory_.factors[group][k][threadIdx.x];
#pragma unroll
      for (unsigned i = 0; i < size; ++i) a[k * size + i] = part.value[i];
    }
  }
  /// The maps of the first group once more.
  __device__ void read_maps(map (&x)[tokens]) const {
    A a[tokens], input[tokens], of_b[tokens];
    read_factors(0, a);
    read_row(memory_.inputs[0] + row(), input);
    read_row(memory_.of_b[0] + state() * state_row, of_b);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) x[i] = {a[i], times(input[i], of_b[i])};
  }
  /// Where the values of the thread's state are, by token.
  [[nodiscard]] __device__ A* own_row(unsigned which) const {
    return memory_.of_channels[which][threadIdx.x / scan_states] + state() * state_row;
  }
  /// The sums over states of what is in shared memory.
  [[nodiscard]] __device__ A column_sum_of(unsigned which) const {
    return column_sum(memory_.of_channels[which][threadIdx.x / scan_states], state());
  }

  /// `start` is the result before group k, and `end` that of its last token.
  __device__ void go_back(unsigned k, std::int64_t slot, A start, A end) {
    map x[tokens];
    A h[tokens], g[tokens], some[tokens];
    if (k == 0)
      read_maps(x);
    else
      make_maps(k, x);
    combine_in_place(x, [](unsigned) { return true; });
    results_of(x, start, A{}, h, [](unsigned, A) {});
    h[tokens - 1] = end;

    A of_state[tokens];
    read_row(memory_.of_c[k] + state() * state_row, of_state);
    if (call_.scan.z.first) {
#pragma unroll
      for (unsigned i = 0; i < tokens; ++i) some[i] = times(h[i], of_state[i]);
      write_row(some, own_row(0));
      __syncwarp();  // the values of all states are there
      store_gradient_of_z(k, slot, column_sum_of(0));
      __syncwarp();  // nobody reads them any more
    }
    unsigned const order = fold::groups - 1 - static_cast<unsigned>(slot / tokens) % fold::groups;
    recur_back(k, order, of_state, g);
    read_row(memory_.of_b[k] + state() * state_row, some);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) some[i] = times(g[i], some[i]);
    write_row(some, own_row(0));
    A a[tokens];
    read_factors(k, a);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) {  // the gradients of step A
      a[i] = times(times(g[i], i == 0 ? start : h[i - (i != 0)]), a[i]);
      some[i] = times(a[i], mine_.rate());
    }
    write_row(some, own_row(1));
    read_row(memory_.steps[k] + row(), some);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) some[i] = times(a[i], some[i]);
    A const of_rate = of_rate_.append(order, sum_of_16(some));
    __syncwarp();  // the values of all states are there
    A const of_input = column_sum_of(0), of_exponent = column_sum_of(1);
    __syncwarp();  // nobody reads them any more
    read_row(memory_.inputs[k] + row(), some);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) some[i] = times(g[i], some[i]);
    write_row(some, own_row(0));
    read_row(memory_.of_y[k] + row(), some);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) some[i] = times(some[i], h[i]);
    write_row(some, own_row(1));
    store_gradients(k, slot, order, of_input, of_exponent);
    if (order + 1 == fold::groups) store_totals(slot, of_rate);
  }
  /// The recurrence of the gradients g of group k, which is number `order` from the last one on.
  __device__ void recur_back(unsigned k, unsigned order, A const (&of_c)[tokens], A (&g)[tokens]) {
    map x[tokens];
    A a[tokens], of_y[tokens];
    read_row(memory_.of_y[k] + row(), of_y);
    read_factors(k, a);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) {  // from the last on
      unsigned const t = tokens - 1 - i;
      x[i] = {i == 0 ? next_a_ : a[tokens - i], times(of_y[t], of_c[t])};
    }
    next_a_ = a[0];
    combine_in_place(x, [](unsigned) { return true; });
    A const later = fold_.last(), longer = fold_.append(order, x[tokens - 1]);
    results_of(x, later, longer, g, [](unsigned, A) {});
    reverse(g);
  }

  /// Of z in y z logistic(z), where y is the sum of the states' parts and of that of u.
  __device__ void store_gradient_of_z(unsigned k, std::int64_t slot, A y) const {
    unsigned const at = threadIdx.x;
    A const z = memory_.z[k][at], gate = memory_.gate[k][at];
    if (call_.scan.of.skip) y = added(y, times(memory_.u[k][at], mine_.skip()));
    A const of_product = times(memory_.of_result[k][at], y),
            slope = times(gate, added(A{1}, -gate));
    call_.of_z[out_ + slot] =
        to_element<E>(added(times(of_product, gate), times(times(of_product, z), slope)));
  }
  /// Of u and delta of the thread's token, from the sums over states.
  __device__ void store_gradients(unsigned k, std::int64_t slot, unsigned order, A of_input,
                                  A of_exponent) {
    unsigned const at = threadIdx.x;
    A const u = memory_.u[k][at], of_y = memory_.of_y[k][at];
    A of_step = added(times(of_input, u), of_exponent),
      of_u = times(of_input, memory_.steps[k][at]);
    if (call_.scan.softplus) of_step = times(of_step, memory_.slope[k][at]);
    if (call_.scan.of.skip) of_u = added(of_u, times(of_y, mine_.skip()));
    call_.of_u[out_ + slot] = to_element<E>(of_u);
    call_.of_delta[out_ + slot] = to_element<E>(of_step);
    A const of_bias = row_sum(of_step), of_skip = row_sum(times(of_y, u));
    if (state() == order) of_bias_ = of_bias, of_skip_ = of_skip;
  }
  /// Those of the block of 256 tokens that begins with the slot.
  __device__ void store_totals(std::int64_t slot, A of_rate) const {
    selective_call<E, A> const& scan = call_.scan;
    std::size_t const row = sequence_ * (scan.tokens / 256) + static_cast<std::size_t>(slot) / 256;
    call_.of_rate[row * scan.lanes() + mine_.lane()] = of_rate;
    A const of_bias = row_sum(of_bias_), of_skip = row_sum(of_skip_);
    if (state() != 0) return;
    std::size_t const to = row * scan.channels + mine_.lane() / scan_states;
    if (call_.of_bias) call_.of_bias[to] = of_bias;
    if (call_.of_skip) call_.of_skip[to] = of_skip;
  }
  /// Adds the gradients of a state and a token over the channels, and stores the sum. Halves of a
  /// warp have states whose rows are in different banks.
  __device__ void add_channels(unsigned which, std::int64_t slot, A* out) const {
    unsigned const warp = warp_in_block(), token = threadIdx.x % 16,
                   of = warp / 4 * 8 + warp % 4 + threadIdx.x % 32 / 16 * 4;
    A x[gradient_channels];
#pragma unroll
    for (unsigned k = 0; k < gradient_channels; ++k)
      x[k] = memory_.of_channels[which][k][of * state_row + token];
    selective_call<E, A> const& scan = call_.scan;
    std::size_t const row = (tile_ * scan.sequences + sequence_) * scan_states + of;
    out[row * scan.tokens + static_cast<std::size_t>(slot) + token] = sum_of_16(x);
  }

  selective_gradients_call<E, A> const& call_;
  memory& memory_;
  std::size_t sequence_, tile_;
  thread mine_;
  own_token<E const> u_, delta_, z_, of_y_, b_, c_;
  A const* start_;      ///< the results before the 32 tokens after those to come
  std::ptrdiff_t out_;  ///< the first token of the gradients of elements
  fold fold_;           ///< of the recurrence of the gradients
  A next_a_{};          ///< the coefficient of the token after the group
  block_total<A> of_rate_;
  A of_bias_{}, of_skip_{};  ///< sums of a group, its number from the last on is the thread's
};

/// A block for 16 channels of a sequence, with dynamic shared memory for gradients_memory.
template <class E, class A>
__global__ void __launch_bounds__(gradient_threads, 2)
    selective_gradients_of(selective_gradients_call<E, A> call) {
  wait_for_earlier_work();
  std::size_t const tiles = call.scan.channels / gradient_channels;
  gradients_block<E, A>(call, *simt::dynamic_shared<gradients_memory<A>>(), blockIdx.x / tiles,
                        blockIdx.x % tiles)
      .process();
}

}  // namespace upsweep::device

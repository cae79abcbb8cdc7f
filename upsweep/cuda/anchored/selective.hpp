/// Mamba's selective scan in the tree of anchored blocks, with the bits of the operators that
/// upsweep.torch computes it by on the CPU.
/// One read of each element, one store of each result · 1 launch
/// docs/design/0018-anchored-blocks.md
///
/// A thread has one of the 16 states of a channel, h[t] = exp(step A) h[t-1] + (step u) B, and goes
/// through its tokens in groups of 16. What is the same for all states of a channel, the step and
/// the result, is computed for one token by each of its 16 threads.
#pragma once

#include <upsweep/cuda/anchored/fold.hpp>
#include <upsweep/cuda/anchored/state_rows.hpp>
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/exponential.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

inline constexpr unsigned scan_channels = 8;  ///< of a block
inline constexpr unsigned kept_tokens = 32;   ///< between results that are kept for gradients
inline constexpr unsigned scan_threads = scan_channels * scan_states;

/// B or C in memory, [sequence, group of channels, state, token]; strides in elements.
template <class E>
struct state_memory {
  E* first;
  std::ptrdiff_t sequence, group, state, token;
};
/// A token of a thread in each group of an array.
template <class X>
struct own_token {
  X* at;
  std::ptrdiff_t group;  ///< the distance of those of adjacent groups

  __device__ X& operator*() const { return *at; }
  __device__ void operator++() { at += group; }
  __device__ void operator--() { at -= group; }
};
/// Numbers of channels, of which `skip` and `bias` may be null.
template <class A>
struct channel_numbers {
  A const* rate;  ///< A [channel, state]
  A const* skip;  ///< D
  A const* bias;  ///< of delta
};

/// With `cut`, sequence s consists of the tokens [cut[s], cut[s + 1]) of the first in memory.
/// Lanes of states are those of channels, 16 each.
template <class E, class A>
struct selective_call {
  token_memory<E const> u, delta, z;  ///< z may be null
  state_memory<E const> b, c;
  channel_numbers<A> of;
  bool softplus;
  std::size_t sequences, tokens, channels, group_channels;
  std::int64_t const* cut;
  anchored_states<A> before, after;  ///< both may be null: from zeros on, and not stored
  token_memory<E> y;
  A* last;    ///< the last results [sequence, lane], or null
  A* starts;  ///< results before each 32 tokens and after the last, [number, sequence, lane], or
              ///< null

  [[nodiscard]] UPSWEEP_BOTH std::size_t lanes() const { return channels * scan_states; }
};

/// What one thread does: a state of a channel, and a token of each group for all states of it.
template <class E, class A>
class selective_thread {
  using map = recurrence_map<A>;
  using fold = anchored_fold<A>;

 public:
  static constexpr unsigned tokens = fold::tokens;

  __device__ selective_thread(selective_call<E, A> const& call, std::size_t sequence,
                              std::size_t channel)
      : call_(call), sequence_(sequence), channel_(channel) {
    begin_ = call.cut ? call.cut[sequence] : 0;
    size_ = call.cut ? call.cut[sequence + 1] - begin_ : static_cast<std::int64_t>(call.tokens);
    // Wrong positions are undefined, but lead to no access outside the arrays.
    if (call.before.value) from_ = static_cast<unsigned>(call.before.position[sequence]) % 256;
    if (!exists()) return;
    rate_ = call.of.rate[channel * scan_states + state()];
    if (call.of.bias) bias_ = call.of.bias[channel];
    if (call.of.skip) skip_ = call.of.skip[channel];
  }

  [[nodiscard]] static __device__ unsigned state() { return threadIdx.x % scan_states; }
  [[nodiscard]] __device__ bool exists() const { return channel_ < call_.channels; }
  /// Slots [from, end) of the tokens, counted from the beginning of the block of the first.
  [[nodiscard]] __device__ unsigned from() const { return from_; }
  [[nodiscard]] __device__ std::int64_t end() const { return from_ + size_; }
  [[nodiscard]] __device__ A rate() const { return rate_; }
  [[nodiscard]] __device__ A skip() const { return skip_; }
  [[nodiscard]] __device__ std::size_t lane() const { return channel_ * scan_states + state(); }
  [[nodiscard]] __device__ std::size_t line() const { return sequence_ * call_.lanes() + lane(); }

  /// Whether the thread has a token in the group of a slot.
  [[nodiscard]] __device__ bool has(std::int64_t slot) const {
    return static_cast<std::uint64_t>(slot + state() - from_) < static_cast<std::uint64_t>(size_);
  }
  /// The token that the thread has of an array, in the group of a slot.
  template <class X>
  [[nodiscard]] __device__ own_token<X> own(token_memory<X> const& x, std::int64_t slot) const {
    return {x.first + (row() * x.sequence + token_of(slot) * x.token +
                       static_cast<std::ptrdiff_t>(channel_) * x.lane),
            tokens * x.token};
  }
  /// The first element of B or C that it moves, for the channels of a block.
  [[nodiscard]] __device__ own_token<E const> own(state_memory<E const> const& x,
                                                  std::size_t channel, std::int64_t slot) const {
    return {x.first + (row() * x.sequence +
                       static_cast<std::ptrdiff_t>(channel / call_.group_channels) * x.group +
                       std::ptrdiff_t{threadIdx.x / tokens} * x.state + token_of(slot) * x.token),
            tokens * x.token};
  }
  /// The step of a token of that delta, before and after softplus.
  [[nodiscard]] __device__ A biased(A delta) const {
    return call_.of.bias ? added(delta, bias_) : delta;
  }
  [[nodiscard]] __device__ A step_of(A biased, std::uint64_t const* powers) const {
    return call_.softplus ? softplus_of(biased, powers) : biased;
  }
  /// The maps of 16 tokens.
  __device__ void make_maps(A const* steps, A const* inputs, A const* b,
                            std::uint64_t const* powers, map (&x)[tokens]) const {
    A step[tokens], input[tokens], of_b[tokens];
    read_row(steps, step);
    read_row(inputs, input);
    read_row(b, of_b);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i)
      x[i] = {exponential(times(step[i], rate_), powers), times(input[i], of_b[i])};
  }

  /// The totals and results before the first token.
  [[nodiscard]] __device__ fold begin() const {
    if (!call_.before.value || !exists()) return fold(A{});
    return fold(call_.before.value[line()], from_ / tokens,
                [&](unsigned level) { return total_before(level + 4); });
  }
  /// Makes the totals of aligned blocks of a group in place. Those of tokens before the first come
  /// from the state.
  __device__ void make_totals(map (&x)[tokens], std::int64_t slot) const {
    if (slot >= from_) return combine_in_place(x, [](unsigned) { return true; });
    restore(x);
    combine_in_place(x, [&](unsigned i) { return slot + i >= from_; });
  }
  /// That of the last token, from the results of its group.
  [[nodiscard]] __device__ A last_of(A const (&results)[tokens], std::int64_t slot) const {
    A last = results[0];
#pragma unroll
    for (unsigned i = 1; i < tokens; ++i)
      if (slot + i < end()) last = results[i];
    return last;
  }
  /// A result from the sum of its states' parts, its u and its z.
  [[nodiscard]] __device__ A gated(A y, A u, A z, std::uint64_t const* powers) const {
    if (call_.of.skip) y = added(y, times(u, skip_));
    return call_.z.first ? times(y, times(z, logistic_of(z, powers))) : y;
  }
  /// Where the results before each 32 tokens are, which gradients need.
  [[nodiscard]] __device__ A* start_of(std::int64_t slot) const {
    return call_.starts + static_cast<std::size_t>(slot / kept_tokens) * starts_step() + line();
  }
  [[nodiscard]] __device__ std::size_t starts_step() const {
    return call_.sequences * call_.lanes();
  }
  /// Stores the state after the last token. `x` are the totals of the last group if the tokens end
  /// within it, and `n` how many of its tokens there are then.
  __device__ void save(fold const& after, map const (&x)[tokens], unsigned n) const {
    if (!call_.after.value || !exists()) return;
    auto const position = static_cast<unsigned>(end() % 256);
    call_.after.value[line()] = after.state();
#pragma unroll
    for (unsigned level = 0; level < fold::levels; ++level)
      store_total(level + 4, (position >> (level + 4) & 1) != 0 ? after.total(level) : map{});
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i)
      if (ends_total(i, n)) store_total(digit_of(i), x[i]);
#pragma unroll
    for (unsigned digit = 0; digit < 4; ++digit)
      if ((n >> digit & 1) == 0) store_total(digit, map{});
    if (lane() == 0) call_.after.position[sequence_] = position;
  }

 private:
  __device__ void restore(map (&x)[tokens]) const {
    if (!call_.before.value || !exists()) return;
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i)
      if (ends_total(i, from_ % tokens)) x[i] = total_before(digit_of(i));
  }
  /// The token of this thread in the group of a slot, in memory.
  [[nodiscard]] __device__ std::ptrdiff_t token_of(std::int64_t slot) const {
    return begin_ - from_ + slot + static_cast<std::ptrdiff_t>(state());
  }
  [[nodiscard]] __device__ std::ptrdiff_t row() const {
    return call_.cut ? 0 : static_cast<std::ptrdiff_t>(sequence_);
  }
  /// Whether token i of a group is the last of one of the aligned blocks that `n` tokens split
  /// into.
  static __device__ bool ends_total(unsigned i, unsigned n) {
    return i + 1 <= n && (n & ~((1U << digit_of(i)) - 1)) == i + 1;
  }
  static __device__ unsigned digit_of(unsigned i) {
    return static_cast<unsigned>(upsweep::detail::trailing_zeros(i + 1));
  }
  __device__ A* row_of(anchored_states<A> const& states, unsigned digit, unsigned k) const {
    constexpr unsigned digits = upsweep::detail::anchored_digits;
    return states.totals + ((sequence_ * digits + digit) * 2 + k) * call_.lanes() + lane();
  }
  __device__ map total_before(unsigned digit) const {
    return {*row_of(call_.before, digit, 0), *row_of(call_.before, digit, 1)};
  }
  __device__ void store_total(unsigned digit, map const& x) const {
    *row_of(call_.after, digit, 0) = x.a;
    *row_of(call_.after, digit, 1) = x.b;
  }

  selective_call<E, A> const& call_;
  std::size_t sequence_, channel_;
  std::int64_t begin_, size_;
  unsigned from_ = 0;
  A rate_{}, bias_{}, skip_{};
};

/// What the threads of a block have in shared memory. A group of tokens is put there while slower
/// threads use the one before.
template <class A>
struct alignas(16) scan_memory {
  A of_b[2][scan_states * state_row], of_c[2][scan_states * state_row];
  A steps[2][scan_threads], inputs[2][scan_threads];
  channel_rows<A> results[scan_channels];
  powers_of_exp powers;
};

/// What a block does: 8 channels of a sequence.
template <class E, class A>
class selective_block {
  using thread = selective_thread<E, A>;
  using states = moved_states<A, scan_threads>;
  static constexpr unsigned tokens = thread::tokens;

 public:
  __device__ selective_block(selective_call<E, A> const& call, scan_memory<A>& memory,
                             std::size_t sequence, std::size_t channel)
      : call_(call),
        memory_(memory),
        mine_(call, sequence, channel + threadIdx.x / scan_states),
        first_(mine_.from() - mine_.from() % tokens),
        u_(mine_.own(call.u, first_)),
        delta_(mine_.own(call.delta, first_)),
        z_(mine_.own(call.z, first_)),
        b_(mine_.own(call.b, channel, first_)),
        c_(mine_.own(call.c, channel, first_)),
        y_(mine_.own(call.y, first_)),
        start_(mine_.start_of(first_ + (kept_tokens - 1))),
        keeps_(call.starts && mine_.exists()),
        fold_(mine_.begin()),
        last_(fold_.last()) {
    copy_powers(memory.powers, scan_threads);
    __syncthreads();  // they are in shared memory
  }

  __device__ void process() {
    std::int64_t const end = mine_.end();
    moved_group next = load(first_);
    unsigned turn = 0;
    for (std::int64_t slot = first_; slot < end; slot += tokens, turn ^= 1U) {
      moved_group const here = next;
      stage(turn, here);
      __syncthreads();  // the group is in shared memory
      next = load(slot + tokens);
      A const y = sum_over_states(turn, slot);
      if (here.exists) *y_ = to_element<E>(mine_.gated(y, here.u, here.z, memory_.powers));
      ++y_;
    }
    if (keeps_ && end % kept_tokens == 0) *start_ = fold_.last();
    mine_.save(fold_, x_, static_cast<unsigned>(end % tokens));
    if (call_.last && mine_.exists()) call_.last[mine_.line()] = last_;
  }

 private:
  /// What a thread moves of a group.
  struct moved_group {
    bool exists;
    A u, delta, z;
    states b, c;
  };
  __device__ moved_group load(std::int64_t slot) {
    bool const has = mine_.has(slot), exists = has && mine_.exists();
    auto const number = [&](auto const& in) { return exists ? to_number<A>(*in) : A{}; };
    moved_group const loaded{exists,
                             number(u_),
                             number(delta_),
                             call_.z.first ? number(z_) : A{},
                             states(b_.at, call_.b.state, has),
                             states(c_.at, call_.c.state, has)};
    ++u_, ++delta_, ++z_, ++b_, ++c_;
    return loaded;
  }
  __device__ void stage(unsigned turn, moved_group const& group) const {
    A const step = mine_.step_of(mine_.biased(group.delta), memory_.powers);
    group.b.put(memory_.of_b[turn]);
    group.c.put(memory_.of_c[turn]);
    memory_.steps[turn][threadIdx.x] = step;
    memory_.inputs[turn][threadIdx.x] = times(step, group.u);
  }
  /// The results of a group, of which the thread gets that of its token.
  __device__ A sum_over_states(unsigned turn, std::int64_t slot) {
    unsigned const state = thread::state(), row = threadIdx.x - state;
    mine_.make_maps(memory_.steps[turn] + row, memory_.inputs[turn] + row,
                    memory_.of_b[turn] + state * state_row, memory_.powers, x_);
    mine_.make_totals(x_, slot);
    if (slot % kept_tokens == 0) {
      if (keeps_) *start_ = fold_.last();
      start_ += mine_.starts_step();
    }
    A const start = fold_.last();
    A longer{};
    if (slot + tokens <= mine_.end())
      longer = fold_.append(static_cast<unsigned>(slot / tokens) % fold_.groups, x_[tokens - 1]);
    A results[tokens], of_state[tokens];
    results_of(x_, start, longer, results, [](unsigned, A) {});
    if (slot + tokens >= mine_.end()) last_ = mine_.last_of(results, slot);
    read_row(memory_.of_c[turn] + state * state_row, of_state);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) results[i] = times(results[i], of_state[i]);
    auto& of_channel = memory_.results[threadIdx.x / scan_states];
    write_row(results, of_channel + state * state_row);
    __syncwarp();  // those of all states are there
    return column_sum(of_channel, state);
  }

  selective_call<E, A> const& call_;
  scan_memory<A>& memory_;
  thread mine_;
  std::int64_t first_;  ///< the slot of the first group
  own_token<E const> u_, delta_, z_, b_, c_;
  own_token<E> y_;
  A* start_;  ///< where the next result that gradients need goes
  bool keeps_;
  anchored_fold<A> fold_;
  A last_;
  recurrence_map<A> x_[tokens];
};

template <class E, class A>
__global__ void __launch_bounds__(scan_threads, 4) selective_scan(selective_call<E, A> call) {
  __shared__ scan_memory<A> memory;
  wait_for_earlier_work();
  std::size_t const tiles = (call.channels + scan_channels - 1) / scan_channels;
  selective_block<E, A>(call, memory, blockIdx.x / tiles, blockIdx.x % tiles * scan_channels)
      .process();
}

}  // namespace upsweep::device

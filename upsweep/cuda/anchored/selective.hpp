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
#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/exponential.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

inline constexpr unsigned scan_states = 16;   ///< of a channel
inline constexpr unsigned scan_channels = 8;  ///< of a block
inline constexpr unsigned kept_tokens = 32;   ///< between results that are kept for gradients
inline constexpr unsigned scan_threads = scan_channels * scan_states;

/// B or C in memory, [sequence, group of channels, state, token]; strides in elements.
template <class E>
struct state_memory {
  E* first;
  std::ptrdiff_t sequence, group, state, token;
};
/// Elements at a distance from one another.
template <class X>
struct strided {
  X* first;
  std::ptrdiff_t step;

  __device__ X& operator[](std::int64_t i) const { return first[i * step]; }
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

/// Reads 16 numbers of shared memory, in vectors.
template <class A>
__device__ void read_row(A const* row, A (&x)[16]) {
  constexpr unsigned step = 16 / sizeof(A);
#pragma unroll
  for (unsigned i = 0; i < 16; i += step) {
    using vector = simt::packed<A, step>;
    vector const some = simt::pointer_cast<vector const>(row + i)[0];
#pragma unroll
    for (unsigned j = 0; j < step; ++j) x[i + j] = some.value[j];
  }
}
/// Numbers of states [state, token], with a gap after each row so that reads are without bank
/// conflicts.
inline constexpr unsigned state_row = 20;

/// Of a matrix whose rows are x of 16 adjacent lanes: the sum of column t in lane t, in the combine
/// tree.
template <unsigned count = 8, class A>
__device__ A column_sum(A (&x)[16], unsigned lane) {
  constexpr unsigned bit = 8 / count;
  bool const odd = (lane & bit) != 0;
#pragma unroll
  for (unsigned i = 0; i < count; ++i) {
    A const kept = select(odd, x[2 * i + 1], x[2 * i]), given = select(odd, x[2 * i], x[2 * i + 1]);
    x[i] = added(kept, simt::shuffle_xor(whole_warp, given, int{bit}));
  }
  if constexpr (count > 1) return column_sum<count / 2>(x, lane);
  return x[0];
}

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
    return slot + state() >= from_ && slot + state() < end();
  }
  /// The tokens of an array that the thread has, by the first slot of their group.
  template <class X>
  [[nodiscard]] __device__ strided<X> own(token_memory<X> const& x) const {
    return {x.first + (row() * x.sequence + first_token() * x.token +
                       static_cast<std::ptrdiff_t>(channel_) * x.lane),
            x.token};
  }
  /// The first elements of B or C that it moves, for the channels of a block.
  [[nodiscard]] __device__ strided<E const> own(state_memory<E const> const& x,
                                                std::size_t channel) const {
    return {x.first + (row() * x.sequence +
                       static_cast<std::ptrdiff_t>(channel / call_.group_channels) * x.group +
                       std::ptrdiff_t{threadIdx.x / tokens} * x.state + first_token() * x.token),
            x.token};
  }
  /// The step of a token of that delta, before and after softplus.
  [[nodiscard]] __device__ A biased(A delta) const {
    return call_.of.bias ? added(delta, bias_) : delta;
  }
  [[nodiscard]] __device__ A step_of(A biased) const {
    return call_.softplus ? softplus_of(biased) : biased;
  }
  /// The maps of 16 tokens.
  __device__ void make_maps(A const* steps, A const* inputs, A const* b, map (&x)[tokens]) const {
    A step[tokens], input[tokens], of_b[tokens];
    read_row(steps, step);
    read_row(inputs, input);
    read_row(b, of_b);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i)
      x[i] = {exponential(times(step[i], rate_)), times(input[i], of_b[i])};
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
  [[nodiscard]] __device__ A gated(A y, A u, A z) const {
    if (call_.of.skip) y = added(y, times(u, skip_));
    return call_.z.first ? times(y, times(z, logistic_of(z))) : y;
  }
  /// Stores the result before a slot, if gradients need it.
  __device__ void keep_start(fold const& before, std::int64_t slot) const {
    if (!call_.starts || slot % kept_tokens != 0 || !exists()) return;
    auto const row = static_cast<std::size_t>(slot / kept_tokens);
    call_.starts[row * call_.sequences * call_.lanes() + line()] = before.last();
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
  /// The token of slot 0 and this thread in memory.
  [[nodiscard]] __device__ std::ptrdiff_t first_token() const {
    return begin_ - from_ + static_cast<std::ptrdiff_t>(state());
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

/// Some of the 256 elements of B or C for a group of tokens, on their way to rows of states.
template <class A, unsigned threads>
struct moved_states {
  static constexpr unsigned some = scan_states * 16 / threads;
  A x[some];

  /// `from`: the first of them, and the distance of states.
  template <class E>
  __device__ moved_states(E const* from, std::ptrdiff_t step, bool has) {
#pragma unroll
    for (unsigned k = 0; k < some; ++k)
      x[k] = has ? to_number<A>(from[k * (threads / 16) * step]) : A{};
  }
  __device__ void put(A* rows) const {
#pragma unroll
    for (unsigned k = 0; k < some; ++k)
      rows[(threadIdx.x / 16 + k * (threads / 16)) * state_row + threadIdx.x % 16] = x[k];
  }
};

/// What the threads of a block have in shared memory, twice: a group of tokens is put there while
/// slower threads use the one before.
template <class A>
struct alignas(16) scan_memory {
  A of_b[2][scan_states * state_row], of_c[2][scan_states * state_row];
  A steps[2][scan_threads], inputs[2][scan_threads];
};

/// A block for 8 channels of a sequence.
template <class E, class A>
__global__ void __launch_bounds__(scan_threads, 4) selective_scan(selective_call<E, A> call) {
  using thread = selective_thread<E, A>;
  using states = moved_states<A, scan_threads>;
  constexpr unsigned tokens = thread::tokens;
  __shared__ scan_memory<A> memory;
  wait_for_earlier_work();
  std::size_t const tiles = (call.channels + scan_channels - 1) / scan_channels,
                    channel = blockIdx.x % tiles * scan_channels;
  unsigned const state = thread::state(), row = threadIdx.x - state;
  thread const mine(call, blockIdx.x / tiles, channel + threadIdx.x / scan_states);
  auto fold = mine.begin();
  recurrence_map<A> x[tokens];
  A last = fold.last();
  std::int64_t const end = mine.end(), first = mine.from() - mine.from() % tokens;
  auto const u_in = mine.own(call.u), delta_in = mine.own(call.delta), z_in = mine.own(call.z);
  auto const b_in = mine.own(call.b, channel), c_in = mine.own(call.c, channel);
  auto const y_out = mine.own(call.y);
  struct group {
    A u, delta, z;
    states b, c;
  };
  auto const load = [&](std::int64_t slot) {
    bool const has = mine.has(slot), exists = has && mine.exists();
    auto const number = [&](auto const& in) { return exists ? to_number<A>(in[slot]) : A{}; };
    return group{number(u_in), number(delta_in), call.z.first ? number(z_in) : A{},
                 states(&b_in[slot], call.b.state, has), states(&c_in[slot], call.c.state, has)};
  };
  group next = load(first);
  unsigned turn = 0;
  for (std::int64_t slot = first; slot < end; slot += tokens, turn ^= 1U) {
    A const u = next.u, z = next.z, step = mine.step_of(mine.biased(next.delta));
    next.b.put(memory.of_b[turn]);
    next.c.put(memory.of_c[turn]);
    memory.steps[turn][threadIdx.x] = step;
    memory.inputs[turn][threadIdx.x] = times(step, u);
    __syncthreads();  // the group is in shared memory
    next = load(slot + tokens);
    mine.make_maps(memory.steps[turn] + row, memory.inputs[turn] + row,
                   memory.of_b[turn] + state * state_row, x);
    mine.make_totals(x, slot);
    mine.keep_start(fold, slot);
    A const start = fold.last();
    A longer{};
    if (slot + tokens <= end)
      longer = fold.append(static_cast<unsigned>(slot / tokens) % fold.groups, x[tokens - 1]);
    A results[tokens], of_state[tokens];
    results_of(x, start, longer, results, [](unsigned, A) {});
    if (slot + tokens >= end) last = mine.last_of(results, slot);
    read_row(memory.of_c[turn] + state * state_row, of_state);
#pragma unroll
    for (unsigned i = 0; i < tokens; ++i) results[i] = times(results[i], of_state[i]);
    A const y = column_sum(results, state);
    if (mine.has(slot) && mine.exists()) y_out[slot] = to_element<E>(mine.gated(y, u, z));
  }
  mine.keep_start(fold, end);
  mine.save(fold, x, static_cast<unsigned>(end % tokens));
  if (call.last && mine.exists()) call.last[mine.line()] = last;
}

}  // namespace upsweep::device

/// Calls of linear recurrences in the tree of anchored blocks, and of their gradients, by the
/// kernels of the CUDA backend on the emulator: results and states of any chunks have the bits of
/// core/anchored_blocks.hpp.
#pragma once

#include <kernels_on_sim/anchored_formulas.hpp>
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/cuda/anchored/recurrence.hpp>
#include <upsweep/cuda/anchored/staged.hpp>
#include <upsweep/cuda/anchored/step.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::test {

using lengths = std::vector<std::size_t>;

/// One line of one sequence on the host.
template <class N>
struct host_line {
  std::vector<host_map<N>> x;
  std::vector<N> h;
};

enum class by { loads, steps, pairs, pair_stages, pair_steps };

/// Calls on the emulator that continue from each other. Every sequence begins with a value, and
/// totals without a meaning.
template <class E, class N>
class calls_on_sim {
 public:
  calls_on_sim(std::size_t sequences, std::size_t lanes, scheduled const& s, bool gradients = false)
      : sequences_(sequences),
        lanes_(lanes),
        gradients_(gradients),
        m_(machine_for(s)),
        next_(test_seed() + 31 * sequences + lanes),
        workspace_(workspace_on(m_, 1 << 16)),
        states_{states(), states()},
        lines_(sequences * lanes),
        starts_(numbers<N>(lines_.size())),
        unset_(numbers<N>(lines_.size() * 16)) {
    m_.to_device(states_[0].value, std::span<N const>(starts_));
    m_.to_device(states_[0].totals, std::span<N const>(unset_));
    m_.fill(states_[0].position, sequences, std::int64_t{0});
  }

  /// A call of so many tokens of each sequence: packed one after another, or as a batch in which
  /// they have one length. The layouts of a, b and h differ, and h is surrounded by other elements.
  void call(lengths const& tokens, bool packed, bool backward, by kernel = by::loads) {
    std::vector<std::int64_t> cut{0};
    for (std::size_t const n : tokens) cut.push_back(cut.back() + static_cast<std::int64_t>(n));
    std::size_t const most = *std::max_element(tokens.begin(), tokens.end());
    elements x = elements_of(packed ? 1 : sequences_,
                             packed ? cut.back() : static_cast<std::int64_t>(most), kernel);
    x.backward = backward;
    E* const in_a = on_device(x.a, "a");
    E* const in_b = on_device(x.b, "b");
    E* const out = on_device(x.want, "h");
    std::int64_t const* const cuts = on_device(cut, "cut");
    launch({{in_a - (gradients_ ? x.next(x.of_a) : 0), x.of_a.sequence, x.of_a.token, x.of_a.lane},
            {in_b, x.of_b.sequence, x.of_b.token, x.of_b.lane},
            {out, x.of_h.sequence, x.of_h.token, x.of_h.lane},
            sequences_,
            most,
            lanes_,
            packed ? cuts : nullptr,
            states_[0],
            states_[1],
            backward,
            x.other.call,
            0,
            0},
           kernel);
    std::swap(states_[0], states_[1]);
    for (std::size_t s = 0; s < sequences_; ++s)
      for (std::size_t i = 0; i < tokens[s]; ++i) {
        std::size_t const t = backward ? tokens[s] - 1 - i : i;
        for (std::size_t l = 0; l < lanes_; ++l)
          expect_token(
              x, {s, l, packed ? 0 : s, (packed ? at(cut[s]) : 0) + t, i == 0, i + 1 == tokens[s]});
      }
    expect_elements(out, x.want, "h");
    if (gradients_) expect_elements(x.other.call.of_a, x.want_of_a, "the gradient of a");
    expect_states();
    expect_no_finding(m_);
  }

 private:
  using strides = token_memory<E>;
  static std::size_t at(std::ptrdiff_t x) { return static_cast<std::size_t>(x); }

  /// The recurrence whose gradients are made.
  struct recurrence {
    anchored_gradient<E, N> call{};
    std::size_t lanes = 0;
    std::vector<E> of, factor;
    std::vector<N> value, totals;
    std::vector<std::int64_t> position;

    /// The last before its first token.
    E result(std::size_t s, std::size_t l) const {
      N x = value[s * lanes + l];
      for (std::size_t k = 8; k-- > 0;) {
        std::size_t const at = (s * 8 + k) * 2 * lanes + l;
        if ((position[s] >> k & 1) != 0) x = joined(multiplied(totals[at], x), totals[at + lanes]);
      }
      return static_cast<E>(x);
    }
  };
  /// What a call reads and is expected to store.
  struct elements {
    strides of_a, of_b, of_h;
    std::vector<E> a, b, want, want_of_a;
    recurrence other;
    bool backward = false;

    /// From a token to the next, as the call goes.
    [[nodiscard]] std::ptrdiff_t next(strides const& x) const {
      return backward ? -x.token : x.token;
    }
  };
  elements elements_of(std::size_t batch, std::int64_t count, by kernel) {
    auto const wide = static_cast<std::int64_t>(lanes_);
    std::size_t const size = batch * at((count + 6) * (wide + 3));
    bool const pairs = kernel >= by::pairs;
    std::int64_t const row = wide + (pairs ? 2 : 3);
    strides const by_lane{nullptr, (count + 2) * row, row, 1},
        by_token{nullptr, (count + 2) * (wide + 3), 1, count + 2},
        in_vectors{nullptr, (count + 2) * wide, wide, 1},
        of_one{nullptr, (count + 15) / 8 * 8, 1, 1};  // vectors of tokens
    bool const one = lanes_ == 1 && !pairs;
    elements x{one     ? of_one
               : pairs ? in_vectors
                       : by_token,
               one     ? of_one
               : pairs ? in_vectors
                       : by_lane,
               one ? of_one : by_lane,
               numbers<E>(size),
               numbers<E>(size),
               numbers<E>(size),
               {},
               {}};
    if (!gradients_) return x;
    x.want_of_a = numbers<E>(size);
    x.other = other_recurrence(size, x.want_of_a);
    return x;
  }
  /// A token of a line as the call goes, and where it is in memory.
  struct token {
    std::size_t sequence, lane, row, number;
    bool is_first, is_last;

    [[nodiscard]] std::ptrdiff_t in(strides const& x) const {
      return static_cast<std::ptrdiff_t>(row) * x.sequence +
             static_cast<std::ptrdiff_t>(number) * x.token +
             static_cast<std::ptrdiff_t>(lane) * x.lane;
    }
  };
  /// Expects the results of one more token.
  void expect_token(elements& x, token const& t) {
    host_map<N> map{N{}, static_cast<N>(x.b[at(t.in(x.of_b))])};
    if (!gradients_)
      map.a = static_cast<N>(x.a[at(t.in(x.of_a))]);
    else if (t.is_first)
      map.a = mirrored(static_cast<N>(x.other.factor[t.sequence * lanes_ + t.lane]));
    else
      map.a = mirrored(static_cast<N>(x.a[at(t.in(x.of_a) - x.next(x.of_a))]));
    E const h = static_cast<E>(push(t.sequence, t.lane, map));
    std::ptrdiff_t const to = t.in(x.of_h);
    x.want[at(to)] = h;
    if (!gradients_) return;
    E const before =
        t.is_last ? x.other.result(t.sequence, t.lane) : x.other.of[at(to + x.next(x.of_h))];
    x.want_of_a[at(to)] =
        static_cast<E>(multiplied(static_cast<N>(h), mirrored(static_cast<N>(before))));
  }
  void expect_elements(E const* x, std::vector<E> const& want, char const* name) {
    auto const got = m_.to_host(x, want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_TRUE(equal_bits(got[i], want[i]))
          << "element " << i << " of " << name << ", " << seed_note();
  }
  template <class X>
  X* on_device(std::vector<X> const& from, char const* name) {
    X* const to = m_.template allocate<X>(from.size(), name);
    m_.to_device(to, std::span<X const>(from));
    return to;
  }
  /// With so many elements, and the gradient of a beside `of_a`.
  recurrence other_recurrence(std::size_t size, std::vector<E> const& of_a) {
    recurrence x;
    x.lanes = lanes_;
    x.of = numbers<E>(size);
    x.factor = numbers<E>(sequences_ * lanes_);
    x.value = numbers<N>(sequences_ * lanes_);
    x.totals = numbers<N>(sequences_ * lanes_ * 16);
    for (std::size_t s = 0; s < sequences_; ++s)
      x.position.push_back(s % 3 == 0 ? 0 : static_cast<std::int64_t>(next_() % 256));
    x.call = {on_device(x.factor, "factor"),
              on_device(x.of, "of"),
              on_device(of_a, "of_a"),
              {on_device(x.value, "value"), on_device(x.totals, "totals"),
               on_device(x.position, "position")}};
    return x;
  }
  void launch(anchored_call<E, N> const& c, by kernel) {
    if constexpr (sizeof(N) == 4)
      if (kernel >= by::pairs) return launch_as(in_pairs(c), kernel);
    launch_as(c, kernel);
  }
  template <class F, class M>
  void launch_as(anchored_call<F, M> const& c, by kernel) {
    gradients_ ? launch_as<true>(c, kernel) : launch_as<false>(c, kernel);
  }
  template <bool gradients, class F, class M>
  void launch_as(anchored_call<F, M> c, by kernel) {
    auto const count = [](std::size_t n, std::size_t of) {
      return static_cast<unsigned>((n + of - 1) / of);
    };
    c.tiles = count(c.lines(), anchored_lines<M>);
    if (calls_++ % 2 == 0 && kernel != by::pair_stages)  // looks back
      c.totals_at = words_of_states<M>(c.lines(), count(c.tokens + 255, 256));
    unsigned const tickets = c.tiles * count(c.tokens + 255, 256);
    if (!gradients && (kernel == by::steps || kernel == by::pair_steps))
      return m_.launch({.name = "anchored_step",
                        .blocks = {count(c.lines(), anchored_step_threads)},
                        .threads = {anchored_step_threads}},
                       anchored_step<F, M>, c);
    if constexpr (!gradients)
      if (kernel == by::loads && calls_ % 4 < 2 && (c.a.token == 1 || c.h.token == 1))
        return m_.launch(
            {.name = "anchored_recurrence by line",
             .blocks = {tickets},
             .threads = {anchored_threads<M>},
             .shared_bytes = line_stage<F, anchored_lines<M>, anchored_threads<M>>::bytes},
            anchored_recurrence<F, M, false, true>, c, workspace_);
    if (kernel != by::pair_stages)
      return m_.launch(
          {.name = "anchored_recurrence", .blocks = {tickets}, .threads = {anchored_threads<M>}},
          anchored_recurrence<F, M, gradients>, c, workspace_);
    if constexpr (sizeof(F) == 4 && sizeof(M) == 8) {  // pairs of 16 bits
      ASSERT_TRUE((fits_stage<F, M>(c.a, c.lanes) && fits_stage<F, M>(c.b, c.lanes)));
      using stage = anchored_stage<F, M>;
      c.tiles = count(c.lines(), stage::width);
      unsigned const wide_tickets = c.tiles * count(c.tokens + 255, 256);
      m_.launch({.name = "anchored_staged",
                 .blocks = {std::min(3U, wide_tickets)},
                 .threads = {stage::threads},
                 .shared_bytes = 2 * stage::bytes},
                anchored_staged<F, M, gradients>, c, workspace_, wide_tickets);
    }
  }
  /// Two lanes as one.
  static anchored_call<lane_pair<E>, lane_pair<N>> in_pairs(anchored_call<E, N> const& c) {
    using element = lane_pair<E>;
    auto const half = [](auto const& x, auto* first) {
      return token_memory{first, x.sequence / 2, x.token / 2, x.lane};
    };
    auto const states = [](anchored_states<N> const& x) {
      return anchored_states<lane_pair<N>>{reinterpret_cast<lane_pair<N>*>(x.value),
                                           reinterpret_cast<lane_pair<N>*>(x.totals), x.position};
    };
    return {half(c.a, reinterpret_cast<element const*>(c.a.first)),
            half(c.b, reinterpret_cast<element const*>(c.b.first)),
            half(c.h, reinterpret_cast<element*>(c.h.first)),
            c.sequences,
            c.tokens,
            c.lanes / 2,
            c.cut,
            states(c.before),
            states(c.after),
            c.backward,
            {reinterpret_cast<element const*>(c.gradient.factor),
             reinterpret_cast<element const*>(c.gradient.of),
             reinterpret_cast<element*>(c.gradient.of_a), states(c.gradient.start)},
            0,
            0};
  }
  template <class X>
  std::vector<X> numbers(std::size_t count) {
    std::vector<X> x;
    for (std::size_t i = 0; i < count; ++i) x.push_back(number_from<X>::of(next_));
    return x;
  }
  anchored_states<N> states() {
    return {m_.template allocate<N>(sequences_ * lanes_, "values"),
            m_.template allocate<N>(sequences_ * lanes_ * 16, "totals"),
            m_.template allocate<std::int64_t>(sequences_, "positions")};
  }

  /// The result of one more token, by the index arithmetic that the CPU's kernels use.
  N push(std::size_t s, std::size_t l, host_map<N> const& x) {
    std::size_t const line = s * lanes_ + l;
    host_map<N> const start{N{}, starts_[line]};
    carries_.resize(lines_.size(), upsweep::detail::anchored_carry<host_map<N>>{});
    if (lines_[line].x.empty())
      carries_[line] = upsweep::detail::anchored_carry<host_map<N>>(&start);
    N const h = carries_[line].push(x, one_after_other{}).b;
    lines_[line].x.push_back(x);
    lines_[line].h.push_back(h);
    return h;
  }

  void expect_states() {
    auto const values = m_.to_host(states_[0].value, lines_.size()),
               totals = m_.to_host(states_[0].totals, lines_.size() * 16);
    auto const positions = m_.to_host(states_[0].position, sequences_);
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      auto const& [x, h] = lines_[line];
      std::size_t const n = x.size(), whole = n / 256 * 256, s = line / lanes_, l = line % lanes_;
      ASSERT_EQ(positions[s], static_cast<std::int64_t>(n % 256));
      ASSERT_TRUE(equal_bits(values[line], whole == 0 ? starts_[line] : h[whole - 1]));
      std::size_t begin = whole;
      for (std::size_t k = 8; k-- > 0;) {
        if ((n >> k & 1) == 0) continue;
        auto const total = total_of(x, begin, std::size_t{1} << k);
        begin += std::size_t{1} << k;
        std::size_t const at = (s * 8 + k) * 2 * lanes_ + l;
        ASSERT_TRUE(equal_bits(totals[at], total.a) && equal_bits(totals[at + lanes_], total.b))
            << "digit " << k << " of line " << line << " after " << n << " tokens";
      }
    }
  }

  std::size_t sequences_, lanes_, calls_ = 0;
  bool gradients_;
  sim::machine m_;
  random_bits next_;
  workspace_words workspace_;
  anchored_states<N> states_[2];
  std::vector<host_line<N>> lines_;
  std::vector<N> starts_, unset_;
  std::vector<upsweep::detail::anchored_carry<host_map<N>>> carries_;
};

/// Batches of `sequences` that arrive in chunks of these lengths.
template <class E, class N = E>
void expect_chunks(std::size_t sequences, std::size_t lanes, lengths const& chunks,
                   bool backward = false, scheduled const& s = {}, by kernel = by::loads,
                   bool gradients = false) {
  SCOPED_TRACE(testing::Message() << sequences << " sequences of " << lanes << " lanes, " << s);
  calls_on_sim<E, N> calls(sequences, lanes, s, gradients);
  for (std::size_t const n : chunks)
    calls.call(lengths(sequences, n), false, backward,
               n != 1               ? kernel
               : kernel < by::pairs ? by::steps
                                    : by::pair_steps);
}

}  // namespace upsweep::test

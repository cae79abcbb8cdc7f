/// Linear recurrences in the tree of anchored blocks by the kernel of the CUDA backend on the
/// emulator: results and states of any chunks have the bits of core/anchored_blocks.hpp.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/cuda/anchored/recurrence.hpp>
#include <upsweep/cuda/anchored/staged.hpp>
#include <upsweep/cuda/anchored/step.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

using lengths = std::vector<std::size_t>;

template <class N>
bool equal_bits(N const& x, N const& y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}
template <class N>
struct number_from {
  static N of(random_bits& next) {
    auto const x = static_cast<float>(next() >> 40) / (1 << 24);  // 0 to 1
    return static_cast<N>(2.25f * x - 1.125f);
  }
};
template <class T>
struct number_from<complex_number<T>> {
  static complex_number<T> of(random_bits& next) {
    T const re = number_from<T>::of(next);
    return {re, number_from<T>::of(next)};
  }
};

/// The formulas of docs/spec/blocks.md.
template <class N>
struct host_map {
  N a, b;
};
template <class T>
T multiplied(T x, T y) {
  return x * y;
}
template <class T>
complex_number<T> multiplied(complex_number<T> x, complex_number<T> y) {
  T const rr = x.re * y.re, ii = x.im * y.im, ri = x.re * y.im, ir = x.im * y.re;
  return {rr - ii, ri + ir};
}
template <class T>
T joined(T x, T y) {
  return x + y;
}
template <class T>
complex_number<T> joined(complex_number<T> x, complex_number<T> y) {
  return {x.re + y.re, x.im + y.im};
}
struct one_after_other {
  template <class N>
  host_map<N> operator()(host_map<N> const& l, host_map<N> const& r) const {
    return {multiplied(r.a, l.a), joined(multiplied(r.a, l.b), r.b)};
  }
};
/// The total of tokens [begin, begin + size) for a power of two.
template <class N>
host_map<N> total_of(std::vector<host_map<N>> const& x, std::size_t begin, std::size_t size) {
  if (size == 1) return x[begin];
  return one_after_other{}(total_of(x, begin, size / 2), total_of(x, begin + size / 2, size / 2));
}

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
  calls_on_sim(std::size_t sequences, std::size_t lanes, scheduled const& s)
      : sequences_(sequences),
        lanes_(lanes),
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
    auto const count = packed ? cut.back() : static_cast<std::int64_t>(most),
               wide = static_cast<std::int64_t>(lanes_);
    std::size_t const batch = packed ? 1 : sequences_,
                      size = batch * static_cast<std::size_t>((count + 2) * (wide + 3));
    using strides = token_memory<E>;
    bool const pairs = kernel >= by::pairs;
    std::int64_t const row = wide + (pairs ? 2 : 3);
    strides const by_lane{nullptr, (count + 2) * row, row, 1},
        by_token{nullptr, (count + 2) * (wide + 3), 1, count + 2},
        in_vectors{nullptr, (count + 2) * wide, wide, 1}, of_a = pairs ? in_vectors : by_token,
                                                          of_b = pairs ? in_vectors : by_lane;
    auto const a = numbers<E>(size), b = numbers<E>(size), poison = numbers<E>(size);
    E* const in_a = m_.template allocate<E>(size, "a");
    E* const in_b = m_.template allocate<E>(size, "b");
    E* const out = m_.template allocate<E>(size, "h");
    m_.to_device(in_a, std::span<E const>(a));
    m_.to_device(in_b, std::span<E const>(b));
    m_.to_device(out, std::span<E const>(poison));
    auto* const cuts = m_.template allocate<std::int64_t>(cut.size(), "cut");
    m_.to_device(cuts, std::span<std::int64_t const>(cut));
    // clang-format off
    launch({{in_a, of_a.sequence, of_a.token, of_a.lane},
            {in_b, of_b.sequence, of_b.token, of_b.lane},
            {out, by_lane.sequence, by_lane.token, by_lane.lane}, sequences_, most, lanes_,
            packed ? cuts : nullptr, states_[0], states_[1], backward, 0, 0},
           kernel);
    // clang-format on
    std::swap(states_[0], states_[1]);
    std::vector<E> want = poison;
    auto const put = [&](std::size_t s, std::size_t t) {
      for (std::size_t l = 0; l < lanes_; ++l) {
        auto const at = [&](strides const& x) {
          return (packed ? 0 : s) * static_cast<std::size_t>(x.sequence) +
                 t * static_cast<std::size_t>(x.token) + l * static_cast<std::size_t>(x.lane);
        };
        host_map<N> const x{static_cast<N>(a[at(of_a)]), static_cast<N>(b[at(of_b)])};
        want[at(by_lane)] = static_cast<E>(push(s, l, x));
      }
    };
    for (std::size_t s = 0; s < sequences_; ++s)
      for (std::size_t i = 0; i < tokens[s]; ++i)
        put(s,
            (packed ? static_cast<std::size_t>(cut[s]) : 0) + (backward ? tokens[s] - 1 - i : i));
    auto const got = m_.to_host(out, size);
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_TRUE(equal_bits(got[i], want[i])) << "element " << i << ", " << seed_note();
    expect_states();
    expect_no_finding(m_);
  }

 private:
  void launch(anchored_call<E, N> const& c, by kernel) {
    if constexpr (sizeof(N) == 4)
      if (kernel >= by::pairs) return launch_as(in_pairs(c), kernel);
    launch_as(c, kernel);
  }
  template <class F, class M>
  void launch_as(anchored_call<F, M> c, by kernel) {
    auto const count = [](std::size_t n, std::size_t of) {
      return static_cast<unsigned>((n + of - 1) / of);
    };
    c.tiles = count(c.lines(), anchored_lines<M>);
    if (calls_++ % 2 == 0 && kernel != by::pair_stages)  // looks back
      c.totals_at = words_of_states<M>(c.lines(), count(c.tokens + 255, 256));
    unsigned const tickets = c.tiles * count(c.tokens + 255, 256);
    if (kernel == by::steps || kernel == by::pair_steps)
      return m_.launch({.name = "anchored_step",
                        .blocks = {count(c.lines(), anchored_step_threads)},
                        .threads = {anchored_step_threads}},
                       anchored_step<F, M>, c);
    if (kernel == by::loads || kernel == by::pairs)
      return m_.launch(
          {.name = "anchored_recurrence", .blocks = {tickets}, .threads = {anchored_threads<M>}},
          anchored_recurrence<F, M>, c, workspace_);
    if constexpr (sizeof(F) == 4 && sizeof(M) == 8) {  // pairs of 16 bits
      ASSERT_TRUE((fits_stage<F, M>(c.a, c.lanes) && fits_stage<F, M>(c.b, c.lanes)));
      m_.launch({.name = "anchored_staged",
                 .blocks = {std::min(3U, tickets)},
                 .threads = {anchored_threads<M>},
                 .shared_bytes = anchored_stage<F, M>::bytes},
                anchored_staged<F, M>, c, workspace_, tickets);
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
                   bool backward = false, scheduled const& s = {}, by kernel = by::loads) {
  SCOPED_TRACE(testing::Message() << sequences << " sequences of " << lanes << " lanes, " << s);
  calls_on_sim<E, N> calls(sequences, lanes, s);
  for (std::size_t const n : chunks)
    calls.call(lengths(sequences, n), false, backward,
               n != 1               ? kernel
               : kernel < by::pairs ? by::steps
                                    : by::pair_steps);
}

TEST(device_anchored_recurrence, has_the_bits_of_the_tree_at_every_size) {
  for (std::size_t const n :
       lengths{0, 1, 2, 3, 15, 16, 17, 31, 33, 100, 128, 255, 256, 257, 511, 512, 513, 1000})
    for (std::size_t const lanes : lengths{1, 3, 33}) expect_chunks<float>(1, lanes, {n});
}
TEST(device_anchored_recurrence, continues_from_every_position) {
  expect_chunks<float>(2, 2, lengths(40, 7));
  expect_chunks<float>(1, 3, {1, 1, 1, 1, 1, 12, 16, 31, 64, 128, 255, 256, 257, 0, 3, 600, 1});
  for (std::size_t p = 1; p < 256; p += p < 20 ? 1 : 23) expect_chunks<float>(1, 1, {p, 300});
}
TEST(device_anchored_recurrence, has_lines_of_several_sequences_in_a_tile) {
  expect_chunks<float>(5, 7, {300, 1, 211});
  expect_chunks<float>(70, 1, {257, 5});
}
TEST(device_anchored_recurrence, of_every_type) {
  for (std::size_t const lanes : lengths{1, 17}) {
    expect_chunks<double>(2, lanes, {100, 301, 1});
    expect_chunks<bfloat16, float>(2, lanes, {100, 301, 1});
    expect_chunks<float16, float>(2, lanes, {100, 301, 1});
    expect_chunks<complex_number<float>>(2, lanes, {100, 301, 1});
    expect_chunks<complex_number<double>>(2, lanes, {100, 301, 1});
  }
}
TEST(device_anchored_recurrence, runs_from_the_end) {
  expect_chunks<float>(3, 3, {300, 1, 212}, true);
}
TEST(device_anchored_recurrence, of_packed_sequences_at_different_positions) {
  for (bool const backward : {false, true}) {
    calls_on_sim<float, float> calls(6, 5, {});
    for (lengths const& tokens : {lengths{1, 0, 300, 255, 0, 600}, lengths{255, 0, 1, 1, 256, 0},
                                  lengths{3, 0, 512, 700, 1, 90}, lengths(6, 0)})
      calls.call(tokens, true, backward);
  }
}
TEST(device_anchored_recurrence, of_pairs_of_lanes) {
  for (bool const backward : {false, true}) {
    expect_chunks<float>(3, 34, {100, 301, 1, 700}, backward, {}, by::pairs);
    expect_chunks<bfloat16, float>(3, 6, {100, 301, 1}, backward, {}, by::pairs);
    expect_chunks<float16, float>(1, 32, {100, 301}, backward, {}, by::pairs);
  }
  expect_chunks<float>(2, 6, lengths(300, 1), false, {}, by::pairs);
}
TEST(device_anchored_recurrence, in_stages_at_every_size) {
  for (std::size_t const n : lengths{0, 2, 15, 17, 255, 256, 257, 512, 513, 1000})
    expect_chunks<bfloat16, float>(1, 32, {n}, false, {}, by::pair_stages);
  for (bool const backward : {false, true})
    for (std::size_t const sequences : lengths{1, 2}) {
      expect_chunks<bfloat16, float>(sequences, 64, {100, 301, 1, 513, 1700}, backward, {},
                                     by::pair_stages);
      expect_chunks<float16, float>(sequences, 32, {100, 301}, backward, {}, by::pair_stages);
    }
}
TEST(device_anchored_recurrence, in_stages_of_packed_sequences) {
  for (bool const backward : {false, true}) {
    calls_on_sim<bfloat16, float> calls(6, 32, {});
    for (lengths const& tokens :
         {lengths{1, 0, 300, 255, 0, 600}, lengths{255, 0, 1, 1, 256, 0}, lengths(6, 0)})
      calls.call(tokens, true, backward, by::pair_stages);
  }
}
TEST(device_anchored_recurrence, in_stages_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    expect_chunks<bfloat16, float>(1, 64, {700, 900}, false, s, by::pair_stages);
}
TEST(device_anchored_recurrence, looks_back_over_many_blocks) {
  for (scheduled const& s : every_schedule()) expect_chunks<float>(1, 1, {256 * 40 + 3}, false, s);
  expect_chunks<double>(2, 3, {5000}, true);
  expect_chunks<float>(1, 70, {2500}, false, {}, by::pairs);
}
TEST(device_anchored_recurrence, token_by_token) {
  expect_chunks<float>(3, 5, lengths(520, 1));
  expect_chunks<bfloat16, float>(2, 130, lengths(40, 1));
  expect_chunks<complex_number<double>>(1, 3, lengths(40, 1));
}
TEST(device_anchored_recurrence, on_every_schedule) {
  for (scheduled const& s : every_schedule()) expect_chunks<float>(1, 34, {700, 900}, false, s);
}

}  // namespace
}  // namespace upsweep::test

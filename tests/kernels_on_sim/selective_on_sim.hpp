/// Selective scans and their gradients by the kernels of the CUDA backend on the emulator, and the
/// chain of operators that defines their bits, on the host.
#pragma once

#include <kernels_on_sim/anchored_formulas.hpp>
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/cuda/anchored/selective_gradients.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::test {

namespace portable = upsweep::detail::portable;
inline constexpr std::size_t states = scan_states;

template <class A>
A exp_of(A x) {
  return static_cast<A>(portable::exp(static_cast<double>(x)));
}
template <class A>
A sum_of(std::vector<A> const& x) {
  return reference::reduce(x, plus{});
}

/// What a call has besides u, delta, B and C.
struct parts {
  bool gate, skip, bias, softplus;
};
struct sizes_of_scan {
  std::size_t sequences, tokens, channels, groups;

  [[nodiscard]] std::size_t elements() const { return sequences * channels * tokens; }
  [[nodiscard]] std::size_t matrix() const { return sequences * groups * states * tokens; }
  [[nodiscard]] std::size_t lanes() const { return channels * states; }
  /// Where an element [sequence, channel, token] is, and one of B or C.
  [[nodiscard]] std::size_t at(std::size_t s, std::size_t d, std::size_t t) const {
    return (s * channels + d) * tokens + t;
  }
  [[nodiscard]] std::size_t at(std::size_t s, std::size_t d, std::size_t n, std::size_t t) const {
    return ((s * groups + d / (channels / groups)) * states + n) * tokens + t;
  }
};

/// The chain of operators on the host, and the gradients of each, in the order in which PyTorch
/// computes them.
template <class E, class A>
class chain {
  using map = host_map<A>;

 public:
  chain(sizes_of_scan const& size, parts const& has, std::uint64_t seed)
      : size_(size),
        has_(has),
        next_(test_seed() + seed),
        u(elements(size.elements())),
        delta(elements(size.elements())),
        z(elements(size.elements())),
        b(elements(size.matrix())),
        c(elements(size.matrix())),
        of_y(elements(size.elements())),
        rate(numbers(size.lanes())),
        skip(numbers(size.channels)),
        bias(numbers(size.channels)) {
    for (A& x : rate) x = -A{2} * (x + A{1.25});
  }

  void run() {
    y.resize(size_.elements());
    ungated.resize(size_.elements());
    h.resize(size_.elements() * states);
    for (std::size_t s = 0; s < size_.sequences; ++s)
      for (std::size_t d = 0; d < size_.channels; ++d) run(s, d, 0, size_.tokens);
  }
  /// The tokens [from, to) of row `row` in memory as a sequence.
  void run(std::size_t row, std::size_t d, std::size_t from, std::size_t to) {
    map const zero{A{}, A{}};
    std::vector<upsweep::detail::anchored_carry<map>> carries(
        states, upsweep::detail::anchored_carry<map>(&zero));
    for (std::size_t t = from; t < to; ++t) {
      std::size_t const i = size_.at(row, d, t);
      std::vector<A> terms;
      for (std::size_t n = 0; n < states; ++n) {
        A const before = input(i) * static_cast<A>(b[size_.at(row, d, n, t)]);
        A& x = h[i * states + n] =
            carries[n].push({coefficient(i, d, n), before}, one_after_other{}).b;
        terms.push_back(x * static_cast<A>(c[size_.at(row, d, n, t)]));
      }
      A result = sum_of(terms);
      if (has_.skip) {
        A const through = static_cast<A>(u[i]) * skip[d];
        result = result + through;
      }
      ungated[i] = result;
      if (has_.gate) {
        A const x = static_cast<A>(z[i]), gate = x * logistic(x);
        result = result * gate;
      }
      y[i] = static_cast<E>(result);
    }
  }

  /// The gradients of all arguments.
  void run_back() {
    sizes_of_scan const& size = size_;
    std::size_t const some = size.tokens * size.sequences;
    std::vector<std::vector<A>> for_rate(size.lanes()), for_skip(size.channels),
        for_bias(size.channels);
    std::vector<std::vector<A>> for_b(size.matrix()), for_c(size.matrix());
    of_u.resize(size.elements());
    of_delta.resize(size.elements());
    of_z.resize(size.elements());
    for (std::size_t s = 0; s < size.sequences; ++s)
      for (std::size_t d = 0; d < size.channels; ++d) {
        auto const of_results = before_gate(s, d);
        auto const g = reversed(s, d, of_results);
        for (std::size_t t = 0; t < size.tokens; ++t) {
          std::size_t const i = size.at(s, d, t);
          std::vector<A> of_input, of_exponent;
          for (std::size_t n = 0; n < states; ++n) {
            std::size_t const at = size.at(s, d, n, t);
            A const of_h = g[t * states + n], before = t == 0 ? A{} : h[(i - 1) * states + n];
            A const of_a = of_h * before, of_product = of_a * coefficient(i, d, n);
            of_input.push_back(of_h * static_cast<A>(b[at]));
            of_exponent.push_back(of_product * rate[d * states + n]);
            for_rate[d * states + n].push_back(of_product * step(i));
            for_b[at].push_back(of_h * input(i));
            for_c[at].push_back(of_results[t] * h[i * states + n]);
          }
          A const x = static_cast<A>(u[i]), of_product = sum_of(of_input);
          A of_step = of_product * x, of_x = of_product * step(i);
          of_step = of_step + sum_of(of_exponent);
          if (has_.softplus) of_step = of_step * logistic(biased(i, d));
          if (has_.skip) {
            A const through = of_results[t] * skip[d];
            of_x = of_x + through;
          }
          of_u[i] = static_cast<E>(of_x);
          of_delta[i] = static_cast<E>(of_step);
          for_skip[d].push_back(of_results[t] * x);
          for_bias[d].push_back(of_step);
        }
      }
    ASSERT_EQ(for_bias[0].size(), some);
    auto const sums = [](std::vector<std::vector<A>> const& of, std::vector<A>& to) {
      for (auto const& x : of) to.push_back(sum_of(x));
    };
    sums(for_rate, of_rate);
    sums(for_skip, of_skip);
    sums(for_bias, of_bias);
    sums(for_b, of_b);
    sums(for_c, of_c);
  }

  [[nodiscard]] A biased(std::size_t i, std::size_t d) const {
    return has_.bias ? static_cast<A>(delta[i]) + bias[d] : static_cast<A>(delta[i]);
  }
  [[nodiscard]] A step(std::size_t i) const {
    A const x = biased(i, i / size_.tokens % size_.channels);
    return has_.softplus ? static_cast<A>(portable::softplus(static_cast<double>(x))) : x;
  }
  [[nodiscard]] A input(std::size_t i) const { return step(i) * static_cast<A>(u[i]); }
  [[nodiscard]] A coefficient(std::size_t i, std::size_t d, std::size_t n) const {
    return exp_of(A(step(i) * rate[d * states + n]));
  }
  static A logistic(A x) { return static_cast<A>(portable::logistic(static_cast<double>(x))); }

  /// The gradients of a channel's results before the gate, and those of z.
  std::vector<A> before_gate(std::size_t s, std::size_t d) {
    std::vector<A> x;
    for (std::size_t t = 0; t < size_.tokens; ++t) {
      std::size_t const i = size_.at(s, d, t);
      x.push_back(static_cast<A>(of_y[i]));
      if (!has_.gate) continue;
      A const v = static_cast<A>(z[i]), gate = logistic(v), of_product = x.back() * ungated[i];
      A const slope = gate * (A{1} - gate), direct = of_product * gate;
      A const through = (of_product * v) * slope;
      of_z[i] = static_cast<E>(direct + through);
      x.back() = x.back() * A(v * gate);
    }
    return x;
  }
  /// The recurrence of the gradients of a channel's states, [token, state].
  std::vector<A> reversed(std::size_t s, std::size_t d, std::vector<A> const& of_results) {
    std::vector<A> g(size_.tokens * states);
    map const zero{A{}, A{}};
    for (std::size_t n = 0; n < states; ++n) {
      upsweep::detail::anchored_carry<map> carry(&zero);
      for (std::size_t t = size_.tokens; t-- > 0;) {
        A const a = t + 1 == size_.tokens ? A{} : coefficient(size_.at(s, d, t + 1), d, n);
        A const x = of_results[t] * static_cast<A>(c[size_.at(s, d, n, t)]);
        g[t * states + n] = carry.push({a, x}, one_after_other{}).b;
      }
    }
    return g;
  }

  std::vector<E> elements(std::size_t n) {
    std::vector<E> x;
    for (std::size_t i = 0; i < n; ++i) x.push_back(number_from<E>::of(next_));
    return x;
  }
  std::vector<A> numbers(std::size_t n) {
    std::vector<A> x;
    for (std::size_t i = 0; i < n; ++i) x.push_back(number_from<A>::of(next_));
    return x;
  }

  sizes_of_scan size_;
  parts has_;
  random_bits next_;
  std::vector<E> u, delta, z, b, c, of_y, y;
  std::vector<A> rate, skip, bias, ungated, h;
  std::vector<E> of_u, of_delta, of_z;
  std::vector<A> of_rate, of_skip, of_bias, of_b, of_c;
};

/// Its arguments on the emulator.
template <class E, class A>
class on_machine {
 public:
  explicit on_machine(chain<E, A> const& of, scheduled const& how = {})
      : of_(of), m_(machine_for(how)) {
    auto const tokens = static_cast<std::ptrdiff_t>(of.size_.tokens),
               rows = static_cast<std::ptrdiff_t>(of.size_.channels) * tokens,
               group = static_cast<std::ptrdiff_t>(states) * tokens;
    auto const memory = [&](std::vector<E> const& x, char const* name) {
      return token_memory<E const>{put(x, name), rows, 1, tokens};
    };
    auto const matrix = [&](std::vector<E> const& x, char const* name) {
      return state_memory<E const>{
          put(x, name), static_cast<std::ptrdiff_t>(of.size_.groups) * group, group, tokens, 1};
    };
    call = {memory(of.u, "u"),
            memory(of.delta, "delta"),
            of.has_.gate ? memory(of.z, "z") : token_memory<E const>{},
            matrix(of.b, "B"),
            matrix(of.c, "C"),
            {put(of.rate, "A"), of.has_.skip ? put(of.skip, "D") : nullptr,
             of.has_.bias ? put(of.bias, "bias") : nullptr},
            of.has_.softplus,
            of.size_.sequences,
            of.size_.tokens,
            of.size_.channels,
            of.size_.channels / of.size_.groups,
            nullptr,
            {},
            {},
            {m_.template allocate<E>(of.size_.elements(), "y"), rows, 1, tokens},
            nullptr,
            nullptr};
  }
  template <class T>
  T* put(std::vector<T> const& from, char const* name) {
    T* const to = m_.template allocate<T>(from.size() + 1, name);
    m_.to_device(to, std::span<T const>(from));
    return to;
  }
  void launch() {
    auto const tiles = (call.channels + scan_channels - 1) / scan_channels;
    m_.launch({.name = "selective_scan",
               .blocks = {static_cast<unsigned>(call.sequences * tiles)},
               .threads = {scan_threads}},
              selective_scan<E, A>, call);
  }
  void expect_results() {
    auto const got = m_.to_host(call.y.first, of_.size_.elements());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], of_.y[i])) << "element " << i << ", " << seed_note();
    expect_no_finding(m_);
  }

  /// The results, and the gradients.
  void expect_gradients() {
    sizes_of_scan const& size = of_.size_;
    std::size_t const blocks = size.tokens / 256, rows = size.sequences * blocks,
                      tiles = size.channels / gradient_channels;
    auto const sums = [&](std::size_t n) { return m_.template allocate<A>(n, "sums"); };
    auto const elements = [&] { return m_.template allocate<E>(size.elements(), "gradients"); };
    call.starts = sums((size.tokens / kept_tokens + 1) * size.sequences * size.lanes());
    launch();
    expect_results();
    selective_gradients_call<E, A> const back{
        call,
        {put(of_.of_y, "of y"), call.u.sequence, 1, call.u.lane},
        elements(),
        elements(),
        elements(),
        sums(rows * size.lanes()),
        sums(rows * size.channels),
        sums(rows * size.channels),
        sums(tiles * size.sequences * states * size.tokens),
        sums(tiles * size.sequences * states * size.tokens)};
    m_.launch({.name = "selective_gradients",
               .blocks = {static_cast<unsigned>(size.sequences * tiles)},
               .threads = {gradient_threads},
               .shared_bytes = sizeof(gradients_memory<A>)},
              selective_gradients_of<E, A>, back);
    expect_equal(back.of_u, of_.of_u, "u");
    expect_equal(back.of_delta, of_.of_delta, "delta");
    if (of_.has_.gate) expect_equal(back.of_z, of_.of_z, "z");
    expect_sums(back.of_rate, rows, of_.of_rate, "A");
    expect_sums(back.of_skip, rows, of_.of_skip, "D");
    expect_sums(back.of_bias, rows, of_.of_bias, "bias");
    expect_matrix(back.of_b, of_.of_b, "B");
    expect_matrix(back.of_c, of_.of_c, "C");
    expect_no_finding(m_);
  }
  template <class T>
  void expect_equal(T const* at, std::vector<T> const& want, char const* name) {
    auto const got = m_.to_host(at, want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], want[i]))
          << "gradient " << i << " of " << name << ", " << seed_note();
  }
  /// Sums of columns.
  void expect_sums(A const* at, std::size_t rows, std::vector<A> const& want, char const* name) {
    auto const got = m_.to_host(at, rows * want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      std::vector<A> column;
      for (std::size_t k = 0; k < rows; ++k) column.push_back(got[k * want.size() + i]);
      ASSERT_TRUE(same_bits(sum_of(column), want[i]))
          << "gradient " << i << " of " << name << ", " << seed_note();
    }
  }
  /// Sums of the tiles of channels of each group.
  void expect_matrix(A const* at, std::vector<A> const& want, char const* name) {
    sizes_of_scan const& size = of_.size_;
    std::size_t const tiles = size.channels / gradient_channels, each = tiles / size.groups,
                      matrix = states * size.tokens;
    auto const got = m_.to_host(at, tiles * size.sequences * matrix);
    for (std::size_t i = 0; i < want.size(); ++i) {
      std::size_t const s = i / matrix / size.groups, group = i / matrix % size.groups;
      std::vector<A> column;
      for (std::size_t k = 0; k < each; ++k)
        column.push_back(got[((group * each + k) * size.sequences + s) * matrix + i % matrix]);
      ASSERT_TRUE(same_bits(sum_of(column), want[i]))
          << "gradient " << i << " of " << name << ", " << seed_note();
    }
  }

  chain<E, A> const& of_;
  sim::machine m_;
  selective_call<E, A> call;
};

}  // namespace upsweep::test

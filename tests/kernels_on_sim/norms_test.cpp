/// Softmax, norms, variances and gradients of lines on the emulator: the bits of the same formulas
/// with the sums of the reference, whether a block has a line or a part of one.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/norms/norms.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

template <class A>
A sum_of(std::vector<A> const& x) {
  return reference::reduce(x, plus{});
}
template <class A>
A exp_of(A x) {
  return static_cast<A>(upsweep::detail::portable::exp(static_cast<double>(x)));
}

/// One line: its elements, the gradients of its results, weights, and what the functions leave.
template <class A>
struct one_line {
  std::vector<A> x, g, w;
  A parameter;
  A shift{}, scale{};
  std::vector<A> y{};

  [[nodiscard]] std::size_t size() const { return x.size(); }
  template <class Of>
  [[nodiscard]] std::vector<A> each(Of const& of) const {
    std::vector<A> made;
    for (std::size_t i = 0; i < size(); ++i) made.push_back(of(i));
    return made;
  }
};
template <class A>
A product_of(A x, A y) {
  volatile A const p = x * y;  // rounded before it is added
  return p;
}

struct softmax_formula {
  using forward = softmax_of;
  using backward = softmax_gradient;

  template <class A>
  static void run(one_line<A>& line) {
    line.shift = line.x[0];
    for (A const x : line.x)
      if (x > line.shift || x != x) line.shift = x;
    for (A const x : line.x)
      if (x != x) line.shift = x;
    auto const e = line.each([&](std::size_t i) { return exp_of(A(line.x[i] - line.shift)); });
    line.scale = sum_of(e);
    line.y = line.each([&](std::size_t i) { return e[i] / line.scale; });
  }
  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    A const s = line.scale;
    auto const e = line.each([&](std::size_t i) { return exp_of(A(line.x[i] - line.shift)); });
    A const of_sum =
        sum_of(line.each([&](std::size_t i) { return product_of(-line.g[i], e[i] / s / s); }));
    return line.each([&](std::size_t i) { return A(line.g[i] / s + of_sum) * e[i]; });
  }
};
struct rms_norm_formula {
  using forward = rms_norm_of;
  using backward = rms_norm_gradient;

  template <class A>
  static void run(one_line<A>& line) {
    A const total = sum_of(line.each([&](std::size_t i) { return line.x[i] * line.x[i]; }));
    line.scale = std::sqrt(A(total / static_cast<A>(line.size())) + line.parameter);
    line.y = line.each([&](std::size_t i) { return A(line.x[i] / line.scale) * line.w[i]; });
  }
  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    A const r = line.scale;
    auto const g = line.each([&](std::size_t i) { return line.g[i] * line.w[i]; });
    A const of_root =
        sum_of(line.each([&](std::size_t i) { return product_of(-g[i], line.x[i] / r / r); }));
    A const of_square = of_root / (2 * r) / static_cast<A>(line.size());
    return line.each([&](std::size_t i) {
      A const part = product_of(of_square, line.x[i]);
      return A(A(g[i] / r) + part) + part;
    });
  }
};
struct variance_formula {
  using forward = variance_of;
  using backward = variance_gradient;

  template <class A>
  static void run(one_line<A>& line) {
    line.shift = sum_of(line.x) / static_cast<A>(line.size());
    line.scale = sum_of(line.each([&](std::size_t i) {
                   A const d = line.x[i] - line.shift;
                   return product_of(d, d);
                 })) /
                 line.parameter;
  }
  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    auto const d = line.each([&](std::size_t i) {
      A const half = product_of(A(line.g[0] / line.parameter), A(line.x[i] - line.shift));
      return A(half + half);
    });
    A const of_mean =
        sum_of(line.each([&](std::size_t i) { return -d[i]; })) / static_cast<A>(line.size());
    return line.each([&](std::size_t i) { return A(d[i] + of_mean); });
  }
};
/// These have only gradients, which are given the logarithm of the sum.
struct log_softmax_formula {
  using forward = void;
  using backward = log_softmax_gradient;

  template <class A>
  static void run(one_line<A>& line) {
    A const infinity = std::numeric_limits<A>::infinity();
    bool none = true;
    for (A const x : line.x) none = none && x == -infinity;
    line.shift = none ? -infinity : A(line.x[0] + A(2.5));
  }
  template <class A>
  static A part(one_line<A> const& line, std::size_t i) {
    bool const none = line.shift == -std::numeric_limits<A>::infinity();
    return none ? A{0} : exp_of(A(line.x[i] - line.shift));
  }
  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    A const of_log = sum_of(line.each([&](std::size_t i) { return -line.g[i]; }));
    return line.each(
        [&](std::size_t i) { return A(line.g[i] + product_of(of_log, part(line, i))); });
  }
};
struct logsumexp_formula : log_softmax_formula {
  using backward = logsumexp_gradient;

  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    return line.each([&](std::size_t i) { return product_of(line.g[0], part(line, i)); });
  }
};

constexpr unsigned few_threads = 64;  // of blocks that have parts of lines: 512 elements

/// Launches a function of lines, a block for each line or, with `by_parts`, for each part.
template <class F, class E, class A>
void run_lines(sim::machine& m, line_call<E, A> call, bool by_parts) {
  using enum line_phase;
  auto const blocks = static_cast<unsigned>(call.count);
  if (!by_parts) {
    auto const warps = static_cast<unsigned>((call.size + line_chunk - 1) / line_chunk);
    m.launch({.name = "whole_lines", .blocks = {blocks}, .threads = {32 * warps}},
             whole_lines<F, E, A>, call);
    return;
  }
  constexpr std::size_t size = few_threads * line_items;
  call.parts = static_cast<unsigned>((call.size + size - 1) / size);
  for (A*& totals : call.totals)
    totals = m.allocate<A>(call.count * line_room(call.parts), "totals");
  auto const launch = [&](auto kernel) {
    m.launch({.name = "parts_of_lines", .blocks = {blocks * call.parts}, .threads = {few_threads}},
             kernel, call);
  };
  if constexpr (F::first != first_reduction::none)
    launch(parts_of_lines<F, first, few_threads, E, A>);
  if constexpr (F::has_terms) launch(parts_of_lines<F, second, few_threads, E, A>);
  launch(parts_of_lines<F, results, few_threads, E, A>);
}

/// `count` lines of elements, with gradients and weights, on the emulator.
template <class Formula, class E, class A>
class lines_on_sim {
  static constexpr bool of_lines = Formula::backward::of_lines;

 public:
  lines_on_sim(std::size_t count, std::size_t size, bool by_parts, std::uint64_t seed)
      : count_(count),
        size_(size),
        by_parts_(by_parts),
        next_(test_seed() + size + seed),
        x_(numbers(count * size)),
        g_(numbers(count * size)),
        w_(numbers(size)),
        m_(machine_for({sim::schedule::random, seed})) {
    put_special_values();
    A const parameter = static_cast<A>(std::is_same_v<Formula, rms_norm_formula> ? 1e-3 : 2.5);
    call_ = {put(x_, "x"),
             nullptr,
             put(w_, "w"),
             m_.allocate<A>(2 * count, "numbers"),
             m_.allocate<E>(count * size, "out"),
             count,
             size,
             {static_cast<A>(size), parameter},
             size * sizeof(E) % 16 == 0};
    for (std::size_t k = 0; k < count; ++k) {
      one_line<A> line{{}, {}, {}, parameter};
      for (std::size_t i = 0; i < size; ++i) {
        line.x.push_back(static_cast<A>(x_[k * size + i]));
        line.g.push_back(static_cast<A>(g_[of_lines ? k : k * size + i]));
        line.w.push_back(static_cast<A>(w_[i]));
      }
      Formula::run(line);
      lines_.push_back(line);
    }
  }

  void expect_functions() {
    if constexpr (std::is_void_v<typename Formula::forward>) {
      std::vector<A> given(2 * count_);
      for (std::size_t k = 0; k < count_; ++k) given[k] = lines_[k].shift;
      m_.to_device(call_.numbers, std::span<A const>(given));
    } else {
      expect_forward();
    }
    call_.gradient = put(g_, "g");
    run_lines<typename Formula::backward>(m_, call_, by_parts_);
    expect_out([](one_line<A> const& line) { return Formula::gradient(line); });
    expect_no_finding(m_);
  }

 private:
  std::vector<E> numbers(std::size_t n) {
    std::vector<E> x;
    for (std::size_t i = 0; i < n; ++i)
      x.push_back(E(static_cast<float>(static_cast<double>(next_() >> 40) * 0x1p-22 - 2)));
    return x;
  }
  void put_special_values() {
    float const infinity = std::numeric_limits<float>::infinity();
    if (count_ > 3) {
      x_[size_ * 2 + next_.below(size_)] = E(infinity);
      x_[size_ * 3 + next_.below(size_)] = E(std::numeric_limits<float>::quiet_NaN());
    }
    if (count_ > 4)
      for (std::size_t i = 0; i < size_; ++i) x_[size_ * 4 + i] = E(-infinity);
  }
  E* put(std::vector<E> const& from, char const* name) {
    auto* const to = m_.allocate<E>(from.size(), name);
    m_.to_device(to, std::span<E const>(from));
    return to;
  }
  void expect_forward() {
    using F = typename Formula::forward;
    run_lines<F>(m_, call_, by_parts_);
    auto const left = m_.to_host(call_.numbers, 2 * count_);
    for (std::size_t k = 0; k < count_; ++k) {
      expect_bits(left[k], lines_[k].shift, k);
      expect_bits(left[count_ + k], lines_[k].scale, k);
    }
    if constexpr (F::has_results) expect_out([](one_line<A> const& line) { return line.y; });
  }
  /// Expects the results that of(line) computes.
  template <class Of>
  void expect_out(Of const& of) {
    auto const got = m_.to_host(call_.out, count_ * size_);
    for (std::size_t k = 0; k < count_; ++k) {
      auto const want = of(lines_[k]);
      for (std::size_t i = 0; i < size_; ++i)
        expect_bits(got[k * size_ + i], static_cast<E>(want[i]), i);
    }
  }
  template <class T>
  static void expect_bits(T got, T want, std::size_t i) {
    EXPECT_TRUE((got != got && want != want) || same_bits(got, want))
        << "result " << i << ": " << shown(got) << " is not " << shown(want);
  }

  std::size_t count_, size_;
  bool by_parts_;
  random_bits next_;
  std::vector<E> x_, g_, w_;
  sim::machine m_;
  line_call<E, A> call_{};
  std::vector<one_line<A>> lines_;
};

template <class Formula, class E, class A>
struct of_types {
  using formula = Formula;
  using element = E;
  using number = A;
};
template <class Case>
class norms_on_sim : public testing::Test {};
using cases = testing::Types<
    of_types<softmax_formula, float, float>, of_types<softmax_formula, bfloat16, float>,
    of_types<softmax_formula, double, double>, of_types<rms_norm_formula, float, double>,
    of_types<rms_norm_formula, bfloat16, float>, of_types<variance_formula, float, double>,
    of_types<variance_formula, double, double>, of_types<log_softmax_formula, float, float>,
    of_types<logsumexp_formula, bfloat16, float>>;
TYPED_TEST_SUITE(norms_on_sim, cases);

TYPED_TEST(norms_on_sim, have_the_bits_of_their_formulas) {
  using C = TypeParam;
  auto const expect = [](std::size_t count, std::size_t size, bool by_parts) {
    SCOPED_TRACE(testing::Message() << count << " lines of " << size
                                    << (by_parts ? ", by parts, " : ", ") << seed_note());
    lines_on_sim<typename C::formula, typename C::element, typename C::number>(count, size,
                                                                               by_parts, size)
        .expect_functions();
  };
  for (std::size_t const size : {1u, 3u, 16u, 100u, 255u, 256u, 257u, 700u, 2304u, 8192u})
    expect(size < 300 ? 6 : size < 4000 ? 2 : 1, size, false);
  for (std::size_t const size : {5u, 512u, 513u, 1024u, 1900u, 4608u})
    expect(size < 600 ? 5 : 2, size, true);
}

}  // namespace
}  // namespace upsweep::test

/// Softmax, norms, variances and gradients of lines on the emulator: the bits of the same formulas
/// with the sums of the reference, whether a block has a line or a part of one.
#include <kernels_on_sim/on_sim.hpp>
#include <support/line_formulas.hpp>
#include <upsweep/cuda/norms/norms.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

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
    EXPECT_TRUE(same_bits(got, want))
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

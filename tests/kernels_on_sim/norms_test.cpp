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
 public:
  lines_on_sim(std::size_t count, std::size_t size, bool by_parts, std::uint64_t seed)
      : by_parts_(by_parts),
        given_(count, size, true, parameter, test_seed() + size + seed),
        m_(machine_for({sim::schedule::random, seed})) {
    call_ = {put(given_.x, "x"),
             nullptr,
             put(given_.w, "w"),
             m_.allocate<A>(2 * count, "numbers"),
             m_.allocate<E>(count * size, "out"),
             count,
             size,
             {static_cast<A>(size), parameter},
             size * sizeof(E) % 16 == 0};
  }

  void expect_functions() {
    if constexpr (std::is_void_v<typename Formula::forward>) {
      std::vector<A> left(2 * given_.count);
      for (std::size_t k = 0; k < given_.count; ++k) left[k] = given_.lines[k].shift;
      m_.to_device(call_.numbers, std::span<A const>(left));
    } else {
      expect_forward();
    }
    call_.gradient = put(given_.g, "g");
    run_lines<typename Formula::backward>(m_, call_, by_parts_);
    expect_out([](one_line<A> const& line) { return Formula::gradient(line); });
    expect_no_finding(m_);
  }

 private:
  static constexpr A parameter =
      static_cast<A>(std::is_same_v<Formula, rms_norm_formula> ? 1e-3 : 2.5);

  E* put(std::vector<E> const& from, char const* name) {
    auto* const to = m_.allocate<E>(from.size(), name);
    m_.to_device(to, std::span<E const>(from));
    return to;
  }
  void expect_forward() {
    using F = typename Formula::forward;
    run_lines<F>(m_, call_, by_parts_);
    given_.expect_left(m_.to_host(call_.numbers, 2 * given_.count));
    if constexpr (F::has_results) expect_out([](one_line<A> const& line) { return line.y; });
  }
  template <class Of>
  void expect_out(Of const& of) {
    given_.expect_results(m_.to_host(call_.out, given_.count * given_.size), of);
  }

  bool by_parts_;
  random_lines<Formula, E, A> given_;
  sim::machine m_;
  line_call<E, A> call_{};
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

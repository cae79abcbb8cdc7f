/// Softmax, norms, variances and gradients of lines on CPUs: the bits of the formulas with
/// the sums of the reference, with every SIMD target, on one thread and on several.
#include <simd/every_target.hpp>

#include <support/bits.hpp>
#include <support/lane_types.hpp>
#include <support/line_formulas.hpp>
#include <support/random.hpp>

#include <upsweep/core/log_of_sum.hpp>
#include <upsweep/host/line_functions.hpp>
#include <upsweep/ops/log_sum_exp.hpp>

#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

using enum host::line_function_name;
using host::line_function_name;

template <class Formula, line_function_name forward_of, line_function_name backward_of, class E,
          class A>
struct case_of {
  using formula = Formula;
  using element = E;
  using number = A;
  static constexpr auto forward = forward_of, backward = backward_of;
  static constexpr bool has_forward = forward_of != backward_of;
};
template <class E, class A>
using softmax_of_type = case_of<softmax_formula, softmax, softmax_gradient, E, A>;
template <class E, class A>
using rms_norm_of_type = case_of<rms_norm_formula, rms_norm, rms_norm_gradient, E, A>;
template <class E, class A>
using variance_of_type = case_of<variance_formula, variance, variance_gradient, E, A>;
template <class E, class A>
using logsumexp_of_type = case_of<logsumexp_formula, logsumexp_gradient, logsumexp_gradient, E, A>;
template <class E, class A>
using log_softmax_of_type =
    case_of<log_softmax_formula, log_softmax_gradient, log_softmax_gradient, E, A>;

/// Lines of random numbers with their results by the formulas.
template <class Case>
class some_lines {
  using formula = typename Case::formula;
  using E = typename Case::element;
  using A = typename Case::number;
  static constexpr bool of_lines = formula::backward::of_lines;

 public:
  some_lines(std::size_t count, std::size_t size, bool weighted)
      : count_(count), size_(size), next_(test_seed() + size) {
    x_ = numbers(count * size);
    g_ = numbers(of_lines ? count : count * size);
    if (weighted) w_ = numbers(size);
    put_special_values();
    for (std::size_t k = 0; k < count; ++k) {
      one_line<A> line{{}, {}, {}, parameter};
      for (std::size_t i = 0; i < size; ++i) {
        line.x.push_back(static_cast<A>(x_[k * size + i]));
        line.g.push_back(static_cast<A>(g_[of_lines ? k : k * size + i]));
        line.w.push_back(weighted ? static_cast<A>(w_[i]) : A{1});
      }
      formula::run(line);
      lines_.push_back(line);
    }
  }

  void expect_functions(cpu const& on) const {
    std::vector<A> numbers(2 * count_);
    std::vector<E> out(count_ * size_);
    host::line_functions call{Case::forward, lane_type_of<E>,  x_.data(),  nullptr,
                              weights(),     numbers.data(),   out.data(), count_,
                              size_,         double{parameter}};
    if constexpr (Case::has_forward) {
      host::run(on, call);
      for (std::size_t k = 0; k < count_; ++k) {
        expect_bits(numbers[k], lines_[k].shift, k);
        expect_bits(numbers[count_ + k], lines_[k].scale, k);
      }
      if constexpr (formula::forward::has_results)
        expect_out(out, [](one_line<A> const& line) { return line.y; });
    } else {
      for (std::size_t k = 0; k < count_; ++k) numbers[k] = lines_[k].shift;
    }
    call.name = Case::backward;
    call.gradient = g_.data();
    host::run(on, call);
    expect_out(out, [](one_line<A> const& line) { return formula::gradient(line); });
  }

 private:
  static constexpr A parameter = std::is_same_v<formula, rms_norm_formula> ? A{1} / 1024 : A{2.5};

  void const* weights() const { return w_.empty() ? nullptr : w_.data(); }
  std::vector<E> numbers(std::size_t n) {
    std::vector<E> x;
    for (std::size_t i = 0; i < n; ++i)
      x.push_back(E(static_cast<float>(static_cast<double>(next_() >> 40) * 0x1p-22 - 2)));
    return x;
  }
  void put_special_values() {
    float const infinity = std::numeric_limits<float>::infinity();
    if (count_ > 4) {
      x_[size_ * 2 + next_.below(size_)] = E(infinity);
      x_[size_ * 3 + next_.below(size_)] = E(std::numeric_limits<float>::quiet_NaN());
      for (std::size_t i = 0; i < size_; ++i) x_[size_ * 4 + i] = E(-infinity);
    }
  }
  template <class Of>
  void expect_out(std::vector<E> const& out, Of const& of) const {
    for (std::size_t k = 0; k < count_; ++k) {
      auto const want = of(lines_[k]);
      for (std::size_t i = 0; i < size_; ++i)
        expect_bits(out[k * size_ + i], static_cast<E>(want[i]), i);
    }
  }
  template <class T>
  static void expect_bits(T got, T want, std::size_t i) {
    ASSERT_TRUE((got != got && want != want) || same_bits(got, want))
        << "result " << i << ": " << shown(got) << " is not " << shown(want);
  }

  std::size_t count_, size_;
  random_bits next_;
  std::vector<E> x_, g_, w_;
  std::vector<one_line<A>> lines_;
};

template <class Case>
class line_functions : public testing::Test {};
using cases =
    testing::Types<softmax_of_type<float, float>, softmax_of_type<bfloat16, float>,
                   softmax_of_type<half_float, float>, softmax_of_type<double, double>,
                   rms_norm_of_type<float, double>, rms_norm_of_type<bfloat16, float>,
                   rms_norm_of_type<double, double>, variance_of_type<float, double>,
                   variance_of_type<half_float, float>, variance_of_type<double, double>,
                   log_softmax_of_type<float, float>, log_softmax_of_type<bfloat16, float>,
                   logsumexp_of_type<bfloat16, float>, logsumexp_of_type<double, double>>;
TYPED_TEST_SUITE(line_functions, cases);

TYPED_TEST(line_functions, have_the_bits_of_their_formulas) {
  auto const expect = [](std::size_t count, std::size_t size, bool weighted) {
    SCOPED_TRACE(testing::Message()
                 << count << " lines of " << size << (weighted ? ", weighted" : ""));
    some_lines<TypeParam> const lines(count, size, weighted);
    for_each_target([&] {
      for (int const threads : {1, 3}) lines.expect_functions({.threads = threads});
    });
  };
  for (std::size_t const size : {1u, 3u, 16u, 100u, 255u, 1023u, 1024u, 1025u, 2048u, 3001u})
    expect(size < 300 ? 6 : size < 1100 ? 5 : 2, size, size % 2 == 0);
  expect(1, 40000, true);  // each line on several threads
  expect(3, 9000, false);
  expect(40, 1500, true);  // each thread some lines
}

/// Elements and the logarithms of their sums, of lines of which one has a sum near 1, and others
/// special values.
template <class E>
void expect_logarithms(std::size_t count, std::size_t size, int threads) {
  using A = std::conditional_t<std::is_same_v<E, double>, double, float>;
  A const infinity = std::numeric_limits<A>::infinity();
  random_bits next(test_seed() + size);
  std::vector<E> x;
  for (std::size_t i = 0; i < count * size; ++i)
    x.push_back(E(static_cast<float>(static_cast<double>(next() >> 40) * 0x1p-21 - 4)));
  for (std::size_t i = 0; i < size; ++i) x[i] = i == size / 2 ? E(-1e-3F) : E(-30.0F);
  if (count > 4) {
    x[size + next.below(size)] = E(static_cast<float>(infinity));
    x[size * 2 + next.below(size)] = E(std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < size; ++i) x[size * 3 + i] = E(static_cast<float>(-infinity));
  }
  std::vector<A> logarithms(count), alone(count);
  std::vector<E> out(count * size);
  cpu const on{.threads = threads};
  host::run(on, host::line_logarithms{lane_type_of<E>, x.data(), logarithms.data(), out.data(),
                                      count, size});
  host::run(on,
            host::line_logarithms{lane_type_of<E>, x.data(), alone.data(), nullptr, count, size});
  auto const are_same = [](auto a, auto b) { return (a != a && b != b) || same_bits(a, b); };
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<A> line;
    for (std::size_t i = 0; i < size; ++i) line.push_back(static_cast<A>(x[k * size + i]));
    A const want = upsweep::detail::log_of_sum(std::span<A const>(line),
                                               A(reference::reduce(line, log_sum_exp{})));
    ASSERT_TRUE(are_same(logarithms[k], want) && are_same(alone[k], want)) << "line " << k;
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_TRUE(are_same(out[k * size + i], static_cast<E>(A(line[i] - want))))
          << "line " << k << ", result " << i;
  }
}

template <class E>
class line_logarithms : public testing::Test {};
using element_types = testing::Types<std::type_identity<half_float>, std::type_identity<bfloat16>,
                                     std::type_identity<float>, std::type_identity<double>>;
TYPED_TEST_SUITE(line_logarithms, element_types);

TYPED_TEST(line_logarithms, have_the_bits_of_log_sum_exp) {
  for_each_target([&] {
    for (int const threads : {1, 3})
      for (std::size_t const size : {1u, 2u, 17u, 100u, 1023u, 1024u, 1025u, 3001u})
        expect_logarithms<typename TypeParam::type>(size < 300 ? 6 : 5, size, threads);
    for (std::size_t const size : {1u, 2u, 3u, 16u, 63u, 64u, 65u})  // short ones side by side
      for (std::size_t const count : {8u, 65u, 200u})
        expect_logarithms<typename TypeParam::type>(count, size, 2);
    expect_logarithms<typename TypeParam::type>(1, 40000, 3);  // on several threads
  });
}

}  // namespace
}  // namespace upsweep::test

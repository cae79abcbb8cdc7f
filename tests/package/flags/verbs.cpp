/// Prints a line for each verb and operator: a hash of its results over fixed inputs. Elements pass
/// through functions and containers, so that this file's flags, not the library's, compile the
/// loops. A function here rounds once: what flags do to a * b + c of a user's is the user's choice.
#include <upsweep/apps/biquad.hpp>
#include <upsweep/apps/convolution.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <bit>
#include <cfenv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t n = 10007;
constexpr upsweep::cpu on{.threads = 3};

/// FNV-1a of the bits, with one pattern for every NaN. Integer arithmetic only: this file may be
/// compiled with -ffast-math.
struct hash {
  std::uint64_t value = 0xcbf29ce484222325;

  void add(std::uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte) value = (value ^ (bits >> 8 * byte & 255)) * 0x100000001b3;
  }
  void add(double x) {
    auto const bits = std::bit_cast<std::uint64_t>(x);
    add(bits << 1 > std::uint64_t{0x7ff} << 53 ? ~std::uint64_t{0} : bits);
  }
  void add(float x) {
    auto const bits = std::bit_cast<std::uint32_t>(x);
    add(bits << 1 > 0xff000000u ? ~std::uint64_t{0} : std::uint64_t{bits});
  }
  void add(std::integral auto x) { add(static_cast<std::uint64_t>(x)); }
  template <class T>
    requires std::is_class_v<T>
  void add(T const& x) {
    if constexpr (std::ranges::range<T const>)
      for (auto const& each : x) add(each);
    else
      upsweep::detail::parts::with(x, [&](auto const& all) {
        std::apply([&](auto const&... part) { (add(part), ...); }, all);
      });
  }
};

template <class... Values>
void show(char const* what, char const* how, Values const&... values) {
  hash h;
  (h.add(values), ...);
  std::printf("%s %s %016llx\n", what, how, static_cast<unsigned long long>(h.value));
}

/// Vigna's xorshift64*, 2016.
struct words {
  std::uint64_t state;
  std::uint64_t operator()() {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return state * 0x2545f4914f6cdd1d;
  }
};

/// Numbers of 24 binades of both signs; of `special` also zeros, subnormals, infinities and NaN.
template <class T>
std::vector<T> numbers(std::uint64_t seed, bool special) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr int fraction = sizeof(T) == 4 ? 23 : 52, size = 8 * sizeof(T);
  constexpr bits bias = sizeof(T) == 4 ? 127 : 1023;
  words next{seed};
  std::vector<T> x(n);
  for (T& each : x) {
    std::uint64_t const word = next();
    bits const sign = static_cast<bits>(word >> 63) << (size - 1);
    bits exponent = bias - 12 + static_cast<bits>(word % 24);
    bits rest = static_cast<bits>(word >> 8) & ((bits{1} << fraction) - 1);
    if (special && word % 64 < 4) {
      exponent = word % 64 < 2 ? 0 : 2 * bias + 1;
      if (word % 2 == 0 || word % 128 >= 64) rest = 0;
    }
    each = std::bit_cast<T>(static_cast<bits>(sign | exponent << fraction | rest));
  }
  return x;
}

/// Numbers of both signs that are so near 1 that all their products are finite.
template <class T>
std::vector<T> near_one(std::uint64_t seed) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr int fraction = sizeof(T) == 4 ? 23 : 52, size = 8 * sizeof(T);
  constexpr bits one = bits{sizeof(T) == 4 ? 127 : 1023} << fraction;
  constexpr bits small = (bits{1} << (fraction - 5)) - 1;
  words next{seed};
  std::vector<T> x(n);
  for (T& each : x) {
    std::uint64_t const word = next();
    bits const sign = static_cast<bits>(word >> 63) << (size - 1);
    bits const rest = static_cast<bits>(word >> 8) & small;
    each = std::bit_cast<T>(static_cast<bits>(sign | (word % 2 == 0 ? one + rest : one - rest)));
  }
  return x;
}

/// The verbs that combine, over elements that a function returns and of a deque. The result of an
/// empty segment may be infinite.
template <class R, class T, class F, class Op>
void combine(char const* name, std::vector<T> const& x, bool special, F const& f, Op const& op) {
  std::vector<R> y(n), window(n - 6);
  upsweep::transform_inclusive_scan(on, x, y, f, op);
  show(name, "scan", y, upsweep::transform_reduce(on, x, f, op));
  std::vector<std::size_t> const offsets{0, 1, 3, special ? 3U : 5U, 40, 1000, 9000, n};
  std::vector<R> totals(offsets.size() - 1);
  std::deque<std::remove_cvref_t<decltype(f(x[0]))>> values;  // not in one piece of memory
  for (T const& each : x) values.push_back(f(each));
  upsweep::reduce_segments(upsweep::serial{}, values, offsets, totals, op);
  upsweep::windowed(upsweep::serial{}, values, 7, window, op);
  show(name, "segments", totals, window);
}

template <class T>
void arithmetic(std::vector<T> const& x, bool special) {
  auto const square = [](T a) { return a * a; };
  combine<T>("sum", x, special, square, upsweep::plus{});
  combine<T>("max", x, special, [](T a) { return a * T(0.7); }, upsweep::max{});
  if (special) return;
  combine<T>("product", near_one<T>(3), special, [](T a) { return -a; }, upsweep::multiplies{});
  combine<upsweep::affine_map<T>>(
      "affine", x, special, [](T a) { return upsweep::affine_map<T>{a * T(2e-4), a * T(0.3)}; },
      upsweep::affine{});
  upsweep::recurrence const filter({T(1.6), T(-0.64)});
  combine<T>("recurrence2", x, special, [](T a) { return a * T(0.3); }, filter);
  std::vector<T> y(n);
  upsweep::inclusive_scan(on, x, y, filter);
  show("recurrence2", "memory", y, upsweep::reduce(on, x, filter));
}

void statistics(std::vector<double> const& x, bool special) {
  auto const half = [](double a) { return a * 0.7; };
  auto const pair = [](double a) { return upsweep::xy<double>{a * 0.3, a * a}; };
  combine<upsweep::detail::scaled_exponentials<double>>("log_sum_exp", x, special, half,
                                                        upsweep::log_sum_exp{});
  combine<upsweep::detail::moments_of>("moments", x, special, half, upsweep::moments{});
  combine<upsweep::detail::central_moments_of>("central_moments", x, special, half,
                                               upsweep::central_moments{});
  combine<upsweep::detail::comoments_of>("comoments", x, special, pair, upsweep::comoments{});
  combine<upsweep::detail::weighted_moments_of>("weighted_moments", x, special, pair,
                                                upsweep::weighted_moments{});
  combine<double>("exact_sum", x, special, half, upsweep::exact_sum{});
  combine<double>("rms", x, special, half, upsweep::rms{});
  combine<upsweep::drawdown_of>("drawdown", x, special, half, upsweep::drawdown{});
  show("argmax", "f64", upsweep::reduce(on, x, upsweep::argmax{}));
  auto sorted = x;
  upsweep::sort(on, sorted);
  show("sort", "f64", sorted);
  show("quantile", "f64", upsweep::quantile(on, x, 0.3), upsweep::quantile(on, x, 0.999));
  show("dot", "f64", upsweep::transform_reduce(on, x, x, [](auto a, auto b) { return a * b; }));
}

template <class T>
void bins(char const* type) {
  words next{13};
  std::vector<T> x(n);
  for (T& each : x) each = static_cast<T>(static_cast<std::int64_t>(next() % 40) - 20);
  x[5] = static_cast<T>(-1);
  for (std::size_t const k : {5U, 11U, 441U}) {
    std::vector<std::size_t> counts(k);
    auto const out = upsweep::histogram(on, x, counts, upsweep::even{-0.4, 4});
    show("even", type, counts, out.below, out.above, out.nan);
    auto const wide =
        upsweep::histogram(on, x, counts, upsweep::even{-19.7, 19.9}, {.closed_right = true});
    show("even", type, counts, wide.below, wide.above, wide.nan);
  }
  std::vector<double> const levels{-7.3, -0.4, 0.1, 3, 5.5, 17};
  std::vector<std::size_t> counts(5);
  upsweep::histogram(on, x, counts, levels);
  show("levels", type, counts);
}

void applications() {
  auto const x = numbers<double>(17, false);
  std::vector<double> y(n);
  upsweep::apps::filter(upsweep::apps::biquad{0.02, 0.04, 0.02, -1.56, 0.64}, x, y, on);
  show("biquad", "f64", y);
  std::vector<double> const mask{0.2, 0.5, 0.3};
  upsweep::apps::convolve(x, mask, y, upsweep::apps::outputs_kept::same, on);
  show("convolve", "f64", y);
}

/// Reports about other programs whose results changed with these flags.
void reports() {
  auto const x = numbers<double>(19, false);
  // openmc-dev/openmc#3823: densities times charges, added with and without a fused multiply-add.
  show("report", "openmc", upsweep::transform_reduce(on, x, [](double a) { return a * 92.0; }));
  // intel/llvm#13813: the initial value of min was +infinity, which -ffast-math made zero.
  std::vector<double> positive(n);
  for (std::size_t i = 0; i < n; ++i) positive[i] = x[i] * x[i] + 2;
  std::vector<double> least(n), first(n);
  upsweep::inclusive_scan(on, positive, least, upsweep::min{});
  std::deque<double> const backward(positive.rbegin(), positive.rend());
  upsweep::inclusive_scan(on, backward, first, upsweep::min{});
  show("report", "sycl", least, first, upsweep::reduce(on, positive, upsweep::min{}));
}

/// Products that overflow on the way, and are zero.
template <class T>
void products(std::vector<T> const& x) {
  combine<T>("overflow", x, false, [](T a) { return a * T(0.97); }, upsweep::multiplies{});
}

void reports_with_infinities() {
  // llvm/llvm-project#68976: clang wrote zero for the infinity after three zeros.
  std::vector<double> const last{0, 0, 0, upsweep::detail::infinity<double>};
  std::deque<double> const apart(last.begin(), last.end());
  std::vector<double> running(4);
  upsweep::inclusive_scan(upsweep::serial{}, apart, running, upsweep::max{});
  show("report", "llvm", running, upsweep::reduce(last, upsweep::max{}), upsweep::reduce(apart));
}

}  // namespace

/// `verbs finite` leaves out NaN and infinities, also of partial results, which clang's -ffast-math
/// takes for impossible. Compiled with SAMPLE, it leaves out a type of each pair of types.
int main(int count, char**) {
  bool const finite = count > 1;
  std::fesetenv(FE_DFL_ENV);  // linking with -ffast-math turns subnormals off
#ifndef SAMPLE
  bins<std::int64_t>("i64");
#endif
  bins<std::uint64_t>("u64");
#ifndef SAMPLE
  bins<float>("f32");
#endif
  bins<double>("f64");
  applications();
  reports();
  for (bool const special : {false, true}) {
    if (special && finite) break;
    arithmetic(numbers<float>(5, special), special);
#ifndef SAMPLE
    arithmetic(numbers<double>(7, special), special);
#endif
    statistics(numbers<double>(11, special), special);
  }
  if (finite) return 0;
  reports_with_infinities();
  products(numbers<float>(5, false));
#ifndef SAMPLE
  products(numbers<double>(7, false));
#endif
}

/// gcd by name over every integer type: the results of Euclid's algorithm, element by element, with
/// zeros, the least and the greatest integers, and divisors that few elements change.
#include <support/random.hpp>
#include <upsweep/by_name/run.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
std::uint64_t magnitude(T x) {
  auto const bits = static_cast<std::uint64_t>(x);
  return x < T{} ? 0 - bits : bits;
}

/// Multiples of 2^k 3^m, where k and m fall from element to element, and three other numbers.
template <class T>
std::vector<T> with_falling_divisors(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x(n);
  std::uint64_t divisor = std::numeric_limits<T>::digits < 8 ? 12 : 2 * 3 * 3 * 1024;
  for (T& e : x) {
    e = static_cast<T>(
        divisor *
        next.below(static_cast<std::uint64_t>(std::numeric_limits<T>::max()) / divisor + 1));
    if (std::is_signed_v<T> && next.below(2) == 0) e = static_cast<T>(-e);
    if (divisor % 2 == 0 && next.below(40) == 0) divisor /= 2;
  }
  for (T const other : {T{0}, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
    if (next.below(3) == 0) x[next.below(n)] = other;
  return x;
}

template <class T>
std::vector<std::uint64_t> by_name(dynamic::verb verb, std::vector<T> const& x, bool reversed,
                                   std::uint64_t const* initial) {
  dynamic::request how;
  how.reverse = reversed;
  how.initial = initial;
  std::vector<std::uint64_t> out(verb == dynamic::verb::reduce ? 1 : x.size());
  dynamic::find(catalog::id::gcd, dynamic::dtype_of<T>)
      ->run(verb, x.data(), x.size(), how, out.data());
  return out;
}

template <class T>
void expect_euclids_results(std::vector<T> const& x, bool reversed, std::uint64_t const* initial) {
  std::vector<std::uint64_t> inclusive(x.size()), exclusive(x.size());
  std::uint64_t divisor = initial ? *initial : 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::size_t const i = reversed ? x.size() - 1 - k : k;
    exclusive[i] = divisor;
    inclusive[i] = divisor = std::gcd(divisor, magnitude(x[i]));
  }
  EXPECT_EQ(by_name(dynamic::verb::inclusive_scan, x, reversed, initial), inclusive);
  EXPECT_EQ(by_name(dynamic::verb::exclusive_scan, x, reversed, initial), exclusive);
  EXPECT_EQ(by_name(dynamic::verb::reduce, x, reversed, initial)[0], divisor);
}

TEST(gcd, has_euclids_results_over_every_type_in_both_directions) {
  std::uint64_t const large = std::uint64_t{3} << 40;
  dynamic::for_each_type(dynamic::integers{}, [&]<class T>() {
    SCOPED_TRACE(dynamic::name_of(dynamic::dtype_of<T>));
    for (std::size_t const n : {1u, 2u, 32u, 63u, 64u, 65u, 129u, 200u, 1000u, 70001u})
      for (bool const reversed : {false, true})
        for (std::uint64_t const* initial : {static_cast<std::uint64_t const*>(nullptr), &large}) {
          SCOPED_TRACE(std::to_string(n) + " elements, " + seed_note());
          expect_euclids_results(with_falling_divisors<T>(n), reversed, initial);
          expect_euclids_results(std::vector<T>(n), reversed, initial);
        }
  });
}

TEST(gcd, scans_in_place) {
  for (auto const verb : {dynamic::verb::inclusive_scan, dynamic::verb::exclusive_scan}) {
    auto x = with_falling_divisors<std::uint64_t>(500);
    auto const want = by_name(verb, x, false, nullptr);
    dynamic::find(catalog::id::gcd, dynamic::dtype::u64)->run(verb, x.data(), 500, {}, x.data());
    EXPECT_EQ(x, want);
  }
}

}  // namespace
}  // namespace upsweep::test

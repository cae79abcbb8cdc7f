/// The tests' own random numbers (xorshift64*, the same on every machine) and inputs generated from
/// them.
#pragma once

#include <upsweep/core/number_types.hpp>

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// The seed of this run: fixed, unless the environment variable UPSWEEP_TEST_SEED gives another.
inline std::uint64_t test_seed() {
  static std::uint64_t const seed = [] {
    char const* const given = std::getenv("UPSWEEP_TEST_SEED");
    return given ? std::strtoull(given, nullptr, 0) : 0x5eed2024u;
  }();
  return seed;
}

/// What a failing test prints, so that its input can be reproduced.
inline std::string seed_note() {
  return "UPSWEEP_TEST_SEED=" + std::to_string(test_seed());
}

/// xorshift64* (Vigna 2016).
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed)
      : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567887654321u) {
    if (state_ == 0) state_ = 1;
  }
  std::uint64_t operator()() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1du;
  }
  /// In [0, bound).
  std::uint64_t below(std::uint64_t bound) { return (*this)() % bound; }

 private:
  std::uint64_t state_;
};

/// Random sign, 41 binades around 1, two in a hundred a signed zero: hardly any regrouping of a sum
/// of these keeps its bits.
inline double scattered_double(random_bits& next) {
  std::uint64_t const u = next();
  std::uint64_t const sign = u >> 63;
  if ((u >> 32) % 50 == 0) return std::bit_cast<double>(sign << 63);
  std::uint64_t const exponent = 1023 - 20 + (u >> 52) % 41;
  return std::bit_cast<double>(sign << 63 | exponent << 52 | (next() & 0xfffffffffffffu));
}

inline float scattered_float(random_bits& next) {
  std::uint64_t const u = next();
  std::uint32_t const sign = static_cast<std::uint32_t>(u >> 63) << 31;
  if ((u >> 32) % 50 == 0) return std::bit_cast<float>(sign);
  std::uint32_t const exponent = 127 - 20 + static_cast<std::uint32_t>((u >> 52) % 41);
  return std::bit_cast<float>(sign | exponent << 23 | static_cast<std::uint32_t>(u & 0x7fffffu));
}

/// In [-1, 1), a multiple of 2^-20.
inline double small(random_bits& next) {
  return static_cast<double>(next() >> 43) * 0x1p-20 - 1.0;
}

template <class T>
T random_element(random_bits& next) {
  if constexpr (requires { T::random(next); }) {
    return T::random(next);
  } else if constexpr (std::is_same_v<T, bool>) {
    return next.below(8) == 0;
  } else if constexpr (detail::is_int128<T>) {
    return static_cast<T>(static_cast<uint128>(next()) << 64 | next());
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(next());
  } else if constexpr (std::is_same_v<T, float> || detail::is_narrow_float<T>) {
    return static_cast<T>(detail::is_narrow_float<T> ? static_cast<float>(small(next))
                                                     : scattered_float(next));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(scattered_double(next));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return std::string(1 + next.below(3), static_cast<char>('a' + next.below(26)));
  } else {
    using part = typename T::value_type;  // complex
    part const real = random_element<part>(next);
    return T(real, random_element<part>(next));
  }
}

template <class T>
std::vector<T> random_elements(std::size_t n, std::uint64_t seed = test_seed()) {
  random_bits next(seed);
  std::vector<T> x;
  x.reserve(n);
  while (x.size() < n) x.push_back(random_element<T>(next));
  return x;
}

/// Mostly ordinary numbers, with infinities, NaN, signed zeros, subnormals and the largest finite
/// numbers among them; on average `rarity` ordinary numbers lie between two special ones.
template <class T>
std::vector<T> elements_with_specials(std::size_t n, std::uint64_t rarity,
                                      std::uint64_t seed = test_seed()) {
  using limits = std::numeric_limits<T>;
  T const special[] = {limits::infinity(),
                       -limits::infinity(),
                       limits::quiet_NaN(),
                       T(0.0),
                       T(-0.0),
                       limits::denorm_min(),
                       -limits::denorm_min(),
                       limits::max(),
                       limits::lowest(),
                       limits::min()};
  random_bits next(seed);
  std::vector<T> x;
  while (x.size() < n)
    x.push_back(next.below(rarity + 1) ? random_element<T>(next)
                                       : special[next.below(std::size(special))]);
  return x;
}

/// Words that depend on the seed and on n.
inline std::vector<std::uint64_t> random_words(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<std::uint64_t> words(n);
  for (auto& word : words) word = next();
  return words;
}

/// Numbers of very different sizes, whose sums depend on the grouping.
template <class T>
std::vector<T> uneven_numbers(std::size_t n) {
  std::vector<T> x;
  for (std::uint64_t const bits : random_words(n)) {
    double const size = std::ldexp(static_cast<double>(bits >> 40), -static_cast<int>(bits % 29));
    x.push_back(static_cast<T>(bits % 2 == 0 ? size : -size));
  }
  return x;
}

}  // namespace upsweep::test

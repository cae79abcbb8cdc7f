/// The cases of the golden set, and their inputs: recipe.txt, expanded as docs/spec/golden.md says,
/// and bits from integers alone.
#pragma once

#include <upsweep/names/dtype.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/matrix2x2.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <istream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::golden_set {

/// One call: a verb, and what it is called with.
struct call_case {
  std::string verb;
  std::vector<std::pair<std::string, std::string>> keys;

  /// The value of a key; without it, its default.
  [[nodiscard]] std::string get(std::string_view key, std::string_view otherwise = "") const {
    for (auto const& [name, value] : keys)
      if (name == key) return value;
    return std::string(otherwise);
  }
  [[nodiscard]] bool is(std::string_view key, std::string_view value) const {
    return get(key) == value;
  }
  [[nodiscard]] std::size_t number(std::string_view key) const {
    return std::strtoull(get(key).c_str(), nullptr, 10);
  }
  /// The case without its result.
  [[nodiscard]] std::string text() const {
    std::string line = verb;
    for (auto const& [name, value] : keys) line += " " + name + "=" + value;
    return line;
  }
  /// The number of elements, or of those of a shape.
  [[nodiscard]] std::size_t n() const {
    if (get("shape").empty()) return number("n");
    std::size_t product = 1;
    for (std::size_t const extent : shape()) product *= extent;
    return product;
  }
  [[nodiscard]] std::vector<std::size_t> shape() const {
    std::vector<std::size_t> extents;
    for (std::string const& word : split(get("shape"), 'x'))
      extents.push_back(std::strtoull(word.c_str(), nullptr, 10));
    return extents;
  }

  static std::vector<std::string> split(std::string const& text, char at) {
    std::vector<std::string> words;
    std::istringstream from(text);
    for (std::string word; std::getline(from, word, at);) words.push_back(word);
    return words;
  }
};

/// All cases of a recipe, in its order: of each line every combination of its lists, of which the
/// rightmost varies fastest.
inline std::vector<call_case> expand(std::istream& recipe) {
  std::map<std::string, std::vector<std::string>> lists;
  auto const values = [&](std::string const& text) {
    std::vector<std::string> all;
    for (std::string const& value : call_case::split(text, ',')) {
      if (value[0] == '@')
        all.insert(all.end(), lists[value.substr(1)].begin(), lists[value.substr(1)].end());
      else
        all.push_back(value);
    }
    return all;
  };
  std::vector<call_case> cases;
  for (std::string line; std::getline(recipe, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word, name;
    if (!(words >> word)) continue;
    if (word == "list") {
      words >> name >> word;
      lists[name] = values(word);
      continue;
    }
    std::vector<call_case> of_line;
    for (std::string const& verb : values(word)) of_line.push_back({verb, {}});
    while (words >> word) {
      std::size_t const equals = word.find('=');
      auto const choices = values(word.substr(equals + 1));
      std::vector<call_case> longer;
      for (call_case const& shorter : of_line)
        for (std::string const& choice : choices) {
          longer.push_back(shorter);
          longer.back().keys.emplace_back(word.substr(0, equals), choice);
        }
      of_line = std::move(longer);
    }
    cases.insert(cases.end(), of_line.begin(), of_line.end());
  }
  return cases;
}

/// Word k of a stream (splitmix64).
inline std::uint64_t word(std::uint64_t stream, std::uint64_t k) {
  std::uint64_t z = stream + (k + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

template <class T>
inline constexpr bool is_float = detail::is_float<T>;

/// How a floating-point type is laid out.
template <class T>
struct format {
  static constexpr int digits = std::is_same_v<T, double>     ? 53
                                : std::is_same_v<T, float>    ? 24
                                : std::is_same_v<T, bfloat16> ? 8
                                                              : 11;
  static constexpr int bits = 8 * sizeof(T), fraction_bits = digits - 1,
                       exponent_bits = bits - digits, bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr std::uint64_t one = 1, sign = one << (bits - 1),
                                 fraction_mask = (one << fraction_bits) - 1,
                                 exponents = one << exponent_bits,
                                 infinity = (exponents - 1) << fraction_bits,
                                 nan = infinity | one << (fraction_bits - 1);
};

template <class T>
std::uint64_t bits_of(T x) {
  return std::bit_cast<detail::bits_of_size<sizeof(T)>>(x);
}
template <class T>
T of_bits(std::uint64_t pattern) {
  return std::bit_cast<T>(static_cast<detail::bits_of_size<sizeof(T)>>(pattern));
}
template <class T>
std::uint64_t bits_of_double(double x) {
  return bits_of(static_cast<T>(static_cast<std::conditional_t<sizeof(T) == 8, double, float>>(x)));
}

template <class T>
std::uint64_t float_pattern(std::string const& kind, std::uint64_t u, std::uint64_t v) {
  using f = format<T>;
  constexpr int m = f::fraction_bits;
  std::uint64_t const sign = u >> 63 << (f::bits - 1), fraction = v & f::fraction_mask;
  std::uint64_t const finite[] = {0,
                                  1,
                                  f::fraction_mask,
                                  f::one << m,
                                  static_cast<std::uint64_t>(f::bias) << m,
                                  f::infinity - 1};
  std::uint64_t const edge = finite[u % 12 / 2] | (u % 12 % 2 << (f::bits - 1));
  if (kind == "bits") return v & (f::sign | (f::sign - 1));
  if (kind == "scattered") {
    constexpr std::uint64_t half = m == 10 ? 4 : 20;
    if ((u >> 32) % 50 == 0) return sign;
    return sign | (f::bias - half + (u >> 8) % (2 * half + 1)) << m | fraction;
  }
  if (kind == "wide") return sign | (u >> 8) % (f::exponents - 1) << m | fraction;
  if (kind == "edges") return edge;
  if (kind == "special") {
    std::uint64_t const rare = (u >> 32) % 32;
    return rare == 0 ? f::nan : rare == 1 ? f::infinity : rare == 2 ? f::infinity | f::sign : edge;
  }
  if (kind == "minus0") return f::sign;
  if (kind == "few") {
    constexpr double values[] = {-1, -0.0, 0, 0, 1, 1, 2, 2};
    return u % 8 == 7 && (u >> 32) % 16 == 0 ? f::nan : bits_of_double<T>(values[u % 8]);
  }
  if (kind == "small") return bits_of_double<T>(static_cast<double>(u % 201) - 100);
  if (kind == "unit")
    return bits_of_double<T>(static_cast<double>(fraction) / static_cast<double>(f::one << m));
  constexpr std::uint64_t low = m >= 10 ? std::uint64_t{901} << (m >= 10 ? m - 10 : 0) : 901 >> 3,
                          width = m >= 10 ? std::uint64_t{251} << (m >= 10 ? m - 10 : 0) : 251 >> 3;
  return sign |
         bits_of_double<T>(static_cast<double>(low + v % width) / static_cast<double>(f::one << m));
}

template <class T>
std::uint64_t integer_pattern(std::string const& kind, std::uint64_t u) {
  constexpr bool has_sign = std::is_signed_v<T>;
  constexpr std::uint64_t top = std::uint64_t{1} << (8 * sizeof(T) - 1), all = top | (top - 1);
  if (kind == "edges" || kind == "special") {
    std::uint64_t const patterns[] = {0, 1, 2, all, top, top + 1, top - 1, top - 2};
    return patterns[u % 8];
  }
  if (kind == "minus0") return 0;
  if (kind == "odd") return (u | 1) & all;
  if (kind == "small") return (u % 201 - (has_sign ? 100 : 0)) & all;
  if (kind == "few") return (u % 5 - (has_sign ? 2 : 0)) & all;
  if (kind == "times6") return u % 20 * 6;
  return u & all;
}

/// What an element consists of.
template <class T>
struct shape_of {
  using number = T;
  static constexpr std::size_t parts = 1;
  static constexpr std::string_view prefix = "";
  static T make(T const* x) { return x[0]; }
};
template <class T>
struct shape_of<affine_map<T>> {
  using number = T;
  static constexpr std::size_t parts = 2;
  static constexpr std::string_view prefix = "map-";
  static affine_map<T> make(T const* x) { return {x[0], x[1]}; }
};
template <class T>
struct shape_of<xy<T>> {
  using number = T;
  static constexpr std::size_t parts = 2;
  static constexpr std::string_view prefix = "xy-";
  static xy<T> make(T const* x) { return {x[0], x[1]}; }
};
template <class T>
struct shape_of<matrix2x2<T>> {
  using number = T;
  static constexpr std::size_t parts = 4;
  static constexpr std::string_view prefix = "mat-";
  static matrix2x2<T> make(T const* x) { return {x[0], x[1], x[2], x[3]}; }
};

/// "f32", "map-f64".
template <class T>
std::string type_name() {
  using N = typename shape_of<T>::number;
  return std::string(shape_of<T>::prefix) + std::string(dynamic::name_of(dynamic::dtype_of<N>));
}

/// The elements of a stream, `n` of the case and `more` after them.
template <class T>
std::vector<T> elements(std::string const& kind, std::size_t n, std::size_t more = 0,
                        std::uint64_t stream = 0) {
  using N = typename shape_of<T>::number;
  constexpr std::size_t parts = shape_of<T>::parts;
  auto const kinds = call_case::split(kind, '/');
  std::uint64_t const seed = n + (stream << 32);
  std::vector<T> x;
  x.reserve(n + more);
  for (std::size_t i = 0; i < n + more; ++i) {
    N numbers[parts];
    for (std::size_t c = 0; c < parts; ++c) {
      std::string const& name = kinds[std::min(c, kinds.size() - 1)];
      std::uint64_t const k = 2 * (i * parts + c), u = word(seed, k), v = word(seed, k + 1);
      if constexpr (is_float<N>)
        numbers[c] = of_bits<N>(float_pattern<N>(name, u, v));
      else
        numbers[c] = of_bits<N>(integer_pattern<N>(name, u));
    }
    x.push_back(shape_of<T>::make(numbers));
  }
  return x;
}

/// The borders of the segments of n elements.
inline std::vector<std::size_t> segment_offsets(std::size_t n, std::string const& cut) {
  std::vector<std::size_t> offsets{0};
  for (std::uint64_t k = 0; offsets.back() < n; ++k) {
    std::uint64_t const w = word(n + (std::uint64_t{1} << 32), k), kind = w & 15;
    std::uint64_t length = w >> 8;
    if (cut == "short")
      length %= 4;
    else
      length = kind < 3 ? 0 : length % (kind < 8 ? 8 : kind < 13 ? 50 : kind < 15 ? 400 : 3000);
    offsets.push_back(std::min<std::size_t>(n, offsets.back() + length));
  }
  offsets.push_back(n);
  return offsets;
}

}  // namespace upsweep::golden_set

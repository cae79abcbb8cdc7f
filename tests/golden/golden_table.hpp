/// The table of golden bits that golden.py wrote, and the same inputs. Uses integers wherever
/// possible, because one of its users is built with -ffast-math.
#pragma once

#include <upsweep/ops/affine.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::golden {

struct row {
  std::string type, operation;
  std::size_t n = 0;
  bool initial = false;
  std::string reduce, inclusive, exclusive, middle;
};

/// All rows of golden.txt for one type and operation, or an empty vector if the file cannot be
/// read.
inline std::vector<row> rows(std::string const& type, std::string const& operation) {
  std::ifstream file(UPSWEEP_GOLDEN_TABLE);
  std::vector<row> all;
  for (std::string text; std::getline(file, text);) {
    std::istringstream words(text);
    row r;
    std::string initial;
    words >> r.type >> r.operation >> r.n >> initial >> r.reduce >> r.inclusive >> r.exclusive >>
        r.middle;
    r.initial = initial != "none";
    for (std::string* const value : {&r.reduce, &r.inclusive, &r.exclusive, &r.middle})
      value->erase(0, value->find('=') + 1);
    if (r.type == type && r.operation == operation) all.push_back(r);
  }
  return all;
}

template <class T>
using word_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

inline std::string hex(std::uint64_t word, int digits) {
  char text[20];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(word));
  return text;
}

/// One type and operation of golden.py: how its elements are generated, and their bits.
template <class T>
struct sums {
  using element = T;
  using operation = plus;
  static constexpr char const* name = "sum";
  static constexpr int words = 1;
  static std::uint64_t word(T x, int) { return std::bit_cast<word_of<T>>(x); }
  static std::string text(T x) { return hex(std::bit_cast<word_of<T>>(x), 2 * sizeof(T)); }

  template <class Next>
  static T make(Next& next) {
    std::uint64_t const u = next();
    std::uint64_t const sign = u >> 63;
    constexpr int mantissa = sizeof(T) == 4 ? 23 : 52, bias = sizeof(T) == 4 ? 127 : 1023;
    std::uint64_t pattern = sign << (8 * sizeof(T) - 1);
    if ((u >> 32) % 50 != 0) {
      pattern |= (static_cast<std::uint64_t>(bias - 20) + (u >> 52) % 41) << mantissa;
      pattern |= (sizeof(T) == 4 ? u : next()) & ((std::uint64_t{1} << mantissa) - 1);
    }
    return std::bit_cast<T>(static_cast<word_of<T>>(pattern));
  }
};

template <class T>
struct recurrences {
  using element = affine_map<T>;
  using operation = affine;
  static constexpr char const* name = "affine";
  static constexpr int words = 2;
  static std::uint64_t word(element const& x, int i) {
    return sums<T>::word(i == 0 ? x.a : x.b, 0);
  }
  static std::string text(element const& x) { return sums<T>::text(x.a) + sums<T>::text(x.b); }

  template <class Next>
  static element make(Next& next) {
    constexpr int shift = sizeof(T) == 4 ? 13 : 42;
    std::uint64_t const u = next();
    std::uint64_t const magnitude =
        (std::uint64_t{901} << shift) + (u >> 1) % (std::uint64_t{251} << shift);
    T const a = static_cast<T>(magnitude) * static_cast<T>(sizeof(T) == 4 ? 0x1p-23 : 0x1p-52);
    return {u & 1 ? -a : a, sums<T>::make(next)};
  }
};

/// xorshift64* started as golden.py starts it.
class word_source {
 public:
  explicit word_source(std::size_t n) : state_(n + 0x5eed) {}
  std::uint64_t operator()() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1du;
  }

 private:
  std::uint64_t state_;
};

/// The elements of a row; with `initial`, followed by the initial value.
template <class Kind>
std::vector<typename Kind::element> input(row const& r) {
  word_source next(r.n);
  std::vector<typename Kind::element> x;
  for (std::size_t i = 0; i < r.n + r.initial; ++i) x.push_back(Kind::make(next));
  return x;
}

/// FNV-1a over the words of all values, one word a step.
template <class Kind, class Range>
std::string digest(Range const& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (typename Kind::element const& value : values)
    for (int i = 0; i < Kind::words; ++i) hash = (hash ^ Kind::word(value, i)) * 0x100000001b3u;
  return hex(hash, 16);
}

template <class Kind>
char const* type_name() {
  return sizeof(typename Kind::element) / Kind::words == 4 ? "f32" : "f64";
}

inline testing::AssertionResult matches(row const& r, char const* what, std::string const& got,
                                        std::string const& golden) {
  if (got == golden) return testing::AssertionSuccess();
  return testing::AssertionFailure() << r.type << ' ' << r.operation << ", n = " << r.n
                                     << (r.initial ? ", with an initial value" : "") << ": " << what
                                     << " has bits " << got << ", golden are " << golden;
}

/// Results of one row, however they were computed, against its golden bits.
template <class Kind, class Range>
testing::AssertionResult scan_matches(row const& r, scan_kind kind, Range const& out) {
  bool const inclusive = kind == scan_kind::inclusive;
  if (inclusive)
    if (auto const result =
            matches(r, "the middle of inclusive_scan", Kind::text(out[r.n / 2]), r.middle);
        !result)
      return result;
  return matches(r, inclusive ? "all of inclusive_scan" : "all of exclusive_scan",
                 digest<Kind>(out), inclusive ? r.inclusive : r.exclusive);
}

/// reduce and both scans on `on` have the golden bits, in every row of the table.
template <class Kind, class E>
testing::AssertionResult has_golden_bits(E const& on) {
  using T = typename Kind::element;
  typename Kind::operation const op;
  auto const table = rows(type_name<Kind>(), Kind::name);
  if (table.size() < 30)
    return testing::AssertionFailure() << UPSWEEP_GOLDEN_TABLE << " has no rows for " << Kind::name;
  for (row const& r : table) {
    std::vector<T> x = input<Kind>(r);
    options<T> o;
    if (r.initial) {
      o.initial = x.back();
      x.pop_back();
    }
    std::vector<T> out(r.n);
    if (auto const result =
            matches(r, "reduce", Kind::text(upsweep::reduce(on, x, op, o)), r.reduce);
        !result)
      return result;
    upsweep::inclusive_scan(on, x, out, op, o);
    if (auto const result = scan_matches<Kind>(r, scan_kind::inclusive, out); !result)
      return result;
    upsweep::exclusive_scan(on, x, out, op, o);
    if (auto const result = scan_matches<Kind>(r, scan_kind::exclusive, out); !result)
      return result;
    upsweep::inclusive_scan(on, x, x, op, o);  // in place
    if (auto const result = scan_matches<Kind>(r, scan_kind::inclusive, x); !result) return result;
  }
  return testing::AssertionSuccess();
}

}  // namespace upsweep::golden

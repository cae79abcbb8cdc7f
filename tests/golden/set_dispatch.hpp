/// From the words of a case to an operator and a type of elements; the text of the results, and its
/// SHA-256 (docs/spec/golden.md).
#pragma once

#include "set_case.hpp"

#include <golden/sha256.h>
#include <upsweep/names/compiled.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/catalog.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/means.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/ops/sessions.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace upsweep::golden_set {

/// SHA-256 of bytes that arrive piece by piece.
class sha256 {
 public:
  sha256() { golden_sha256_begin(&hash_); }
  void add(std::span<std::uint8_t const> bytes) {
    golden_sha256_add(&hash_, bytes.data(), bytes.size());
  }
  void add(std::string_view text) { golden_sha256_add(&hash_, text.data(), text.size()); }
  /// 64 digits; ends the text.
  [[nodiscard]] std::string hex() {
    char digits[65];
    golden_sha256_end(&hash_, digits);
    return digits;
  }

 private:
  golden_sha256 hash_;
};

/// The numbers of an array, as text: few as bits, more as a hash.
class listing {
 public:
  /// A result, number by number. All NaN have one pattern.
  template <class T>
  void add_result(T const& x) {
    ++rows_;
    add_parts(x);
  }
  /// An element that was only moved.
  template <class T>
  void add_moved(T const& x) {
    ++rows_;
    add_bits(bits_of(x), sizeof(T));
  }
  [[nodiscard]] std::string text() const {
    if (bits_.empty()) return "-";
    std::string all;
    if (bits_.size() <= 6) {
      std::size_t const parts = bits_.size() / rows_;
      for (std::size_t i = 0; i < bits_.size(); ++i) {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%0*llx", 2 * sizes_[i],
                      static_cast<unsigned long long>(bits_[i]));
        all += (i == 0 ? "" : i % parts == 0 ? "," : ":") + std::string(digits);
      }
      return all;
    }
    sha256 hash;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      std::uint8_t bytes[8];
      for (int b = 0; b < sizes_[i]; ++b) bytes[b] = static_cast<std::uint8_t>(bits_[i] >> 8 * b);
      hash.add({bytes, static_cast<std::size_t>(sizes_[i])});
    }
    return "#" + hash.hex().substr(0, 16);
  }

 private:
  void add_bits(std::uint64_t bits, std::size_t size) {
    bits_.push_back(bits);
    sizes_.push_back(static_cast<std::uint8_t>(size));
  }
  template <class T>
  void add_parts(T const& x) {
    if constexpr (std::is_same_v<T, bool>) {
      add_bits(x ? 1 : 0, 1);
    } else if constexpr (is_float<T>) {
      add_bits(x != x ? format<T>::nan : bits_of(x), sizeof(T));
    } else if constexpr (std::is_same_v<T, std::size_t>) {  // a position, of 64 bits in the set
      add_bits(x == no_index ? ~std::uint64_t{0} : x, 8);
    } else if constexpr (std::is_integral_v<T>) {
      add_bits(bits_of(x), sizeof(T));
    } else if constexpr (detail::parts::optional_like<T>) {
      add_bits(x.has_value() ? 1 : 0, 1);
      using V = std::remove_cvref_t<decltype(*x)>;
      add_parts(x.has_value() ? *x : V{});
    } else {
      detail::parts::with(x, [this](auto const& all) {
        std::apply([this](auto const&... part) { (add_parts(part), ...); }, all);
      });
    }
  }

  std::size_t rows_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint8_t> sizes_;
};

template <class Range>
std::string listed(Range const& results) {
  listing all;
  for (auto const& x : results) all.add_result(x);
  return all.text();
}
template <class Range>
std::string moved(Range const& elements) {
  listing all;
  for (auto const& x : elements) all.add_moved(x);
  return all.text();
}

using dynamic::types;

/// Operators over types of elements.
template <class Operators, class Types>
struct over {};
template <class... Rows>
struct table {};

/// What the recipe calls an operator.
template <class Op>
struct named {
  static constexpr std::string_view name = catalog::name_of(catalog::id_of<Op>);
  static Op make() { return {}; }
};
template <>
struct named<drawdown> {
  static constexpr std::string_view name = "drawdown";
  static drawdown make() { return {}; }
};
template <>
struct named<sessions<std::int64_t>> {
  static constexpr std::string_view name = "sessions:3";
  static sessions<std::int64_t> make() { return {3}; }
};
template <>
struct named<run_number> {
  static constexpr std::string_view name = "run-number";
  static run_number make() { return {}; }
};
template <>
struct named<harmonic_mean> {
  static constexpr std::string_view name = "harmonic-mean";
  static harmonic_mean make() { return {}; }
};
template <>
struct named<rms> {
  static constexpr std::string_view name = "rms";
  static rms make() { return {}; }
};

using result_text = std::optional<std::string>;

template <class Op, class T, class F>
void try_pair(call_case const& c, result_text& text, F const& f) {
  if (text || !c.is("op", named<Op>::name) || !c.is("type", type_name<T>())) return;
  text = f.template operator()<Op, T>(named<Op>::make());
}
template <class Op, class... T, class F>
void try_operator(types<T...>, call_case const& c, result_text& text, F const& f) {
  (try_pair<Op, T>(c, text, f), ...);
}
template <class... Op, class Types, class F>
void try_row(over<types<Op...>, Types>, call_case const& c, result_text& text, F const& f) {
  (try_operator<Op>(Types{}, c, text, f), ...);
}
/// f.operator()<Op, T>(op) for the row that the case names, or nothing.
template <class... Rows, class F>
result_text dispatch(table<Rows...>, call_case const& c, F const& f) {
  result_text text;
  (try_row(Rows{}, c, text, f), ...);
  return text;
}
/// f.operator()<T>() for the type that the case names, or nothing.
template <class... T, class F>
result_text dispatch_type(types<T...>, call_case const& c, F const& f, char const* key = "type") {
  result_text text;
  ((c.is(key, type_name<T>()) ? void(text = f.template operator()<T>()) : void()), ...);
  return text;
}

/// Room for n results; unlike std::vector<bool>, in bytes.
template <class R>
struct room {
  std::unique_ptr<R[]> first;
  std::size_t size;
  explicit room(std::size_t n) : first(new R[n]()), size(n) {}
  [[nodiscard]] std::span<R> all() const { return {first.get(), size}; }
};

/// The text of a call, or of its exception.
template <class F>
std::string text_of(F const& call) {
  try {
    return call();
  } catch (overflow_error const& e) {
    return "overflow@" + std::to_string(e.index());
  } catch (precondition_error const&) {
    return "refused";
  }
}

template <class Op>
inline constexpr bool is_recurrence = false;
template <std::size_t order, class T>
inline constexpr bool is_recurrence<recurrence<order, T>> = true;

template <std::size_t order, class T>
auto after(recurrence<order, T> const& op, T const* behind) {
  T y[order];
  for (std::size_t k = 0; k < order; ++k) y[k] = behind[k];
  return op.after(y);
}

/// The elements of a case and its options.
template <class Op, class T>
struct inputs {
  using A = accumulator_t<Op, T>;
  std::vector<T> x;
  options<A> how;

  inputs(Op const& op, call_case const& c) : x(elements<T>(c.get("kind"), c.n(), 8)) {
    std::vector<T> const behind(x.end() - 8, x.end());
    x.resize(c.n());
    how.reverse = c.is("reverse", "yes");
    if (!c.is("initial", "next")) return;
    if constexpr (is_recurrence<Op>)
      how.initial = after(op, behind.data());
    else
      how.initial = detail::lift(op, behind[0], no_index);
  }
};

/// Calls f.operator()<R>() with the type in which results are stored.
template <class Op, class T, class F>
std::string with_output(call_case const& c, F const& f) {
  using R = result_t<Op, T>;
  if constexpr (std::is_arithmetic_v<R> && (std::is_arithmetic_v<T> || is_float<T>) &&
                (std::is_same_v<Op, plus> || std::is_same_v<Op, multiplies>))
    if (c.is("out", "element")) return f.template operator()<T>();
  return f.template operator()<R>();
}

// The parts of the runner on the CPU, each compiled alone: the text of a result, or nothing if the
// case belongs to another part.
result_text arithmetic_case(cpu const& on, call_case const& c);  // sums, products, extrema
result_text catalog_case(cpu const& on, call_case const& c);     // other operators of one number
result_text statistics_case(cpu const& on, call_case const& c);  // and those of several
result_text recurrence_case(cpu const& on, call_case const& c);
result_text segments_case(cpu const& on, call_case const& c);   // and runs
result_text windows_case(cpu const& on, call_case const& c);    // and lines along an axis
result_text selection_case(cpu const& on, call_case const& c);  // and rows
result_text histogram_case(cpu const& on, call_case const& c);
result_text order_case(cpu const& on, call_case const& c);

/// The text of a case of any part.
result_text text_of_case(cpu const& on, call_case const& c);

}  // namespace upsweep::golden_set

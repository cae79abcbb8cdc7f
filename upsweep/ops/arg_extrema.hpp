/// The position of the smallest or largest element, with its value.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/ops/order.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// The index that no element has. It marks the identity of argmin and argmax, which is the first
/// result of their exclusive scans.
inline constexpr std::size_t no_index = static_cast<std::size_t>(-1);

/// A value and its position in the input. A scan can also store the position alone, into a range of
/// std::size_t.
template <class T>
struct UPSWEEP_API indexed {
  T value;
  std::size_t index;
  explicit UPSWEEP_BOTH constexpr operator std::size_t() const { return index; }
  /// The same where std::size_t is another type, perhaps a shorter one: no_index has all bits.
  template <class U>
    requires(std::is_same_v<U, std::uint64_t> && !std::is_same_v<U, std::size_t>)
  explicit UPSWEEP_BOTH constexpr operator U() const {
    return index == static_cast<std::size_t>(-1) ? ~U{0} : U{index};
  }
  friend bool operator==(indexed const&, indexed const&) = default;
};

namespace detail {

/// Which element is found; `last`: of equal ones, the one with the largest index.
struct extremum_rule {
  bool largest, last;
};
enum class extreme { smallest, largest };
enum class among_ties { first, last };
template <extreme Extreme, among_ties Ties>
struct fixed_rule {
  static UPSWEEP_BOTH constexpr extremum_rule rule() {
    return {Extreme == extreme::largest, Ties == among_ties::last};
  }
};
/// Known at run time only, for code that is compiled once for all rules.
struct given_rule {
  extremum_rule given;
  [[nodiscard]] UPSWEEP_BOTH constexpr extremum_rule rule() const { return given; }
};

/// The element that `min` (or `max`) would select, as indexed<T> (of float for 16-bit floats): -0
/// is below +0, and a NaN wins over every number. Ties are elements of equal value, or several NaN;
/// the first or the last of them in the input wins, by index, so the operator is commutative.
/// Exact. Reducing an empty input is an error. The identity, with which an exclusive scan begins,
/// is the extreme value at `no_index`, which loses against every element. Types other than numbers
/// are ordered by their `<`, and their identity holds T{}.
template <class Rule>
struct arg_extremum : Rule {
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  static constexpr bool refuses_empty = true;
  template <class T>
  using accumulator = indexed<selected_t<T>>;

  template <class A>
    requires std::default_initializable<decltype(A::value)>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    using T = decltype(A::value);
    if constexpr (detail::order::number<T>)
      return {this->rule().largest ? detail::order::least<T>() : detail::order::greatest<T>(),
              no_index};
    else
      return {T{}, no_index};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<T> lift(T const& x, std::size_t index) const {
    return {static_cast<selected_t<T>>(x), index};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_INLINED UPSWEEP_BOTH constexpr indexed<T> operator()(
      indexed<T> const& earlier, indexed<T> const& later) const {
    return wins(later, earlier) ? later : earlier;
  }

 private:
  template <class T>
  [[nodiscard]] UPSWEEP_INLINED UPSWEEP_BOTH constexpr bool wins(indexed<T> const& a,
                                                                 indexed<T> const& b) const {
    // T{} may be smaller than an element, so the index marks the identity.
    if constexpr (!detail::order::number<T>) {
      if (b.index == no_index) return true;
      if (a.index == no_index) return false;
    }
    bool const a_is_nan = detail::order::is_nan(a.value), b_is_nan = detail::order::is_nan(b.value);
    if (a_is_nan != b_is_nan) return a_is_nan;
    if (!a_is_nan) {
      if (detail::order::precedes(a.value, b.value)) return !this->rule().largest;
      if (detail::order::precedes(b.value, a.value)) return this->rule().largest;
    }
    if (!this->rule().last) return a.index < b.index;
    return a.index + 1 > b.index + 1;  // no_index + 1 wraps to 0, below every element
  }
};

}  // namespace detail

/// The first smallest element and its index, as indexed<T>.
struct argmin : detail::arg_extremum<
                    detail::fixed_rule<detail::extreme::smallest, detail::among_ties::first>> {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::numbers,
      .identity = "no index",
      .accumulator = "value and index",
      .ordered = false,
      .meaning = "Row of the first smallest value, counted from 0.",
      .example = "3 1 1",
      .result = "1"};
};
/// The first largest element and its index, as indexed<T>.
struct argmax : detail::arg_extremum<
                    detail::fixed_rule<detail::extreme::largest, detail::among_ties::first>> {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "no index",
                                              .accumulator = "value and index",
                                              .ordered = false,
                                              .meaning = "Row of the first largest value.",
                                              .example = "1 5 5",
                                              .result = "1"};
};
/// The last smallest element and its index, as indexed<T>.
struct argmin_last : detail::arg_extremum<
                         detail::fixed_rule<detail::extreme::smallest, detail::among_ties::last>> {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "no index",
                                              .accumulator = "value and index",
                                              .ordered = false,
                                              .meaning = "Row of the last smallest value.",
                                              .example = "3 1 1",
                                              .result = "2"};
};
/// The last largest element and its index, as indexed<T>.
struct argmax_last
    : detail::arg_extremum<detail::fixed_rule<detail::extreme::largest, detail::among_ties::last>> {
  static constexpr catalog::description about{.takes = catalog::operand_kind::numbers,
                                              .identity = "no index",
                                              .accumulator = "value and index",
                                              .ordered = false,
                                              .meaning = "Row of the last largest value.",
                                              .example = "1 5 5",
                                              .result = "2"};
};

}  // namespace upsweep
UPSWEEP_IEEE_END

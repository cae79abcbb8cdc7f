/// The data of the laboratory's kernels: elements by type, operators by name, inputs made from a
/// seed, and values as text.
#pragma once

#include <upsweep/names/operators.hpp>
#include <upsweep/ops/monoid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::lab {

/// Types of dynamic::dtype; `affine` is a map x -> a x + b modulo 2^32: two numbers in 8 bytes, and
/// an operator that does not commute.
enum class element_type { i32, i64, f32, f64, affine };
using map_element = affine_map<std::uint32_t>;

using operation_name = catalog::id;

struct element_row {
  element_type value;
  std::string_view name;
  int bytes;
};
inline constexpr std::array elements{
    element_row{element_type::i32, "i32", 4}, element_row{element_type::i64, "i64", 8},
    element_row{element_type::f32, "f32", 4}, element_row{element_type::f64, "f64", 8},
    element_row{element_type::affine, "affine", 8}};

struct operation_row {
  operation_name value;
  std::string_view name;
  bool commutes;
};
/// The operators that are compiled for the laboratory over any of its types.
[[nodiscard]] std::vector<operation_row> const& operations();

[[nodiscard]] std::string_view name_of(element_type type);
using catalog::name_of;
[[nodiscard]] inline bool commutes(operation_name op) {
  return catalog::entry_of(op).commutative;
}
/// Parses a name, for types also "int32", "float" and the like; throws a usage_error with the
/// nearest name for anything else.
[[nodiscard]] element_type parse_element(std::string_view name);
[[nodiscard]] operation_name parse_operation(std::string_view name);
/// Whether `op` combines elements of `type`: bit operators only integers, affine only maps.
[[nodiscard]] bool combine(operation_name op, element_type type);

/// Calls `f.template operator()<T>()` with the C++ type of `type`.
template <class F>
decltype(auto) with_element(element_type type, F&& f) {
  switch (type) {
    case element_type::i64:
      return f.template operator()<std::int64_t>();
    case element_type::f32:
      return f.template operator()<float>();
    case element_type::f64:
      return f.template operator()<double>();
    case element_type::affine:
      return f.template operator()<map_element>();
    case element_type::i32:
      break;
  }
  return f.template operator()<std::int32_t>();
}

/// `Op` with its element type as accumulator: a kernel's operands and results share one memory.
template <class Op>
struct in_own_type {
  static constexpr bool commutative = Op::commutative;
  template <class A>
  static constexpr bool exact = is_exact<Op, A>;
  template <class T>
  using accumulator = T;

  template <class A>
  [[nodiscard]] A identity() const {
    return identity_of<A>(Op{});
  }
  template <class A>
  [[nodiscard]] A operator()(A const& earlier, A const& later) const {
    return Op{}(earlier, later);
  }
};

/// Calls `f` with the operator `op` over elements of type T, which combine(op, T) allows.
template <class T, class F>
decltype(auto) with_operation(operation_name op, F&& f) {
  return dynamic::dispatch_operator(dynamic::operators_for<dynamic::target::lab, T>{}, op,
                                    [&]<class Op>(Op) { return f(in_own_type<Op>{}); });
}

/// n elements made from `seed`, for which every grouping gives the same bits even for floats: small
/// integers for sums, factors 1, 2 and 1/2 for products that stay near 1.
template <class T>
[[nodiscard]] std::vector<T> input(operation_name op, std::uint64_t n, std::uint64_t seed);

/// n elements that are 1; of maps, x + 1.
template <class T>
[[nodiscard]] std::vector<T> ones(std::uint64_t n) {
  if constexpr (std::is_arithmetic_v<T>)
    return std::vector<T>(n, T{1});
  else
    return std::vector<T>(n, T{1, 1});
}

/// The elements that a text such as "6,2,7,4" lists; a map is written 3x+1. Throws a usage_error
/// that names the first item that is no value of T: no number, no integer, or out of range.
template <class T>
[[nodiscard]] std::vector<T> listed(std::string_view text);

/// Shortest text that reads back equal; a map as "3x+1".
template <class T>
[[nodiscard]] std::string text_of(T const& value);
/// The same for the bytes of an element in a trace.
[[nodiscard]] std::string text_of(element_type type, std::byte const* bytes);

}  // namespace upsweep::lab

/// From the id of an operator to its type, among those that are compiled for an element type.
#pragma once

#include <upsweep/names/compiled.hpp>
#include <upsweep/ops/catalog.hpp>

#include <type_traits>

namespace upsweep::dynamic {

template <target t, class T, class List = compiled_list>
struct operators_of_list;
template <target t, class T, class Row>
struct operators_of_row {
  using type = types<>;
};
template <target t, class T, class Operators, class Types, target... targets>
  requires(((targets == t) || ...) && is_in<T, Types>)
struct operators_of_row<t, T, over<Operators, Types, targets...>> {
  using type = Operators;
};
template <target t, class T, class... Rows>
struct operators_of_list<t, T, list<Rows...>> {
  using type = join<typename operators_of_row<t, T, Rows>::type...>;
};
/// The operators that are compiled for `t` over elements of type T.
template <target t, class T>
using operators_for = typename operators_of_list<t, T>::type;

/// Whether `op` is one of the list.
template <class... Op>
[[nodiscard]] constexpr bool has_operator(types<Op...>, catalog::id op) {
  return ((catalog::id_of<Op> == op) || ...);
}

/// Calls f(Op{}) with the operator of the list that `op` names, which must be one of them.
template <class First, class... Rest, class F>
constexpr decltype(auto) dispatch_operator(types<First, Rest...>, catalog::id op, F&& f) {
  if constexpr (sizeof...(Rest) > 0)
    if (op != catalog::id_of<First>) return dispatch_operator(types<Rest...>{}, op, f);
  return f(First{});
}

}  // namespace upsweep::dynamic

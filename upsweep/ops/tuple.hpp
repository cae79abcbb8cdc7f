/// Several operators on the same elements in one pass.
#pragma once

#include <upsweep/ops/monoid.hpp>

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace upsweep {

/// Several operators at once: `auto [sum, low, high] = reduce(x, tuple_of{plus{}, min{}, max{}})`.
/// Accumulator and result are std::tuples of those of the operators. So is the identity, if each
/// operator has one. Commutative or exact if all operators are; rejects an empty input if one does.
template <class... Op>
class tuple_of {
 public:
  static constexpr bool commutative = (is_commutative<Op> && ...);
  static constexpr bool ignores_flags = (detail::ignores_flags<Op> && ...);
  static constexpr bool refuses_empty = (detail::refuses_empty<Op> || ...);
  template <class T>
  using accumulator = std::tuple<accumulator_t<Op, T>...>;

 private:
  template <class Part, class A>
  static constexpr bool refuses = requires(Part const& op, A const& a) { op.accepts(a); };
  template <class Part, class A>
  static UPSWEEP_BOTH constexpr bool part_accepts(Part const& op, A const& a) {
    if constexpr (refuses<Part, A>)
      return op.accepts(a);
    else
      return true;
  }
  template <class Tuple>
  struct each;
  template <class... A>
  struct each<std::tuple<A...>> {
    static constexpr bool is_exact = (upsweep::is_exact<Op, A> && ...);
    static constexpr bool has_identity = (monoid_over<Op, A> && ...);
    static constexpr bool combines = (detail::combines<Op, A> && ...);
    static constexpr bool may_refuse = (refuses<Op, A> || ...);
  };
  static constexpr auto all = std::index_sequence_for<Op...>{};

 public:
  template <class Tuple>
  static constexpr bool exact = each<Tuple>::is_exact;

  UPSWEEP_BOTH constexpr explicit tuple_of(Op... op) : op_(std::move(op)...) {}

  [[nodiscard]] UPSWEEP_BOTH constexpr std::tuple<Op...> const& parts() const { return op_; }

  template <class Tuple>
    requires each<Tuple>::has_identity
  [[nodiscard]] UPSWEEP_BOTH constexpr Tuple identity() const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Tuple(identity_of<std::tuple_element_t<I, Tuple>>(std::get<I>(op_))...);
    }(all);
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr accumulator<T> lift(T const& x, std::size_t index) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return accumulator<T>(detail::lift(std::get<I>(op_), x, index)...);
    }(all);
  }
  template <class... A>
    requires each<std::tuple<A...>>::combines
  [[nodiscard]] UPSWEEP_BOTH constexpr std::tuple<A...> operator()(
      std::tuple<A...> const& earlier, std::tuple<A...> const& later) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<A...>(std::get<I>(op_)(std::get<I>(earlier), std::get<I>(later))...);
    }(all);
  }
  template <class... A, class T>
  UPSWEEP_BOTH constexpr void absorb(std::tuple<A...>& a, T const& x, std::size_t index) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (detail::absorb(std::get<I>(op_), std::get<I>(a), x, index), ...);
    }(all);
  }
  template <class... A>
    requires each<std::tuple<A...>>::may_refuse
  [[nodiscard]] UPSWEEP_BOTH constexpr bool accepts(std::tuple<A...> const& a) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (part_accepts(std::get<I>(op_), std::get<I>(a)) && ...);
    }(all);
  }
  template <class... A>
  [[nodiscard]] UPSWEEP_BOTH constexpr auto finish(std::tuple<A...> const& a) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<
          std::remove_cvref_t<decltype(detail::finish(std::get<I>(op_), std::get<I>(a)))>...>(
          detail::finish(std::get<I>(op_), std::get<I>(a))...);
    }(all);
  }
  template <class... A>
    requires(detail::has_start<Op, A> || ...)
  [[nodiscard]] UPSWEEP_BOTH constexpr std::tuple<A...> start(std::tuple<A...> const& a) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<A...>(detail::start(std::get<I>(op_), std::get<I>(a))...);
    }(all);
  }

 private:
  std::tuple<Op...> op_;
};

}  // namespace upsweep

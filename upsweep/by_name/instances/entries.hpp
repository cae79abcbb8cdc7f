/// How an entry is made from the C++ verbs: each pair of names/compiled.hpp becomes functions
/// that take untyped memory.
#pragma once

#include <upsweep/by_name/instances.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>
#include <upsweep/windowed.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace upsweep::dynamic {

/// The operator whose scans are compiled instead of Op's, so that several share one instantiation.
/// It is constructed from the id if it has such a constructor. Reductions have kernels of their
/// own, except from the end.
template <class Op>
struct shared_operator {
  using type = Op;
};
/// The type whose elements are compiled instead of T. Signed and unsigned integers share those of
/// bitwise and logical operators.
template <class Op, class T>
struct shared_element {
  using type = T;
};
template <class Op, class T>
  requires(is_in<Op, join<bitwise_operators, logical_operators>> && std::is_integral_v<T>)
struct shared_element<Op, T> {
  using type = std::make_unsigned_t<T>;
};
/// The type in which the entry stores a result R.
template <class Op, class R>
struct stored_result {
  using type = R;
};

template <class Op, class T>
struct typed_calls {
  using operation = typename shared_operator<Op>::type;
  using element = typename shared_element<Op, T>::type;
  using result = typename stored_result<Op, result_t<operation, element>>::type;
  using accumulator = accumulator_t<operation, element>;
  /// An initial value has the type of a result, so it is possible where a result converts to an
  /// accumulator. A position alone does not, as it lacks the value.
  static constexpr bool takes_initial = std::is_convertible_v<result const&, accumulator>;

  static constexpr operation make() {
    if constexpr (std::is_constructible_v<operation, catalog::id>)
      return operation(catalog::id_of<Op>);
    else
      return operation{};
  }
  template <class A = accumulator>
  static options<A> options_of(request const& how) {
    options<A> o;
    o.reverse = how.reverse;
    o.tree = how.tree;
    if constexpr (takes_initial) {
      if (how.initial) o.initial.emplace(*static_cast<result const*>(how.initial));
    }
    return o;
  }
  static std::span<element const> elements(void const* in, std::size_t n) {
    return {static_cast<element const*>(in), n};
  }
  static std::span<result> results(void* out, std::size_t n) {
    return {static_cast<result*>(out), n};
  }

  /// The reduction in one direction: what upsweep::reduce() chooses at run time.
  template <bool reverse, class O>
  static auto total(std::span<element const> x, O const& op, request const& how) {
    detail::float_environment const ieee;
    auto const o = options_of<accumulator_t<O, element>>(how);
    if (x.empty()) return detail::finished(op, detail::result_of_empty(op, o));
    detail::start_of<O, accumulator_t<O, element>> const start(op, o.initial);
    detail::as_is const unchanged;
    return detail::reduce_call(how.on,
                               call{detail::source_of<reverse>(x, x.size(), unchanged, op),
                                    x.size(), op, o.mode, start.get()},
                               o);
  }
  static void reduce(void const* in, std::size_t n, request const& how, void* out) {
    // From the end, a commutative operator that is exact has the same total.
    constexpr bool both_ways = is_commutative<Op> && is_exact<Op, accumulator_t<Op, element>>;
    auto& to = *static_cast<result*>(out);
    if constexpr (!both_ways) {
      if (how.reverse) {
        to = static_cast<result>(total<true>(elements(in, n), make(), how));
        return;
      }
    }
    to = static_cast<result>(total<false>(elements(in, n), Op{}, how));
  }
  static void inclusive(void const* in, std::size_t n, request const& how, void* out) {
    inclusive_scan(how.on, elements(in, n), results(out, n), make(), options_of(how));
  }
  static void exclusive(void const* in, std::size_t n, request const& how, void* out) {
    exclusive_scan(how.on, elements(in, n), results(out, n), make(), options_of(how));
  }

  static void windowed(void const* in, std::size_t n, std::size_t width, request const& how,
                       void* out) {
    std::size_t const windows = n < width ? 0 : n - width + 1;
    upsweep::windowed(how.on, elements(in, n), width, results(out, windows), make(),
                      options_of(how));
  }
  static constexpr auto find_windowed() {
    using function = decltype(&windowed);
    if constexpr (detail::windows_share_totals<operation, element, accumulator>)
      return &windowed;
    else
      return function{};
  }

  static host::plan plan(verb v, std::size_t n, int threads, bool in_place) {
    using Reduced = source<element const*, detail::as_is, Op, false>;
    using Scanned = source<element const*, detail::as_is, operation, false>;
    using Sink = sink<result*, operation, false>;
    if (v == verb::reduce) return host::explain_reduction<Reduced>(n, threads);
    return host::explain_scan<Scanned, Sink>(n, threads, in_place);
  }

  /// The dtype of the results, also where T shares the code of another element type.
  static constexpr dtype result_type() {
    if constexpr (std::is_same_v<result_t<Op, T>, bool>)
      return dtype::boolean;
    else if constexpr (std::is_same_v<result, element>)
      return dtype_of<number_of<T>>;
    else
      return dtype_of<number_of<result>>;
  }
  static constexpr call_entry make_entry(std::size_t family, std::size_t row) {
    return {catalog::id_of<Op>,
            dtype_of<number_of<T>>,
            result_type(),
            takes_initial,
            find_windowed() != nullptr,
            {static_cast<std::uint8_t>(family), static_cast<std::uint8_t>(row)}};
  }
};

/// The position of a family in the list of all.
template <class Family, class... All>
constexpr std::size_t number_of_family(types<All...>) {
  std::size_t at = 0;
  bool found = false;
  ((found = found || std::is_same_v<Family, All>, at += !found), ...);
  return at;
}

/// {get.operator()<typed_calls<Op, T>>(i)...} over the operators and types of a family; i is the
/// position in the array.
template <class R, class... Op, class Get>
constexpr std::array<R, calls_of<types<Op...>>::size> table_of(Get const& get) {
  std::array<R, calls_of<types<Op...>>::size> all{};
  std::size_t at = 0;
  auto const append = [&]<class O, class... T>(std::type_identity<O>, types<T...>) {
    ((all[at] = get.template operator()<typed_calls<O, T>>(at), ++at), ...);
  };
  (append(std::type_identity<Op>{}, types_for<target::call, Op>{}), ...);
  return all;
}

template <class... Op>
constinit std::array<call_entry, calls_of<types<Op...>>::size> const
    calls_of<types<Op...>>::entries = table_of<call_entry, Op...>([]<class Calls>(std::size_t at) {
      return Calls::make_entry(number_of_family<calls_of<types<Op...>>>(all_calls{}), at);
    });
template <class... Op>
constinit std::array<call_function, calls_of<types<Op...>>::size> const
    calls_of<types<Op...>>::reductions =
        table_of<call_function, Op...>([]<class Calls>(std::size_t) { return &Calls::reduce; });
template <class... Op>
constinit std::array<call_function, calls_of<types<Op...>>::size> const
    calls_of<types<Op...>>::inclusive_scans =
        table_of<call_function, Op...>([]<class Calls>(std::size_t) { return &Calls::inclusive; });
template <class... Op>
constinit std::array<call_function, calls_of<types<Op...>>::size> const
    calls_of<types<Op...>>::exclusive_scans =
        table_of<call_function, Op...>([]<class Calls>(std::size_t) { return &Calls::exclusive; });
template <class... Op>
constinit std::array<windowed_function, calls_of<types<Op...>>::size> const
    calls_of<types<Op...>>::windows = table_of<windowed_function, Op...>(
        []<class Calls>(std::size_t) { return Calls::find_windowed(); });
template <class... Op>
constinit std::array<plan_function, calls_of<types<Op...>>::size> const
    calls_of<types<Op...>>::plans =
        table_of<plan_function, Op...>([]<class Calls>(std::size_t) { return &Calls::plan; });

}  // namespace upsweep::dynamic

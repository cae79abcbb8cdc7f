/// How one pair of type and operator is called through the C interface: an entry of untyped
/// functions, made from the C++ verbs.
#pragma once

#include <upsweep/c_api/type_of.hpp>
#include <upsweep/cpu/executor.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/scan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace upsweep::c_api {

/// The operator and the options of a call, already checked.
struct call {
  upsweep_operator op;
  cpu on;
  bool reverse;
  void const* initial;
};

/// One type with one operator.
struct entry {
  upsweep_type type;
  upsweep_operator op;
  upsweep_type result;
  bool takes_initial;
  void (*reduce)(void const* in, std::size_t n, call const& c, void* out);
  void (*inclusive)(void const* in, std::size_t n, call const& c, void* out);
  void (*exclusive)(void const* in, std::size_t n, call const& c, void* out);
};

/// The tables, one for each family of operators, so that each compiles on its own.
std::span<entry const> sums();
std::span<entry const> products();
std::span<entry const> minima();
std::span<entry const> maxima();
std::span<entry const> positions();
std::span<entry const> bits();
std::span<entry const> truths();
std::span<entry const> divisors();
std::span<entry const> checked_results();
std::span<entry const> exact_sums();

/// `Result` is what C sees: what the operator finishes to, or what that converts to (a position, a
/// truth value as a byte).
template <class T, class Op, class Result>
struct typed {
  using accumulator = accumulator_t<Op, T>;
  /// An initial value is a result, so it exists where a result can be taken up again; a position
  /// alone lacks its value.
  static constexpr bool takes_initial = std::is_convertible_v<Result const&, accumulator>;

  /// Operators that stand for several of the C interface are told which they are.
  static Op op_of([[maybe_unused]] call const& c) {
    if constexpr (std::is_constructible_v<Op, upsweep_operator>)
      return Op(c.op);
    else
      return Op{};
  }
  static options<accumulator> options_of(call const& c) {
    options<accumulator> o;
    o.reverse = c.reverse;
    if constexpr (takes_initial) {
      if (c.initial) o.initial.emplace(*static_cast<Result const*>(c.initial));
    }
    return o;
  }
  static std::span<T const> elements(void const* in, std::size_t n) {
    return {static_cast<T const*>(in), n};
  }

  static void reduce(void const* in, std::size_t n, call const& c, void* out) {
    *static_cast<Result*>(out) =
        static_cast<Result>(upsweep::reduce(c.on, elements(in, n), op_of(c), options_of(c)));
  }
  static void inclusive(void const* in, std::size_t n, call const& c, void* out) {
    inclusive_scan(c.on, elements(in, n), std::span(static_cast<Result*>(out), n), op_of(c),
                   options_of(c));
  }
  static void exclusive(void const* in, std::size_t n, call const& c, void* out) {
    exclusive_scan(c.on, elements(in, n), std::span(static_cast<Result*>(out), n), op_of(c),
                   options_of(c));
  }
};

template <class... T>
struct types {};
using integers = types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                       std::uint16_t, std::uint32_t, std::uint64_t>;
using unsigned_integers = types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
#ifdef UPSWEEP_HAS_FLOAT16
using floats = types<float16, bfloat16, float, double>;
#else
using floats = types<bfloat16, float, double>;
#endif

/// `op` over each of the types. Result = void: whatever the operator finishes to.
template <class Op, class Result = void, class... T>
constexpr std::array<entry, sizeof...(T)> entries(upsweep_operator op, types<T...>) {
  auto one = [op]<class Element, class R>(std::type_identity<Element>,
                                          std::type_identity<R>) -> entry {
    using f = typed<Element, Op, R>;
    return {type_of<Element>, op,           type_of<R>,  f::takes_initial,
            f::reduce,        f::inclusive, f::exclusive};
  };
  return {one(std::type_identity<T>{},
              std::type_identity<
                  std::conditional_t<std::is_void_v<Result>, result_t<Op, T>, Result>>{})...};
}

/// The entries of unsigned types, for the signed types of the same sizes as well: for operators
/// that look at bits only.
template <std::size_t size>
constexpr std::array<entry, size> for_signed(std::array<entry, size> of_unsigned) {
  for (entry& e : of_unsigned) {
    constexpr int apart = UPSWEEP_U8 - UPSWEEP_I8;
    if (e.result == e.type) e.result = static_cast<upsweep_type>(e.result - apart);
    e.type = static_cast<upsweep_type>(e.type - apart);
  }
  return of_unsigned;
}

/// Several arrays of entries, one after the other.
template <std::size_t... sizes>
constexpr auto joined(std::array<entry, sizes> const&... parts) {
  std::array<entry, (sizes + ...)> all{};
  std::size_t at = 0;
  auto append = [&](auto const& part) {
    for (entry const& e : part) all[at++] = e;
  };
  (append(parts), ...);
  return all;
}

}  // namespace upsweep::c_api

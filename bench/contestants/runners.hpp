/// Shared code of the peers' reductions and scans: the operations as function objects, and the
/// dispatch from a work to an instantiated loop of calls.
#pragma once

#include <bench/harness/call.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace upsweep::bench {

/// The map x -> a * x + b.
template <class T>
struct affine_map {
  T a, b;
};

template <class T>
struct sum_of {
  static constexpr T identity() { return T{}; }
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;  // repeated scans in place wrap around
      return static_cast<T>(static_cast<U>(x) + static_cast<U>(y));
    } else {
      return x + y;
    }
  }
};

/// The same, as an operator that Upsweep does not know. Sums of 32-bit integers stay 32-bit.
template <class T>
struct user_sum : sum_of<T> {};

/// The sum of x * x.
template <class T>
struct sum_of_squares : sum_of<T> {
  struct function {
    T operator()(T x) const { return x * x; }
  };
};

template <class T>
struct max_of {
  static constexpr T identity() {
    return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                       : std::numeric_limits<T>::min();
  }
  T operator()(T x, T y) const { return x < y ? y : x; }
};

/// The composition of maps: first `earlier`, then `later`.
template <class T>
struct affine_composition {
  static constexpr affine_map<T> identity() { return {T{1}, T{0}}; }
  affine_map<T> operator()(affine_map<T> earlier, affine_map<T> later) const {
    return {later.a * earlier.a, later.a * earlier.b + later.b};
  }
};

/// The accumulator type of a reduction of T by Op: sums of 32-bit integers use 64 bits.
template <class Op, class T>
using reduced =
    std::conditional_t<std::is_same_v<Op, sum_of<T>> && std::is_integral_v<T>, std::int64_t, T>;

/// The same operation in that type.
template <class Op, class T>
using reducing = std::conditional_t<std::is_same_v<Op, sum_of<T>>, sum_of<reduced<Op, T>>, Op>;

/// Stores the result of a reduction at the output of the call.
template <class T>
void deliver(call const& c, T value) {
  std::memcpy(c.out, &value, sizeof value);
}

/// Peer<V, Op, T>::run, or null if Peer<V, Op, T>::possible is false.
template <template <verb, class, class> class Peer, verb V, class Op, class T>
run_function entry() {
  if constexpr (Peer<V, Op, T>::possible)
    return &Peer<V, Op, T>::run;
  else
    return nullptr;
}

template <template <verb, class, class> class Peer, class Op, class T>
run_function find_verb(verb v) {
  switch (v) {
    case verb::reduce:
      return entry<Peer, verb::reduce, Op, T>();
    case verb::inclusive_scan:
      return entry<Peer, verb::inclusive_scan, Op, T>();
    case verb::exclusive_scan:
      return entry<Peer, verb::exclusive_scan, Op, T>();
  }
  return nullptr;
}

template <template <verb, class, class> class Peer, class T>
run_function find_operation(work const& w) {
  switch (w.op) {
    case operation::sum:
      return find_verb<Peer, sum_of<T>, T>(w.verb);
    case operation::max:
      return find_verb<Peer, max_of<T>, T>(w.verb);
    case operation::user:
    case operation::user_in_large_file:
      return find_verb<Peer, user_sum<T>, T>(w.verb);
    case operation::squares:
      if constexpr (std::is_floating_point_v<T> &&
                    requires { Peer<verb::reduce, sum_of_squares<T>, T>::takes_functions; })
        if (w.verb == verb::reduce) return entry<Peer, verb::reduce, sum_of_squares<T>, T>();
      return nullptr;
    case operation::affine:
      if constexpr (std::is_floating_point_v<T>)
        return find_verb<Peer, affine_composition<T>, affine_map<T>>(w.verb);
      return nullptr;
    default:
      return nullptr;
  }
}

/// False for reductions by the composition of maps: std::reduce and similar functions require a
/// commutative operation.
template <verb V, class T>
inline constexpr bool commutes_where_it_must = V != verb::reduce || std::is_arithmetic_v<T>;

/// The `find` function of a peer whose calls are Peer<verb, Op, T>::run(call, repeats).
template <template <verb, class, class> class Peer>
run_function find_in(work const& w) {
  if (w.by_name) return nullptr;
  switch (w.type) {
    case element::i32:
      return find_operation<Peer, std::int32_t>(w);
    case element::i64:
      return find_operation<Peer, std::int64_t>(w);
    case element::f32:
      return find_operation<Peer, float>(w);
    case element::f64:
      return find_operation<Peer, double>(w);
    default:
      return nullptr;
  }
}

}  // namespace upsweep::bench

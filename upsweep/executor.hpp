/// What a backend is: the options of a call, and the concepts that an executor and its refinements
/// satisfy.
#pragma once

#include <upsweep/call.hpp>
#include <upsweep/core/errors.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>  // the iterator and range concepts; <iterator>, <memory>, <ranges> take 0.2 s each
#include <type_traits>
#include <utility>

namespace upsweep {

namespace detail {

/// The initial value of a call, if it has one: whatever converts to the operator's accumulator, or
/// to a std::optional of it, except floating-point numbers where accumulators are integers.
template <class A>
class initial_value : public std::optional<A> {
 public:
  constexpr initial_value() = default;
  template <class U = A>
    requires(!std::is_same_v<std::remove_cvref_t<U>, initial_value>)
  constexpr initial_value(U&& value)  // NOLINT: for `.initial = x`
      : std::optional<A>(converted(std::forward<U>(value))) {}

 private:
  template <class U>
  static constexpr std::optional<A> converted(U&& value) {
    constexpr bool converts = std::is_convertible_v<U, std::optional<A>>;
    constexpr bool truncates = is_float<std::remove_cvref_t<U>> && is_integer<A>;
    static_assert(converts || std::is_same_v<A, not_callable>,
                  "upsweep: .initial does not convert to the operator's accumulator");
    static_assert(
        !truncates,
        "upsweep: .initial is a floating-point number, but the operator's accumulators are "
        "integers; give an integer, or an operator that combines floating-point numbers");
    if constexpr (converts && !truncates)
      return std::forward<U>(value);
    else
      return {};
  }
};

/// The type of an option that belongs to the executor: setting it here is an error that says so.
struct option_of_the_executor {
  constexpr option_of_the_executor() = default;
  template <class T>
  constexpr option_of_the_executor(T const&) {  // NOLINT: for `.threads = 2`
    static_assert(std::is_void_v<T>,
                  "upsweep: threads belong to the executor, which is the first argument, as in "
                  "reduce({.threads = 2}, x)");
  }
};

}  // namespace detail

/// The options of one call, given in braces: `{.initial = 10.0, .reverse = true}`. `A` is the
/// operator's accumulator type.
template <class A>
struct options {
  detail::initial_value<A> initial{};  ///< combined on the left of everything: initial op prefix
  bool reverse = false;  ///< scan from the last element to the first: "earlier" is nearer the end
  int axis = -1;         ///< of an n-dimensional view; negative counts from the last
  upsweep::mode mode = mode::reproducible;   ///< `fast` here or in the executor makes the call fast
  detail::option_of_the_executor threads{};  ///< an option of the executor, not of a call
};

namespace detail {

namespace probe {

/// The minimal call with which the executor concepts are tested.
struct value {};
struct operation {
  value operator()(value const&, value const&) const;
};
struct source {
  using accumulator = value;
  value operator()(std::size_t) const;
};
struct sink {
  static constexpr bool wants_total = true;
  void operator()(std::size_t, value const&) const;
};
struct line {
  template <class E>
  void operator()(std::size_t, E const&) const;
};
using call = upsweep::call<source, operation>;

}  // namespace probe

/// Claims to be an executor. The claim selects the overload; the members are checked afterwards, so
/// that the compiler can name one that is missing (executor_fits).
template <class E>
concept claims_executor = requires { requires E::is_executor; };

/// Optional: works on the memory of another device. Such an executor stores results there itself,
/// its scans do not wait and return nothing, and lines are not bundled for the host's caches.
template <class E>
inline constexpr bool has_own_memory = requires { requires E::has_own_memory; };

/// Optional: the executor's own type for the carry of a stream, in place of carry<A>.
template <class E, class A>
concept has_own_carry = requires { typename E::template carry_of<A>; };
template <class E, class A>
struct stream_carry {
  using type = carry<A>;
};
template <class E, class A>
  requires has_own_carry<E, A>
struct stream_carry<E, A> {
  using type = typename E::template carry_of<A>;
};
template <class E, class A>
using stream_carry_t = typename stream_carry<E, A>::type;

/// Optional: on_.expect_accepted(call, total, before) throws for the first prefix that the operator
/// does not accept, where the host cannot read the elements. `total` is the total of the call's
/// elements, `before` the prefix in front of them, or null.
template <class E, class Call>
concept finds_refusals = requires(E const& on, Call const& c, typename Call::accumulator const& a) {
  on.expect_accepted(c, a, &a);
};

/// Optional: cumulative_distribution, in one pass.
template <class E, class Call, class Sink>
concept distributes =
    requires(E const& on, Call const& c, Sink const& out) { on.cumulative_distribution(c, out); };

// The members that every executor has. `E` is tried with the probes above.

/// reduce(call) returns prefix(n).
template <class E>
concept reduces_calls = requires(E const& on, probe::call const& c) {
  { on.reduce(c) } -> std::same_as<probe::value>;
};
/// scan<kind>(call, sink) passes result i to the sink: initial op prefix(i + 1) if inclusive;
/// *first for i = 0 and initial op prefix(i) for i > 0 if exclusive. It returns the total if the
/// sink wants it.
template <class E>
concept scans_calls = requires(E const& on, probe::call const& c, probe::sink const& out) {
  requires has_own_memory<E> || requires {
    { on.template scan<scan_kind::inclusive>(c, out) } -> std::same_as<probe::value>;
  };
  on.template scan<scan_kind::exclusive>(c, out);
};
/// reduce_chunk(call, left) and scan_chunk<kind>(call, sink, left) do the same for a chunk that
/// starts at left.position(), and append the chunk to the carry `left`.
template <class E>
concept takes_chunks = requires(E const& on, probe::call const& c, probe::sink const& out,
                                stream_carry_t<E, probe::value>& left) {
  on.reduce_chunk(c, left);
  on.template scan_chunk<scan_kind::exclusive>(c, out, left);
};
/// for_each_line(count, size, f) calls f(k, on) once for each k in [0, count), where `on` is the
/// executor for line k, of `size` elements.
template <class E>
concept runs_lines = requires(E const& on, probe::line const& f) {
  on.for_each_line(std::size_t{}, std::size_t{}, f);
};

}  // namespace detail

/// A backend: a value with `static constexpr bool is_executor = true` and the members above. It
/// must be copyable, and its calls safe from several threads at once.
template <class E>
concept executor =
    detail::claims_executor<E> && std::copy_constructible<E> && detail::reduces_calls<E> &&
    detail::scans_calls<E> && detail::takes_chunks<E> && detail::runs_lines<E>;

namespace detail {

/// True for an executor; for a type that only claims to be one, a static_assert names what it
/// lacks.
template <class E>
constexpr bool executor_fits() {
  static_assert(std::copy_constructible<E>,
                "upsweep: this executor cannot be copied; executors are values");
  static_assert(reduces_calls<E>,
                "upsweep: this executor has no `reduce(call) const` that returns the call's "
                "accumulator; upsweep/executor.hpp lists the members of an executor");
  static_assert(
      scans_calls<E>,
      "upsweep: this executor has no `scan<kind>(call, sink) const` that returns the total "
      "to a sink which wants it; upsweep/executor.hpp lists the members of an executor");
  static_assert(
      takes_chunks<E>,
      "upsweep: this executor has no `reduce_chunk(call, left) const` and "
      "`scan_chunk<kind>(call, sink, left) const`; upsweep/executor.hpp lists the members "
      "of an executor");
  static_assert(runs_lines<E>,
                "upsweep: this executor has no `for_each_line(count, size, f) const`; "
                "upsweep/executor.hpp lists the members of an executor");
  return executor<E>;
}

/// Something that claims to be an executor but lacks a member.
template <class E>
concept incomplete_executor = claims_executor<E> && !executor<E>;
/// The body of every call with such a type: a static_assert names what is missing.
template <incomplete_executor E>
void no_result_on() {
  [[maybe_unused]] constexpr bool fits = executor_fits<E>();
}

/// The executor of calls without one. Defined by host/executor.hpp, which upsweep.hpp includes.
template <class>
struct default_executor;
template <class T>
struct needed_default_executor {
  static_assert(
      requires { typename default_executor<T>::type; },
      "upsweep: calls without an executor run on all cores of the processor; include "
      "<upsweep/upsweep.hpp> or <upsweep/host/executor.hpp> for them");
  using type = typename default_executor<T>::type;
};
template <class T>
using default_executor_t = typename needed_default_executor<T>::type;

}  // namespace detail

}  // namespace upsweep

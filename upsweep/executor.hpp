/// What a backend is: the executor concept, the options of a call, and the source and sink through
/// which it sees the data.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/ops/monoid.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>  // the iterator and range concepts; <iterator>, <memory>, <ranges> take 0.2 s each
#include <type_traits>
#include <utility>

namespace upsweep {

/// `reproducible`: the bits of the combine tree, on every backend. `fast`: the backend may regroup,
/// still in input order unless the operator is commutative.
enum class mode { reproducible, fast };

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

/// Stands among the options for one that belongs elsewhere, and says where.
struct option_of_the_executor {
  constexpr option_of_the_executor() = default;
  template <class T>
  constexpr option_of_the_executor(T const&) {  // NOLINT: for `.threads = 2`
    static_assert(std::is_void_v<T>,
                  "upsweep: threads belong to the executor, which is the first argument, as in "
                  "reduce({.threads = 2}, x)");
  }
};

/// The options of one call, given in braces: `{.initial = 10.0, .reverse = true}`. `A` is the
/// operator's accumulator type.
template <class A>
struct options {
  initial_value<A> initial{};  ///< combined on the left of everything: initial op prefix
  bool reverse = false;  ///< scan from the last element to the first: "earlier" is nearer the end
  int axis = -1;         ///< of an n-dimensional view; negative counts from the last
  upsweep::mode mode = mode::reproducible;  ///< `fast` here or in the executor makes the call fast
  option_of_the_executor threads{};         ///< not here
};

enum class scan_kind { inclusive, exclusive };

/// The function that leaves an element as it is; `transform_reduce` and the transform scans put
/// their own in its place.
struct as_is {
  template <class T>
  constexpr T&& operator()(T&& x) const noexcept {
    return std::forward<T>(x);
  }
};

/// What `member` refers to in `x`, or what it returns if it is a function; `x` is an object, a
/// pointer to one or a std::reference_wrapper.
template <class M, class C, class X>
constexpr decltype(auto) call_member(M C::* member, X&& x) {
  if constexpr (!std::is_base_of_v<C, std::remove_cvref_t<X>>) {
    if constexpr (requires { *x; })
      return call_member(member, *x);
    else
      return call_member(member, x.get());
  } else if constexpr (std::is_function_v<M>) {
    return (std::forward<X>(x).*member)();
  } else {
    return (std::forward<X>(x).*member);
  }
}

/// f(x), as std::invoke calls it; but <functional> would cost every user 0.2 s.
template <class F, class X>
constexpr decltype(auto) call(F const& f, X&& x) {
  if constexpr (std::is_member_pointer_v<F>)
    return call_member(f, std::forward<X>(x));
  else
    return f(std::forward<X>(x));
}

/// What `F` makes of the elements behind `It`.
template <class It, class F>
struct transformed_of {
  using type = not_callable;
};
template <class It>
struct transformed_of<It, as_is> {
  using type = std::iter_value_t<It>;
};
template <class It, class F>
  requires std::is_invocable_v<F const&, std::iter_reference_t<It>> &&
           (!std::is_void_v<std::invoke_result_t<F const&, std::iter_reference_t<It>>>)
struct transformed_of<It, F> {
  using type = std::remove_cvref_t<std::invoke_result_t<F const&, std::iter_reference_t<It>>>;
};
template <class It, class F>
using transformed_t = typename transformed_of<It, F>::type;

/// The elements of one call, seen by a backend: `source(i)` is the element at position i of the
/// scan's direction, as an accumulator. Positions count from `base` (the length of a stream so far;
/// 0 for a whole array), so that tiles align with the tree.
template <class It, class F, class Op, bool Reverse>
class source {
 public:
  using operation = Op;
  using element = std::iter_value_t<It>;
  static constexpr bool transforms = !std::is_same_v<F, as_is>;
  using transformed = transformed_t<It, F>;
  using accumulator = accumulator_t<Op, transformed>;
  /// True when pointer(i)[0], [1], ... are the elements, in order, with nothing between memory and
  /// operator.
  static constexpr bool plain = std::contiguous_iterator<It> && !transforms && !Reverse;

  source(It first, std::size_t size, F const& f, Op const& op, std::size_t base = 0)
      : first_(first), size_(size), base_(base), f_(f), op_(op) {}

  [[nodiscard]] accumulator operator()(std::size_t i) const { return lift(op_, at(i), index(i)); }

  /// The elements from position i on: from(i)(j) is (*this)(i + j), at the cost of an indexed load
  /// when j is a constant.
  [[nodiscard]] auto from(std::size_t i) const {
    if constexpr (Reverse)
      return [it = place(i), last = index(i), &f = f_, &op = op_](int j) {
        return upsweep::lift(op, apply(f, it[-j]), last - static_cast<std::size_t>(j));
      };
    else
      return [it = place(i), i, &f = f_, &op = op_](int j) {
        return upsweep::lift(op, apply(f, it[j]), i + static_cast<std::size_t>(j));
      };
  }

  /// The element at position i before lifting, so that a fold can read it, store a result in its
  /// place, and then absorb it.
  [[nodiscard]] transformed value(std::size_t i) const { return at(i); }
  void absorb_value(accumulator& a, transformed const& x, std::size_t i) const {
    absorb(op_, a, x, index(i));
  }

  /// a = op(a, element), in place where the operator can, for each of the positions [begin, end).
  void absorb_into(accumulator& a, std::size_t begin, std::size_t end) const {
    if constexpr (plain && requires { op_.absorb_range(a, pointer(begin), end - begin); })
      op_.absorb_range(a, pointer(begin), end - begin);
    else
      for (std::size_t i = begin; i < end; ++i) upsweep::absorb(op_, a, at(i), index(i));
  }
  [[nodiscard]] element const* pointer(std::size_t i) const
    requires plain
  {
    return std::to_address(first_) + (i - base_);
  }

  /// What a backend needs that takes the call elsewhere: its parts.
  using iterator = It;
  static constexpr bool reversed = Reverse;
  [[nodiscard]] It const& first() const { return first_; }
  [[nodiscard]] F const& function() const { return f_; }
  [[nodiscard]] std::size_t base() const { return base_; }

 private:
  [[nodiscard]] std::size_t index(std::size_t i) const { return Reverse ? size_ - 1 - i : i; }
  [[nodiscard]] It place(std::size_t i) const {
    return first_ + static_cast<std::iter_difference_t<It>>(Reverse ? index(i) : i - base_);
  }
  [[nodiscard]] decltype(auto) at(std::size_t i) const { return apply(f_, *place(i)); }

  /// f(x), as a value if `x` does not outlive it; as it is, a reference stays one and a proxy (of
  /// std::vector<bool>, say) becomes the element.
  template <class X>
  [[nodiscard]] static decltype(auto) apply(F const& f, X&& x) {
    constexpr bool outlives = std::is_lvalue_reference_v<std::iter_reference_t<It>>;
    if constexpr (transforms && outlives)
      return call(f, std::forward<X>(x));
    else if constexpr (transforms)
      return transformed(call(f, std::forward<X>(x)));
    else if constexpr (outlives)
      return (x);
    else
      return element(std::forward<X>(x));
  }

  It first_;
  std::size_t size_;
  std::size_t base_;
  F const& f_;
  Op const& op_;
};

/// The output of one scan: `sink(i, a)` stores what the accumulator finishes to at position i of
/// the scan's direction.
template <class It, class Op, bool Reverse>
class sink {
 public:
  using element = std::iter_value_t<It>;
  static constexpr bool plain = std::contiguous_iterator<It> && !Reverse;
  /// True for std::vector<bool>, where neighbours share a word that two threads must not write.
  static constexpr bool packed =
      std::is_same_v<element, bool> && !std::is_lvalue_reference_v<std::iter_reference_t<It>>;

  sink(It first, std::size_t size, Op const& op, std::size_t base = 0)
      : first_(first), size_(size), base_(base), op_(op) {}

  template <class A>
  void operator()(std::size_t i, A&& a) const {
    *place(i) = static_cast<element>(upsweep::finish(op_, std::forward<A>(a)));
  }

  /// from(i)(j, a) is (*this)(i + j, a).
  [[nodiscard]] auto from(std::size_t i) const {
    return [it = place(i), &op = op_](int j, auto const& a) {
      it[Reverse ? -j : j] = static_cast<element>(upsweep::finish(op, a));
    };
  }
  [[nodiscard]] element* pointer(std::size_t i) const
    requires plain
  {
    return std::to_address(first_) + (i - base_);
  }

  using iterator = It;
  static constexpr bool reversed = Reverse;
  [[nodiscard]] It const& first() const { return first_; }

 private:
  [[nodiscard]] It place(std::size_t i) const {
    return first_ + static_cast<std::iter_difference_t<It>>(Reverse ? size_ - 1 - i : i - base_);
  }

  It first_;
  std::size_t size_;
  std::size_t base_;
  Op const& op_;
};

/// A backend. With n >= 1 elements behind `source`,
///   reduce(source, n, op, mode)                              returns prefix(n);
///   scan<kind>(source, sink, n, op, initial, first, mode)    stores initial op prefix(i + 1)
///                                                            (inclusive), or *first at 0 and
///                                                            initial op prefix(i) after it
///                                                            (exclusive); `initial` may be null;
///   reduce_chunk(source, n, op, left)                        the same for a chunk that starts at
///                                                            left.position(); both push what
///   scan_chunk<kind>(source, sink, n, op, initial, first, left)   the chunk holds to `left`, a
///                                                                 stream_carry_t<E, A>;
///   for_each_line(count, size, f)                            calls f(k, on) once for each k in [0,
///                                                            count); the executor `on` is to
///                                                            run line k, of `size` elements.
template <class E>
concept executor = requires { requires E::is_executor; };

/// True for an executor that works on the memory of another device: it stores a result there
/// itself, and lines that a host's caches would like to have together are no use to it.
template <class E>
inline constexpr bool has_own_memory = requires { requires E::has_own_memory; };

/// What an executor knows of a stream's past: carry<A>, unless it has a `carry_of<A>` of its own.
template <class E, class A>
struct stream_carry {
  using type = carry<A>;
};
template <class E, class A>
  requires requires { typename E::template carry_of<A>; }
struct stream_carry<E, A> {
  using type = typename E::template carry_of<A>;
};
template <class E, class A>
using stream_carry_t = typename stream_carry<E, A>::type;

/// The executor of calls that name none. Defined by cpu/executor.hpp, which upsweep.hpp includes.
template <class>
struct default_executor;
template <class T>
using default_executor_t = typename default_executor<T>::type;

}  // namespace upsweep

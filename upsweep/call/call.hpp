/// What a backend sees of a call: the source of its elements, the sink of its results, and the call
/// itself. All three are values.
///
/// A source is anything with a type `accumulator` for which source(i) is element i as an
/// accumulator; a sink is anything for which sink(i, a) takes result i, wherever it puts it.
/// `source` and `sink` below are those of the public verbs. Their other members (pointers to plain
/// memory, blocks of elements) let a backend be faster; it tests for them by `requires`.
#pragma once

#include <upsweep/core/compiler.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/core/unit_flags.hpp>
#include <upsweep/ops/monoid.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>  // the iterator and range concepts; <iterator>, <memory>, <ranges> take 0.2 s each
#include <type_traits>
#include <utility>

namespace upsweep {

/// `reproducible`: the bits of the combine tree, on every executor. `fast`: the executor may
/// regroup; elements stay in input order unless the operator is commutative.
enum class mode { reproducible, fast };

enum class scan_kind { inclusive, exclusive };  ///< results with element i, or without it

namespace detail {

/// The identity function, for calls without a function; `transform_reduce` and the transform scans
/// use the caller's.
struct as_is {
  template <class T>
  UPSWEEP_BOTH constexpr T&& operator()(T&& x) const noexcept {
    return std::forward<T>(x);
  }
};

/// What `member` refers to in `x`, or what it returns for `arguments` if it is a function; `x` is
/// an object, a pointer to one or a std::reference_wrapper.
template <class M, class C, class X, class... Arguments>
UPSWEEP_BOTH constexpr decltype(auto) call_member(M C::* member, X&& x, Arguments&&... arguments) {
  if constexpr (!std::is_base_of_v<C, std::remove_cvref_t<X>>) {
    if constexpr (requires { *x; })
      return call_member(member, *x, std::forward<Arguments>(arguments)...);
    else
      return call_member(member, x.get(), std::forward<Arguments>(arguments)...);
  } else if constexpr (std::is_function_v<M>) {
    return (std::forward<X>(x).*member)(std::forward<Arguments>(arguments)...);
  } else {
    return (std::forward<X>(x).*member);
  }
}

/// f(x...), as std::invoke calls it. <functional> would add 0.2 s to every compilation.
template <class F, class... X>
UPSWEEP_BOTH constexpr decltype(auto) invoke_function(F const& f, X&&... x) {
  if constexpr (std::is_member_pointer_v<F>)
    return call_member(f, std::forward<X>(x)...);
  else
    return f(std::forward<X>(x)...);
}

/// The result of `F` for arguments `X`, without reference.
template <class F, class... X>
struct returned_value {
  using type = not_callable;
};
template <class F, class... X>
  requires std::is_invocable_v<F const&, X...> &&
           (!std::is_void_v<std::invoke_result_t<F const&, X...>>)
struct returned_value<F, X...> {
  using type = std::remove_cvref_t<std::invoke_result_t<F const&, X...>>;
};

/// The result of `F` for the elements of `It`.
template <class It, class F>
struct transformed_of : returned_value<F, std::iter_reference_t<It>> {};
template <class It>
struct transformed_of<It, as_is> {
  using type = std::iter_value_t<It>;
};
template <class It, class F>
using transformed_t = typename transformed_of<It, F>::type;

template <std::size_t... line>
UPSWEEP_INLINED inline void prefetch_lines(std::uintptr_t address, std::index_sequence<line...>) {
  (__builtin_prefetch(reinterpret_cast<void const*>(address + 64 * line)), ...);
}
/// Asks the CPU to fetch first[offset], first[offset + 1], ..., `count` elements, if they or
/// what they are computed from are contiguous memory and take at most 4 KiB.
template <int count, class It>
UPSWEEP_INLINED inline void prefetch(It const& first, std::size_t offset) {
  if constexpr (std::contiguous_iterator<It>) {
    constexpr std::size_t size = sizeof(std::iter_value_t<It>), lines = (count * size + 63) / 64;
    if constexpr (lines <= 64)
      prefetch_lines(reinterpret_cast<std::uintptr_t>(std::to_address(first)) + offset * size,
                     std::make_index_sequence<lines>());
  } else if constexpr (requires { first.elements().template prefetch<count>(offset); }) {
    first.elements().template prefetch<count>(static_cast<std::size_t>(first.index()) + offset);
  }
}

}  // namespace detail

/// The elements of one call, as an executor receives them: `source(i)` is element i in the
/// direction of the scan, as an accumulator. Positions count from `base` (the number of elements
/// that a stream has taken; 0 for a whole array), so that tiles align with the combine tree.
template <class It, class F, class Op, bool Reverse>
class source {
 public:
  using operation = Op;
  using element = std::iter_value_t<It>;
  static constexpr bool transforms = !std::is_same_v<F, detail::as_is>;
  using transformed = detail::transformed_t<It, F>;
  using accumulator = accumulator_t<Op, transformed>;
  /// True when the elements are those at first(), with nothing between memory and operator.
  static constexpr bool in_memory = std::contiguous_iterator<It> && !transforms;
  /// True when pointer(i)[0], [1], ... are the elements, in order.
  static constexpr bool plain = in_memory && !Reverse;
  /// True when the operator or the function may round.
  static constexpr bool computes = detail::is_contracted<accumulator> ||
                                   (std::is_trivially_copyable_v<accumulator> &&
                                    std::is_class_v<accumulator> && !is_exact<Op, accumulator>);

  source(It first, std::size_t size, F const& f, Op const& op, std::size_t base = 0)
      : first_(first), size_(size), base_(base), f_(f), op_(op) {
    if constexpr (computes) detail::check_flags<!transforms && detail::ignores_flags<Op>>();
  }

  [[nodiscard]] accumulator operator()(std::size_t i) const {
    return detail::lift(op_, at(i), index(i));
  }

  /// The elements from position i on: from(i)(j) is (*this)(i + j), at the cost of an indexed load
  /// when j is a constant.
  [[nodiscard]] auto from(std::size_t i) const {
    if constexpr (Reverse)
      return [it = place(i), last = index(i), &f = f_, &op = op_](int j) {
        return detail::lift(op, apply(f, it[-j]), last - static_cast<std::size_t>(j));
      };
    else
      return [it = place(i), i, &f = f_, &op = op_](int j) {
        return detail::lift(op, apply(f, it[j]), i + static_cast<std::size_t>(j));
      };
  }
  /// The same before lifting: values_from(i)(j) is value(i + j).
  [[nodiscard]] auto values_from(std::size_t i) const {
    return
        [it = place(i), &f = f_](int j) -> transformed { return apply(f, it[Reverse ? -j : j]); };
  }

  /// The element at position i before lifting, so that an in-place scan can read it, overwrite it
  /// with a result, and then absorb it.
  [[nodiscard]] transformed value(std::size_t i) const { return at(i); }
  void absorb_value(accumulator& a, transformed const& x, std::size_t i) const {
    detail::absorb(op_, a, x, index(i));
  }

  /// a = op(a, element), in place where the operator can, for each of the positions [begin, end).
  void absorb_into(accumulator& a, std::size_t begin, std::size_t end) const {
    if constexpr (plain && requires { op_.absorb_range(a, pointer(begin), end - begin); })
      op_.absorb_range(a, pointer(begin), end - begin);
    else
      for (std::size_t i = begin; i < end; ++i) detail::absorb(op_, a, at(i), index(i));
  }
  [[nodiscard]] element const* pointer(std::size_t i) const
    requires plain
  {
    return std::to_address(first_) + (i - base_);
  }
  /// Asks the CPU to fetch `count` elements from position i on, which may lie beyond the end.
  /// Inlined, because g++ drops calls of functions that do nothing else.
  template <int count>
  UPSWEEP_INLINED void prefetch(std::size_t i) const {
    detail::prefetch<count>(first_, Reverse ? index(i + count - 1) : i - base_);
  }

  /// The index in the input of the element at position i.
  [[nodiscard]] std::size_t index(std::size_t i) const { return Reverse ? size_ - 1 - i : i; }

  /// The parts of the source, for a backend that runs the call elsewhere.
  using iterator = It;
  static constexpr bool reversed = Reverse;
  [[nodiscard]] It const& first() const { return first_; }
  [[nodiscard]] F const& function() const { return f_; }
  [[nodiscard]] std::size_t base() const { return base_; }

 private:
  [[nodiscard]] It place(std::size_t i) const {
    return first_ + static_cast<std::iter_difference_t<It>>(Reverse ? index(i) : i - base_);
  }
  [[nodiscard]] decltype(auto) at(std::size_t i) const { return apply(f_, *place(i)); }

  /// f(x), by value if `x` is a temporary. Without a function, a reference stays a reference, and a
  /// proxy (of std::vector<bool>, for example) becomes the element.
  template <class X>
  [[nodiscard]] static decltype(auto) apply(F const& f, X&& x) {
    constexpr bool outlives = std::is_lvalue_reference_v<std::iter_reference_t<It>>;
    // What a function returns may be a product, which an operator's sum must not contract.
    if constexpr (transforms && detail::is_contracted<transformed>)
      return detail::rounded(transformed(detail::invoke_function(f, std::forward<X>(x))));
    else if constexpr (transforms && outlives)
      return detail::invoke_function(f, std::forward<X>(x));
    else if constexpr (transforms)
      return transformed(detail::invoke_function(f, std::forward<X>(x)));
    else if constexpr (outlives)
      return (x);
    else if constexpr (detail::is_contracted<element>)
      return detail::rounded(element(std::forward<X>(x)));
    else
      return element(std::forward<X>(x));
  }

  It first_;
  std::size_t size_;
  std::size_t base_;
  F const& f_;
  Op const& op_;
};

/// The output of one scan, as an executor receives it: `sink(i, a)` stores the accumulator `a` as
/// result i in the direction of the scan.
template <class It, class Op, bool Reverse>
class sink {
 public:
  using element = std::iter_value_t<It>;
  static constexpr bool in_memory = std::contiguous_iterator<It>;
  static constexpr bool plain = in_memory && !Reverse;
  /// True for std::vector<bool>, where neighbors share a word that two threads must not write.
  static constexpr bool packed =
      std::is_same_v<element, bool> && !std::is_lvalue_reference_v<std::iter_reference_t<It>>;

  sink(It first, std::size_t size, Op const& op, std::size_t base = 0)
      : first_(first), size_(size), base_(base), op_(op) {}

  template <class A>
  void operator()(std::size_t i, A&& a) const {
    store(i, detail::finish(op_, std::forward<A>(a)));
  }
  /// Stores a result that is finished.
  template <class R>
  void store(std::size_t i, R&& result) const {
    *place(i) = static_cast<element>(std::forward<R>(result));
  }

  /// from(i)(j, a) is (*this)(i + j, a).
  [[nodiscard]] auto from(std::size_t i) const {
    return [it = place(i), &op = op_](int j, auto const& a) {
      it[Reverse ? -j : j] = static_cast<element>(detail::finish(op, a));
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

namespace detail {

/// Element i of a call, i < n, as an accumulator.
template <class S>
concept source_of_elements = requires(S const& source, std::size_t i) {
  typename S::accumulator;
  { source(i) } -> std::convertible_to<typename S::accumulator>;
};

/// Takes result i of a scan as an accumulator. Calls come from several threads, one for each i, in
/// any order. The sink decides where each result goes; it may scatter them.
template <class S, class A>
concept sink_of_results = requires(S const& sink, std::size_t i, A const& a) { sink(i, a); };

}  // namespace detail

/// One call, as an executor receives it: the n >= 1 elements of `in`, combined by `op`.
template <detail::source_of_elements Source, class Op>
struct call {
  using accumulator = typename Source::accumulator;
  using operation = Op;
  using source = Source;

  Source in;
  std::size_t n;
  Op const& op;
  mode how = mode::reproducible;
  accumulator const* initial = nullptr;  ///< combined on the left of every result; null: none
  accumulator const* first = nullptr;    ///< of exclusive scans: the result at position 0
};

template <class Source, class Op, class... Rest>
call(Source, std::size_t, Op const&, Rest...) -> call<Source, Op>;

namespace detail {

/// What a scan returns: its total, initial op x[0] op ... op x[n - 1], if the sink asks for it by
/// `static constexpr bool wants_total = true`; otherwise nothing. For narrow integers the total may
/// cost another pass over the input.
template <class Sink, class A>
struct scan_total {
  using type = void;
};
template <class Sink, class A>
  requires(Sink::wants_total)
struct scan_total<Sink, A> {
  using type = A;
};

template <class Sink, class A>
using scan_total_t = typename scan_total<Sink, A>::type;  ///< the total, or void

/// An iterator at the first of a range's elements, which are only read. Every contiguous range
/// becomes a pointer, so that backends are instantiated once for all of them.
template <class R>
auto first_of(R const& range) {
  if constexpr (std::ranges::contiguous_range<R const>) {
    std::ranges::range_value_t<R const> const* const first =
        std::to_address(std::ranges::begin(range));
    return first;
  } else {
    return std::ranges::begin(range);
  }
}
template <class R>
using first_of_t = decltype(first_of(std::declval<R const&>()));

/// The elements of `range` after `f`, from its end if `reverse`.
template <bool reverse, class R, class F, class Op>
auto source_of(R const& range, std::size_t n, F const& f, Op const& op) {
  if constexpr (std::is_same_v<F, as_is>)
    return source<first_of_t<R>, F, Op, reverse>(first_of(range), n, f, op);
  else
    return source<std::ranges::iterator_t<R const>, F, Op, reverse>(std::ranges::begin(range), n, f,
                                                                    op);
}
/// The results of `op`, stored in `range`.
template <bool reverse, class R, class Op>
auto sink_of(R& range, std::size_t n, Op const& op) {
  if constexpr (std::ranges::contiguous_range<R>) {
    auto* const first = std::to_address(std::ranges::begin(range));
    return sink<std::remove_const_t<decltype(first)>, Op, reverse>(first, n, op);
  } else {
    return sink<std::ranges::iterator_t<R>, Op, reverse>(std::ranges::begin(range), n, op);
  }
}

/// The elements [begin, begin + size) of a source or sink.
template <class Part, class... More>
Part part_of(Part const& whole, std::size_t begin, std::size_t size, More const&... more) {
  using It = typename Part::iterator;
  return Part(whole.first() + static_cast<std::iter_difference_t<It>>(begin), size, more...);
}

}  // namespace detail

}  // namespace upsweep

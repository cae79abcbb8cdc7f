/// Scans of blocks of elements in L1 for the operators that have compiled kernels, and for those
/// that are made of such: both extrema, positions of extrema, several operators at once.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/host/block_kernels.hpp>
#include <upsweep/host/compiled.hpp>
#include <upsweep/host/convert.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// Memory for arrays of `size` numbers each, and of one more before each; it begins a cache
/// line.
struct array_room {
  std::byte* next;
  std::size_t size;

  template <class T>
  static constexpr std::size_t bytes(std::size_t size) {
    return 64 + (size * sizeof(T) + 63) / 64 * 64;
  }
  /// The first number of the next array, which begins a cache line.
  template <class T>
  T* take() {
    static_assert(sizeof(T) <= 64, "x[-1] lies before the array");
    std::byte* const first = next + 64;
    next += bytes<T>(size);
    return reinterpret_cast<T*>(first);
  }
};

/// array_scan<Op, T> scans blocks of elements of type T, which its user converts to `element` and
/// stores at input(). run(op, before, after, n, index) computes the n inclusive prefixes, where the
/// first element has the given index, *before is the prefix before it and *after the prefix at
/// the end. If the operator is exact, `after` may be null; otherwise the block must be an aligned
/// one of the combine tree. `before` is null at the beginning. Then results(j)(i) is prefix j + i,
/// and results(-1)(0) is *before.
template <class Op, class T>
class array_scan {
 public:
  static constexpr bool exists = false;
};

/// array_scan by a compiled kernel for numbers N. N is narrower than the accumulators A where only
/// the lower halves of sums and products are wanted.
template <class Op, class A, class N>
class number_scan {
 public:
  static constexpr bool exists = true, uses_index = false, is_number = true;
  using element = fixed_width_t<N>;
  static constexpr std::size_t bytes(std::size_t n) { return array_room::bytes<element>(n); }

  explicit number_scan(array_room& room) : x_(room.take<element>()) {}
  [[nodiscard]] element* input() const { return x_; }
  void run(Op const& op, A const* before, A const* after, std::size_t n, std::size_t) const {
    if (before) x_[-1] = static_cast<element>(*before);
    if constexpr (std::is_same_v<A, N>)
      if (after)
        return verbs().block(x_, n, before ? x_ - 1 : nullptr, static_cast<element>(*after));
    (void)store<scan_kind::inclusive>(x_, op, before, nullptr, n);
  }
  /// run() and the stores of the results, for exact operators; returns the last inclusive prefix.
  /// `first` is the exclusive result at the beginning, used if `before` is null; then n > 1.
  template <scan_kind kind>
  A store(element* out, Op const& op, A const* before, A const* first, std::size_t n) const {
    if constexpr (kind == scan_kind::inclusive) {
      if (before) x_[0] = static_cast<element>(op(*before, static_cast<A>(x_[0])));
      verbs().inclusive(x_, out, n, plan{}, nullptr, nullptr);
      return static_cast<A>(out[n - 1]);
    } else {
      auto const initial = static_cast<accumulator_t<Op, element>>(before ? *before : *first);
      verbs().exclusive(x_, out, n, plan{}, before ? &initial : nullptr, &initial);
      A const last = static_cast<A>(x_[n - 1]);
      return op(static_cast<A>(out[n - 1]), last);
    }
  }
  struct result_from {
    element const* x;
    A operator()(int i) const { return static_cast<A>(x[i]); }
  };
  [[nodiscard]] result_from results(std::ptrdiff_t j) const { return {x_ + j}; }

 private:
  static compiled_scan<Op, element> const& verbs() { return compiled_scans<Op, element>(); }

  element* x_;
};

template <class Op, class T>
  requires has_compiled_scan<Op, accumulator_t<Op, T>>
class array_scan<Op, T> : public number_scan<Op, accumulator_t<Op, T>, accumulator_t<Op, T>> {
 public:
  using number_scan<Op, accumulator_t<Op, T>, accumulator_t<Op, T>>::number_scan;
};

template <class T>
  requires array_scan<min, T>::exists
class array_scan<minmax, T> {
 public:
  using A = accumulator_t<minmax, T>;
  static constexpr bool exists = true, uses_index = false;
  using element = typename array_scan<min, T>::element;
  static constexpr std::size_t bytes(std::size_t n) { return 2 * array_scan<min, T>::bytes(n); }

  explicit array_scan(array_room& room) : low_(room), high_(room) {}
  [[nodiscard]] element* input() const { return high_.input(); }
  void run(minmax const&, A const* before, A const* after, std::size_t n, std::size_t index) const {
    convert(low_.input(), high_.input(), n);
    low_.run({}, before ? &before->min : nullptr, after ? &after->min : nullptr, n, index);
    high_.run({}, before ? &before->max : nullptr, after ? &after->max : nullptr, n, index);
  }
  struct result_from {
    typename array_scan<min, T>::result_from low;
    typename array_scan<max, T>::result_from high;
    A operator()(int i) const { return {low(i), high(i)}; }
  };
  [[nodiscard]] result_from results(std::ptrdiff_t j) const {
    return {low_.results(j), high_.results(j)};
  }

 private:
  array_scan<min, T> low_;
  array_scan<max, T> high_;
};

/// Positions of extrema, with the values.
template <finds_extremum Op, class T>
  requires dynamic::is_in<fixed_width_t<detail::selected_t<T>>, dynamic::integers_and_wide_floats>
class array_scan<Op, T> {
 public:
  using A = accumulator_t<Op, T>;
  static constexpr bool exists = true, uses_index = true;
  using element = fixed_width_t<detail::selected_t<T>>;
  static constexpr std::size_t bytes(std::size_t n) {
    return array_room::bytes<element>(n) + array_room::bytes<indexed<element>>(n);
  }

  explicit array_scan(array_room& room)
      : x_(room.take<element>()), result_(room.take<indexed<element>>()) {}
  [[nodiscard]] element* input() const { return x_; }
  void run(Op const& op, A const* before, A const*, std::size_t n, std::size_t index) const {
    auto running = before ? fixed(*before) : indexed<element>{x_[0], index};
    result_[-1] = running;
    if (before && running.index >= index)  // an initial value that does not come first
      for (std::size_t j = 0; j < n; ++j)
        result_[j] = running = op(running, indexed<element>{x_[j], index + j});
    else
      scan_extremum({op.rule(), scan_kind::inclusive, false}, x_, index, n, running, result_);
  }
  struct result_from {
    indexed<element> const* result;
    A operator()(int i) const {
      return {static_cast<decltype(A::value)>(result[i].value), result[i].index};
    }
  };
  [[nodiscard]] result_from results(std::ptrdiff_t j) const { return {result_ + j}; }

 private:
  static indexed<element> fixed(A const& a) { return {static_cast<element>(a.value), a.index}; }

  element* x_;
  indexed<element>* result_;
};

template <class... Op, class T>
  requires(array_scan<Op, T>::exists && ...)
class array_scan<tuple_of<Op...>, T> {
 public:
  using A = accumulator_t<tuple_of<Op...>, T>;
  static constexpr bool exists = true, uses_index = (array_scan<Op, T>::uses_index || ...);
  using element = fixed_width_t<detail::selected_t<T>>;
  static constexpr std::size_t bytes(std::size_t n) {
    return (array_room::bytes<element>(n) + ... + array_scan<Op, T>::bytes(n));
  }

  explicit array_scan(array_room& room)
      : x_(room.take<element>()), part_{array_scan<Op, T>(room)...} {}
  [[nodiscard]] element* input() const { return x_; }
  void run(tuple_of<Op...> const& op, A const* before, A const* after, std::size_t n,
           std::size_t index) const {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (convert(std::get<I>(part_).input(), x_, n), ...);
      (std::get<I>(part_).run(std::get<I>(op.parts()), before ? &std::get<I>(*before) : nullptr,
                              after ? &std::get<I>(*after) : nullptr, n, index),
       ...);
    }(std::index_sequence_for<Op...>{});
  }
  struct result_from {
    std::tuple<typename array_scan<Op, T>::result_from...> part;
    A operator()(int i) const {
      return std::apply([i](auto const&... from) { return A(from(i)...); }, part);
    }
  };
  [[nodiscard]] result_from results(std::ptrdiff_t j) const {
    return std::apply([j](auto const&... part) { return result_from{{part.results(j)...}}; },
                      part_);
  }

 private:
  element* x_;
  std::tuple<array_scan<Op, T>...> part_;
};

/// True when array_scan scans the elements of `Source`. Positions count from the other end if it is
/// reversed.
template <class Source>
inline constexpr bool scans_arrays = [] {
  if constexpr (requires { typename Source::transformed; }) {
    using Scan = array_scan<typename Source::operation, typename Source::transformed>;
    if constexpr (Scan::exists) return !(Scan::uses_index && Source::reversed);
  }
  return false;
}();

/// The accumulators of `Source` that a scan into `Sink` has to compute: of sums and products of
/// integers that are stored as narrower integers, the lower halves.
template <class Source, class Sink>
inline constexpr bool scans_lower_halves = [] {
  using Op = typename Source::operation;
  using A = typename Source::accumulator;
  if constexpr (std::is_void_v<detail::scan_total_t<Sink, A>> &&
                dynamic::is_in<Op, dynamic::types<plus, multiplies>> &&
                requires { typename Sink::element; })
    if constexpr (detail::is_integer<A> && detail::is_integer<typename Sink::element> &&
                  has_compiled_scan<Op, typename Sink::element>)
      return sizeof(typename Sink::element) < sizeof(A);
  return false;
}();

struct no_arrays {
  using element = void;
};

/// The array_scan for a scan of `Source` into `Sink`.
template <class Source, class Sink>
struct array_scan_of {
  static constexpr auto pick() {
    if constexpr (!scans_arrays<Source>)
      return std::type_identity<no_arrays>{};
    else if constexpr (scans_lower_halves<Source, Sink>)
      return std::type_identity<number_scan<
          typename Source::operation, typename Source::accumulator, typename Sink::element>>{};
    else
      return std::type_identity<
          array_scan<typename Source::operation, typename Source::transformed>>{};
  }
  using type = typename decltype(pick())::type;
};

}  // namespace upsweep::host

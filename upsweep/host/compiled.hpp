/// The precompiled parallel verbs: contiguous memory, built-in types and operators. A user's
/// translation unit sees only tables of function pointers, so it compiles fast, needs no SIMD
/// header, and its compiler flags cannot change a bit.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/call/call.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/moments.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace upsweep::host {

/// The parts of an accumulator; the count is 0 where the operator has none.
template <class N>
struct split_value {
  std::uint64_t count;
  N a, b;
};
inline split_value<double> split(detail::moments_of const& m) {
  return {m.count, m.mean, m.m2};
}
template <class N>
split_value<N> split(detail::scaled_exponentials<N> const& e) {
  return {0, e.largest, e.sum};
}
template <class A, class N>
A join_parts(std::uint64_t count, N a, N b) {
  if constexpr (std::is_same_v<A, detail::moments_of>)
    return {count, a, b};
  else
    return {a, b};
}

/// The type of both numbers, to which elements are converted.
template <class A>
using split_number_t = decltype(split(A{}).a);

template <class N>
struct split_array {
  N* a;
  N* b;
};

/// The block's n elements, n a power of two, and room for what up() keeps for down().
template <class A>
struct split_block {
  using number = split_number_t<A>;

  std::size_t n;
  number const* x;
  split_array<number> node;    ///< n
  split_array<number> result;  ///< n + 1: the prefix before each element and at the end
  bool by_lanes;               ///< whether lanes, not the operator itself, have combined the nodes
};

using dynamic::fixed_width_t;

/// Reductions of T by Op. `x` points to n >= 1 elements.
template <class Op, class T>
struct compiled_reduce {
  using A = accumulator_t<Op, T>;
  /// prefix(n) on the calling thread.
  A (*total)(T const* x, std::size_t n, mode m);
  A (*reduce)(T const* x, std::size_t n, mode m, plan const& p);
  /// From the last element to the first.
  A (*reduce_reversed)(T const* x, std::size_t n, plan const& p);
  /// Appends the elements to `left`.
  void (*reduce_chunk)(T const* x, std::size_t n, plan const& p, carry<A>& left);
};

/// Scans of T by Op, into `out`, which may be `x`.
template <class Op, class T>
struct compiled_scan {
  using A = accumulator_t<Op, T>;
  using scan_function = void (*)(T const* x, T* out, std::size_t n, plan const& p, A const* initial,
                                 A const* first);
  using chunk_function = void (*)(T const* x, T* out, std::size_t n, plan const& p,
                                  A const* initial, A const* first, carry<A>& left);
  scan_function inclusive, exclusive, inclusive_reversed, exclusive_reversed;
  chunk_function inclusive_chunk, exclusive_chunk;
  /// Replaces the n elements of an aligned block, n a power of two, by their inclusive results, not
  /// finished: `before` is its exclusive prefix, null at the beginning, and `after` the prefix at
  /// its end.
  void (*block)(T* x, std::size_t n, A const* before, A const& after);

  [[nodiscard]] scan_function scan(scan_kind kind, bool reversed) const {
    if (reversed) return kind == scan_kind::inclusive ? inclusive_reversed : exclusive_reversed;
    return kind == scan_kind::inclusive ? inclusive : exclusive;
  }
};

/// Scans of blocks by an operator whose accumulator is made of two numbers.
template <class Op, class T>
struct compiled_block_scan {
  using A = accumulator_t<Op, T>;
  /// The total of the block.
  A (*up)(split_block<A>& block);
  /// The results of the block of the last up(), finished if wanted: result i is the prefix before
  /// element i, and result n the prefix `after` the block. Result 0 of the first block, which
  /// has no `before`, is not defined. `initial` may be null.
  void (*down)(split_block<A>& block, A const* before, A const& after, A const* initial,
               bool finish);
  /// to[i] = the accumulator of `count` + i elements with the numbers i of `from`, for i < n.
  void (*join)(split_array<T> from, std::uint64_t count, std::size_t n, A* to);
};

/// The precompiled verbs of `Op` over T (vector_engine.hpp). Each is a symbol of its own and not an
/// entry in a table of all types: which types there are depends on the compiler (clang 14 has no
/// half), and a program's compiler need not be the library's.
template <class Op, class T>
struct UPSWEEP_API compiled {
  static compiled_reduce<Op, T> const reductions;
  static compiled_scan<Op, T> const scans;
  static compiled_block_scan<Op, T> const block_scans;
};
/// Declarations of the instances, which clang++ asks for, would take 0.1 s of every compilation.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class Op, class T>
compiled_reduce<Op, T> const& compiled_reductions() {
  return compiled<Op, T>::reductions;
}
template <class Op, class T>
compiled_scan<Op, T> const& compiled_scans() {
  return compiled<Op, T>::scans;
}
template <class Op, class T>
compiled_block_scan<Op, T> const& compiled_block_scans() {
  return compiled<Op, T>::block_scans;
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

template <class Op, class T>
inline constexpr bool has_compiled_scan =
    dynamic::is_compiled<dynamic::target::simd, Op, fixed_width_t<T>>;
template <class Op, class T>
inline constexpr bool has_compiled_reduce =
    has_compiled_scan<Op, T> ||
    dynamic::is_compiled<dynamic::target::simd_total, Op, fixed_width_t<T>>;

/// The operators whose accumulator is made of two numbers. Their kernels take about as long per
/// element as an operator of the user.
template <class Op>
inline constexpr bool has_wide_accumulator =
    dynamic::is_in<Op, dynamic::types<moments, log_sum_exp>>;

/// True when the functions above accept `Source` (and `Sink`), reversed or not.
template <class Source>
inline constexpr bool is_compiled_either_way = [] {
  if constexpr (requires { requires Source::in_memory; })
    return has_compiled_reduce<typename Source::operation, typename Source::element>;
  else
    return false;
}();
template <class Source, class Sink>
inline constexpr bool is_compiled_scan_either_way = [] {
  if constexpr (requires { requires Source::in_memory && Sink::in_memory; })
    return Source::reversed == Sink::reversed &&
           std::is_same_v<typename Source::element, typename Sink::element> &&
           has_compiled_scan<typename Source::operation, typename Source::element>;
  else
    return false;
}();
/// The same for those that are not reversed.
template <class Source>
inline constexpr bool is_compiled_source = [] {
  if constexpr (is_compiled_either_way<Source>)
    return Source::plain;
  else
    return false;
}();
template <class Source, class Sink>
inline constexpr bool is_compiled_scan = [] {
  if constexpr (is_compiled_scan_either_way<Source, Sink>)
    return Source::plain;
  else
    return false;
}();

/// The functions for the elements of `Source`.
template <class Source>
auto const& compiled_reduce_of() {
  return compiled_reductions<typename Source::operation, fixed_width_t<typename Source::element>>();
}
template <class Source>
auto const& compiled_scan_of() {
  return compiled_scans<typename Source::operation, fixed_width_t<typename Source::element>>();
}

/// `p` as a pointer to the library's fixed-width type.
template <class T>
[[nodiscard]] auto* fixed_pointer(T* p) {
  using Fixed = fixed_width_t<std::remove_const_t<T>>;
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, Fixed const, Fixed>*>(p);
}
/// The elements of `range` from position i on.
template <class Range>
[[nodiscard]] auto* fixed_pointer(Range const& range, std::size_t i) {
  return fixed_pointer(range.pointer(i));
}

/// Appends the totals of `from`, converted.
template <class To, class From, class Op>
void append_converted(carry<To>& to, carry<From> const& from, Op const& op) {
  for (int k = detail::floor_log2(from.position() | 1); k >= 0; --k)
    if ((from.position() >> k) & 1u) to.push(k, static_cast<To>(from.total(k)), op);
}

/// An optional accumulator, converted to the library's fixed-width type.
template <class Source>
class fixed_value {
 public:
  using type = accumulator_t<typename Source::operation, fixed_width_t<typename Source::element>>;

  template <class A>
  explicit fixed_value(A const* value) {
    if (value) value_.emplace(static_cast<type>(*value));
  }
  [[nodiscard]] type const* get() const { return value_ ? &*value_ : nullptr; }

 private:
  std::optional<type> value_;
};

/// Calls f(left), with a converted copy of `left` where the library's fixed-width accumulator is
/// another type (long for long long, for example).
template <class Source, class A, class Op, class F>
void with_fixed_carry(carry<A>& left, Op const& op, F const& f) {
  using Fixed = typename fixed_value<Source>::type;
  if constexpr (std::is_same_v<Fixed, A>) {
    f(left);
  } else {
    carry<Fixed> fixed;
    append_converted(fixed, left, op);
    f(fixed);
    left = {};
    append_converted(left, fixed, op);
  }
}

}  // namespace upsweep::host

UPSWEEP_IEEE_BEGIN
namespace upsweep::host {

/// True for the operators of ops/arg_extrema.hpp.
template <class Op>
concept finds_extremum = requires(Op const& op) {
  { op.rule() } -> std::same_as<detail::extremum_rule>;
};

struct extremum_scan {
  detail::extremum_rule rule;
  scan_kind kind;
  bool reversed;  ///< from the last element to the first
};

/// Scans the n elements at x, the first of which has the given index. `best` is the extremum of
/// what precedes them in the order of the scan, and then of all. Results are values with their
/// indices, or indices. `out` may be x.
template <class T, class Out>
UPSWEEP_API void scan_extremum(extremum_scan how, T const* x, std::size_t index, std::size_t n,
                               indexed<T>& best, Out* out);

/// True for the types T of elements and Out of results of scan_extremum.
template <class T, class Out>
inline constexpr bool scans_extremum =
    dynamic::is_in<T, dynamic::integers_and_wide_floats> &&
    (std::is_same_v<Out, indexed<T>> || std::is_same_v<Out, std::uint64_t>);

}  // namespace upsweep::host
UPSWEEP_IEEE_END

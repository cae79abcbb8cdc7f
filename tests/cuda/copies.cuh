/// The device's side of copied_to_gpu: the calls.
#pragma once

#include "call_copies.cuh"
#include "copied_to_gpu.hpp"

#include <upsweep/cuda.cuh>

#include <cstddef>
#include <type_traits>

namespace upsweep::test {

/// Calls f(kind as a constant, reverse as a constant).
template <class F>
void with_form(scan_kind kind, bool reverse, F const& f) {
  auto with_kind = [&](auto backwards) {
    if (kind == scan_kind::inclusive)
      f(std::integral_constant<scan_kind, scan_kind::inclusive>{}, backwards);
    else
      f(std::integral_constant<scan_kind, scan_kind::exclusive>{}, backwards);
  };
  if (reverse)
    with_kind(std::true_type{});
  else
    with_kind(std::false_type{});
}

template <class Op, class T, class U, class F>
auto copies<Op, T, U, F>::reduce(manner how, T const* in, std::size_t n, Op const& op) -> A {
  fenced_copy const copy(0, in, n * sizeof(T), true);
  auto const* const first = reinterpret_cast<T const*>(copy.data());
  gpu const on{.blocks_start_in_order = how.blocks_start_in_order};
  F const f{};
  if (how.reverse) return on.reduce(call{source<T const*, F, Op, true>(first, n, f, op), n, op});
  return on.reduce(call{source<T const*, F, Op, false>(first, n, f, op), n, op});
}

template <class Op, class T, class U, class F>
void copies<Op, T, U, F>::scan(scan_kind kind, manner how, T const* in, U* out, std::size_t n,
                               Op const& op, A const* initial, A const* first) {
  bool const in_place = static_cast<void const*>(in) == static_cast<void*>(out);
  fenced_copy const from(0, in, n * sizeof(T), true);
  fenced_copy const apart(1, out, in_place ? 0 : n * sizeof(U), false);
  fenced_copy const& to = in_place ? from : apart;
  gpu const on{.blocks_start_in_order = how.blocks_start_in_order};
  F const f{};
  with_form(kind, how.reverse, [&](auto form, auto reverse) {
    on.template scan<form.value>(
        call{source<T const*, F, Op, reverse.value>(reinterpret_cast<T const*>(from.data()), n, f,
                                                    op),
             n, op, mode::reproducible, initial, first},
        sink<U*, Op, reverse.value>(reinterpret_cast<U*>(to.data()), n, op));
  });
  to.copy_back(out);
}

template <class Op, class T, class U>
void chunk_copies<Op, T, U>::reduce(manner how, T const* in, std::size_t n, std::size_t base,
                                    Op const& op, cuda_carry<A>& left) {
  fenced_copy const from(0, in, n * sizeof(T), true);
  detail::as_is const f;
  gpu{.blocks_start_in_order = how.blocks_start_in_order}.reduce_chunk(
      call{source<T const*, detail::as_is, Op, false>(reinterpret_cast<T const*>(from.data()), n, f,
                                                      op, base),
           n, op},
      left);
}

template <class Op, class T, class U>
void chunk_copies<Op, T, U>::scan(scan_kind kind, manner how, T const* in, U* out, std::size_t n,
                                  std::size_t base, Op const& op, A const* initial, A const* first,
                                  cuda_carry<A>& left) {
  bool const in_place = static_cast<void const*>(in) == static_cast<void*>(out);
  fenced_copy const from(0, in, n * sizeof(T), true);
  fenced_copy const apart(1, out, in_place ? 0 : n * sizeof(U), false);
  fenced_copy const& to = in_place ? from : apart;
  gpu const on{.blocks_start_in_order = how.blocks_start_in_order};
  detail::as_is const f;
  source<T const*, detail::as_is, Op, false> const elements(reinterpret_cast<T const*>(from.data()),
                                                            n, f, op, base);
  sink<U*, Op, false> const results(reinterpret_cast<U*>(to.data()), n, op, base);
  if (kind == scan_kind::inclusive)
    on.template scan_chunk<scan_kind::inclusive>(
        call{elements, n, op, mode::reproducible, initial, first}, results, left);
  else
    on.template scan_chunk<scan_kind::exclusive>(
        call{elements, n, op, mode::reproducible, initial, first}, results, left);
  to.copy_back(out);
}

/// The bytes from the first to the last element of a line, whatever its direction.
template <class T>
struct hull_of_line {
  T* lowest;
  std::ptrdiff_t reach;
  hull_of_line(memory_line<T> of, std::size_t n)
      : reach(static_cast<std::ptrdiff_t>(n - 1) * of.stride) {
    lowest = reach < 0 ? of.first + reach : of.first;
  }
  [[nodiscard]] std::size_t bytes() const {
    return (static_cast<std::size_t>(reach < 0 ? -reach : reach) + 1) * sizeof(T);
  }
  /// The line in a copy of the hull.
  template <class V>
  [[nodiscard]] auto in_copy(char* data, std::ptrdiff_t stride, std::size_t n) const {
    return detail::strided_line<V>(reinterpret_cast<V*>(data) + (reach < 0 ? -reach : 0), stride, n)
        .begin();
  }
};

template <class Op, class T>
auto line_copies<Op, T>::reduce(manner how, memory_line<T const> in, std::size_t n, Op const& op)
    -> A {
  hull_of_line<T const> const hull(in, n);
  fenced_copy const copy(0, hull.lowest, hull.bytes(), true);
  auto const first = hull.template in_copy<T const>(copy.data(), in.stride, n);
  using It = std::remove_cv_t<decltype(first)>;
  gpu const on{.blocks_start_in_order = how.blocks_start_in_order};
  detail::as_is const f;
  if (how.reverse)
    return on.reduce(call{source<It, detail::as_is, Op, true>(first, n, f, op), n, op});
  return on.reduce(call{source<It, detail::as_is, Op, false>(first, n, f, op), n, op});
}

template <class Op, class T>
void line_copies<Op, T>::scan(scan_kind kind, manner how, memory_line<T const> in,
                              memory_line<T> out, std::size_t n, Op const& op, A const* initial,
                              A const* first) {
  hull_of_line<T const> const in_hull(in, n);
  hull_of_line<T> const out_hull(out, n);
  bool const in_place = in.first == out.first;
  fenced_copy const from(0, in_hull.lowest, in_hull.bytes(), true);
  fenced_copy const apart(1, out_hull.lowest, in_place ? 0 : out_hull.bytes(),
                          true);  // with the contents of its gaps
  fenced_copy const& to = in_place ? from : apart;
  auto const elements = in_hull.template in_copy<T const>(from.data(), in.stride, n);
  auto const results = out_hull.template in_copy<T>(to.data(), out.stride, n);
  using It = std::remove_cv_t<decltype(elements)>;
  using OutIt = std::remove_cv_t<decltype(results)>;
  gpu const on{.blocks_start_in_order = how.blocks_start_in_order};
  detail::as_is const f;
  with_form(kind, how.reverse, [&](auto form, auto reverse) {
    on.template scan<form.value>(
        call{source<It, detail::as_is, Op, reverse.value>(elements, n, f, op), n, op,
             mode::reproducible, initial, first},
        sink<OutIt, Op, reverse.value>(results, n, op));
  });
  to.copy_back(out_hull.lowest);
}

}  // namespace upsweep::test

/// What the verbs by name share: untyped arrays, and elements as unsigned integers of their size.
#pragma once

#include <upsweep/by_name/run.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/names/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::dynamic {

/// n elements at `first`. Elements that are only moved are taken for unsigned integers of their
/// size; their owner is compiled elsewhere, so no compiler can tell.
template <class T>
[[nodiscard]] std::span<T> elements_at(void* first, std::size_t n) {
  return {static_cast<T*>(first), n};
}
template <class T>
[[nodiscard]] std::span<T const> elements_at(void const* first, std::size_t n) {
  return {static_cast<T const*>(first), n};
}

/// The element at position `i` of an array of elements of so many bytes.
[[nodiscard]] inline void* element_in(void* first, std::size_t bytes, std::size_t i) {
  return static_cast<std::byte*>(first) + i * bytes;
}
[[nodiscard]] inline void const* element_in(void const* first, std::size_t bytes, std::size_t i) {
  return static_cast<std::byte const*>(first) + i * bytes;
}

/// Bytes of an element of an entry, and of its result. Those of `affine` are pairs.
[[nodiscard]] inline std::size_t bytes_in(call_entry const& e) {
  return size_of(e.element) * (e.op == catalog::id::affine ? 2 : 1);
}
[[nodiscard]] inline std::size_t bytes_out(call_entry const& e) {
  return size_of(e.result) * (e.op == catalog::id::affine ? 2 : 1);
}

/// Throws if the arrays of so many bytes share memory, other than by beginning together if they may
/// be one.
inline void expect_apart(char const* verb, void const* a, std::size_t a_bytes, void const* b,
                         std::size_t b_bytes, bool may_be_one = false) {
  auto const x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  if (a_bytes == 0 || b_bytes == 0 || (may_be_one && x == y)) return;
  if (x < y + b_bytes && y < x + a_bytes) detail::fail_overlap(verb, may_be_one);
}

/// Calls f.operator()<U>() with the unsigned integer of so many bytes.
template <class F>
decltype(auto) with_word_of(std::size_t bytes, F const& f) {
  if (bytes == 1) return f.template operator()<std::uint8_t>();
  if (bytes == 2) return f.template operator()<std::uint16_t>();
  if (bytes == 4) return f.template operator()<std::uint32_t>();
  return f.template operator()<std::uint64_t>();
}

/// The types by whose == elements are compared: integers without their sign.
using compared_types = join<unsigned_integers, floats>;

/// Calls f.operator()<T>() with the one of them that `t` names.
template <class F>
decltype(auto) with_compared_type(dtype t, F const& f) {
  if (!is_float(t)) return with_word_of(size_of(t), f);
  return dispatch(floats{}, t, f, [&] { return f.template operator()<double>(); });
}

}  // namespace upsweep::dynamic

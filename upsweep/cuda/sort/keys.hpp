/// The keys of CUB's radix sort: integers as they are, floating-point numbers with the order of
/// std::strong_order.
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/generic/sort/sorting.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

/// A floating-point number by its bits. CUB's own order of `float` has -0 equal to +0;
/// sort/block.cuh gives CUB the order of this type.
template <class U>
struct float_key {
  static constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
  static constexpr U first = static_cast<U>(-1), last = static_cast<U>(~sign);
  U bits;

  /// From the bits of a number to the integer of its order, and back: as detail::ordered_bits.
  [[nodiscard]] static UPSWEEP_BOTH constexpr U ordered(U bits) {
    return static_cast<U>(bits ^ ((bits & sign) != 0 ? first : sign));
  }
  [[nodiscard]] static UPSWEEP_BOTH constexpr U from_ordered(U bits) {
    return static_cast<U>(bits ^ ((bits & sign) != 0 ? sign : first));
  }
};

template <class T>
struct radix_key_of {
  using bits = detail::bits_of_size<sizeof(T)>;
  using type =
      std::conditional_t<detail::is_float<T>, float_key<bits>,
                         std::conditional_t<detail::has_sign<T>, std::make_signed_t<bits>, bits>>;
};
/// The key that CUB sorts instead of numbers of type T.
template <detail::number_key T>
using radix_key = typename radix_key_of<T>::type;

/// The unsigned integer in whose order keys are to be, and back.
template <bool descending, class Key>
[[nodiscard]] UPSWEEP_BOTH constexpr auto to_ordered(Key key) {
  using U = detail::bits_of_size<sizeof(Key)>;
  U bits;
  if constexpr (requires { Key::sign; })
    bits = Key::ordered(key.bits);
  else
    bits = static_cast<U>(static_cast<U>(key) ^ static_cast<U>(detail::lowest<Key>));
  return descending ? static_cast<U>(~bits) : bits;
}
template <bool descending, class Key>
[[nodiscard]] UPSWEEP_BOTH constexpr Key from_ordered(detail::bits_of_size<sizeof(Key)> bits) {
  using U = decltype(bits);
  if (descending) bits = static_cast<U>(~bits);
  if constexpr (requires { Key::sign; })
    return {Key::from_ordered(bits)};
  else
    return static_cast<Key>(bits ^ static_cast<U>(detail::lowest<Key>));
}

/// The largest key: no other sorts after it.
template <bool descending, class Key>
[[nodiscard]] UPSWEEP_BOTH constexpr Key last_key() {
  if constexpr (requires { Key::sign; })
    return {descending ? Key::first : Key::last};
  else
    return descending ? detail::lowest<Key> : detail::largest<Key>;
}

}  // namespace upsweep::device

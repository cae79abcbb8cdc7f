/// Shared memory of an emulated block: declared arrays and the dynamic part.
#pragma once

#include <upsweep/simt/emulated/pointer.hpp>

namespace upsweep::simt::emulated {

/// The type of `__shared__ shared<T, N> tile;`: a static object, the same for every block; the
/// elements are in the running block's memory.
template <class T, std::size_t N>
class shared_array {
 public:
  static_assert(is_element<T>,
                "elements of shared memory are trivially copyable and smaller than 4 KiB");

  constexpr shared_array(position declared = position::current())
      : key_(N * sizeof(T), layout_of<T>, declared) {}
  shared_array(shared_array const&) = delete;

  [[nodiscard]] UPSWEEP_SIMT_INLINE reference<T, shared_key> operator[](index i) const {
    return {&key_, i.value * static_cast<std::ptrdiff_t>(sizeof(T)), i.at};
  }
  UPSWEEP_SIMT_INLINE operator pointer<T>() const { return {memory_of(&key_), 0}; }
  UPSWEEP_SIMT_INLINE operator pointer<T const>() const { return {memory_of(&key_), 0}; }
  template <std::integral I>
  [[nodiscard]] UPSWEEP_SIMT_INLINE pointer<T> operator+(I n) const {
    return pointer<T>(memory_of(&key_), 0) + n;
  }
  [[nodiscard]] UPSWEEP_SIMT_INLINE shared_key* key() const { return &key_; }

 private:
  mutable shared_key key_;  // `__shared__` is const for g++
};

template <class U, class T, std::size_t N>
[[nodiscard]] UPSWEEP_SIMT_INLINE pointer<U> pointer_cast(shared_array<T, N> const& array) {
  return pointer<U>(memory_of(array.key()), 0);
}

/// The dynamic shared memory of the launch, `launch_shape::shared_bytes` bytes.
template <class T>
[[nodiscard]] UPSWEEP_SIMT_INLINE pointer<T> dynamic_shared(position at = position::current()) {
  return pointer<T>(dynamic_memory(layout_of<T>, at), 0);
}

}  // namespace upsweep::simt::emulated

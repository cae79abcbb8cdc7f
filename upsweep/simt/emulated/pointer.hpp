/// Pointers and references whose every access is a hook: the `T*` and `T&` of an emulated kernel.
#pragma once

#include <compare>
#include <concepts>
#include <utility>

#include <upsweep/simt/emulated/hooks.hpp>

namespace upsweep::simt::emulated {

template <class T>
class pointer;

/// A reference to an element in memory. A conversion is a load, an assignment is a store, and `&`
/// makes a pointer, for the atomics. `Base` is the memory, or the key of a shared array. Copy it
/// into a variable of type `T`: with `auto` the variable would be a reference that loads again, so
/// named references neither load nor store.
template <class T, class Base>
class reference {
 public:
  using value_type = std::remove_const_t<T>;
  static_assert(is_element<value_type>,
                "elements of emulated memory are trivially copyable and smaller than 4 KiB");

  UPSWEEP_SIMT_INLINE reference(Base* base, std::ptrdiff_t byte, position at)
      : base_(base), byte_(byte), at_(at) {}
  reference(reference const&) = default;

  UPSWEEP_SIMT_INLINE operator value_type() const&& { return value(); }
  operator value_type() const& {
    static_assert(sizeof(T) == 0,
                  "an element of memory was copied into an `auto` variable, which would load it "
                  "again at each use: write its type, as in `int x = tile[i];`");
    return value();
  }
  UPSWEEP_SIMT_INLINE reference&& operator=(value_type value) &&
      requires(!std::is_const_v<T>) {
        *reinterpret_cast<value_type*>(store(base_, byte_, layout_of<value_type>, at_, &value)) =
            value;
        return std::move(*this);
      } template <class Value>
      void operator=(Value&&) & {
    static_assert(sizeof(Value) == 0,
                  "an element of memory was copied into an `auto` variable, and an assignment to "
                  "it would store to memory: write its type, as in `int x = tile[i];`");
  }
  UPSWEEP_SIMT_INLINE reference&& operator=(reference const& other) &&
      requires(!std::is_const_v<T>) {
        return std::move(*this) = static_cast<value_type>(other);
      } UPSWEEP_SIMT_INLINE reference&& operator=(reference&& other) &&
      requires(!std::is_const_v<T>) {
        return std::move(*this) = other.value();
      } template <class U, class Other>
      UPSWEEP_SIMT_INLINE reference&& operator=(reference<U, Other>&& other) &&
      requires(!std::is_const_v<T>) {
        return std::move(*this) = static_cast<value_type>(
                   static_cast<typename reference<U, Other>::value_type>(std::move(other)));
      }
#define UPSWEEP_SIMT_COMPOUND(op)                                           \
  UPSWEEP_SIMT_INLINE reference&& operator op##=(value_type more) &&        \
      requires(std::is_arithmetic_v<value_type>) {                          \
        return std::move(*this) = static_cast<value_type>(value() op more); \
      }
      UPSWEEP_SIMT_COMPOUND(+) UPSWEEP_SIMT_COMPOUND(-) UPSWEEP_SIMT_COMPOUND(*)
          UPSWEEP_SIMT_COMPOUND(|) UPSWEEP_SIMT_COMPOUND(&) UPSWEEP_SIMT_COMPOUND(^)
#undef UPSWEEP_SIMT_COMPOUND

              UPSWEEP_SIMT_INLINE pointer<T> operator&() const {
    if constexpr (std::is_same_v<Base, memory>)
      return pointer<T>(base_, byte_);
    else
      return pointer<T>(memory_of(base_), byte_);
  }

 private:
  [[nodiscard]] UPSWEEP_SIMT_INLINE value_type value() const {
    return *reinterpret_cast<value_type const*>(load(base_, byte_, layout_of<value_type>, at_));
  }

  Base* base_;
  std::ptrdiff_t byte_;
  position at_;
};

/// The index of an element, with the source position of the expression.
struct index {
  std::ptrdiff_t value;
  position at;

  template <std::integral I>
  UPSWEEP_SIMT_INLINE index(I i, position where = position::current())
      : value(static_cast<std::ptrdiff_t>(i)), at(where) {}
  template <class I, class Base>
  UPSWEEP_SIMT_INLINE index(reference<I, Base>&& i, position where = position::current())
      : value(static_cast<std::ptrdiff_t>(
            static_cast<typename reference<I, Base>::value_type>(std::move(i)))),
        at(where) {}
};

/// `T*` into a buffer or a shared array.
template <class T>
class pointer {
 public:
  using element_type = T;
  static constexpr std::ptrdiff_t size = sizeof(T);

  constexpr pointer() = default;
  constexpr pointer(std::nullptr_t) {}
  UPSWEEP_SIMT_INLINE pointer(memory* base, std::ptrdiff_t byte) : base_(base), byte_(byte) {}
  template <class U>
    requires(std::is_same_v<U const, T>)
  UPSWEEP_SIMT_INLINE pointer(pointer<U> other) : base_(other.base()), byte_(other.byte()) {}

  [[nodiscard]] UPSWEEP_SIMT_INLINE reference<T, memory> operator[](index i) const {
    return {base_, byte_ + i.value * size, i.at};
  }
  /// Prefer `p[0]`: an operator without arguments cannot receive its source position.
  [[nodiscard]] UPSWEEP_SIMT_INLINE reference<T, memory> operator*() const {
    return {base_, byte_, position{}};
  }

  template <std::integral I>
  UPSWEEP_SIMT_INLINE pointer& operator+=(I n) {
    byte_ += static_cast<std::ptrdiff_t>(n) * size;
    return *this;
  }
  template <std::integral I>
  UPSWEEP_SIMT_INLINE pointer& operator-=(I n) {
    byte_ -= static_cast<std::ptrdiff_t>(n) * size;
    return *this;
  }
  UPSWEEP_SIMT_INLINE pointer& operator++() { return *this += 1; }
  template <std::integral I>
  [[nodiscard]] UPSWEEP_SIMT_INLINE pointer operator+(I n) const {
    return pointer(*this) += n;
  }
  template <std::integral I>
  [[nodiscard]] UPSWEEP_SIMT_INLINE pointer operator-(I n) const {
    return pointer(*this) -= n;
  }
  [[nodiscard]] UPSWEEP_SIMT_INLINE std::ptrdiff_t operator-(pointer other) const {
    return (byte_ - other.byte_) / size;
  }

  [[nodiscard]] friend UPSWEEP_SIMT_INLINE bool operator==(pointer a, pointer b) {
    return a.base_ == b.base_ && a.byte_ == b.byte_;
  }
  [[nodiscard]] friend UPSWEEP_SIMT_INLINE auto operator<=>(pointer a, pointer b) {
    return a.byte_ <=> b.byte_;
  }
  [[nodiscard]] UPSWEEP_SIMT_INLINE explicit operator bool() const { return base_ != nullptr; }

  [[nodiscard]] UPSWEEP_SIMT_INLINE memory* base() const { return base_; }
  [[nodiscard]] UPSWEEP_SIMT_INLINE std::ptrdiff_t byte() const { return byte_; }

 private:
  memory* base_ = nullptr;
  std::ptrdiff_t byte_ = 0;
};

/// The same memory read as elements of another type, for vector accesses.
template <class U, class T>
[[nodiscard]] UPSWEEP_SIMT_INLINE pointer<U> pointer_cast(pointer<T> p) {
  static_assert(std::is_const_v<U> || !std::is_const_v<T>, "pointer_cast keeps const");
  return pointer<U>(p.base(), p.byte());
}

}  // namespace upsweep::simt::emulated

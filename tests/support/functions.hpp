/// Predicates and operators of the suites that a device can call too.
#pragma once

namespace upsweep::test {

/// Answers for elements that equal the pivot, and for the others.
template <class T>
struct compared_with {
  T pivot;
  bool if_equal = true, if_other = false;
  constexpr bool operator()(T const& x) const { return x == pivot ? if_equal : if_other; }
};
/// All of the elements, or none.
template <class T>
constexpr compared_with<T> always(bool answer) {
  return {T{}, answer, answer};
}

template <class T>
struct less_than {
  T limit;
  constexpr bool operator()(T const& x) const { return x < limit; }
};

/// Neighbors of one run: those whose whole parts have the same quotient.
template <int divisor>
struct same_quotient {
  template <class T>
  constexpr bool operator()(T const& a, T const& b) const {
    return static_cast<long>(a) / divisor == static_cast<long>(b) / divisor;
  }
};

/// Operators of users, without an identity.
struct sum_of_two {
  template <class T>
  constexpr T operator()(T const& a, T const& b) const {
    return a + b;
  }
};
struct product_of_two {
  template <class T>
  constexpr T operator()(T const& a, T const& b) const {
    return a * b;
  }
};

}  // namespace upsweep::test

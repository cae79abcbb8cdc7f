/// The expected results of a kernel, from the library, and the differences from the actual ones.
#pragma once

#include <lab/run.hpp>
#include <upsweep/generic/reference.hpp>
#ifndef __wasm__  // which takes small inputs, and has no library
#include <upsweep/upsweep.hpp>
#endif

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

namespace upsweep::lab {

/// An operator without state, called through a pointer. So the verbs are compiled once for each
/// type of elements; one copy for each operator took half of the laboratory's compile time.
template <class T>
struct called {
  T (*combine)(T const& earlier, T const& later);
  T neutral;

  template <class Op>
  explicit called(Op const& op)
      : combine([](T const& earlier, T const& later) { return Op{}(earlier, later); }),
        neutral(identity_of<T>(op)) {
    static_assert(std::is_empty_v<Op>);
  }
  [[nodiscard]] T identity() const { return neutral; }
  [[nodiscard]] T operator()(T const& earlier, T const& later) const {
    return combine(earlier, later);
  }
};

/// The reference implementation for small inputs, else the serial executor, which is tested against
/// it.
template <class T>
[[nodiscard]] std::vector<T> expected(request const& asked, bool scan, std::vector<T> const& x,
                                      called<T> const& op) {
#ifdef __wasm__
  constexpr bool literal = true;
#else
  bool const literal = x.size() <= 600;
#endif
  if (literal && !scan) return {reference::reduce(x, op)};
  if (literal)
    return asked.exclusive ? reference::exclusive_scan(x, op) : reference::inclusive_scan(x, op);
#ifdef __wasm__
  return {};
#else
  if (!scan) return {reduce(serial{}, x, op)};
  std::vector<T> out(x.size());
  if (asked.exclusive)
    exclusive_scan(serial{}, x, out, op);
  else
    inclusive_scan(serial{}, x, out, op);
  return out;
#endif
}

/// By how much result i may differ because the kernel groups the elements in another way: 0 for
/// elements that we make, whose sums are exact. Listed floats are rounded: a sum or product of n
/// elements has n - 1 roundings in either result, each of epsilon/2 of the sum of absolute values.
template <class T>
[[nodiscard]] std::vector<T> tolerances(request const& asked, std::vector<T> const& x,
                                        std::size_t results) {
  std::vector<T> all(results);
  if constexpr (std::is_floating_point_v<T>) {
    bool const is_sum = asked.op == operation_name::sum,
               rounds = is_sum || asked.op == operation_name::product;
    if (asked.values.empty() || !rounds) return all;
    T size = is_sum ? T{0} : T{1};
    std::size_t done = 0;
    for (std::size_t i = 0; i < results; ++i) {
      std::size_t const end = results == 1 ? x.size() : asked.exclusive ? i : i + 1;
      for (; done < end; ++done)
        size = is_sum ? size + std::abs(x[done]) : size * std::abs(x[done]);
      T const tolerance = static_cast<T>(end) * std::numeric_limits<T>::epsilon() * size;
      if (std::isfinite(tolerance)) all[i] = tolerance;
    }
  }
  return all;
}

template <class T>
void compare(std::vector<T> const& wanted, std::vector<T> const& got,
             std::vector<T> const& tolerance, outcome& out) {
  out.results = wanted.size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (got[i] == wanted[i]) continue;
    if constexpr (std::is_floating_point_v<T>)
      if (std::abs(got[i] - wanted[i]) <= tolerance[i]) {
        ++out.rounded;
        continue;
      }
    if (!out.first) out.first = difference{i, text_of(wanted[i]), text_of(got[i])};
    ++out.different;
  }
  if (!got.empty()) out.value = text_of(got.back());
}

}  // namespace upsweep::lab

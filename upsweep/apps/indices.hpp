/// Loops over indices on an executor, for applications.
#pragma once

#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <vector>

namespace upsweep::detail {

/// Calls f(k) for k in [0, n), by several threads.
template <class E, class F>
void for_each_index(E const& on, std::size_t n, F const& f) {
  constexpr std::size_t block = 4096;
  on.for_each_line((n + block - 1) / block, block, [&](std::size_t b, auto const&) {
    for (std::size_t k = b * block, end = at_most(n, (b + 1) * block); k < end; ++k) f(k);
  });
}
/// The first k in [0, n) for which f is true, or n.
template <class E, class F>
std::size_t first_index(E const& on, std::size_t n, F const& f) {
  constexpr std::size_t block = 4096;
  std::vector<std::size_t> found((n + block - 1) / block, n);
  on.for_each_line(found.size(), block, [&](std::size_t b, auto const&) {
    for (std::size_t k = b * block, end = at_most(n, (b + 1) * block); k < end; ++k)
      if (f(k)) {
        found[b] = k;
        return;
      }
  });
  return upsweep::reduce(on, found, min{}, {.initial = n});
}

}  // namespace upsweep::detail

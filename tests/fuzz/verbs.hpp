/// What the fuzz targets of verbs share: numbers of bytes, and calls on one and on two threads.
#pragma once

#include <upsweep/host/threads.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace upsweep::fuzz {

using bytes = std::span<std::uint8_t const>;

/// Takes up to `count` numbers from the front of `from`.
template <class T>
std::vector<T> take(bytes& from, std::size_t count) {
  std::vector<T> numbers(std::min(count, from.size() / sizeof(T)));
  if (!numbers.empty()) std::memcpy(numbers.data(), from.data(), numbers.size() * sizeof(T));
  from = from.subspan(numbers.size() * sizeof(T));
  return numbers;
}

inline void expect(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Whether `call` refuses its arguments; any other exception is a finding.
template <class Call>
bool refuses(Call const& call) {
  try {
    call();
  } catch (precondition_error const&) {
    return true;
  }
  return false;
}

/// Calls f on each executor. Inputs of any size start threads.
template <class F>
void on_processors(F const& f) {
  host::threads::largest_cutoff = 1;
  f(serial{});
  f(cpu{.threads = 2});
}

}  // namespace upsweep::fuzz

/// Memory that a call takes for itself, and gives back at its end.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

namespace upsweep::detail {

/// From this size on temporary storage is in huge pages, if the system has them: one page fault for
/// each 2 MiB instead of 512, and few entries of the CPU's tables of addresses. To clear half
/// a huge page in vain takes less time than 256 faults.
inline constexpr std::size_t huge_page = std::size_t{1} << 21, worth_huge_pages = huge_page / 2;

/// Memory of that alignment; of huge pages, if that is theirs. Throws std::bad_alloc if there is
/// none.
[[nodiscard]] UPSWEEP_API void* take_scratch(std::size_t bytes, std::size_t alignment);

struct release_scratch {
  std::size_t alignment;
  void operator()(void* memory) const noexcept {
    ::operator delete(memory, std::align_val_t(alignment));
  }
};
template <class T>
using scratch = std::unique_ptr<T[], release_scratch>;

/// Types whose arrays memory_for makes.
template <class T>
inline constexpr bool fits_scratch =
    std::is_nothrow_default_constructible_v<T> && std::is_trivially_destructible_v<T>;

/// Memory for n elements that are written before they are read.
template <class T>
[[nodiscard]] scratch<T> memory_for(std::size_t n) {
  static_assert(fits_scratch<T>);
  if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
  std::size_t const bytes = n * sizeof(T),
                    alignment = bytes < worth_huge_pages
                                    ? std::max(alignof(T), alignof(std::max_align_t))
                                    : huge_page;
  auto* const first = static_cast<T*>(take_scratch(bytes, alignment));
  std::uninitialized_default_construct_n(first, n);
  return {first, {alignment}};
}

}  // namespace upsweep::detail

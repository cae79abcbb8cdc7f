/// The part of scratch.hpp that asks the system for huge pages.
#include <upsweep/core/scratch.hpp>

#include <sys/mman.h>

namespace upsweep::detail {

void* take_scratch(std::size_t bytes, std::size_t alignment) {
  void* const memory = ::operator new(bytes, std::align_val_t(alignment));
#ifdef MADV_HUGEPAGE
  if (bytes >= worth_huge_pages) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  return memory;  // advice affects only the speed
}

}  // namespace upsweep::detail

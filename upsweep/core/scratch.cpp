/// The part of scratch.hpp that asks the system for huge pages.
#include <upsweep/core/scratch.hpp>
#include <upsweep/system/system.hpp>

namespace upsweep::detail {

void* take_scratch(std::size_t bytes, std::size_t alignment) {
  bool const huge = alignment == huge_page;
  // libstdc++'s operator new rounds up to the alignment, and so to 0.
  if (huge && bytes > static_cast<std::size_t>(-1) - huge_page) throw std::bad_alloc();
  if (huge) bytes = (bytes + huge_page - 1) / huge_page * huge_page;  // the last one too
  void* const memory = ::operator new(bytes, std::align_val_t(alignment));
  if (huge) system::prefer_huge_pages(memory, bytes);
  return memory;
}

}  // namespace upsweep::detail

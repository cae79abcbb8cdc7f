/// Memory of large results, and the functions by which NumPy takes it.
#include <python/binding/module.hpp>
#include <python/binding/numpy_array.hpp>

#include <nanobind/stl/vector.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace upsweep::python {

result_memory& result_memory::get() {
  static auto* const memory = new result_memory;  // arrays may live until the process ends
  return *memory;
}

/// A kept block that is at most a quarter larger, or a new one.
result_memory::block result_memory::block_for(std::size_t bytes) {
  using upsweep::detail::huge_page;
  if (bytes > std::numeric_limits<std::ptrdiff_t>::max() - huge_page) throw std::bad_alloc();
  bytes = (bytes + huge_page - 1) / huge_page * huge_page;
  auto const fits = [&](block const& b) {
    return b.bytes >= bytes && b.bytes - bytes <= bytes / 4;
  };
  auto const found = std::find_if(kept_.begin(), kept_.end(), fits);
  if (found == kept_.end()) return {upsweep::detail::memory_for<std::byte>(bytes), bytes};
  block again = std::move(*found);
  kept_.erase(found);
  return again;
}

void* result_memory::take(std::size_t bytes) noexcept try {
  std::lock_guard const lock(mutex_);
  block mine = block_for(bytes);
  void* const first = mine.memory.get();
  taken_.emplace(first, std::move(mine));
  return first;
} catch (std::bad_alloc const&) {
  return nullptr;
}

void* result_memory::resize(void* memory, std::size_t bytes) noexcept {
  void* const larger = take(bytes);
  if (!larger) return nullptr;
  std::size_t before = 0;
  {
    std::lock_guard const lock(mutex_);
    before = taken_.at(memory).bytes;
  }
  std::memcpy(larger, memory, std::min(before, bytes));
  give_back(memory);
  return larger;
}

void result_memory::give_back(void* memory) noexcept {
  std::lock_guard const lock(mutex_);
  auto const found = taken_.extract(memory);
  if (found.empty()) return;
  block mine = std::move(found.mapped());
#ifdef MADV_FREE
  if (madvise(memory, mine.bytes, MADV_FREE) != 0) return;
  kept_.insert(kept_.begin(), std::move(mine));
  if (kept_.size() > most_kept) kept_.pop_back();
#endif
}

nb::object result_memory_handler() {
  static numpy_memory_handler handler = {
      "upsweep",
      1,
      nullptr,
      [](void*, std::size_t bytes) { return result_memory::get().take(bytes); },
      [](void*, std::size_t n, std::size_t size) -> void* {
        if (size != 0 && n > std::numeric_limits<std::size_t>::max() / size) return nullptr;
        void* const memory = result_memory::get().take(n * size);
        return memory ? std::memset(memory, 0, n * size) : nullptr;
      },
      [](void*, void* memory, std::size_t bytes) {
        return memory ? result_memory::get().resize(memory, bytes)
                      : result_memory::get().take(bytes);
      },
      [](void*, void* memory, std::size_t) { result_memory::get().give_back(memory); },
  };
  return nb::capsule(&handler, "mem_handler");
}

void add_result_memory(nb::module_& m) {
  m.def("empty", [](std::vector<Py_ssize_t> const& shape, nb::handle dtype) {
    return numpy_functions::get().empty(shape.size(), shape.data(), dtype);
  });
}

}  // namespace upsweep::python

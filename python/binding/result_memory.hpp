/// Memory of large results: what one array had is kept for the next, since the system clears each
/// page of new memory, which takes longer than to compute a scan into it.
#pragma once

#include <python/binding/arrays.hpp>

#include <upsweep/core/scratch.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace upsweep::python {

/// From this size on the memory of results is kept. Smaller memory glibc keeps itself, and hands it
/// out again in less time.
inline constexpr std::size_t large_result = std::size_t{1} << 25;

/// The memory of large arrays. The last two blocks that were given back are kept, and the system
/// may take their pages when it needs memory.
class result_memory {
 public:
  static result_memory& get();

  /// Null if there is no memory.
  [[nodiscard]] void* take(std::size_t bytes) noexcept;
  [[nodiscard]] void* resize(void* memory, std::size_t bytes) noexcept;
  void give_back(void* memory) noexcept;

 private:
  static constexpr std::size_t most_kept = 2;
  struct block {
    upsweep::detail::scratch<std::byte> memory;
    std::size_t bytes;
  };
  result_memory() { kept_.reserve(most_kept + 1); }  // give_back() must not allocate
  [[nodiscard]] block block_for(std::size_t bytes);

  std::mutex mutex_;
  std::unordered_map<void*, block> taken_;
  std::vector<block> kept_;
};

/// What NumPy asks for the memory of an array's elements: version 1 of PyDataMem_Handler,
/// https://numpy.org/doc/stable/reference/c-api/data_memory.html
struct numpy_memory_handler {
  char name[127];
  std::uint8_t version;
  void* context;
  void* (*take)(void*, std::size_t);
  void* (*take_zeros)(void*, std::size_t, std::size_t);
  void* (*resize)(void*, void*, std::size_t);
  void (*give_back)(void*, void*, std::size_t);
};

/// The handler that takes memory from result_memory, in a capsule as NumPy takes it.
[[nodiscard]] nb::object result_memory_handler();

}  // namespace upsweep::python

/// The heap of the device, from which kernels take memory by malloc() and new.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/global_memory.hpp>
#include <upsweep/sim/host_threads.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace upsweep::sim {

/// It lives as long as its machine, as on a GPU. Its memory can be used by kernels only. Freed
/// memory is used again as late as possible, so that a use of it is found.
class device_heap {
 public:
  static constexpr std::size_t default_limit = std::size_t{8} << 20;  // cudaLimitMallocHeapSize

  device_heap(global_memory& buffers, bool checks) : buffers_(buffers), checks_(checks) {}
  ~device_heap();
  device_heap(device_heap const&) = delete;
  device_heap& operator=(device_heap const&) = delete;

  /// Null beyond the limit. `verb`: "malloc()" or "new".
  [[nodiscard]] std::byte* allocate(std::size_t bytes, std::size_t alignment, char const* verb,
                                    position at);
  /// What malloc() and new have not returned, or what is free already, ends the launch with a
  /// finding.
  void release(std::byte* place, char const* verb, position at, findings& found);
  /// The piece that holds the address or is nearest to it, also a freed one; null outside the heap.
  [[nodiscard]] memory* at(std::byte const* place);
  [[nodiscard]] bool contains(void const* place) const {
    return static_cast<std::size_t>(static_cast<std::byte const*>(place) - begin_) < bytes_;
  }

  [[nodiscard]] bool is_used() const { return begin_ != nullptr; }
  [[nodiscard]] std::size_t limit() const { return limit_; }
  /// False once a kernel has used the heap.
  [[nodiscard]] bool set_limit(std::size_t bytes);
  /// Clears the access history, as if the host had written every element.
  void forget_accesses();

 private:
  struct piece {
    memory m;
    std::string name;
    position freed_at{};
    std::unique_ptr<shadow[]> shadows;
    std::unique_ptr<std::uint32_t[]> histories;
  };
  using pieces = std::map<std::byte const*, piece>;

  void reserve();
  /// Where so many bytes are free; null if nowhere.
  [[nodiscard]] std::byte* room_for(std::size_t bytes, std::size_t alignment);
  [[nodiscard]] pieces::iterator nearest(std::byte const* place);

  global_memory& buffers_;
  bool checks_;
  host_mutex mutex_;
  std::byte* begin_ = nullptr;
  std::byte* next_ = nullptr;  // where the search for room begins
  std::size_t bytes_ = 0, limit_ = default_limit, used_ = 0;
  memory const* whole_ = nullptr;  // its number and identity are the heap's
  pieces pieces_;
};

}  // namespace upsweep::sim

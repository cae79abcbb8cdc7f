/// The buffers of a machine, and host access to them.
#pragma once

#include <upsweep/sim/state.hpp>

#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace upsweep::sim {

class global_memory {
 public:
  /// `checks`: the last accesses to every element are recorded.
  explicit global_memory(bool checks) : checks_(checks) {}
  ~global_memory();
  global_memory(global_memory const&) = delete;
  global_memory& operator=(global_memory const&) = delete;

  [[nodiscard]] memory* allocate(std::size_t count, emulated::layout element, char const* name);
  /// Host address at which `bytes` bytes may be copied, after a bounds check.
  [[nodiscard]] void* host_access(memory* m, std::ptrdiff_t byte, std::size_t bytes, bool write);
  /// Clears the access history, as if the host had written every element.
  void forget_accesses();
  [[nodiscard]] memory const& buffer(std::uint64_t number) const { return *buffers_[number]; }

 private:
  struct release {
    void operator()(void* p) const { std::free(p); }
  };

  bool checks_;
  std::vector<std::unique_ptr<memory>> buffers_;
  std::vector<std::unique_ptr<shadow[]>> shadows_;
  std::vector<std::unique_ptr<epoch[], release>>
      earlier_reads_;  // from calloc: most of its pages are never touched
  std::deque<std::string> names_;
};

}  // namespace upsweep::sim

/// The buffers of a machine, and the copies between them and the host.
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
  /// `checks`: every element remembers its last accesses.
  explicit global_memory(bool checks) : checks_(checks) {}
  ~global_memory();
  global_memory(global_memory const&) = delete;
  global_memory& operator=(global_memory const&) = delete;

  [[nodiscard]] memory* allocate(std::size_t count, emulated::layout element, char const* name);
  /// Where the host may copy `bytes` to or from.
  [[nodiscard]] void* host_access(memory* m, std::ptrdiff_t byte, std::size_t bytes, bool write);
  /// Everything that has happened becomes equally old, as if the host had written it.
  void forget_accesses();
  [[nodiscard]] memory const& buffer(std::uint64_t number) const { return *buffers_[number]; }

 private:
  struct release {
    void operator()(void* p) const { std::free(p); }
  };

  bool checks_;
  std::vector<std::unique_ptr<memory>> buffers_;
  std::vector<std::unique_ptr<shadow[]>> shadows_;
  std::vector<std::unique_ptr<stamp[], release>>
      earlier_reads_;  // from calloc: most pages of it are never touched
  std::deque<std::string> names_;
};

}  // namespace upsweep::sim

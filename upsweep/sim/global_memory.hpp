/// The buffers of a machine, and host access to them.
#pragma once

#include <upsweep/sim/host_threads.hpp>
#include <upsweep/sim/loaded_code.hpp>
#include <upsweep/sim/state.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace upsweep::sim {

[[nodiscard]] std::uint64_t fingerprint(std::byte const* begin, std::size_t bytes,
                                        std::uint64_t seed);

/// Host threads of one launch may adopt variables and split shadows concurrently.
class global_memory {
 public:
  /// `checks`: the last accesses to every element are recorded.
  explicit global_memory(bool checks) : checks_(checks) {}
  ~global_memory();
  global_memory(global_memory const&) = delete;
  global_memory& operator=(global_memory const&) = delete;

  [[nodiscard]] memory* allocate(std::size_t count, layout element, char const* name);
  /// A buffer for elements of any type, as cudaMalloc() makes it; most are `element` bytes long.
  [[nodiscard]] memory* allocate_bytes(std::size_t bytes, unsigned element, char const* name);
  /// What counts and logs of the device's heap belong to.
  [[nodiscard]] memory const& add_heap(char const* name) {
    host_lock const lock(mutex_);
    return add(0, 4, name);
  }
  /// Frees its memory. It keeps its addresses, so that a later access is out of bounds.
  void release(memory& m);
  /// The buffer for a variable of a module, whose initial value the host has written.
  [[nodiscard]] memory* adopt(module_variable const& v);

  /// Host address at which `bytes` bytes may be copied, after a bounds check.
  [[nodiscard]] void* host_access(memory* m, std::ptrdiff_t byte, std::size_t bytes, bool write);
  /// Gives every `size` bytes of a buffer a shadow of their own.
  void split(memory& m, unsigned size);
  /// A launch without checks may have written all of it.
  void note_unseen_launch() {
    for (auto const& m : buffers_) m->is_written_unseen = true;
  }
  /// Numbers for the address and content of each buffer, and one for those of all.
  [[nodiscard]] std::vector<std::uint64_t> fingerprints() const;
  [[nodiscard]] std::uint64_t fingerprint() const;
  /// Clears the access history, as if the host had written every element.
  void forget_accesses();
  [[nodiscard]] memory& buffer(std::uint64_t number) const { return *buffers_[number]; }
  [[nodiscard]] std::size_t count() const { return buffers_.size(); }
  /// Of the buffers that have not been released, and of the variables.
  [[nodiscard]] std::size_t allocated_bytes() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      sum += sizes_[i] != 0 ? buffers_[i]->bytes : 0;
    return sum;
  }

 private:
  struct release_pages {
    void operator()(void* p) const { std::free(p); }
  };

  memory& add_buffer(std::size_t bytes, unsigned element, char const* name);
  memory& add(std::size_t bytes, unsigned element, char const* name);
  void add_shadows(memory& m);

  bool checks_;
  host_mutex mutex_;
  std::vector<std::unique_ptr<memory>> buffers_;
  std::vector<std::size_t> sizes_;  // when they were made; 0: of the heap, or empty
  std::map<std::byte const*, memory*> variables_;
  std::vector<std::unique_ptr<shadow[]>> shadows_;
  std::vector<std::unique_ptr<std::uint32_t[], release_pages>>
      histories_;  // from calloc: most of its pages are never touched
  std::deque<std::string> names_;
};

}  // namespace upsweep::sim

/// Stores that bypass the caches, for results in memory that exceed them.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>

namespace upsweep::host {

/// Other threads see the copies when it has been destroyed; it copies only if it is `used`.
class UPSWEEP_API streaming_stores {
 public:
  explicit streaming_stores(bool used) : used_(used) {}
  ~streaming_stores();
  streaming_stores(streaming_stores const&) = delete;
  streaming_stores& operator=(streaming_stores const&) = delete;

  /// to[i] = from[i] for n elements.
  template <class A>
  void copy(A const* from, A* to, std::size_t n) const {
    copy_bytes(from, to, n * sizeof(A));
  }

 private:
  static void copy_bytes(void const* from, void* to, std::size_t bytes);

  bool used_;
};

}  // namespace upsweep::host

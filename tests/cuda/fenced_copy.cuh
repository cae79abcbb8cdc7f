/// Copies of a test's arrays in device memory, between fences.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::test {

/// Device memory for one array of a call: all of it 0xa5 at first, and larger than the array on
/// both sides, which lies in it as far from a multiple of 64 bytes as on the host. There are
/// `most`, which grow and stay.
class fenced_copy {
 public:
  static constexpr int most = 6;

  /// `host` has `bytes` bytes; they are copied if `filled`, and otherwise left as poison.
  fenced_copy(int which, void const* host, std::size_t bytes, bool filled)
      : place_(places[which]), bytes_(bytes) {
    start_ = fence + reinterpret_cast<std::uintptr_t>(host) % 64;
    all_ = start_ + bytes + fence;
    if (place_.size < all_) {
      check_cuda(cudaFree(place_.memory), "free test data");
      place_ = {nullptr, 0};
      check_cuda(cudaMalloc(&place_.memory, 2 * all_), "allocate test data");
      place_.size = 2 * all_;
    }
    check_cuda(cudaMemsetAsync(place_.memory, 0xa5, all_), "poison test data");
    if (filled && bytes > 0)
      check_cuda(cudaMemcpyAsync(data(), host, bytes, cudaMemcpyHostToDevice), "copy test data");
  }
  [[nodiscard]] char* data() const { return static_cast<char*>(place_.memory) + start_; }

  /// Copies all of it back, once the call has completed. Throws if a fence was written to.
  void copy_back(void* host) const {
    static std::vector<unsigned char> all;
    all.resize(all_);
    check_cuda(cudaMemcpy(all.data(), place_.memory, all_, cudaMemcpyDeviceToHost), "copy results");
    auto const poison = [](unsigned char byte) { return byte == 0xa5; };
    auto const inside = all.begin() + static_cast<std::ptrdiff_t>(start_);
    if (!std::all_of(all.begin(), inside, poison) ||
        !std::all_of(inside + static_cast<std::ptrdiff_t>(bytes_), all.end(), poison))
      throw std::logic_error("a kernel wrote outside its output, which has " +
                             std::to_string(bytes_) + " bytes");
    std::copy_n(inside, bytes_, static_cast<unsigned char*>(host));
  }

 private:
  struct place {
    void* memory;
    std::size_t size;
  };
  static inline place places[most] = {};
  static constexpr std::size_t fence = 512;

  place& place_;
  std::size_t bytes_, start_, all_;
};

}  // namespace upsweep::test

/// Device memory that the host fills and reads.
#pragma once

#include <cstddef>
#include <vector>

namespace {

template <class T>
struct buffer {
  T* place;

  explicit buffer(std::vector<T> const& values) : count_(values.size()) {
    cudaMalloc(&place, count_ * sizeof(T));
    cudaMemcpy(place, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  explicit buffer(int count) : buffer(std::vector<T>(count)) {}
  ~buffer() { cudaFree(place); }
  buffer(buffer const&) = delete;

  std::vector<T> get() const {
    std::vector<T> v(count_);
    cudaMemcpy(v.data(), place, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
  }

 private:
  std::size_t count_;
};

/// Whether nothing failed, and out[i] is want(i).
template <class T, class Want>
bool holds(buffer<T> const& out, Want want) {
  if (cudaDeviceSynchronize() != cudaSuccess) return false;
  std::vector<T> const values = out.get();
  for (int i = 0; i < static_cast<int>(values.size()); i++)
    if (!(values[i] == want(i))) return false;
  return true;
}

}  // namespace

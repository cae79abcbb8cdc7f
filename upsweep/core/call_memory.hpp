/// Memory for the length of a call, for headers that every program includes.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <cstddef>

namespace upsweep::detail {

/// Memory for elements that are bytes. (std::unique_ptr is in <memory>, which takes 0.2 s to
/// compile.)
template <class T>
class call_memory {
 public:
  explicit call_memory(std::size_t size) : first_(new T[size]) {}
  ~call_memory() { delete[] first_; }
  call_memory(call_memory const&) = delete;
  call_memory& operator=(call_memory const&) = delete;
  [[nodiscard]] T* first() const { return first_; }

 private:
  T* first_;
};

}  // namespace upsweep::detail

/// What all sorts on a GPU share: temporary storage, calls of CUB in it, and loops over indices.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/sort/each.hpp>
#include <upsweep/cuda/workspace.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace upsweep::device {

/// The parts of one allocation, each aligned to 256 bytes.
class scratch_parts {
 public:
  /// The offset of a part of n elements.
  template <class T>
  [[nodiscard]] std::size_t add(std::size_t n) {
    return std::exchange(bytes_, bytes_ + divide_up(n * sizeof(T), 256) * 256);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

/// That allocation, with any contents at first; allocated and freed in the stream's order.
class scratch_memory {
 public:
  scratch_memory(gpu const& on, scratch_parts const& parts)
      : memory_(take_memory(on, parts.bytes() > 0 ? parts.bytes() : 1)) {}
  template <class T>
  [[nodiscard]] T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(memory_.data()) + offset);
  }

 private:
  stream_memory memory_;
};

/// On what the number of bytes depends that a sort of CUB needs, besides its types.
struct cub_size {
  std::size_t elements;
  unsigned bits;  ///< of a key
  int device = 0;

  friend bool operator==(cub_size const&, cub_size const&) = default;
};

/// Calls call(rest, bytes) twice, which calls CUB with these: first with a null pointer, for the
/// number of bytes that CUB needs, then with memory for them. In between before(memory) gets the
/// memory of the parts. A thread's next sort of the same size does not ask CUB again, which takes
/// as long as some launches: CUB looks up every kernel's occupancy.
template <class Before, class Call>
void run_cub(gpu const& on, cuda_algorithm sort, cub_size size, scratch_parts parts,
             Before const& before, Call const& call) {
  struct answer {
    cub_size size;
    std::size_t bytes;
  };
  thread_local answer last{};
  bool const runs = on.plans_to == nullptr;
  std::size_t bytes = 0;
  if (runs) {
    size.device = cuda_device::current().number;  // throws if there is none; CUB would not say so
    // CUB would take an earlier error of the program for its own, and in the first call of a
    // process conclude, once for all, that there is no device.
    (void)cudaGetLastError();
    if (last.size != size) {
      check_cuda(call(nullptr, bytes), "prepare a sort");
      last = {size, bytes};
    }
    bytes = last.bytes;
  }
  std::size_t const rest = parts.add<std::byte>(bytes);
  if (runs && on.workspace == nullptr) keep_pool(on.stream);
  scratch_memory const memory(on, parts);
  before(memory);
  if (!runs) return on.plans_to->launches.push_back({.algorithm = sort});
  check_cuda(call(memory.at<void>(rest), bytes), "sort");
}

/// Calls f(n) with a type of 32 bits, unless sums of positions could overflow it; with 64 bits CUB
/// is slower.
template <class F>
void with_count_type(std::size_t n, F const& f) {
  if (n >> 31 == 0)
    f(static_cast<std::uint32_t>(n));
  else
    f(static_cast<std::uint64_t>(n));
}

/// Copies n elements within device memory, unless they are there already.
template <class T>
void copy_elements(gpu const& on, T* to, T const* from, std::size_t n) {
  if (to == from || on.plans_to != nullptr) return;
  check_cuda(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice, stream_of(on)),
             "copy the sorted elements");
}

/// Makes n elements of device memory zeros.
template <class T>
void clear_elements(gpu const& on, T* x, std::size_t n) {
  if (on.plans_to != nullptr) return;
  check_cuda(cudaMemsetAsync(x, 0, n * sizeof(T), stream_of(on)), "clear the counters of a call");
}

/// The blocks of for_each_index, and how many indices each thread has if there are few.
struct each_shape {
  unsigned threads = each_threads, items = 4;
};
/// Where an index takes many loads one after another: distributed over all multiprocessors.
inline constexpr each_shape each_waits{32, 1};

/// Calls f(i) on the device for the indices of the elements, or for those after them.
template <class F>
void launch_for_each(gpu const& on, bounded_size const& size, bool from_size, F const& f,
                     each_shape const& shape = {}) {
  if (size.most == 0) return;
  cuda_device const device = device_of(on);
  std::size_t const tile = std::size_t{shape.threads} * shape.items,
                    most = static_cast<std::size_t>(device.multiprocessors) * 2048;
  cuda_plan const plan{.algorithm = cuda_algorithm::for_each_index,
                       .tile = tile,
                       .blocks = detail::at_most(divide_up(size.most, tile), most / shape.threads),
                       .threads = shape.threads,
                       .launches = 1};
  launch<for_each_index<F>>(plan, on, device, size, from_size, f);
}

/// The number of elements, which may be in device memory.
[[nodiscard]] inline bounded_size size_of_call(gpu const& on, std::size_t n) {
  return {n, reinterpret_cast<word const*>(on.length_from)};
}

}  // namespace upsweep::device

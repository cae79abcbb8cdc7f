/// Arrays of ranks in device memory: the sums, counts and extrema that device.hpp asks for, by the
/// kernels of reductions. All tasks of a call run without the host, which waits once.
#include <upsweep/upsweep_cuda.h>
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/ranks/device.hpp>
#include <upsweep/cuda.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace upsweep::c_api {
namespace {

using exact_state = detail::superaccumulator<double>;

/// Device memory for n results, in the default stream.
template <class T>
class results_on_device {
 public:
  explicit results_on_device(std::size_t n)
      : n_(n), memory_(stream_memory::uncleared(nullptr, n * sizeof(T))) {}
  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.data()); }
  void read(T* to) const { memory_.read(0, to, n_ * sizeof(T)); }

 private:
  std::size_t n_;
  stream_memory memory_;
};

/// Enqueues the reduction of n elements from `first` on, whose accumulator is stored in *out.
template <class It, class Op, class A>
void enqueue(It const& first, std::size_t n, Op const& op, A* out) {
  static constexpr detail::as_is f;
  source<It, detail::as_is, Op, false> const elements(first, n, f, op);
  device::enqueue_reduce(gpu{}, elements, n, op, device::accumulator_result<A, Op>{out});
}
template <class Elements, class Op, class A>
void enqueue_computed(Elements const& elements, std::size_t n, Op const& op, A* out) {
  enqueue(detail::indexed_range<Elements>(elements, n).begin(), n, op, out);
}

bool is_plain(device_array const& x) {
  return x.from.type() == UPSWEEP_F64 && x.from.is_contiguous() && !x.is_single;
}
double const* begin_of(device_array const& x) {
  std::int64_t left = 0;
  return reinterpret_cast<double const*>(x.from.at(0, left));
}

void enqueue_sum(device_task const& task, exact_state* out) {
  device_field const& field = task.field;
  device_addends const addends{field, task.part()};
  std::size_t const n = addends.size();
  if (!is_plain(field.values) || field.has_mask || (field.has_weights && !is_plain(field.weights)))
    enqueue_computed(addends, n, exact_sum{}, out);
  else if (field.has_weights)
    enqueue_computed(device_products{begin_of(field.values), begin_of(field.weights), task.part()},
                     n, exact_sum{}, out);
  else
    enqueue(begin_of(field.values), n, exact_sum{}, out);
}

/// f(), where a device without memory is a host without memory.
template <class F>
auto with_memory(F const& f) {
  try {
    return f();
  } catch (cuda_error const& e) {
    if (e.code() == cudaErrorMemoryAllocation) throw std::bad_alloc();
    throw;
  }
}

struct cuda_memory final : upsweep_device {
  [[nodiscard]] memory_place place(void const* data) const override {
    cudaPointerAttributes found{};
    if (cudaPointerGetAttributes(&found, data) != cudaSuccess) {
      (void)cudaGetLastError();  // no driver or no GPU, so no memory of it
      return memory_place::host;
    }
    if (found.type == cudaMemoryTypeUnregistered) return memory_place::host;
    if (found.type == cudaMemoryTypeHost) return memory_place::both;
    int current = 0;
    check_cuda(cudaGetDevice(&current), "find the current device");
    if (found.type == cudaMemoryTypeDevice && found.device != current)
      refuse("upsweep_cuda_device", "an array is in the memory of device " +
                                        std::to_string(found.device) + ", but the current one is " +
                                        std::to_string(current) + "; call cudaSetDevice first");
    return memory_place::device;
  }

  void copy_to_host(void* to, void const* from, std::size_t bytes) const override {
    check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copy an element to the host");
  }

  void run(std::span<device_task const> tasks, std::span<device_result> results) const override {
    with_memory([&] {
      std::vector<exact_state> sums(tasks.size());
      std::vector<device_facts> facts(tasks.size());
      results_on_device<exact_state> const sums_there(tasks.size());
      results_on_device<device_facts> const facts_there(tasks.size());
      for (std::size_t k = 0; k < tasks.size(); ++k) {
        device_task const& task = tasks[k];
        if (task.wants_sum) enqueue_sum(task, sums_there.data() + k);
        if (task.wants_facts)
          enqueue_computed(device_element_facts{task.field, task.field.is_real()},
                           static_cast<std::size_t>(task.field.size()), add_device_facts{},
                           facts_there.data() + k);
      }
      sums_there.read(sums.data());
      if (std::ranges::any_of(tasks, &device_task::wants_facts)) facts_there.read(facts.data());
      for (std::size_t k = 0; k < tasks.size(); ++k) {
        if (tasks[k].wants_sum) results[k].sum = sums[k];
        if (tasks[k].wants_facts) results[k].facts = facts[k];
      }
    });
  }

  [[nodiscard]] device_key first_key(device_keys const& keys) const override {
    return with_memory([&] {
      device_key first;
      results_on_device<device_key> const there(1);
      enqueue_computed(keys, static_cast<std::size_t>(keys.from.size()), first_device_key{},
                       there.data());
      there.read(&first);
      return first;
    });
  }
};

}  // namespace
}  // namespace upsweep::c_api

upsweep_device const* upsweep_cuda_device(void) {
  static upsweep::c_api::cuda_memory const memory;
  return &memory;
}

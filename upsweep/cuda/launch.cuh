/// Launches one kernel in a stream, or keeps its plan; and the temporary storage of calls.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>

#include <upsweep/cuda/executor.hpp>
#include <upsweep/cuda/workspace.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace upsweep::device {

/// The stream of a call. A null one is the legacy default stream, as in the library, also in files
/// that are compiled with --default-stream=per-thread: that stream waits for those of all threads.
[[nodiscard]] inline cudaStream_t stream_of(gpu const& on) {
  return on.stream != nullptr ? on.stream : cudaStreamLegacy;
}
/// Waits for all work in the stream of a call; `purpose` says what that finishes.
inline void wait_for(gpu const& on, char const* purpose) {
  check_cuda(cudaStreamSynchronize(stream_of(on)), purpose);
}

/// The device for which a call makes its plan.
[[nodiscard]] inline cuda_device device_of(gpu const& on) {
  return on.plans_to != nullptr ? on.plans_to->device : cuda_device::current();
}
/// Whether so many tiles can have a block each at once (device/wave.hpp), of which the device holds
/// `blocks` on a multiprocessor.
[[nodiscard]] inline bool fit_in_wave(gpu const& on, std::size_t tiles, unsigned blocks,
                                      cuda_device const& device) {
  return on.blocks_start_in_order &&
         tiles <= std::size_t{blocks} * static_cast<std::size_t>(device.multiprocessors);
}
/// A workspace of `bytes`; none for a call that only makes plans.
[[nodiscard]] inline cuda_workspace::lease take_workspace(gpu const& on, std::size_t bytes) {
  if (on.plans_to == nullptr) return cuda_workspace::take(on.workspace, on.stream, bytes);
  std::size_t& most = on.plans_to->workspace_bytes;
  if (most < bytes) most = bytes;
  return {};
}
/// Memory for one call, with any contents at first.
[[nodiscard]] inline stream_memory take_memory(gpu const& on, std::size_t bytes) {
  if (on.plans_to == nullptr) return stream_memory::uncleared(on.stream, bytes);
  on.plans_to->scratch_bytes += bytes;
  return {};
}

/// Calls f.operator()<row>() for the row `chosen` of a table with `count` rows.
template <unsigned count, unsigned row = 0, class F>
void with_row(unsigned chosen, F const& f) {
  if constexpr (row + 1 < count)
    if (chosen != row) return with_row<count, row + 1>(chosen, f);
  f.template operator()<row>();
}

/// Prepares a kernel for the device, once: raises its limit of dynamic shared memory above 48 KiB
/// to what the device has, whatever the first launch uses, as launches of a kernel may differ.
/// Returns whether it may be launched before earlier work of its stream has completed, because its
/// machine code waits for that itself. Code that was compiled for sm_80 does not, even if the
/// driver has translated it for a newer device.
template <auto kernel>
[[nodiscard]] bool ready_kernel(cuda_device const& device) {
  static std::atomic<std::uint64_t> ready{0}, waits{0};
  std::uint64_t const bit = std::uint64_t{1} << (device.number % 64);
  if ((ready.load(std::memory_order_acquire) & bit) == 0) {
    cudaFuncAttributes found{};
    check_cuda(cudaFuncGetAttributes(&found, kernel), "query the attributes of a kernel");
    if (found.ptxVersion >= 90) waits.fetch_or(bit, std::memory_order_relaxed);
    std::size_t const most = device.shared_bytes - found.sharedSizeBytes;
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(most)),
               [&] { return "give a block " + std::to_string(most) + " bytes of shared memory"; });
    ready.fetch_or(bit, std::memory_order_release);
  }
  return (waits.load(std::memory_order_relaxed) & bit) != 0;
}

/// Launches a kernel that calls wait_for_earlier_work(), with the grid of the plan; a call that
/// only makes plans gets that instead. The error it throws is that of this launch, while <<<>>>
/// only sets the thread's last error, which may be an earlier one.
template <auto kernel, class... Arguments>
void launch(cuda_plan const& plan, gpu const& on, cuda_device const& device,
            Arguments const&... arguments) {
  if (on.plans_to != nullptr) {
    on.plans_to->launches.push_back(plan);
    return;
  }
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t grid{};
  grid.gridDim = dim3(static_cast<unsigned>(plan.blocks));
  grid.blockDim = dim3(plan.threads);
  grid.dynamicSmemBytes = plan.shared_bytes;
  grid.stream = stream_of(on);
  grid.attrs = &early;
  grid.numAttrs = ready_kernel<kernel>(device) ? 1 : 0;
  check_cuda(cudaLaunchKernelEx(&grid, kernel, arguments...),
             [&] { return "launch '" + plan.describe() + "'"; });
}

}  // namespace upsweep::device

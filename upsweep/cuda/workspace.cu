/// The temporary storage of CUDA calls, and the properties of devices.
#include <cuda_runtime_api.h>
#include <upsweep/cuda/check.cuh>
#include <upsweep/cuda/plan.hpp>
#include <upsweep/cuda/workspace.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace upsweep {
namespace {

/// The workspaces of all streams. Never destroyed, because at the end of a program the driver may
/// already be gone; it frees device memory anyway.
struct stream_workspaces {
  using key = std::pair<int, unsigned long long>;  ///< the device and the stream's number

  std::mutex mutex;
  std::map<key, std::unique_ptr<cuda_workspace>> of_stream;

  static stream_workspaces& all() {
    static auto* const them = new stream_workspaces;
    return *them;
  }
};

bool is_recorded(CUstream_st* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "query whether the stream is captured");
  return status != cudaStreamCaptureStatusNone;
}

/// Throws cuda_error if the stream belongs to another device than `device`. CUDA 13 launches in
/// such a stream without an error, on that device.
void expect_stream_of(int device, CUstream_st* stream) {
#if CUDART_VERSION >= 12080
  int number = 0;
  check_cuda(cudaStreamGetDevice(stream, &number), "query the device of the stream");
  if (number != device)
    check_cuda(cudaErrorInvalidResourceHandle,
               [&] { return "use a stream of device " + std::to_string(number); });
#else
  (void)device, (void)stream;
#endif
}

stream_workspaces::key key_of(CUstream_st* stream) {
  int device = 0;
  unsigned long long id = 0;
  check_cuda(cudaGetDevice(&device), "query the current device");
  expect_stream_of(device, stream);
  check_cuda(cudaStreamGetId(stream, &id), "identify the stream");
  return {device, id};
}

/// Frees memory where a failure cannot be reported, and clears the error so that the next launch
/// does not report it as its own.
void give_back(void* memory, CUstream_st* stream) {
  if (cudaFreeAsync(memory, stream) != cudaSuccess) (void)cudaGetLastError();
}

std::string with_size(char const* what, std::size_t bytes) {
  return what + (" a workspace of " + std::to_string(bytes) + " bytes");
}
void* allocate_uncleared(CUstream_st* stream, std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMallocAsync(&memory, bytes, stream), [&] { return with_size("allocate", bytes); });
  return memory;
}
void* allocate(CUstream_st* stream, std::size_t bytes) {
  void* const memory = allocate_uncleared(stream, bytes);
  if (cudaError_t const code = cudaMemsetAsync(memory, 0, bytes, stream); code != cudaSuccess) {
    give_back(memory, stream);
    check_cuda(code, [&] { return with_size("clear", bytes); });
  }
  return memory;
}

}  // namespace

cuda_workspace::cuda_workspace(CUstream_st* stream, std::size_t bytes)
    : stream_(stream), is_ours_(true) {
  if (bytes > 0) grow(stream, bytes);
}

cuda_workspace::cuda_workspace(CUstream_st* stream, void* memory, std::size_t bytes)
    : stream_(stream), memory_(memory), bytes_(bytes), is_ours_(false) {
  detail::expects(reinterpret_cast<std::size_t>(memory) % 16 == 0,
                  "cuda_workspace: the memory must be aligned to 16 bytes");
  check_cuda(cudaMemsetAsync(memory, 0, bytes, stream),
             [&] { return "clear a workspace of " + std::to_string(bytes) + " bytes"; });
}

cuda_workspace::~cuda_workspace() {
  if (is_ours_ && memory_ != nullptr) give_back(memory_, stream_);
}

void cuda_workspace::grow(CUstream_st* stream, std::size_t bytes) {
  // At least doubles, so that calls of slowly growing size do not allocate each time.
  if (bytes < 2 * bytes_) bytes = 2 * bytes_;
  void* const old = std::exchange(memory_, allocate(stream, bytes));
  bytes_ = bytes;  // before freeing the old memory, which may fail
  if (old != nullptr) check_cuda(cudaFreeAsync(old, stream), "free a workspace");
}

cuda_workspace::lease::~lease() {
  if (freed_in_ != nullptr) give_back(memory_, freed_in_);
}

cuda_workspace::lease cuda_workspace::take(cuda_workspace* given, CUstream_st* stream,
                                           std::size_t bytes) {
  if (given == nullptr) {
    if (is_recorded(stream)) return {allocate(stream, bytes), {}, stream};
    auto const key = key_of(stream);
    stream_workspaces& all = stream_workspaces::all();
    std::lock_guard const lock(all.mutex);
    auto& own = all.of_stream[key];
    // Freed in the default stream, since this stream may have been destroyed by then.
    if (!own) own = std::make_unique<cuda_workspace>(nullptr);
    given = own.get();
  }
  std::unique_lock held(given->mutex_);
  if (given->bytes_ < bytes) {
    if (!given->is_ours_)
      detail::fail(
          "cuda_workspace: the call needs %zu bytes, but the workspace has %zu; give at least "
          "cuda_plan::workspace_bytes",
          bytes, given->bytes_);
    if (is_recorded(stream))
      detail::fail(
          "cuda_workspace: the call needs %zu bytes, but the workspace has %zu and cannot grow "
          "while a graph is captured; make it large enough before the capture",
          bytes, given->bytes_);
    given->grow(stream, bytes);
  }
  return {given->memory_, std::move(held), nullptr};
}

stream_memory::stream_memory(CUstream_st* stream, std::size_t bytes)
    : stream_(stream), bytes_(bytes) {
  memory_ = allocate(stream, bytes);
}
stream_memory stream_memory::uncleared(CUstream_st* stream, std::size_t bytes) {
  stream_memory made = borrowed(stream, allocate_uncleared(stream, bytes), bytes);
  made.is_ours_ = true;
  return made;
}
stream_memory stream_memory::borrowed(CUstream_st* stream, void* memory,
                                      std::size_t bytes) noexcept {
  stream_memory made;
  made.stream_ = stream;
  made.memory_ = memory;
  made.bytes_ = bytes;
  made.is_ours_ = false;
  return made;
}
stream_memory::~stream_memory() {
  if (memory_ != nullptr && is_ours_) give_back(memory_, stream_);
}
stream_memory::stream_memory(stream_memory const& other) {
  if (other.memory_ == nullptr) return;
  stream_memory copy(other.stream_, other.bytes_);
  check_cuda(cudaMemcpyAsync(copy.memory_, other.memory_, copy.bytes_, cudaMemcpyDeviceToDevice,
                             other.stream_),
             "copy temporary memory");
  swap(copy);
}
void stream_memory::read(std::size_t offset, void* to, std::size_t bytes) const {
  check_cuda(cudaMemcpyAsync(to, static_cast<char const*>(memory_) + offset, bytes,
                             cudaMemcpyDeviceToHost, stream_),
             "read temporary memory");
  check_cuda(cudaStreamSynchronize(stream_), "finish the work in the stream");
}

void device::keep_pool(CUstream_st* stream) {
  constexpr std::size_t least = 16;
  if (!is_recorded(stream)) (void)cuda_workspace::take(nullptr, stream, least);
}

void release_cuda_workspaces() {
  stream_workspaces& all = stream_workspaces::all();
  std::lock_guard const lock(all.mutex);
  if (all.of_stream.empty()) return;
  int current = 0;
  bool const known = cudaGetDevice(&current) == cudaSuccess;
  while (!all.of_stream.empty()) {
    auto const first = all.of_stream.begin();
    // The memory is freed in that device's default stream, which does not wait for non-blocking
    // streams.
    (void)cudaSetDevice(first->first.first);
    (void)cudaDeviceSynchronize();
    all.of_stream.erase(first);
  }
  if (known) (void)cudaSetDevice(current);
}

void release_cuda_workspaces(CUstream_st* stream) {
  auto const key = key_of(stream);
  check_cuda(cudaStreamSynchronize(stream), "finish the work in the stream");
  stream_workspaces& all = stream_workspaces::all();
  std::lock_guard const lock(all.mutex);
  all.of_stream.erase(key);
}

cuda_device cuda_device::current() {
  int number = 0;
  check_cuda(cudaGetDevice(&number), "find a GPU");
  static std::mutex mutex;
  static std::map<int, cuda_device> known;
  std::lock_guard const lock(mutex);
  auto [entry, is_new] = known.try_emplace(number);
  if (is_new) {
    auto ask = [&](cudaDeviceAttr attribute) {
      int value = 0;
      cudaError_t const code = cudaDeviceGetAttribute(&value, attribute, number);
      if (code != cudaSuccess) known.erase(number);
      check_cuda(code, [&] { return "query device " + std::to_string(number); });
      return value;
    };
    cuda_device d;
    d.number = number;
    d.multiprocessors = ask(cudaDevAttrMultiProcessorCount);
    d.capability =
        10 * ask(cudaDevAttrComputeCapabilityMajor) + ask(cudaDevAttrComputeCapabilityMinor);
    d.shared_bytes = static_cast<std::size_t>(ask(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    entry->second = d;
  }
  return entry->second;
}

char const* cuda_plan::name() const {
  static constexpr char const* names[] = {"nothing",
                                          "reduce",
                                          "scan_wave",
                                          "scan_tiles",
                                          "scan_ring",
                                          "scan_chunk",
                                          "block_totals",
                                          "join_pieces",
                                          "exact_sum",
                                          "exact_totals",
                                          "exact_scan",
                                          "select_wave",
                                          "select_ring",
                                          "select_tiles",
                                          "clear_counts",
                                          "count_places",
                                          "sum_counts",
                                          "windows",
                                          "window_blocks",
                                          "pad_rows",
                                          "anchored_recurrence",
                                          "map_elements",
                                          "line_functions",
                                          "selective_scan",
                                          "sum_rows",
                                          "reduce_segments",
                                          "reduce_by_warps",
                                          "reduce_long_segments",
                                          "log_sums_near_zero",
                                          "scan_segments",
                                          "reduce_runs",
                                          "scan_runs",
                                          "scan_table",
                                          "scan_bands",
                                          "store",
                                          "sort_block",
                                          "for_each_index",
                                          "find_digit",
                                          "cub_radix_sort",
                                          "cub_merge_sort"};
  static_assert(std::size(names) ==
                std::size_t{1} + static_cast<int>(cuda_algorithm::cub_merge_sort));
  return names[static_cast<int>(algorithm)];
}

std::string cuda_plan::describe() const {
  if (algorithm == cuda_algorithm::nothing) return "nothing: there are no elements";
  if (launches == 0) return std::string(name()) + ": what CUB chooses when it is called";
  return std::string(name()) + ": " + std::to_string(launches) + " launch of " +
         std::to_string(blocks) + " blocks of " + std::to_string(threads) + " threads, tiles of " +
         std::to_string(tile) + " elements, " + std::to_string(shared_bytes) +
         " bytes of dynamic shared memory, a workspace of " + std::to_string(workspace_bytes) +
         " bytes, " + std::to_string(traffic_bytes) + " bytes to read and write";
}

}  // namespace upsweep

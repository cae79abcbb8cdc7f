/// The scratch memory of CUDA calls, and what is asked of a device.
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

/// The workspaces of all streams. Never destroyed: by then the driver may be gone, which frees
/// device memory anyway.
struct stream_workspaces {
  std::mutex mutex;
  std::map<std::pair<int, unsigned long long>, std::unique_ptr<cuda_workspace>> of_stream;

  static stream_workspaces& all() {
    static auto* const them = new stream_workspaces;
    return *them;
  }
};

bool is_recorded(CUstream_st* stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "ask whether the stream is recorded");
  return status != cudaStreamCaptureStatusNone;
}

/// Frees where nobody can be told of a failure, and leaves no error behind that the next launch
/// would take for its own.
void give_back(void* memory, CUstream_st* stream) {
  if (cudaFreeAsync(memory, stream) != cudaSuccess) (void)cudaGetLastError();
}

void* allocate(CUstream_st* stream, std::size_t bytes) {
  void* memory = nullptr;
  auto const of_bytes = [bytes](char const* what) {
    return what + (" a workspace of " + std::to_string(bytes) + " bytes");
  };
  check_cuda(cudaMallocAsync(&memory, bytes, stream), [&] { return of_bytes("allocate"); });
  if (cudaError_t const code = cudaMemsetAsync(memory, 0, bytes, stream); code != cudaSuccess) {
    give_back(memory, stream);
    check_cuda(code, [&] { return of_bytes("clear"); });
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
  if (bytes < 2 * bytes_)
    bytes = 2 * bytes_;  // calls of slowly rising size do not allocate each time
  void* const old = std::exchange(memory_, allocate(stream, bytes));
  bytes_ = bytes;  // whatever becomes of the old memory, the new is there
  if (old != nullptr) check_cuda(cudaFreeAsync(old, stream), "free a workspace");
}

cuda_workspace::lease::~lease() {
  if (freed_in_ != nullptr) give_back(memory_, freed_in_);
}

cuda_workspace::lease cuda_workspace::take(cuda_workspace* given, CUstream_st* stream,
                                           std::size_t bytes) {
  if (given == nullptr) {
    if (is_recorded(stream)) return {allocate(stream, bytes), {}, stream};
    int device = 0;
    unsigned long long id = 0;
    check_cuda(cudaGetDevice(&device), "ask which device is current");
    check_cuda(cudaStreamGetId(stream, &id), "identify the stream");
    stream_workspaces& all = stream_workspaces::all();
    std::lock_guard const lock(all.mutex);
    auto& own = all.of_stream[{device, id}];
    if (!own)
      own = std::make_unique<cuda_workspace>(
          nullptr);  // freed in the default stream: this one may be gone by then
    given = own.get();
  }
  std::unique_lock held(given->mutex_);
  if (given->bytes_ < bytes) {
    if (!given->is_ours_)
      detail::fail(
          "cuda_workspace: the call needs %zu bytes, but the workspace has %zu; "
          "cuda_plan::workspace_bytes says how many",
          bytes, given->bytes_);
    if (is_recorded(stream))
      detail::fail(
          "cuda_workspace: the call needs %zu bytes and the workspace has %zu, and it cannot grow "
          "while a graph is recorded; make it as large before",
          bytes, given->bytes_);
    given->grow(stream, bytes);
  }
  return {given->memory_, std::move(held), nullptr};
}

stream_memory::stream_memory(CUstream_st* stream, std::size_t bytes)
    : stream_(stream), bytes_(bytes) {
  memory_ = allocate(stream, bytes);
}
stream_memory::~stream_memory() {
  if (memory_ != nullptr) give_back(memory_, stream_);
}
stream_memory::stream_memory(stream_memory const& other) {
  if (other.memory_ == nullptr) return;
  stream_memory copy(other.stream_, other.bytes_);
  check_cuda(cudaMemcpyAsync(copy.memory_, other.memory_, copy.bytes_, cudaMemcpyDeviceToDevice,
                             other.stream_),
             "copy a stream");
  swap(copy);
}
void stream_memory::read(std::size_t offset, void* to, std::size_t bytes) const {
  check_cuda(cudaMemcpyAsync(to, static_cast<char const*>(memory_) + offset, bytes,
                             cudaMemcpyDeviceToHost, stream_),
             "read what a stream amounts to");
  check_cuda(cudaStreamSynchronize(stream_), "finish what was put into the stream");
}

void release_cuda_workspaces() {
  stream_workspaces& all = stream_workspaces::all();
  std::lock_guard const lock(all.mutex);
  if (all.of_stream.empty()) return;
  int current = 0;
  bool const known = cudaGetDevice(&current) == cudaSuccess;
  while (!all.of_stream.empty()) {
    auto const first = all.of_stream.begin();
    (void)cudaSetDevice(
        first->first.first);        // the default stream that frees the memory is that device's,
    (void)cudaDeviceSynchronize();  // and does not wait for streams that block nobody
    all.of_stream.erase(first);
  }
  if (known) (void)cudaSetDevice(current);
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
      check_cuda(code, [&] { return "ask about device " + std::to_string(number); });
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
  static constexpr char const* names[] = {"nothing",   "reduce",     "scan_wave", "scan_tiles",
                                          "scan_ring", "scan_chunk", "exact_sum", "store"};
  return names[static_cast<int>(algorithm)];
}

std::string cuda_plan::describe() const {
  if (algorithm == cuda_algorithm::nothing) return "nothing: there are no elements";
  return std::string(name()) + ": " + std::to_string(launches) + " launch of " +
         std::to_string(blocks) + " blocks of " + std::to_string(threads) + " threads, tiles of " +
         std::to_string(tile) + " elements, " + std::to_string(shared_bytes) +
         " bytes of dynamic shared memory, a workspace of " + std::to_string(workspace_bytes) +
         " bytes, " + std::to_string(traffic_bytes) + " bytes to read and write";
}

}  // namespace upsweep

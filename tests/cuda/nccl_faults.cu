/// Faults on one of several ranks of NCCL: each allocation, launch and copy fails in turn. No rank
/// waits for ever, all throw, and the next call works. NCCL is played by threads and CUDA by the
/// CPU, which does no more of a kernel than these calls need, so this runs everywhere.
#include <cuda_runtime_api.h>
#include <support/ranks_faults.hpp>
#include <upsweep/nccl.cuh>
#include <upsweep/ranks/loopback.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// A rank of the played NCCL. What is sent and received together is exchanged at the end of a
/// group.
struct ncclComm {
  upsweep::loopback const* all;
  std::vector<std::byte> sent{};
  void* received = nullptr;
  int other = -1;
};

namespace upsweep::test {
namespace {

/// What the machinery of this test does itself never fails.
class without_faults {
 public:
  without_faults() : kept_(std::exchange(faults_of_thread, -1)) {}
  ~without_faults() { faults_of_thread = kept_; }
  without_faults(without_faults const&) = delete;
  without_faults& operator=(without_faults const&) = delete;

 private:
  std::ptrdiff_t kept_;
};

thread_local ncclComm* comm_of_thread = nullptr;
thread_local std::span<int const> piece_of_thread;
/// A stream of this thread, and how often it was another one, for which the library allocates anew.
CUstream_st* stream_of(int rank) {
  return reinterpret_cast<CUstream_st*>((std::uintptr_t(rank) + 1) << 20);
}
thread_local std::uintptr_t times_new = 0;

std::map<void const*, std::string>& kernels() {
  static auto* const all = new std::map<void const*, std::string>;
  return *all;
}

struct total_of_ints {
  template <class T>
  UPSWEEP_BOTH T operator()(T a, T b) const {
    return a + b;
  }
};
struct other_total_of_ints : total_of_ints {};
using totals = device::piece_totals<int>;

template <class T>
T const& argument(void** arguments, int i) {
  return *static_cast<T const*>(arguments[i]);
}
/// What this test needs of a kernel: the borders of a piece and a sum; failures that are told.
void play_kernel(std::string const& name, void** arguments) {
  if (name.find("block_totals") != std::string::npos) {
    totals& to = *argument<totals*>(arguments, 5);
    to.begin = argument<std::size_t>(arguments, 2);
    to.end = to.begin + piece_of_thread.size();
    to.growing[0] = 0;
    for (int const x : piece_of_thread) to.growing[0] += x;
  } else if (name.find("join_pieces") != std::string::npos) {
    totals const* const pieces = argument<totals const*>(arguments, 0);
    auto const failed = argument<device::failure_report>(arguments, 5);
    for (unsigned r = 0; r < failed.ranks; ++r)
      if (pieces[r].end < pieces[r].begin) *failed.to = r + 1;
    int total = 0;
    unsigned const count = argument<unsigned>(arguments, 1);
    for (unsigned r = 0; r < count; ++r) total += pieces[r].growing[0];
    if (count > 0) *argument<int*>(arguments, 3) = total;
  }
}

/// A function of CUDA that may fail without harm to the device.
cudaError_t played(cudaError_t failure) {
  return fails_now() ? failure : cudaSuccess;
}
cudaError_t allocated(void** memory, std::size_t bytes) {
  if (fails_now()) return cudaErrorMemoryAllocation;
  *memory = std::calloc(1, bytes);
  return cudaSuccess;
}

/// Runs f(communicator) on each of `size` ranks.
template <class F>
void run(int size, F const& f) {
  loopback::run(size, [&](loopback const& c) {
    ncclComm comm{&c};
    comm_of_thread = &comm;
    f(&comm);
  });
}

enum class verb { reduce, inclusive, exclusive };

/// One call; returns its result, or 0 for scans.
int call(ranks<nccl, gpu> const& all, verb v, std::span<int const> x, std::span<int> out) {
  piece_of_thread = x;
  options<int> const o{.initial = 0};
  if (v == verb::reduce) return upsweep::reduce(all, x, total_of_ints{});
  if (v == verb::inclusive)
    upsweep::inclusive_scan(all, x, out, total_of_ints{});
  else
    upsweep::exclusive_scan(all, x, out, total_of_ints{}, o);
  all.connection.expect_no_failure();
  return 0;
}

/// Fault after fault on rank `failing`. All ranks throw for those before the totals are sent.
void expect_to_survive(int size, int failing, verb v, bool knows_sizes) {
  run(size, [&](ncclComm_t comm) {
    int const rank = comm->all->rank();
    std::vector<std::size_t> sizes;
    for (int r = 0; knows_sizes && r < size; ++r) sizes.push_back(std::size_t(r) + 3);
    std::vector<int> const x(std::size_t(rank) + 3, rank + 1);
    std::vector<int> out(x.size());
    CUstream_st* const stream = stream_of(rank);
    ranks const all(nccl(comm, stream, sizes), gpu{stream});
    ranks const plain(*comm->all, serial{});
    auto const count_of = [&](bool here) { return reduce(plain, std::array{here ? 1 : 0}); };
    expectation const expect(*comm->all, "a fault on rank " + std::to_string(failing));
    int const right = call(all, v, x, out);
    if (v == verb::reduce) expect(right == reduce(plain, x), "the sum is " + std::to_string(right));
    int reach_all = 0, reach_some = 0;
    for (bool happened = true; happened;) {
      ::alarm(60);
      ++times_new;
      bool threw = false, fault = false;
      if (rank == failing) faults_of_thread = reach_all + reach_some;
      threw = throws_a_failure([&] { (void)call(all, v, x, out); });
      fault = rank == failing && faults_of_thread < 0;
      faults_of_thread = -1;
      int const throwing = count_of(threw), failed = count_of(threw && rank == failing);
      std::string const k = "fault " + std::to_string(reach_all + reach_some);
      expect(throwing == 0 || failed == 1, k + ": only others throw");
      expect(call(all, v, x, out) == right, "a call after " + k + " is wrong");
      happened = count_of(fault) > 0;
      if (!happened) break;
      expect(throwing > 0, k + " is not told");
      (throwing == size ? reach_all : reach_some)++;
      expect(throwing < size || reach_some == 0, k + " is told again");
    }
    ::alarm(0);
    expect(reach_all >= 5, "only " + std::to_string(reach_all) + " faults are told to all");
    if (v == verb::reduce)
      expect(size == 1 || reach_some <= 4, std::to_string(reach_some) + " are told to some");
  });
}

TEST(nccl_faults, before_the_totals_reach_all_ranks) {
  for (int const size : {1, 2, 3})
    for (auto const v : {verb::reduce, verb::inclusive, verb::exclusive})
      for (bool const knows_sizes : {false, true})
        EXPECT_NO_THROW(expect_to_survive(size, size / 2, v, knows_sizes))
            << size << " ranks, verb " << int(v) << ", sizes known: " << knows_sizes;
}

/// Calls that go through host memory have the messages of any communicator.
TEST(nccl_faults, of_messages_in_host_memory_reach_all_ranks) {
  for (int i = 0; i < calls_over_ranks<nccl>::count; i += 3)
    EXPECT_NO_THROW(
        run(3, [&](ncclComm_t comm) { expect_to_survive_faults(nccl(comm), i / 3 % 3, i, 60); }));
}
TEST(nccl_faults, messages_of_any_length_arrive) {
  for (std::size_t const n :
       {std::size_t{0}, std::size_t{1}, detail::bytes_at_once - 1, detail::bytes_at_once,
        detail::bytes_at_once + 1, 3 * detail::bytes_at_once + 5})
    run(2, [&](ncclComm_t comm) {
      nccl const c(comm);
      auto const message = [&](int rank) {
        std::vector<std::byte> all(rank == 0 ? n : n / 2);
        for (std::size_t i = 0; i < all.size(); ++i)
          all[i] = static_cast<std::byte>(i * 7 + i / 251 + std::size_t(rank));
        return all;
      };
      int const other = 1 - c.rank();
      expectation const expect(c, std::to_string(n) + " bytes");
      expect(c.exchange(other, message(c.rank())) == message(other), "exchanged");
      expect(c.broadcast(1, message(c.rank())) == message(1), "broadcast");
    });
}

/// Rank 1 makes another call; all say why.
template <class F, class G>
void expect_words(std::string const& words, F const& f, G const& g) {
  run(3, [&](ncclComm_t comm) {
    CUstream_st* const stream = stream_of(comm->all->rank());
    ranks const all(nccl(comm, stream), gpu{stream});
    std::string said = "nothing";
    ::alarm(60);
    try {
      comm->all->rank() == 1 ? g(all) : f(all);
    } catch (error const& e) {
      said = e.what();
    }
    ::alarm(0);
    expectation(*comm->all, words)(said == words + "; all ranks must make the same call", said);
  });
}
TEST(nccl_faults, other_calls_have_a_sentence_on_all_ranks) {
  std::vector<int> const x(3, 1);
  piece_of_thread = x;
  auto const sum = [&](auto const& all) { (void)reduce(all, x, total_of_ints{}); };
  auto const scan = [&](auto const& all) {
    std::vector<int> out(3);
    inclusive_scan(all, x, out, total_of_ints{});
  };
  EXPECT_NO_THROW(expect_words("ranks: rank 0 calls reduce, and rank 1 inclusive_scan", sum, scan));
  EXPECT_NO_THROW(expect_words(
      "reduce: the options of rank 0 and rank 1 differ", sum,
      [&](auto const& all) { (void)reduce(all, x, total_of_ints{}, {.initial = 3}); }));
  EXPECT_NO_THROW(
      expect_words("reduce: the operators, or their parameters, of rank 0 and rank 1 differ", sum,
                   [&](auto const& all) { (void)reduce(all, x, other_total_of_ints{}); }));
  EXPECT_NO_THROW(expect_words("reduce: the element types of rank 0 and rank 1 differ", sum,
                               [&](auto const& all) {
                                 std::vector<unsigned> const y(3);
                                 (void)reduce(all, y, total_of_ints{});
                               }));
}

}  // namespace
}  // namespace upsweep::test

using namespace upsweep::test;

extern "C" {

ncclResult_t ncclCommUserRank(ncclComm_t const comm, int* rank) {
  *rank = comm->all->rank();
  return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t const comm, int* count) {
  *count = comm->all->size();
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(ncclComm_t const, int* device) {
  *device = 0;
  return ncclSuccess;
}
char const* ncclGetErrorString(ncclResult_t) {
  return "a failure";
}
char const* ncclGetLastError(ncclComm_t) {
  return "";
}
ncclResult_t ncclAllGather(void const* own, void* all, size_t bytes, ncclDataType_t,
                           ncclComm_t comm, cudaStream_t) {
  without_faults const ours;
  auto const* const first = static_cast<std::byte const*>(own);
  std::vector<std::byte> const mine(first, first + bytes);
  for (int r = 0; r < comm->all->size(); ++r) {
    auto const from = comm->all->broadcast(r, mine);
    if (from.size() != bytes) std::abort();
    std::memcpy(static_cast<std::byte*>(all) + std::size_t(r) * bytes, from.data(), bytes);
  }
  return ncclSuccess;
}
ncclResult_t ncclBroadcast(void const* own, void* to, size_t bytes, ncclDataType_t, int root,
                           ncclComm_t comm, cudaStream_t) {
  without_faults const ours;
  auto const* const first = static_cast<std::byte const*>(own);
  auto const from = comm->all->broadcast(root, std::vector<std::byte>(first, first + bytes));
  if (from.size() != bytes) std::abort();
  std::memcpy(to, from.data(), bytes);
  return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
  return ncclSuccess;
}
ncclResult_t ncclSend(void const* own, size_t bytes, ncclDataType_t, int other, ncclComm_t comm,
                      cudaStream_t) {
  without_faults const ours;
  auto const* const first = static_cast<std::byte const*>(own);
  comm->sent.assign(first, first + bytes);
  comm->other = other;
  return ncclSuccess;
}
ncclResult_t ncclRecv(void* to, size_t, ncclDataType_t, int other, ncclComm_t comm, cudaStream_t) {
  comm->received = to;
  comm->other = other;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  without_faults const ours;
  ncclComm& comm = *comm_of_thread;
  if (comm.other < 0) return ncclSuccess;
  auto const from = comm.all->exchange(std::exchange(comm.other, -1), comm.sent);
  comm.sent.clear();
  if (void* const to = std::exchange(comm.received, nullptr))
    std::memcpy(to, from.data(), from.size());
  return ncclSuccess;
}

cudaError_t __wrap_cudaMalloc(void** memory, size_t bytes) {
  return allocated(memory, bytes);
}
cudaError_t __wrap_cudaMallocAsync(void** memory, size_t bytes, cudaStream_t) {
  return allocated(memory, bytes);
}
cudaError_t __wrap_cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  return allocated(memory, bytes);
}
cudaError_t __wrap_cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t __wrap_cudaFreeAsync(void* memory, cudaStream_t) {
  return __wrap_cudaFree(memory);
}
cudaError_t __wrap_cudaFreeHost(void* memory) {
  return __wrap_cudaFree(memory);
}
cudaError_t __wrap_cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
  if (fails_now()) return cudaErrorInvalidValue;
  std::memset(memory, value, bytes);
  return cudaSuccess;
}
// After a failure of these the communicator is broken.
cudaError_t __wrap_cudaMemcpyAsync(void* to, void const* from, size_t bytes, cudaMemcpyKind,
                                   cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t __wrap_cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t __wrap_cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t __wrap_cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t __wrap_cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = reinterpret_cast<std::uintptr_t>(stream) + times_new;
  return played(cudaErrorInvalidResourceHandle);
}
cudaError_t __wrap_cudaStreamGetDevice(cudaStream_t, int* device) {
  *device = 0;
  return played(cudaErrorInvalidResourceHandle);
}
cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount            ? 132
           : attribute == cudaDevAttrComputeCapabilityMajor       ? 9
           : attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448
                                                                  : 0;
  return played(cudaErrorInvalidDevice);
}
cudaError_t __wrap_cudaFuncGetAttributes(cudaFuncAttributes*, void const*) {
  return played(cudaErrorInvalidDeviceFunction);
}
cudaError_t __wrap_cudaFuncSetAttribute(void const*, cudaFuncAttribute, int) {
  return played(cudaErrorInvalidDeviceFunction);
}
cudaError_t __wrap_cudaLaunchKernelExC(cudaLaunchConfig_t const*, void const* kernel,
                                       void** arguments) {
  if (fails_now()) return cudaErrorLaunchOutOfResources;
  without_faults const ours;
  auto const found = kernels().find(kernel);
  if (found == kernels().end()) std::abort();
  play_kernel(found->second, arguments);
  return cudaSuccess;
}
cudaError_t __wrap_cudaGetLastError() {
  return cudaSuccess;
}
void __real___cudaRegisterFunction(void**, char const*, char*, char const*, int, uint3*, uint3*,
                                   dim3*, dim3*, int*);
void __wrap___cudaRegisterFunction(void** handle, char const* host, char* device_function,
                                   char const* name, int limit, uint3* thread, uint3* block,
                                   dim3* block_size, dim3* grid_size, int* warp_size) {
  kernels()[host] = name;
  __real___cudaRegisterFunction(handle, host, device_function, name, limit, thread, block,
                                block_size, grid_size, warp_size);
}

}  // extern "C"

/// Reductions and scans of an array over several GPUs through NCCL, beside CUB and NCCL by hand,
/// one GPU alone, and the limits of the memory.
///
///   upsweep_gpu_pieces [FILE]   prints a table, and writes FILE as JSON
///
/// Each GPU has a piece of the same size. A time is that of the slowest GPU, per call of many in a
/// row. Reductions return their result, so each of them waits for the GPU. The parts of them, its
/// kernel and the exchange, do not.
#include <cuda_runtime_api.h>
#include <bench/gpu/gpu.hpp>
#include <bench/gpu/read_loop.cuh>
#include <upsweep/cuda/device_memory.cuh>
#include <upsweep/nccl.cuh>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <exception>
#include <execution>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>
#if __has_include(<cuda/experimental/__multi_gpu/algorithm/scan/scan.h>)
#include <cuda/experimental/__multi_gpu/algorithm/reduce/reduce.h>
#include <cuda/experimental/__multi_gpu/algorithm/scan/scan.h>
#include <cuda/experimental/__multi_gpu/nccl_communicator_ref.h>
#define UPSWEEP_HAS_CUDAX 1
#endif

namespace upsweep::bench {
namespace {

constexpr int rounds = 7;

/// One GPU among others, on its thread.
struct rank_of_bench {
  int rank, size;
  ncclComm_t comm;
  cudaStream_t stream;
  std::barrier<>& all;
  std::vector<double>& seconds;  ///< of all ranks
};

/// Seconds of one call, that of the slowest rank, in each round.
template <class Call>
std::vector<double> times_of(rank_of_bench const& me, int calls, Call const& call) {
  cudaEvent_t begin = nullptr, end = nullptr;
  check_cuda(cudaEventCreate(&begin), "create an event");
  check_cuda(cudaEventCreate(&end), "create an event");
  std::vector<double> times;
  for (int round = -1; round < rounds; ++round) {  // the first one loads kernels
    check_cuda(cudaStreamSynchronize(me.stream), "finish the previous calls");
    me.all.arrive_and_wait();
    check_cuda(cudaEventRecord(begin, me.stream), "record an event");
    for (int i = 0; i < calls; ++i) call();
    check_cuda(cudaEventRecord(end, me.stream), "record an event");
    check_cuda(cudaEventSynchronize(end), "finish the calls");
    float ms = 0;
    check_cuda(cudaEventElapsedTime(&ms, begin, end), "time the calls");
    me.seconds[static_cast<std::size_t>(me.rank)] = ms * 1e-3 / calls;
    me.all.arrive_and_wait();
    if (round >= 0) times.push_back(*std::max_element(me.seconds.begin(), me.seconds.end()));
  }
  check_cuda(cudaEventDestroy(begin), "destroy an event");
  check_cuda(cudaEventDestroy(end), "destroy an event");
  return times;
}

/// Prints and writes the times of one contestant; rank 0 does so.
class report {
 public:
  explicit report(char const* file) : file_(file != nullptr ? std::fopen(file, "w") : nullptr) {
    gpu_description const gpu = describe_gpu(0);
    int number = 0;
    (void)ncclGetVersion(&number);
    auto const nccl = std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) +
                      "." + std::to_string(number % 100);
    std::string const revision = this_build().revision;
    std::printf(
        "# Pieces of an array on several GPUs\n\nPrinted by `upsweep_gpu_pieces`: medians of"
        " %d times, on %s, CUDA %s, driver %s,\nNCCL %s, CUB %d.%d, revision %s.\n\n",
        rounds, gpu.name.c_str(), gpu.toolkit.c_str(), gpu.driver.c_str(), nccl.c_str(),
        CUB_MAJOR_VERSION, CUB_MINOR_VERSION, revision.c_str());
    if (file_ != nullptr)
      std::fprintf(file_,
                   "{\"gpu\": \"%s\", \"driver\": \"%s\", \"cuda\": \"%s\", \"nccl\": \"%s\","
                   " \"cub\": \"%d.%d\", \"revision\": \"%s\", \"rows\": [",
                   gpu.name.c_str(), gpu.driver.c_str(), gpu.toolkit.c_str(), nccl.c_str(),
                   CUB_MAJOR_VERSION, CUB_MINOR_VERSION, revision.c_str());
    std::puts("| GPUs | MiB a GPU | call | by | µs | GB/s a GPU |\n|--:|--:|---|---|--:|--:|");
  }
  ~report() {
    if (file_ == nullptr) return;
    std::fprintf(file_, "\n]}\n");
    (void)std::fclose(file_);
  }
  report(report const&) = delete;
  report& operator=(report const&) = delete;

  /// `accesses` of each element are what the call needs.
  void add(rank_of_bench const& me, std::size_t bytes, double accesses, char const* call,
           char const* by, std::vector<double> times) {
    if (me.rank != 0) return;
    std::sort(times.begin(), times.end());
    double const median = times[times.size() / 2];
    std::printf("| %d | %g | %s | %s | %.1f | %.0f |\n", me.size,
                static_cast<double>(bytes) / (1 << 20), call, by, median * 1e6,
                accesses * static_cast<double>(bytes) / median * 1e-9);
    std::fflush(stdout);
    if (file_ == nullptr) return;
    std::fprintf(file_, "%s\n  {\"gpus\": %d, \"bytes\": %zu, \"call\": \"%s\", \"by\": \"%s\", ",
                 first_ ? "" : ",", me.size, bytes, call, by);
    std::fprintf(file_, "\"seconds\": [");
    for (std::size_t i = 0; i < times.size(); ++i)
      std::fprintf(file_, "%s%.4g", i > 0 ? ", " : "", times[i]);
    std::fprintf(file_, "]}");
    first_ = false;
  }

 private:
  std::FILE* file_;
  bool first_ = true;
};

/// *before = the sum of the totals of the ranks before.
__global__ void sum_totals(float const* totals, int count, float* before) {
  float sum = 0;
  for (int r = 0; r < count; ++r) sum += totals[r];
  *before = sum;
}

/// What somebody would write: CUB on each GPU, and NCCL between them.
class by_hand {
 public:
  by_hand(rank_of_bench const& me, float const* x, float* y, std::size_t n)
      : me_(me), x_(x), y_(y), n_(static_cast<std::int64_t>(n)), scratch_(needed()) {}

  void reduce() {
    total();
    float* const sum = totals() + me_.size;
    sum_totals<<<1, 1, 0, me_.stream>>>(totals(), me_.size, sum);
    float on_host = 0;
    check_cuda(cudaMemcpyAsync(&on_host, sum, sizeof on_host, cudaMemcpyDefault, me_.stream),
               "copy the total");
    check_cuda(cudaStreamSynchronize(me_.stream), "finish the reduction");
  }
  void scan() {
    total();
    float* const before = totals() + me_.size;
    sum_totals<<<1, 1, 0, me_.stream>>>(totals(), me_.rank, before);
    std::size_t bytes = scratch_.size();
    check_cuda(cub::DeviceScan::ExclusiveScan(scratch_.data(), bytes, x_, y_, cuda::std::plus<>{},
                                              cub::FutureValue<float>(before), n_, me_.stream),
               "scan by CUB");
  }

 private:
  [[nodiscard]] float* totals() const { return reinterpret_cast<float*>(memory_.data()); }
  void total() {
    std::size_t bytes = scratch_.size();
    check_cuda(
        cub::DeviceReduce::Sum(scratch_.data(), bytes, x_, totals() + me_.rank, n_, me_.stream),
        "reduce by CUB");
    if (ncclAllGather(totals() + me_.rank, totals(), 1, ncclFloat, me_.comm, me_.stream) !=
        ncclSuccess)
      throw error("ncclAllGather failed");
  }
  [[nodiscard]] std::size_t needed() const {
    std::size_t reduction = 0, scan = 0;
    check_cuda(cub::DeviceReduce::Sum(nullptr, reduction, x_, y_, n_, me_.stream), "ask CUB");
    check_cuda(cub::DeviceScan::ExclusiveScan(nullptr, scan, x_, y_, cuda::std::plus<>{},
                                              cub::FutureValue<float>(y_), n_, me_.stream),
               "ask CUB");
    return std::max(reduction, scan);
  }

  rank_of_bench const& me_;
  float const* x_;
  float* y_;
  std::int64_t n_;
  device_memory scratch_, memory_{4096};
};

#ifdef UPSWEEP_HAS_CUDAX
/// CCCL's calls for several GPUs, which are experimental: of CCCL 3.6, given by
/// -DCMAKE_CUDA_FLAGS="-ICCCL/cudax/include -ICCCL/libcudacxx/include -ICCCL/cub -ICCCL/thrust".
class by_cudax {
 public:
  by_cudax(rank_of_bench const& me, float const* x, float* y, std::size_t n)
      : comm_(me.comm), stream_(me.stream), env_{stream_}, x_(x), y_(y), n_(n) {}

  void reduce() {
    auto* const sum = reinterpret_cast<float*>(memory_.data());
    cuda::experimental::reduce(cuda::experimental::broadcasted, comm_, env_, x_, n_, sum, 0.0f);
    float on_host = 0;
    check_cuda(cudaMemcpyAsync(&on_host, sum, sizeof on_host, cudaMemcpyDefault, stream_.get()),
               "copy the total");
    check_cuda(cudaStreamSynchronize(stream_.get()), "finish the reduction");
  }
  void scan() {
    cuda::experimental::exclusive_scan(cuda::experimental::distributed, comm_, env_, x_, n_, y_,
                                       0.0f);
  }

 private:
  cuda::experimental::nccl_communicator_ref comm_;
  cuda::stream_ref stream_;
  cuda::std::execution::env<cuda::stream_ref> env_;
  float const* x_;
  float* y_;
  std::size_t n_;
  device_memory memory_{sizeof(float)};
};
#endif

using totals_of_piece = device::piece_totals<float>;

/// All contestants with `bytes` a GPU.
void measure(rank_of_bench const& me, std::size_t bytes, report& to) {
  std::size_t const n = bytes / sizeof(float);
  device_memory const in(bytes), out(bytes);
  check_cuda(cudaMemsetAsync(in.data(), 0, bytes, me.stream), "clear the input");
  auto* const x = reinterpret_cast<float const*>(in.data());
  auto* const y = reinterpret_cast<float*>(out.data());
  std::vector<std::size_t> const sizes(static_cast<std::size_t>(me.size), n);
  gpu const on{me.stream};
  ranks const all(nccl(me.comm, me.stream, sizes), on);
  int const calls = bytes < (std::size_t{1} << 24) ? 40 : 10;
  auto const add = [&](double accesses, char const* name, char const* by, auto const& call) {
    auto const times = times_of(me, calls, call);
    to.add(me, bytes, accesses, name, by, times);
  };
  add(1, "read", "loop", [&] { launch_read<8>(me.stream, x, bytes, y); });
  add(2, "copy", "cudaMemcpyAsync",
      [&] { check_cuda(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDefault, me.stream), "copy"); });
  add(3, "read, copy", "loop, cudaMemcpyAsync", [&] {
    launch_read<8>(me.stream, x, bytes, y);
    check_cuda(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDefault, me.stream), "copy");
  });
  std::span<float const> const piece(x, n);
  std::span<float> const results(y, n);
  add(1, "reduce", "one GPU alone", [&] { (void)upsweep::reduce(on, piece); });
  add(2, "exclusive_scan", "one GPU alone", [&] { upsweep::exclusive_scan(on, piece, results); });
  add(1, "reduce", "upsweep", [&] { (void)upsweep::reduce(all, piece); });
  add(3, "exclusive_scan", "upsweep", [&] { upsweep::exclusive_scan(all, piece, results); });
  {
    device_memory const memory(static_cast<std::size_t>(me.size) * sizeof(totals_of_piece));
    auto* const totals = reinterpret_cast<totals_of_piece*>(memory.data());
    detail::as_is const f;
    plus const op;
    std::size_t const begin = static_cast<std::size_t>(me.rank) * n;
    source<float const*, detail::as_is, plus, false> const elements(x, n, f, op, begin);
    add(1, "totals of a piece", "upsweep, kernel",
        [&] { device::enqueue_block_totals(on, elements, n, op, begin, totals + me.rank); });
    add(0, "exchange", "ncclAllGather",
        [&] { all.connection.gather(totals, sizeof *totals, me.stream); });
  }
  by_hand cub_nccl(me, x, y, n);
  add(1, "reduce", "CUB and NCCL", [&] { cub_nccl.reduce(); });
  add(3, "exclusive_scan", "CUB and NCCL", [&] { cub_nccl.scan(); });
#ifdef UPSWEEP_HAS_CUDAX
  by_cudax cudax(me, x, y, n);
  add(1, "reduce", "cuda::experimental", [&] { cudax.reduce(); });
  add(3, "exclusive_scan", "cuda::experimental", [&] { cudax.scan(); });
#endif
  // Pieces that begin beside the borders of tiles, aligned to 16 bytes.
  std::vector<std::size_t> uneven(sizes);
  if (me.size > 1) {
    uneven.front() -= 1020;
    std::size_t const mine = uneven[static_cast<std::size_t>(me.rank)];
    ranks const beside(nccl(me.comm, me.stream, uneven), on);
    add(3, "exclusive_scan", "upsweep, uneven",
        [&] { upsweep::exclusive_scan(beside, piece.first(mine), results.first(mine)); });
  }
}

void run(int size, report& to) {
  std::vector<ncclComm_t> comms(static_cast<std::size_t>(size));
  if (ncclCommInitAll(comms.data(), size, nullptr) != ncclSuccess) throw error("no NCCL");
  std::barrier<> all(size);
  std::vector<double> seconds(comms.size());
  std::vector<std::jthread> threads;
  for (int r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      try {
        cudaStream_t stream = nullptr;
        check_cuda(cudaSetDevice(r), "use a GPU");
        check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
        rank_of_bench const me{r, size, comms[static_cast<std::size_t>(r)], stream, all, seconds};
        for (std::size_t const mib : {4u, 32u, 128u, 256u, 512u, 1024u}) measure(me, mib << 20, to);
        check_cuda(cudaStreamDestroy(stream), "destroy a stream");
      } catch (std::exception const& e) {
        std::fprintf(stderr, "GPU %d: %s\n", r, e.what());
        std::_Exit(1);  // the others wait for this one
      }
    });
  threads.clear();
  for (ncclComm_t const comm : comms) (void)ncclCommDestroy(comm);
}

}  // namespace
}  // namespace upsweep::bench

int main(int argc, char** argv) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return 5;
  upsweep::bench::report to(argc > 1 ? argv[1] : nullptr);
  for (int size = 1; size <= count; size *= 2) upsweep::bench::run(size, to);
}

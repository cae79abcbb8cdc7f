/// What the tables of verbs on a GPU beside CUB share: the stream, the times of calls (cold, warm
/// and in a graph), and the head of the page.
#pragma once

#include <cuda_runtime_api.h>
#include <bench/gpu/gpu.hpp>
#include <bench/gpu/read_loop.cuh>
#include <bench/harness/machine.hpp>
#include <bench/harness/random.hpp>
#include <upsweep/cuda/device_memory.cuh>
#include <upsweep/cuda/executor.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cub/version.cuh>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace upsweep::bench {

/// How calls are timed: on arrays that are not in the cache; on the same arrays each time; or on
/// arrays that are not in the cache, by one launch of a graph of ten calls.
enum class calls { cold, warm, graph };

/// What a program has once: its stream, and how its calls are timed at present.
class timer {
 public:
  static timer& of_program() {
    static timer only;
    return only;
  }

  calls how = calls::cold;
  event_clock const clock;
  cuda_workspace workspace{clock.stream()};  ///< of calls in graphs

  /// Evicts everything else from the cache, and waits.
  void displace_cache() const {
    launch_read<8>(clock.stream(), displacing_.data(), displacing_.size(), displacing_.data());
    clock.wait();
  }

 private:
  timer() {
    check_cuda(cudaMemsetAsync(displacing_.data(), 0, displacing_.size(), clock.stream()),
               "clear the memory that displaces the cache");
    keep_memory();
  }
  /// Has the device's pool keep what calls free, as docs/cuda.md advises where calls alternate with
  /// waits: CUB's temporary storage is allocated before it is timed.
  static void keep_memory() {
    cudaMemPool_t pool = nullptr;
    auto most = std::numeric_limits<std::uint64_t>::max();
    check_cuda(cudaDeviceGetDefaultMemPool(&pool, 0), "find the memory pool");
    check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &most),
               "keep freed memory");
  }

  device_memory displacing_{2 * describe_gpu(0).l2_bytes};
};

/// Everything runs in this stream, since the default stream cannot be captured.
inline cudaStream_t stream() {
  return timer::of_program().clock.stream();
}
/// The executor of calls that are timed. Counts go to `count_to`. In a graph they get a workspace,
/// as otherwise each of them would allocate and clear one.
inline gpu on_stream(std::uint64_t* count_to = nullptr) {
  timer& program = timer::of_program();
  return {.stream = program.clock.stream(),
          .workspace = program.how == calls::graph ? &program.workspace : nullptr,
          .count_to = count_to};
}

/// x[i] = f(i).
template <class T, class F>
__global__ void fill_kernel(T* x, std::size_t n, F f) {
  std::size_t const step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    x[i] = f(i);
}
template <class T, class F>
void fill(T* x, std::size_t n, F const& f) {
  fill_kernel<<<2048, 256, 0, stream()>>>(x, n, f);
  check_cuda(cudaGetLastError(), "fill the input");
}
template <class T>
void clear(T* x, std::size_t n) {
  check_cuda(cudaMemsetAsync(x, 0, n * sizeof(T), stream()), "fill the input");
}
/// Copies n elements within the device.
template <class T>
void copy(T* to, T const* from, std::size_t n) {
  check_cuda(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice, stream()), "copy");
}

/// Random integers, and numbers in [-1, 1).
template <class T>
struct random_element {
  __host__ __device__ T operator()(std::size_t i) const {
    std::uint64_t const bits = random_word(i);
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(static_cast<double>(bits) * 0x1p-63 - 1);
    else
      return static_cast<T>(bits);
  }
};

/// Calls of CUB by call(memory, bytes, i), which returns its status, with memory that is allocated
/// before.
template <class Call>
class cub_calls {
 public:
  explicit cub_calls(Call call) : call_(std::move(call)), memory_(needed()) {}
  void operator()(int i) const {
    std::size_t bytes = memory_.size();
    check_cuda(call_(memory_.data(), bytes, i), "call CUB");
  }

 private:
  [[nodiscard]] std::size_t needed() const {
    std::size_t bytes = 0;
    check_cuda(call_(nullptr, bytes, 0), "prepare CUB");
    return bytes;
  }

  Call call_;
  device_memory memory_;
};

/// Whether ten() could be captured; standard error says why not.
inline bool captured(recording& graph, std::function<void()> const& ten) {
  try {
    graph.record(timer::of_program().clock, ten);
    return true;
  } catch (error const& failure) {
    std::fprintf(stderr, "not captured in a graph: %s\n", failure.what());
    return false;
  }
}

/// Microseconds of call(i): the median of nine rounds of ten calls, i = 0 ... 9 or, if they are
/// warm, always 0. NaN if they cannot be captured in a graph.
template <class Call>
double time_of(Call const& call) {
  timer const& program = timer::of_program();
  auto const ten = [&] {
    for (int i = 0; i < 10; ++i) call(program.how == calls::warm ? 0 : i);
  };
  call(0);  // loads the kernels and lets the workspace grow
  program.clock.wait();
  recording graph;
  if (program.how == calls::graph && !captured(graph, ten))
    return std::numeric_limits<double>::quiet_NaN();
  std::array<double, 9> seconds;
  for (double& round : seconds) {
    if (program.how != calls::warm) program.displace_cache();
    if (graph.is_ready()) {
      graph.replay(program.clock);
      round = graph.seconds(program.clock);
    } else {
      round = program.clock.seconds(ten);
    }
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return seconds[4] * 1e6 / 10;
}

/// A number as a cell of a table; empty if it is NaN.
inline std::string cell_of(double value, int digits) {
  if (std::isnan(value)) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
inline void print_cells(std::initializer_list<std::string> cells) {
  for (std::string const& cell : cells) std::printf("| %s ", cell.c_str());
  std::puts("|");
  std::fflush(stdout);
}

/// Arrays of n elements for cold calls: ten, or as many as fit 512 MiB, but two at least.
template <class T>
class pool {
 public:
  explicit pool(std::size_t n)
      : n_(n),
        count_(std::clamp<std::size_t>((std::size_t{1} << 29) / (n * sizeof(T)), 2, 10)),
        memory_(count_ * n * sizeof(T)) {}
  [[nodiscard]] T* at(int i) const {
    return reinterpret_cast<T*>(memory_.data()) + static_cast<std::size_t>(i) % count_ * n_;
  }
  [[nodiscard]] std::span<T> span(int i) const { return {at(i), n_}; }
  [[nodiscard]] std::size_t size() const { return count_ * n_; }

 private:
  std::size_t n_, count_;
  device_memory memory_;
};

/// Prints what the tables below it are; `note` ends it.
inline void print_head(char const* title, char const* program, char const* file, unsigned smallest,
                       unsigned largest, char const* note) {
  gpu_description const device = describe_gpu(0);
  std::printf(
      "# %s\n\nPrinted by `%s %u %u` (bench/gpu/%s): medians of nine\ntimes of ten calls, on %s,"
      " CUDA %s, driver %s, CUB %d.%d, revision %s.\n"
      "Calls are cold: on arrays that are not in the cache. \"Warm\" are those on the same arrays"
      " each time,\nwhich stay in the cache if they fit. \"In a graph\" are ten cold calls by one"
      " launch, with a workspace\nthat is allocated before; a call that cannot be captured has no"
      " time there. Large sizes are only cold:\nthey do not fit in the cache, and their launches"
      " take a small part of the time.\n%s\n",
      title, program, smallest, largest, file, device.name.c_str(), device.toolkit.c_str(),
      device.driver.c_str(), CUB_MAJOR_VERSION, CUB_MINOR_VERSION, this_build().revision.c_str(),
      note);
}

/// Prints the section `size`, whose lines print() measures and prints, and if the `bytes` of a
/// call's inputs and outputs are at most 32 MiB those of warm calls and of graphs.
template <class Print>
void print_section(std::string const& size, std::size_t bytes, Print const& print) {
  constexpr std::pair<calls, char const*> all[] = {
      {calls::cold, ""}, {calls::warm, ", warm"}, {calls::graph, ", in a graph"}};
  for (auto const& [how, name] : all) {
    if (how != calls::cold && bytes > std::size_t{1} << 25) return;
    timer::of_program().how = how;
    std::printf("\n## %s%s\n\n", size.c_str(), name);
    print();
  }
}

/// main of such a program: log2 of the smallest and of the largest size are `smallest` and
/// `largest`, or given. Returns 5 if there is no GPU, 1 after another failure, and 2 if a size is
/// not a number.
template <class Print>
int run_with_sizes(int argc, char** argv, Print const& print_all, unsigned smallest = 12,
                   unsigned largest = 30) {
  unsigned sizes[] = {smallest, largest};
  for (int i = 1; i < argc; ++i) {
    char* end = nullptr;
    unsigned long const size = std::strtoul(argv[i], &end, 10);
    if (i > 2 || end == argv[i] || *end != '\0' || size > 40) {
      std::fprintf(stderr, "usage: %s [SMALLEST [LARGEST]]    log2 of sizes, at most 40\n",
                   argv[0]);
      return 2;
    }
    sizes[i - 1] = static_cast<unsigned>(size);
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "%s: CUDA finds no GPU on this machine\n", argv[0]);
    return 5;
  }
  try {
    print_all(sizes[0], sizes[1]);
    return 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 1;
  }
}

}  // namespace upsweep::bench

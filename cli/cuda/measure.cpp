/// Times one reduction or scan on the processor and on the GPU, and a copy on the device beside it.
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/functions.hpp>
#include <cli/cuda/gpu.hpp>
#include <io/error.hpp>
#include <upsweep/cuda/check.cuh>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>

namespace upsweep::cli::gpu {

namespace {

class device_memory {
 public:
  explicit device_memory(std::size_t bytes) {
    check_cuda(cudaMalloc(&memory_, bytes > 0 ? bytes : 1),
               "allocate " + std::to_string(bytes) + " bytes");
  }
  ~device_memory() { (void)cudaFree(memory_); }
  device_memory(device_memory const&) = delete;
  device_memory& operator=(device_memory const&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_); }

 private:
  void* memory_ = nullptr;
};

/// A stream with two events in it.
class stopwatch {
 public:
  stopwatch() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    check_cuda(cudaEventCreate(&begin_), "create an event");
    check_cuda(cudaEventCreate(&end_), "create an event");
  }
  ~stopwatch() {
    (void)cudaStreamSynchronize(stream_);
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
    (void)cudaStreamDestroy(stream_);
  }
  stopwatch(stopwatch const&) = delete;
  stopwatch& operator=(stopwatch const&) = delete;
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  void wait() const { check_cuda(cudaStreamSynchronize(stream_), "finish what was launched"); }

  /// Seconds between the events around `calls` calls, for one.
  template <class Call>
  double seconds(Call const& call, std::size_t calls) const {
    check_cuda(cudaEventRecord(begin_, stream_), "record an event");
    for (std::size_t i = 0; i < calls; ++i) call();
    check_cuda(cudaEventRecord(end_, stream_), "record an event");
    check_cuda(cudaEventSynchronize(end_), "finish what was launched");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "read the time");
    return static_cast<double>(milliseconds) * 1e-3 / static_cast<double>(calls);
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// The device memory of one cell: `slots` inputs and outputs, together twice as large as the L2,
/// through which calls rotate, so that no call finds its data in the cache.
struct layout {
  std::size_t in_bytes, out_bytes, in_stride, out_stride, slots;

  layout(request const& r, functions const& f, std::size_t l2_bytes) {
    in_bytes = r.n * f.element_bytes;
    out_bytes = r.scan ? in_bytes : f.result_bytes;
    in_stride = (in_bytes + 255) / 256 * 256;
    out_stride = (out_bytes + 255) / 256 * 256;
    slots = std::max<std::size_t>(
        1, (2 * l2_bytes + in_stride - 1) / std::max<std::size_t>(in_stride, 1));
  }
  [[nodiscard]] std::size_t bytes() const { return slots * (in_stride + out_stride); }
};

/// Copies the first slot to all others, doubling what is there.
void fill_slots(std::byte* first, layout const& l, cudaStream_t stream) {
  std::size_t const all = l.slots * l.in_stride;
  for (std::size_t done = l.in_stride; done < all; done *= 2)
    check_cuda(cudaMemcpyAsync(first + done, first, std::min(done, all - done),
                               cudaMemcpyDeviceToDevice, stream),
               "copy on the device");
}

/// Where the first difference is between `count` values in host and device memory, or `count`.
std::size_t first_difference(std::byte const* host, std::byte const* on_device, std::size_t count,
                             std::size_t bytes, cudaStream_t stream) {
  std::vector<std::byte> part(std::min<std::size_t>(count, std::size_t{1} << 21) * bytes);
  for (std::size_t i = 0; i < count;) {
    std::size_t const here = std::min(part.size() / bytes, count - i);
    check_cuda(cudaMemcpyAsync(part.data(), on_device + i * bytes, here * bytes,
                               cudaMemcpyDeviceToHost, stream),
               "copy to the host");
    check_cuda(cudaStreamSynchronize(stream), "copy to the host");
    if (std::memcmp(part.data(), host + i * bytes, here * bytes) != 0)
      for (std::size_t k = 0; k < here; ++k)
        if (std::memcmp(part.data() + k * bytes, host + (i + k) * bytes, bytes) != 0) return i + k;
    i += here;
  }
  return count;
}

double host_seconds(std::function<void()> const& call, std::size_t calls) {
  auto const begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < calls; ++i) call();
  std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / static_cast<double>(calls);
}

/// How many calls make a batch, from the time of a few.
std::size_t calls_for(double seconds, settings const& s) {
  return static_cast<std::size_t>(std::clamp(s.batch_seconds / std::max(seconds, 1e-9), 1.0, 1e5));
}

/// One cell while it is measured.
class cell {
 public:
  cell(request const& r, settings const& s)
      : r_(r),
        s_(s),
        f_(functions_for(r.op, r.type)),
        l_(r, f_, require("bench", "").l2_bytes),
        x_(new std::byte[l_.in_bytes + 1]),
        wanted_(new std::byte[l_.out_bytes + 1]),
        memory_(l_.bytes()) {
    f_.fill(x_.get(), r.n);
    check_cuda(
        cudaMemcpyAsync(in(0), x_.get(), l_.in_bytes, cudaMemcpyHostToDevice, watch_.stream()),
        "copy to the device");
    watch_.wait();
    fill_slots(in(0), l_, watch_.stream());
    check_cuda(cudaMemsetAsync(out(0), 0xa5, l_.slots * l_.out_stride, watch_.stream()),
               "poison the outputs");
  }

  timing run() {
    timing t;
    t.traffic = l_.in_bytes * (r_.scan ? 2 : 1);
    on_cpu();
    on_gpu();
    watch_.wait();
    std::size_t const results = r_.scan ? r_.n : 1,
                      bytes = r_.scan ? f_.element_bytes : f_.result_bytes;
    if (std::size_t const at =
            first_difference(wanted_.get(), out(0), results, bytes, watch_.stream());
        at < results) {
      t.difference = r_.scan ? fmt::format("result {} differs from the processor's", at)
                             : std::string("the result differs from the processor's");
      return t;
    }
    rounds(t);
    return t;
  }

 private:
  [[nodiscard]] std::byte* in(std::size_t slot) const {
    return memory_.data() + slot * l_.in_stride;
  }
  [[nodiscard]] std::byte* out(std::size_t slot) const {
    return memory_.data() + l_.slots * l_.in_stride + slot * l_.out_stride;
  }
  [[nodiscard]] std::size_t next() { return next_++ % l_.slots; }

  void on_cpu() {
    (r_.scan ? f_.scan_on_cpu : f_.reduce_on_cpu)(s_.cpu_threads, x_.get(), r_.n, wanted_.get());
  }
  void on_gpu() {
    std::size_t const slot = next();
    (r_.scan ? f_.scan_on_gpu : f_.reduce_on_gpu)(cuda{.stream = watch_.stream()}, in(slot), r_.n,
                                                  out(slot));
  }
  /// As many bytes as the call moves: of a reduction's input one half is copied onto the other.
  void copy() {
    std::size_t const slot = next(), half = l_.in_bytes / 2;
    void* const to = r_.scan ? out(slot) : in(slot) + half;
    check_cuda(cudaMemcpyAsync(to, in(slot), r_.scan ? l_.in_bytes : half, cudaMemcpyDeviceToDevice,
                               watch_.stream()),
               "copy on the device");
  }

  void rounds(timing& t) {
    t.cpu_calls = calls_for(host_seconds([&] { on_cpu(); }, 1), s_);
    t.gpu_calls = calls_for(watch_.seconds([&] { on_gpu(); }, 3), s_);
    t.copy_calls = calls_for(watch_.seconds([&] { copy(); }, 3), s_);
    auto const begin = std::chrono::steady_clock::now();
    for (int round = 0; round < s_.most_rounds; ++round) {
      if (round >= s_.least_rounds &&
          std::chrono::steady_clock::now() - begin > std::chrono::duration<double>(s_.cell_seconds))
        break;
      t.cpu.push_back(host_seconds([&] { on_cpu(); }, t.cpu_calls));
      t.gpu.push_back(watch_.seconds([&] { on_gpu(); }, t.gpu_calls));
      t.copy.push_back(watch_.seconds([&] { copy(); }, t.copy_calls));
    }
  }

  request const& r_;
  settings const& s_;
  functions const& f_;
  layout l_;
  std::unique_ptr<std::byte[]> x_, wanted_;
  stopwatch watch_;
  device_memory memory_;
  std::size_t next_ = 0;
};

}  // namespace

footprint needs(request const& r) {
  auto const& f = functions_for(r.op, r.type);
  layout const l(r, f, 0);
  return {l.in_bytes + l.out_bytes, l.bytes()};
}

std::size_t free_memory() {
  std::size_t free = 0, all = 0;
  return cudaMemGetInfo(&free, &all) == cudaSuccess ? free : 0;
}

timing measure(request const& r, settings const& s) {
  try {
    return cell(r, s).run();
  } catch (cuda_error const& e) {
    throw io::unavailable_error(fmt::format("bench: {}, n = {}: {}", r.title(), r.n, e.what()));
  }
}

}  // namespace upsweep::cli::gpu

/// Measures a reduction or scan on the CPU and on the GPU, and a copy on the device.
#include <bench/gpu/gpu.hpp>
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/functions.hpp>
#include <cli/cuda/gpu.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli::gpu {

namespace {

/// Copies the first input to all other slots, doubling the copied range each time.
void fill_slots(bench::slots const& memory, cudaStream_t stream) {
  std::size_t const all = memory.count * memory.in_stride;
  for (std::size_t done = memory.in_stride; done < all; done *= 2)
    check_cuda(cudaMemcpyAsync(memory.first_in + done, memory.first_in, std::min(done, all - done),
                               cudaMemcpyDeviceToDevice, stream),
               "copy on the device");
}

/// The index of the first difference between `count` values in host and device memory, or `count`.
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

/// The state of the measurement of one cell.
class measurement {
 public:
  measurement(bench::configuration const& what, int threads)
      : n_(what.n),
        is_scan_(what.work.verb != bench::verb::reduce),
        threads_(threads),
        f_(functions_for(what.work.op, what.work.type)),
        in_bytes_(n_ * f_.element_bytes),
        out_bytes_(is_scan_ ? in_bytes_ : f_.result_bytes),
        x_(new std::byte[in_bytes_ + 1]),
        expected_(new std::byte[out_bytes_ + 1]),
        layout_(in_bytes_, out_bytes_, bench::rotation_for(require("bench", "").l2_bytes)),
        memory_(layout_.bytes()),
        slots_(layout_.at(memory_.data())) {
    f_.fill(x_.get(), n_);
    check_cuda(
        cudaMemcpyAsync(slots_.in(0), x_.get(), in_bytes_, cudaMemcpyHostToDevice, clock_.stream()),
        "copy to the device");
    clock_.wait();
    fill_slots(slots_, clock_.stream());
    check_cuda(
        cudaMemsetAsync(slots_.first_out, 0xa5, slots_.count * slots_.out_stride, clock_.stream()),
        "poison the outputs");
  }

  std::vector<bench::series> run(bench::settings const& s) {
    std::vector<bench::contestant> all;
    all.push_back({{"upsweep", bench::role::upsweep}, bench::launched_plainly(clock_, on_gpu())});
    all.push_back({{"cpu", bench::role::peer}, on_cpu()});
    all.push_back({{"copy", bench::role::limit}, bench::launched_plainly(clock_, copy())});
    bench::slots first = slots_.one();
    (void)all[0].run(first, 1);  // also loads the kernel
    (void)all[1].run(first, 1);
    all[0].times.difference = difference();
    if (all[0].times.correct()) {
      for (auto& c : all) bench::calibrate(c, slots_, s);
      bench::take_turns(all, slots_, s);
    }
    std::vector<bench::series> found;
    for (auto& c : all) found.push_back(std::move(c.times));
    return found;
  }

 private:
  [[nodiscard]] bench::timed_run on_cpu() const {
    auto const call = is_scan_ ? f_.scan_on_cpu : f_.reduce_on_cpu;
    auto const run = [this, call](bench::call const& c, std::size_t repeats) {
      for (std::size_t i = 0; i < repeats; ++i) call(c.threads, x_.get(), c.n, expected_.get());
    };
    return bench::timed(run, n_, threads_);
  }
  [[nodiscard]] bench::enqueue_function on_gpu() const {
    auto const call = is_scan_ ? f_.scan_on_gpu : f_.reduce_on_gpu;
    return [call, n = n_](cudaStream_t stream, void const* in, void* out) {
      call(upsweep::gpu{.stream = stream}, in, n, out);
    };
  }
  /// A copy that moves as many bytes as the call: for a reduction, half of its input onto the other
  /// half.
  [[nodiscard]] bench::enqueue_function copy() const {
    std::size_t const half = in_bytes_ / 2, bytes = is_scan_ ? in_bytes_ : half;
    return [=, is_scan = is_scan_](cudaStream_t stream, void const* in, void* out) {
      auto* const middle = const_cast<std::byte*>(static_cast<std::byte const*>(in)) + half;
      check_cuda(
          cudaMemcpyAsync(is_scan ? out : middle, in, bytes, cudaMemcpyDeviceToDevice, stream),
          "copy on the device");
    };
  }

  [[nodiscard]] std::string difference() const {
    std::size_t const count = is_scan_ ? n_ : 1, bytes = out_bytes_ / count;
    std::size_t const at =
        first_difference(expected_.get(), slots_.out(0), count, bytes, clock_.stream());
    if (at == count) return {};
    return is_scan_ ? fmt::format("result {} differs from the CPU's", at)
                    : std::string("the result differs from the CPU's");
  }

  std::size_t n_;
  bool is_scan_;
  int threads_;
  functions const& f_;
  std::size_t in_bytes_, out_bytes_;
  std::unique_ptr<std::byte[]> x_, expected_;
  bench::event_clock clock_;
  bench::gpu_layout layout_;
  device_memory memory_;
  bench::slots slots_;
};

}  // namespace

std::size_t free_memory() {
  std::size_t free = 0, all = 0;
  return cudaMemGetInfo(&free, &all) == cudaSuccess ? free : 0;
}

bench::cell measure(bench::configuration const& what, int threads, bench::settings const& s) {
  try {
    return {what.work, what.n, true, measurement(what, threads).run(s)};
  } catch (cuda_error const& e) {
    throw io::unavailable_error("bench: {}, n = {}: {}", bench::title_of(what.work), what.n,
                                e.what());
  }
}

}  // namespace upsweep::cli::gpu

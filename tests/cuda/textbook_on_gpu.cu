/// The textbook on the GPU: every algorithm right or wrong, and how fast.
///
/// Usage: textbook_on_gpu [FILE [STEM]]: prints a table, of one algorithm or of all, and writes
/// FILE as JSON; exit status 1 when a result is wrong, 5 without a GPU. UPSWEEP_GPU_MOST: no more
/// elements, and nothing is timed that would take more.
#include "most_elements.hpp"

#include <bench/textbook/kernels.hpp>
#include <upsweep/cuda/machine.cuh>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/textbook/catalog.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::on_gpu {
namespace {

using gpu_textbook::gpu_kernel;
using gpu_textbook::map_element;

/// One algorithm at one size: the first difference as a sentence (nothing when all results are
/// right), or its best time.
struct row {
  std::string stem, type;
  std::size_t n = 0;
  int launches = 0;
  std::size_t bytes = 0;  ///< that a call must move: every input and every result once
  std::string difference;
  float milliseconds = 0;
};

using rows = std::vector<row>;

/// Small integers, so that sums of floats are exact in any order; maps of any numbers, exact modulo
/// 2^32.
template <class T>
std::vector<T> elements(std::size_t n, std::uint64_t seed) {
  std::vector<T> x(n);
  for (T& v : x) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    auto const bits = static_cast<std::uint32_t>(seed >> 33);
    if constexpr (std::is_same_v<T, map_element>)
      v = {bits | 1, bits * 2654435761u};
    else
      v = static_cast<T>(static_cast<int>(bits % 7) - 3);
  }
  return x;
}

template <class T, class Op>
std::vector<T> expected(std::vector<T> const& x, bool scan, bool exclusive, Op const& op) {
  std::vector<T> out;
  T running = identity_of<T>(op);
  for (T const& v : x) {
    if (scan && exclusive) out.push_back(running);
    running = op(running, v);
    if (scan && !exclusive) out.push_back(running);
  }
  if (!scan) out.push_back(running);
  return out;
}

/// `start` is the algorithm for elements that `op` combines.
template <class T, class Op>
row verify(std::string_view stem, char const* type, std::size_t n, bool scan, bool exclusive,
           gpu_textbook::start_function<T> start, Op op) {
  row r{std::string(stem), type, n};
  auto const x = elements<T>(n, n + 1);
  auto const wanted = expected(x, scan, exclusive, op);
  cuda_machine machine;
  constexpr std::size_t fence = 64;  // elements after the output that must stay unchanged
  auto const in = machine.allocate<T>(n, "in");
  auto const out = machine.allocate<T>(wanted.size() + fence, "out");
  machine.to_device(in, x);
  auto const before = machine.to_host(out + wanted.size(), fence);
  start(machine, in, out, n, exclusive);
  auto const got = machine.to_host(out, wanted.size());
  auto const after = machine.to_host(out + wanted.size(), fence);
  r.launches = machine.launches();
  for (std::size_t i = 0; i < wanted.size() && r.difference.empty(); ++i)
    if (std::memcmp(&wanted[i], &got[i], sizeof(T)) != 0)
      r.difference = "result " + std::to_string(i) + " is wrong";
  if (std::memcmp(before.data(), after.data(), fence * sizeof(T)) != 0)
    r.difference += " the kernel wrote past the output";
  return r;
}

/// The best of five runs at n, or no row when 2^16 elements say that it would take longer than two
/// seconds.
template <class T>
void measure(std::string_view stem, char const* type, std::size_t n, bool scan, bool exclusive,
             gpu_textbook::start_function<T> start, rows& to) {
  cuda_machine machine;
  auto const in = machine.allocate<T>(n, "in");
  auto const out = machine.allocate<T>(scan ? n : 1, "out");
  machine.to_device(in, elements<T>(n, 1));
  auto const once = [&](std::size_t count) {
    return machine.time([&] { start(machine, in, out, count, exclusive); });
  };
  std::size_t const probe = std::min<std::size_t>(n, 1 << 16);
  (void)once(probe);
  if (once(probe) * static_cast<float>(n) / static_cast<float>(probe) > 2000) return;
  row r{std::string(stem), type, n, 0, (scan ? 2 * n : n + 1) * sizeof(T)};
  r.milliseconds = once(n);
  for (int i = 0; i < 4; ++i) r.milliseconds = std::min(r.milliseconds, once(n));
  to.push_back(r);
}

template <class T, class Op>
void verify_sizes(std::string_view stem, char const* type, bool scan, bool exclusive,
                  gpu_textbook::start_function<T> start, Op op, rows& to) {
  if (start == nullptr) return;
  for (std::size_t const n : test::at_most_given(
           {0, 1, 2, 31, 32, 33, 255, 256, 257, 511, 513, 1024, 1025, 4097, 65537, 1000003}))
    to.push_back(verify<T>(stem, type, n, scan, exclusive, start, op));
}

[[nodiscard]] inline std::vector<std::size_t> timed_sizes() {
  return test::at_most_given({std::size_t{1} << 24, std::size_t{1} << 28});
}

/// Everything about one form of one algorithm.
void run_form(gpu_kernel const& k, bool scan, bool exclusive, bool timed, rows& to) {
  verify_sizes(k.stem, "i32", scan, exclusive, k.sum_i32, plus{}, to);
  verify_sizes(k.stem, "f32", scan, exclusive, k.sum_f32, plus{}, to);
  verify_sizes(k.stem, "affine", scan, exclusive, k.affine_maps, affine{}, to);
  if (!timed) return;
  for (std::size_t const n : timed_sizes()) {
    if (k.sum_f32 != nullptr)
      measure(k.stem, "f32", n, scan, exclusive, k.sum_f32, to);
    else
      measure(k.stem, "i32", n, scan, exclusive, k.sum_i32, to);
  }
}

/// Everything about one algorithm.
void run(gpu_kernel const& k, rows& to) {
  auto const& row = *textbook::find(k.stem);
  bool const scan = row.what == textbook::kind::scan;
  bool const both = row.inclusive && row.exclusive;
  run_form(k, scan, scan && !row.inclusive, true, to);
  if (both) run_form(k, scan, true, false, to);
}

/// Milliseconds of a device-to-device copy of n floats.
float copy_time(std::size_t n) {
  cuda_machine machine;
  auto const from = machine.allocate<float>(n, "from"), to = machine.allocate<float>(n, "to");
  auto const once = [&] {
    return machine.time([&] {
      check_cuda(
          cudaMemcpyAsync(to, from, n * sizeof(float), cudaMemcpyDeviceToDevice, machine.stream()),
          "copy");
    });
  };
  float best = once();
  for (int i = 0; i < 9; ++i) best = std::min(best, once());
  return best;
}

std::string json(rows const& all, std::string const& gpu) {
  std::string text = "{\"gpu\": \"" + gpu + "\", \"rows\": [";
  for (auto const& r : all)
    text += (&r == all.data() ? "\n" : ",\n") + std::string("  {\"stem\": \"") + r.stem +
            "\", \"type\": \"" + r.type + "\", \"n\": " + std::to_string(r.n) +
            ", \"launches\": " + std::to_string(r.launches) +
            ", \"bytes\": " + std::to_string(r.bytes) + ", \"difference\": \"" + r.difference +
            "\", \"milliseconds\": " + std::to_string(r.milliseconds) + "}";
  return text + "\n]}\n";
}

int run_all(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "textbook_on_gpu: there is no GPU that CUDA can use on this machine\n");
    return 5;
  }
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, 0), "ask what the GPU is");
  rows all;
  int wrong = 0;
  std::printf("%-20s %8s %6s %14s %14s\n", "stem", "checked", "wrong", "2^24 GB/s", "2^28 GB/s");
  for (auto const& k : gpu_textbook::kernels()) {
    if (argc > 2 && argv[2] != k.stem) continue;
    std::string const stem(k.stem);
    rows mine;
    try {
      run(k, mine);
    } catch (std::exception const& e) {
      mine.push_back({stem, "", 0, 0, 0, e.what()});
    }
    int checked = 0, bad = 0;
    double speed[2] = {};
    for (auto const& r : mine) {
      checked += r.milliseconds == 0;
      bad += !r.difference.empty();
      if (r.milliseconds > 0)
        speed[r.n > (1u << 24)] = static_cast<double>(r.bytes) * 1e-6 / r.milliseconds;
      if (!r.difference.empty())
        std::printf("  %s %s n = %zu: %s\n", stem.c_str(), r.type.c_str(), r.n,
                    r.difference.c_str());
    }
    std::printf("%-20s %8d %6d %14.1f %14.1f\n", stem.c_str(), checked, bad, speed[0], speed[1]);
    wrong += bad;
    all.insert(all.end(), mine.begin(), mine.end());
  }
  for (std::size_t const n : timed_sizes()) {
    all.push_back({"copy", "f32", n, 0, 8 * n, "", copy_time(n)});
    std::printf("copy of %zu floats: %.1f GB/s\n", n,
                static_cast<double>(n) * 8e-6 / all.back().milliseconds);
  }
  if (argc > 1) std::ofstream(argv[1]) << json(all, properties.name);
  return wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace upsweep::on_gpu

int main(int argc, char** argv) {
  return upsweep::on_gpu::run_all(argc, argv);
}

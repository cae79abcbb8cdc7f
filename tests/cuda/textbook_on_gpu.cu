/// The textbook on the GPU: every algorithm right or wrong, and how fast.
///
/// Usage: textbook_on_gpu [FILE [STEM]]: prints a table, of one algorithm or of all, and writes
/// FILE as JSON; exit status 1 when a result is wrong, 5 without a GPU. UPSWEEP_GPU_MOST: no more
/// elements, and nothing is timed that would take more.
#include "textbook_on_gpu.cuh"

#include <cstdio>
#include <exception>
#include <fstream>

namespace upsweep::on_gpu {
namespace {

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

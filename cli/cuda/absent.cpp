/// The GPU's side of a tool that was built without CUDA: it says so.
#include <fmt/format.h>

#include "../io/error.hpp"
#include "bench_gpu.hpp"
#include "gpu.hpp"

namespace upsweep::cli::gpu {

namespace {
constexpr char const* sentence =
    "built without CUDA: this tool cannot use a GPU even if there is one; build it with nvcc 13 "
    "and cmake --preset cuda";
}

presence look() {
  presence p;
  p.trouble = sentence;
  return p;
}

device require(std::string const& who, std::string const& instead) {
  throw unavailable_error(
      fmt::format("{}: {}{}{}", who, sentence, instead.empty() ? "" : ", or ", instead));
}

int block_size() {
  return 0;
}
bool has_kernel(std::string_view, sample) {
  return false;
}
kernel_run run_kernel(std::string_view stem, sample, void const*, std::size_t, void*, std::size_t,
                      bool, double, bool) {
  throw unavailable_error(fmt::format("{}: {}", stem, sentence));
}

bool has_kernels(bench::work const&) {
  return false;
}
planned_device device_for_plans() {
  return {};
}
std::size_t free_memory() {
  return 0;
}
std::vector<plan_row> plans(std::vector<bench::configuration> const&) {
  throw unavailable_error(fmt::format("bench: {}", sentence));
}
bench::cell measure(bench::configuration const&, int, bench::settings const&) {
  throw unavailable_error(fmt::format("bench: {}", sentence));
}

}  // namespace upsweep::cli::gpu

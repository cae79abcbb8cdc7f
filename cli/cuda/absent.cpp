/// Replaces the GPU code in a tool that is built without CUDA: every function reports that.
#include <cli/cuda/bench_gpu.hpp>
#include <cli/cuda/gpu.hpp>
#include <io/error.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace upsweep::cli::gpu {

namespace {
constexpr char const* sentence =
    "this tool was built without CUDA and cannot use a GPU; build it with nvcc 13 and "
    "cmake --preset cuda";
}

presence look() {
  presence p;
  p.trouble = sentence;
  return p;
}

device require(std::string const& who, std::string const& instead) {
  throw io::unavailable_error("{}: {}{}{}", who, sentence, instead.empty() ? "" : "; ", instead);
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
  throw io::unavailable_error("bench: {}", sentence);
}
std::vector<bench::verb_row> verb_rows() {
  return {};
}
verb_plan plan_of(bench::verb_row const&, std::size_t) {
  throw io::unavailable_error("bench: {}", sentence);
}
bench::cell measure(bench::configuration const&, int, bench::settings const&) {
  throw io::unavailable_error("bench: {}", sentence);
}
device_streams const& streams() {
  static constexpr device_streams none{
      [](catalog::id, dynamic::dtype, void const*) -> std::unique_ptr<device_reduction> {
        throw io::unavailable_error("--on cuda: {}", sentence);
      },
      [](catalog::id, dynamic::dtype, void const*) -> std::unique_ptr<device_scan> {
        throw io::unavailable_error("--on cuda: {}", sentence);
      }};
  return none;
}

}  // namespace upsweep::cli::gpu

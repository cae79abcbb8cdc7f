/// Makes the elements, has the GPU run the kernel, and compares with the library.
#include <lab/run.hpp>

#include <lab/compare.hpp>
#include <lab/gpu_kernels.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::lab {

namespace {

std::optional<gpu::workload> workload_of(operation_name op, element_type type) {
  if (op == operation_name::affine && type == element_type::affine)
    return gpu::workload::affine_maps;
  if (op != operation_name::sum) return std::nullopt;
  if (type == element_type::i32) return gpu::workload::sum_i32;
  if (type == element_type::f32) return gpu::workload::sum_f32;
  return std::nullopt;
}

template <class T, class Op>
gpu_outcome run_with(request const& asked, Op const& op, bool skip_slow) {
  constexpr double patience = 2;  // seconds
  bool const scan = catalog_row(asked.stem).what == textbook::kind::scan;
  auto const x = elements_of<T>(asked);
  std::vector<T> got(scan ? x.size() : 1);
  auto const ran =
      gpu::run_kernel(asked.stem, *workload_of(asked.op, asked.type), x.data(), x.size(),
                      got.data(), got.size(), asked.exclusive, patience, skip_slow);
  gpu_outcome out;
  out.left_out = ran.left_out;
  if (!out.left_out.empty()) return out;
  compare(expected(asked, scan, x, called<T>(op)), got, tolerances(asked, x, got.size()),
          out.result);
  if (ran.wrote_past_end)
    out.result.failure = fmt::format("{}: the kernel wrote past the end of its output", asked.stem);
  auto seconds = ran.seconds.empty() ? std::vector<double>{ran.first_seconds} : ran.seconds;
  std::sort(seconds.begin(), seconds.end());
  out.seconds = seconds[seconds.size() / 2];
  out.runs = static_cast<int>(seconds.size());
  out.fastest = seconds.front();
  out.slowest = seconds.back();
  out.gigabytes_per_second =
      static_cast<double>(x.size() * sizeof(T)) * (scan ? 2e-9 : 1e-9) / out.seconds;
  out.launches = ran.launches;
  out.result.seconds = out.seconds;
  return out;
}

}  // namespace

std::string gpu_objection(request const& asked) {
  if (catalog_row(asked.stem).emulator_only)
    return fmt::format(
        "{} exists on the emulator only, because no GPU has such a unit; use --on sim", asked.stem);
  auto const workload = workload_of(asked.op, asked.type);
  if (!workload)
    return fmt::format(
        "{} of {} is not compiled for the GPU, which has sum of i32, sum of f32 and affine; "
        "use one of these, or --on sim",
        name_of(asked.op), name_of(asked.type));
  if (asked.threads != gpu::block_size())
    return fmt::format(
        "a block of {} threads is not compiled for the GPU; use --block {}, or --on sim",
        asked.threads, gpu::block_size());
  if (!gpu::has_kernel(asked.stem, *workload))
    return fmt::format(
        "{} does not support elements of type {}; 'upsweep explain {} --page' lists the types",
        asked.stem, name_of(asked.type), asked.stem);
  return {};
}

gpu_outcome run_on_gpu(request const& asked, bool skip_slow) {
  if (asked.type == element_type::affine)
    return run_with<map_element>(asked, in_own_type<affine>{}, skip_slow);
  if (asked.type == element_type::f32)
    return run_with<float>(asked, in_own_type<plus>{}, skip_slow);
  return run_with<std::int32_t>(asked, in_own_type<plus>{}, skip_slow);
}

}  // namespace upsweep::lab

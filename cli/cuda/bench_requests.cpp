/// Operators times types times sizes, as far as the library brings kernels for them.
#include <cli/cuda/bench_requests.hpp>

#include <io/error.hpp>

#include <algorithm>

namespace upsweep::cli {

std::vector<std::string> const& gpu_operations() {
  static std::vector<std::string> const all{"sum", "product", "min", "max", "affine"};
  return all;
}

std::vector<std::string> const& gpu_types() {
  static std::vector<std::string> const all{"i8",  "u8",  "i16",  "u16", "i32", "u32",
                                            "i64", "u64", "bf16", "f32", "f64"};
  return all;
}

std::vector<gpu::request> gpu_requests(gpu_bench_flags const& flags) {
  auto const known = gpu::pairs();
  auto const has_kernels = [&](std::string const& op, std::string const& type) {
    return std::any_of(known.begin(), known.end(),
                       [&](auto const& p) { return p.op == op && p.type == type; });
  };
  std::vector<gpu::request> all;
  for (bool const scan : {false, true}) {
    if (flags.what == (scan ? "reduce" : "scan")) continue;
    for (auto const& op : flags.op.empty() ? std::vector<std::string>{"sum"} : flags.op)
      for (auto const& type : flags.type.empty() ? std::vector<std::string>{"f32"} : flags.type)
        if (has_kernels(op, type))
          for (auto const n : flags.sizes) all.push_back({scan, op, type, n});
  }
  if (all.empty())
    throw io::usage_error(
        "bench: no compiled kernel has this operation and type; the GPU has sums of every type, "
        "product, min and max of i32, i64, f32 and f64, and affine of f32 and f64");
  return all;
}

}  // namespace upsweep::cli

/// What --kernel, --grid, --block, --arg and --values say, as a launch.
#pragma once

#include <lab/program/program.hpp>
#include <lab/source/kernels.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::cli {

struct kernel_flags {
  std::string kernel;  ///< "scan<float, 256>"; empty: the file's main runs
  std::string grid;    ///< "4,2"; empty: enough blocks for n elements
  std::vector<std::string> arguments;
  std::string cluster = "1";  ///< "2,2"
  std::size_t shared_bytes = 0;

  /// Whether sizes depend on -n.
  [[nodiscard]] bool uses_n() const;
};

/// The value of "n", "n/256" (rounded up), "2*n+1" or a number. Throws usage_error, which begins
/// with `option`.
[[nodiscard]] std::uint64_t evaluate(std::string const& expression, std::uint64_t n,
                                     std::string const& option);

/// "256" or "16,16" as numbers, the rest 1. Throws usage_error.
[[nodiscard]] std::array<unsigned, 3> extent_of(std::string const& text, std::uint64_t n,
                                                std::string const& option);

/// The launch of one of these kernels; `values` are those of --values. Throws usage_error when the
/// arguments do not fit the parameters that the source names.
[[nodiscard]] lab::kernel_request launch_of(
    kernel_flags const& flags, std::string const& block, std::string const& values, std::uint64_t n,
    std::vector<lab::source::kernel_declaration> const& kernels);

}  // namespace upsweep::cli

/// From a .cu file to a shared object that the emulator loads.
#pragma once

#include <lab/source/module_cache.hpp>
#include <lab/source/rewrite.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::lab::source {

struct build_request {
  std::filesystem::path file;
  std::string text{};    ///< of the file; empty: it is read
  std::string compiler;  ///< empty: the default
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::string> definitions;  ///< "N=3"
  /// Standard headers that the sources include before all else: compiled once for all modules.
  std::vector<std::string> first_headers{};
  std::vector<std::filesystem::path> others{};  ///< further sources, compiled on their own
  std::vector<std::string> settings{};          ///< of constants in the source: "N=3"
  bool uses_openmp = false;
  int capability = 90;   ///< of the device: __CUDA_ARCH__ is ten times as much
  std::string kernel{};  ///< "scan<float, 256>": the module has an entry for it; may be empty
};

struct built_module {
  std::filesystem::path file;
  std::vector<std::string> notes;  ///< sentences that a user should know
  bool from_cache = false;
  bool has_main = false;
  std::vector<kernel_declaration> kernels;  ///< of the file and what it includes by name
};

/// Rewrites and compiles, or finds the module in `cache`. Throws io_error or data_error with a
/// sentence about the file, data_error with the compiler's first error in the file's lines and
/// columns, unavailable_error when there is no compiler that can do it, and usage_error when the
/// file does not have the kernel.
[[nodiscard]] built_module build(build_request const& asked, module_cache& cache);

}  // namespace upsweep::lab::source

/// A shared object with kernels in plain CUDA C++, compiled as docs/design/0003-laboratory.md says.
#pragma once

#include <filesystem>

namespace upsweep::sim {

/// It is loaded once and stays in memory. The program must export the emulator's hooks: link
/// upsweep_sim_modules, and set ENABLE_EXPORTS.
class module {
 public:
  /// Throws std::runtime_error with the reason when the object cannot be loaded.
  explicit module(std::filesystem::path const& file);

  /// The address of a function or variable with C linkage; null if there is none.
  [[nodiscard]] void* symbol(char const* name) const;
  template <class Function>
  [[nodiscard]] Function* function(char const* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* handle_;
};

}  // namespace upsweep::sim

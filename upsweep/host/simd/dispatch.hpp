/// Which SIMD instructions the vector kernels use on this processor, and how tests can force
/// others.
#pragma once

#include <upsweep/core/export.h>

#include <string>
#include <vector>

namespace upsweep::host::simd {

/// The name of the instruction set in use, as Highway calls it: "AVX3" (AVX-512), "AVX2", "SSE4",
/// "NEON", or without vectors "SCALAR" or "EMU128", by the compiler.
[[nodiscard]] UPSWEEP_API std::string target();

/// The names of the targets that this processor supports and this library was compiled for, fastest
/// first.
[[nodiscard]] UPSWEEP_API std::vector<std::string> targets();

/// Makes all kernels use the target `name` while it lives. For tests: it changes the whole process,
/// and only one may live at a time. Throws precondition_error for a name that is not in targets().
class UPSWEEP_API forced_target {
 public:
  explicit forced_target(std::string const& name);
  ~forced_target();
  forced_target(forced_target const&) = delete;
  forced_target& operator=(forced_target const&) = delete;
};

}  // namespace upsweep::host::simd

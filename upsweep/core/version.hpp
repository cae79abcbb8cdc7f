/// The version of the library and of the combine tree.
#pragma once

#include <upsweep/core/version.h>
#include <upsweep/core/compiler.hpp>

namespace upsweep {

#define UPSWEEP_QUOTED(number) #number
#define UPSWEEP_DOTTED(major, minor, patch) \
  UPSWEEP_QUOTED(major) "." UPSWEEP_QUOTED(minor) "." UPSWEEP_QUOTED(patch)
inline constexpr char const* version =  ///< the version as "major.minor.patch"
    UPSWEEP_DOTTED(UPSWEEP_VERSION_MAJOR, UPSWEEP_VERSION_MINOR, UPSWEEP_VERSION_PATCH);
#undef UPSWEEP_DOTTED
#undef UPSWEEP_QUOTED

/// The version of the combine tree (docs/contracts.md). A change of the bits of any result in
/// mode::reproducible would increase it.
inline constexpr int tree_version = 1;

}  // namespace upsweep

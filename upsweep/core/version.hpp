/// The version of the library and of the combine tree.
#pragma once

namespace upsweep {

inline constexpr int version_major = 0;
inline constexpr int version_minor = 1;
inline constexpr int version_patch = 0;
inline constexpr char const* version = "0.1.0";

/// The frozen combine tree (docs/contracts.md). A change of any result's bits in mode::reproducible would raise it.
inline constexpr int tree_version = 1;

}  // namespace upsweep

/// The size and the alignment of an element.
#pragma once

#include <cstdint>

namespace upsweep::sim {

/// Size in the low 16 bits, the alignment less 1 above.
using layout = std::uint32_t;
template <class T>
inline constexpr layout layout_of =
    static_cast<layout>(sizeof(T)) | static_cast<layout>(alignof(T) - 1) << 16;

}  // namespace upsweep::sim

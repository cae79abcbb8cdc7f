/// The check of the offsets of segments, compiled for the widest registers.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host {

/// detail::offsets_ascend of offsets in memory.
[[nodiscard]] UPSWEEP_API bool offsets_ascend(std::uint64_t const* offsets, std::size_t begin,
                                              std::size_t end);
[[nodiscard]] UPSWEEP_API bool offsets_ascend(std::uint32_t const* offsets, std::size_t begin,
                                              std::size_t end);
[[nodiscard]] UPSWEEP_API bool offsets_ascend(std::int32_t const* offsets, std::size_t begin,
                                              std::size_t end);

}  // namespace upsweep::host

/// Where the values of threadIdx and its like are.
#pragma once

#include <cstddef>

namespace upsweep::sim {

/// Of the running thread, if the variable at this offset of the program's thread-local memory is
/// one of them; else null.
[[nodiscard]] void const* index_variable(std::size_t offset);
/// The C library's address of the variable at this offset is `place`.
void learn_index_variable(void const* place, std::size_t offset);

}  // namespace upsweep::sim

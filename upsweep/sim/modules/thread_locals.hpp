/// Which thread-local variables are shared arrays.
#pragma once

#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/loaded_code.hpp>

#include <cstddef>

namespace upsweep::sim {

/// Whether a shared array lies at this offset in the thread-local memory of a module that has any:
/// upsweep/simt/cuda/words/keywords.h keeps other variables away from these offsets. Offset 0 is
/// also what code asks for that adds the offset itself, such as the C++ library's.
[[nodiscard]] constexpr bool is_offset_of_array(std::size_t offset) {
  return offset != 0 && offset % cell_bytes == 0;
}

/// The module has shared arrays from now on. Throws std::runtime_error when there are too many.
void serve_shared_arrays(loaded_code const& code);

}  // namespace upsweep::sim

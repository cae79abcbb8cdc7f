/// Which thread-local variables are shared arrays.
#pragma once

#include <cstddef>

namespace upsweep::sim {

/// The thread-local variables of this module, by the linker's number, are shared arrays from now
/// on. Throws std::runtime_error when the number is beyond what is expected of a program.
void serve_shared_arrays(std::size_t tls_module);

}  // namespace upsweep::sim

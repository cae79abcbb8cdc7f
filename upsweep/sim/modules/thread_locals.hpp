/// Which thread-local variables are shared arrays.
#pragma once

#include <upsweep/sim/loaded_code.hpp>

namespace upsweep::sim {

/// The thread-local variables of this module are shared arrays from now on. Throws
/// std::runtime_error when there are too many.
void serve_shared_arrays(loaded_code const& code);

}  // namespace upsweep::sim

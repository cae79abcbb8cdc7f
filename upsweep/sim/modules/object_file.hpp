/// What the symbol tables of a shared object tell.
#pragma once

#include <upsweep/sim/loaded_code.hpp>

#include <filesystem>

namespace upsweep::sim {

/// Makes undefined thread-local symbols weak in the file, if they are not yet: these are the
/// dynamic shared arrays, which no module defines. Throws std::runtime_error when the file is no
/// shared object of this processor.
void weaken_dynamic_arrays(std::filesystem::path const& file);

/// Fills in the arrays and variables. `code.begin` must be known.
void read_symbols(std::filesystem::path const& file, loaded_code& code);

}  // namespace upsweep::sim

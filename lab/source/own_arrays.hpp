/// Arrays of a thread's own.
#pragma once

#include <lab/source/edits.hpp>
#include <lab/source/tokens.hpp>

#include <vector>

namespace upsweep::lab::source {

/// Puts a check around each index of an array that device code declares in a function.
void find_own_arrays(token_view const& t, device_code const& device, std::vector<edit>& edits);

}  // namespace upsweep::lab::source

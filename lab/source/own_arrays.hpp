/// Arrays that device code declares in functions.
#pragma once

#include <lab/source/edits.hpp>
#include <lab/source/tokens.hpp>

#include <vector>

namespace upsweep::lab::source {

/// Puts a check around each index of an array that device code declares in a function.
void find_own_arrays(token_view const& t, device_code const& device, std::vector<edit>& edits);
/// Two dynamic shared arrays in one scope, which begin at the same address.
void find_dynamic_arrays(token_view const& t, std::vector<rewrite_finding>& findings);

}  // namespace upsweep::lab::source

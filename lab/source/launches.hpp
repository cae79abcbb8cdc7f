/// Launches `kernel<...><<<shape>>>(arguments)`, made calls.
#pragma once

#include <lab/source/edits.hpp>
#include <lab/source/tokens.hpp>

#include <vector>

namespace upsweep::lab::source {

/// Adds the edits and findings of the launches in a token list, `code` or a preprocessor line.
void find_launches(token_view const& tokens, bool in_directive, device_code const& device,
                   std::vector<edit>& edits, std::vector<rewrite_finding>& findings);

}  // namespace upsweep::lab::source

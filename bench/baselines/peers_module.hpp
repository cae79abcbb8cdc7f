/// The module of peers, which is installed with the tool.
#pragma once

#include <string>

namespace upsweep::bench {

/// The address of a function of the module, which is loaded once and stays; null, with a sentence
/// in `trouble`, if it is not there.
[[nodiscard]] void* peers_module_entry(char const* name, std::string& trouble);

}  // namespace upsweep::bench

/// The source line of an address in a module, from its debug data.
#pragma once

namespace upsweep::sim {

/// Lines of positions in modules are looked up from now on.
void find_lines_with_backtrace();

}  // namespace upsweep::sim

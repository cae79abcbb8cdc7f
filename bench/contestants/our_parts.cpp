/// Segments, reductions and scans by key, and windows.
#include <bench/contestants/our_parts.hpp>
#include <bench/contestants/ours.hpp>

namespace upsweep::bench {

verb_entries our_parts() {
  return parts<cpu>;
}

}  // namespace upsweep::bench

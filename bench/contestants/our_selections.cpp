/// Selections, partitions, unique, runs and padding.
#include <bench/contestants/our_selections.hpp>
#include <bench/contestants/ours.hpp>

namespace upsweep::bench {

verb_entries our_selections() {
  return selections<cpu>;
}

}  // namespace upsweep::bench

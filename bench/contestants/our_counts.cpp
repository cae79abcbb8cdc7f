/// Histograms.
#include <bench/contestants/our_counts.hpp>
#include <bench/contestants/ours.hpp>

namespace upsweep::bench {

verb_entries our_counts() {
  return counts<cpu>;
}

}  // namespace upsweep::bench

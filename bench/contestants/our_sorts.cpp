/// Sorts, quantile and top.
#include <bench/contestants/our_sorts.hpp>
#include <bench/contestants/ours.hpp>

namespace upsweep::bench {

verb_entries our_sorts() {
  return sorts<cpu>;
}

}  // namespace upsweep::bench

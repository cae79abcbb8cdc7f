/// Selections, histograms and sorts that only make plans.
#include <bench/contestants/our_counts.hpp>
#include <bench/contestants/our_selections.hpp>
#include <bench/contestants/our_sorts.hpp>
#include <cli/cuda/planned_verbs.hpp>
#include <upsweep/cuda/sort.cuh>

#include <vector>

namespace upsweep::cli::gpu {

std::vector<bench::verb_entries> planned_elements() {
  using upsweep::gpu;
  return {bench::selections<gpu>, bench::counts<gpu>, bench::sorts<gpu>};
}

}  // namespace upsweep::cli::gpu

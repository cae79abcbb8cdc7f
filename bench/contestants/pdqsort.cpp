/// Pattern-defeating quicksort (Peters 2021), without branches, on one thread.
#include <bench/harness/call.hpp>

#include <pdqsort.h>

#include <cstdint>

namespace upsweep::bench {
namespace {

template <class T>
void pdqsort_sort(call& c) {
  T* const x = output<T>(c);
  pdqsort_branchless(x, x + c.n);
  c.count = c.n;
}

constexpr verb_entry calls[] = {{"sort f32", pdqsort_sort<float>},
                                {"sort u32", pdqsort_sort<std::uint32_t>},
                                {"sort u64", pdqsort_sort<std::uint64_t>}};

}  // namespace

registration const pdqsort_registration{{"pdqsort", "pdqsort, 1 thread", false, nullptr, calls}};

}  // namespace upsweep::bench

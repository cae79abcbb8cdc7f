/// Pattern-defeating quicksort (Peters 2021), without branches, on one thread.
#include <bench/verbs/peers/peers.hpp>

#include <pdqsort.h>

namespace upsweep::bench {
namespace {

template <class T>
void pdqsort_sort(verb_call& c) {
  T* const x = static_cast<T*>(c.out);
  pdqsort_branchless(x, x + c.n);
  c.count = c.n;
}

constexpr verb_entry calls[] = {{"sort f32", pdqsort_sort<float>},
                                {"sort u32", pdqsort_sort<std::uint32_t>},
                                {"sort u64", pdqsort_sort<std::uint64_t>}};

}  // namespace

verb_registration const pdqsort_of_verbs{
    verb_peer_of("pdqsort", "pdqsort, 1 thread", false, calls)};

}  // namespace upsweep::bench

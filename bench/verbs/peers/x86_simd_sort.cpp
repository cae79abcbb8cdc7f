/// Intel's quicksort for AVX2 and AVX-512, on one thread.
#include <bench/verbs/peers/peers.hpp>

#include <x86simdsort-static-incl.h>

#include <algorithm>
#include <vector>

namespace upsweep::bench {
namespace {

template <class T>
void x86_sort(verb_call& c) {
  x86simdsortStatic::qsort(static_cast<T*>(c.out), c.n);
  c.count = c.n;
}

void x86_quantile(verb_call& c) {
  std::vector<float> copy(elements_in<float>(c).begin(), elements_in<float>(c).end());
  std::size_t const lower = (c.n - 1) / 2;
  x86simdsortStatic::qselect(copy.data(), lower, c.n);
  auto const at = copy.begin() + static_cast<std::ptrdiff_t>(lower);
  auto const upper = c.n % 2 == 0 ? std::min_element(at + 1, copy.end()) : at;
  results_in<double>(c, 1)[0] = (static_cast<double>(*at) + static_cast<double>(*upper)) / 2;
  c.count = 1;
}

constexpr verb_entry calls[] = {{"sort f32", x86_sort<float>},
                                {"sort u32", x86_sort<std::uint32_t>},
                                {"sort u64", x86_sort<std::uint64_t>},
                                {"quantile f32", x86_quantile}};

}  // namespace

verb_registration const x86_simd_sort_of_verbs{
    verb_peer_of("x86-simd-sort", "x86-simd-sort, 1 thread", false, calls)};

}  // namespace upsweep::bench

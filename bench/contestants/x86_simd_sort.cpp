/// Intel's quicksort for AVX2 and AVX-512, on one thread.
#include <bench/harness/call.hpp>

#include <x86simdsort-static-incl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::bench {
namespace {

template <class T>
void x86_sort(call& c) {
  x86simdsortStatic::qsort(output<T>(c), c.n);
  c.count = c.n;
}

void x86_quantile(call& c) {
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

registration const x86_simd_sort_registration{
    {"x86-simd-sort", "x86-simd-sort, 1 thread", false, nullptr, calls}};

}  // namespace upsweep::bench

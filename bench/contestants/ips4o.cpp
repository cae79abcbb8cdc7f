/// In-place parallel super scalar samplesort (Axtmann et al. 2017), on one thread and on all.
#include <bench/harness/call.hpp>

#include <ips4o.hpp>

#include <cstdint>
#include <functional>

namespace upsweep::bench {
namespace {

template <class T>
void ips4o_sort(call& c) {
  T* const x = output<T>(c);
  ips4o::parallel::sort(x, x + c.n, std::less<>{}, c.threads);
  c.count = c.n;
}

template <class T>
void ips4o_serial_sort(call& c) {
  T* const x = output<T>(c);
  ips4o::sort(x, x + c.n);
  c.count = c.n;
}

constexpr verb_entry calls[] = {{"sort f32", ips4o_sort<float>},
                                {"sort u32", ips4o_sort<std::uint32_t>},
                                {"sort u64", ips4o_sort<std::uint64_t>}};
constexpr verb_entry serial_calls[] = {{"sort f32", ips4o_serial_sort<float>},
                                       {"sort u32", ips4o_serial_sort<std::uint32_t>},
                                       {"sort u64", ips4o_serial_sort<std::uint64_t>}};

}  // namespace

registration const ips4o_registration{{"ips4o", "IPS4o", false, nullptr, calls}};
registration const ips4o_serial_registration{
    {"ips4o-serial", "IS4o, 1 thread", false, nullptr, serial_calls}};

}  // namespace upsweep::bench

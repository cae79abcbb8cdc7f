/// Where the extremes are, of the C interface: positions alone, without the values.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/arg_extrema.hpp>

namespace upsweep::c_api {

std::span<entry const> positions() {
  static constexpr auto table =
      joined(entries<argmin, std::uint64_t>(UPSWEEP_ARGMIN, integers{}), entries<argmin, std::uint64_t>(UPSWEEP_ARGMIN, floats{}),
             entries<argmax, std::uint64_t>(UPSWEEP_ARGMAX, integers{}), entries<argmax, std::uint64_t>(UPSWEEP_ARGMAX, floats{}));
  return table;
}

}  // namespace upsweep::c_api

/// The maxima of the C interface, with and without NaN.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/min_max.hpp>

namespace upsweep::c_api {

std::span<entry const> maxima() {
  static constexpr auto table =
      joined(entries<max>(UPSWEEP_MAX, integers{}), entries<max>(UPSWEEP_MAX, floats{}),
             entries<max_number>(UPSWEEP_MAX_IGNORING_NAN, floats{}));
  return table;
}

}  // namespace upsweep::c_api

/// The minima of the C interface, with and without NaN.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/min_max.hpp>

namespace upsweep::c_api {

std::span<entry const> minima() {
  static constexpr auto table =
      joined(entries<min>(UPSWEEP_MIN, integers{}), entries<min>(UPSWEEP_MIN, floats{}),
             entries<min_number>(UPSWEEP_MIN_IGNORING_NAN, floats{}));
  return table;
}

}  // namespace upsweep::c_api

/// The sums and products of the C interface that refuse to wrap.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/checked.hpp>

namespace upsweep::c_api {

std::span<entry const> checked_results() {
  static constexpr auto table =
      joined(entries<checked_plus<>>(UPSWEEP_CHECKED_SUM, integers{}),
             entries<checked_multiplies<>>(UPSWEEP_CHECKED_PRODUCT, integers{}));
  return table;
}

}  // namespace upsweep::c_api

/// The exact sums of the C interface.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/exact_sum.hpp>

namespace upsweep::c_api {

std::span<entry const> exact_sums() {
  static constexpr auto table = joined(entries<exact_sum>(UPSWEEP_EXACT_SUM, floats{}));
  return table;
}

}  // namespace upsweep::c_api

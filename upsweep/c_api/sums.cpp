/// The sums of the C interface.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/arithmetic.hpp>

namespace upsweep::c_api {

std::span<entry const> sums() {
  static constexpr auto table =
      joined(entries<plus>(UPSWEEP_SUM, integers{}), entries<plus>(UPSWEEP_SUM, floats{}));
  return table;
}

}  // namespace upsweep::c_api

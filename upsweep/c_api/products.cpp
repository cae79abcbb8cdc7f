/// The products of the C interface.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/arithmetic.hpp>

namespace upsweep::c_api {

std::span<entry const> products() {
  static constexpr auto table = joined(entries<multiplies>(UPSWEEP_PRODUCT, integers{}),
                                       entries<multiplies>(UPSWEEP_PRODUCT, floats{}));
  return table;
}

}  // namespace upsweep::c_api

/// The bitwise operators of the C interface.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/bitwise.hpp>

namespace upsweep::c_api {

std::span<entry const> bits() {
  static constexpr auto table = joined(entries<bit_and>(UPSWEEP_BIT_AND, integers{}), entries<bit_or>(UPSWEEP_BIT_OR, integers{}),
                                       entries<bit_xor>(UPSWEEP_BIT_XOR, integers{}));
  return table;
}

}  // namespace upsweep::c_api

/// The logical operators of the C interface; a truth value is a byte, 0 or 1.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/logical.hpp>

namespace upsweep::c_api {

std::span<entry const> truths() {
  static constexpr auto table = joined(entries<logical_and, std::uint8_t>(UPSWEEP_LOGICAL_AND, integers{}),
                                       entries<logical_and, std::uint8_t>(UPSWEEP_LOGICAL_AND, floats{}),
                                       entries<logical_or, std::uint8_t>(UPSWEEP_LOGICAL_OR, integers{}),
                                       entries<logical_or, std::uint8_t>(UPSWEEP_LOGICAL_OR, floats{}),
                                       entries<logical_xor, std::uint8_t>(UPSWEEP_LOGICAL_XOR, integers{}),
                                       entries<logical_xor, std::uint8_t>(UPSWEEP_LOGICAL_XOR, floats{}));
  return table;
}

}  // namespace upsweep::c_api

/// The bitwise operators of the C interface, which do not care for the sign.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/bitwise.hpp>

namespace upsweep::c_api {
namespace {

template <class Op>
constexpr auto all_types(upsweep_operator op) {
  auto const of_unsigned = entries<Op>(op, unsigned_integers{});
  return joined(for_signed(of_unsigned), of_unsigned);
}

}  // namespace

std::span<entry const> bits() {
  static constexpr auto table =
      joined(all_types<bit_and>(UPSWEEP_BIT_AND), all_types<bit_or>(UPSWEEP_BIT_OR),
             all_types<bit_xor>(UPSWEEP_BIT_XOR));
  return table;
}

}  // namespace upsweep::c_api

/// The greatest common divisors of the C interface.
#include <upsweep/c_api/table.hpp>
#include <upsweep/ops/gcd.hpp>

namespace upsweep::c_api {

std::span<entry const> divisors() {
  static constexpr auto table = joined(entries<gcd>(UPSWEEP_GCD, integers{}));
  return table;
}

}  // namespace upsweep::c_api

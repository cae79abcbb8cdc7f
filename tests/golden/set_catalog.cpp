/// Cases of the golden set: the operators of the catalog besides sums, products and extrema.
#include "set_whole.hpp"

namespace upsweep::golden_set {

result_text catalog_case(cpu const& on, call_case const& c) {
  using rows = table<over<types<bit_and, bit_or, bit_xor>, dynamic::integers>,
                     over<types<logical_and, logical_or, logical_xor>, dynamic::numbers>,
                     over<types<argmin, argmax, argmin_last, argmax_last>, dynamic::numbers>,
                     over<types<gcd, checked_plus<>, checked_multiplies<>>, dynamic::integers>,
                     over<types<exact_sum>, dynamic::numbers>>;
  return run_whole<rows>(on, c);
}

}  // namespace upsweep::golden_set

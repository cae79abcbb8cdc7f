/// Cases of the golden set: sums, products and extrema of whole arrays.
#include "set_whole.hpp"

namespace upsweep::golden_set {

result_text arithmetic_case(cpu const& on, call_case const& c) {
  using rows =
      table<over<types<plus, multiplies, min, max, min_number, max_number>, dynamic::numbers>>;
  return run_whole<rows>(on, c);
}

}  // namespace upsweep::golden_set

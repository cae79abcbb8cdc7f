/// The parts of the runner on the CPU, each compiled alone: the text of a result, or nothing
/// if the case belongs to another part.
#pragma once

#include "set_dispatch.hpp"

namespace upsweep::golden_set {

result_text arithmetic_case(cpu const& on, call_case const& c);  // sums, products, extrema
result_text catalog_case(cpu const& on, call_case const& c);     // other operators of one number
result_text statistics_case(cpu const& on, call_case const& c);  // and those of several
result_text recurrence_case(cpu const& on, call_case const& c);
result_text segments_case(cpu const& on, call_case const& c);   // and runs
result_text windows_case(cpu const& on, call_case const& c);    // and lines along an axis
result_text selection_case(cpu const& on, call_case const& c);  // and rows
result_text histogram_case(cpu const& on, call_case const& c);
result_text order_case(cpu const& on, call_case const& c);

/// The text of a case of any part.
result_text text_of_case(cpu const& on, call_case const& c);

}  // namespace upsweep::golden_set

/// The values of a picture as text.
#pragma once

#include <lab/values.hpp>
#include <upsweep/sim/report.hpp>

#include <optional>
#include <string>

namespace upsweep::lab {

/// The value of `e` as text: as an element if it can be one, else as an integer. A flag or counter
/// read as a float would be tiny, and no kernel here has elements below 1e-30.
[[nodiscard]] std::string text_of(sim::lane_event const& e, std::optional<element_type> known);

/// The value that a lane receives over the crossbar: an element followed by a valid bit.
[[nodiscard]] std::string text_received(sim::lane_event const& e,
                                        std::optional<element_type> known);

}  // namespace upsweep::lab

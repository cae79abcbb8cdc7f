/// Traced runs: the picture of a request with its caption.
#pragma once

#include <lab/picture.hpp>
#include <lab/run.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep::lab {

struct drawing {
  picture shape;
  caption words;
};

/// Runs `asked` twice, once for the values and once for the combining tree. Throws usage_error if
/// it is too large for a page.
[[nodiscard]] drawing traced(request const& asked);

/// Throws usage_error if a launch is too large for a page.
void check_size(sim::launch_report const& launch);

/// The picture of launch `number`, the only one in the report's trace, and its findings.
[[nodiscard]] drawing drawn_launch(sim::report const& report, std::size_t number);

/// The block size for a picture of this many elements: one tile for a kernel of one block, many
/// tiles for one of the whole array.
[[nodiscard]] int picture_block(request const& asked);

/// The number of elements for a picture: one tile for a kernel of one block, somewhat more than two
/// tiles for one of the whole array.
[[nodiscard]] std::uint64_t picture_size(std::string const& stem);

/// The paragraph of an algorithm's page that explains its idea.
[[nodiscard]] std::string idea_of(std::string_view page);

}  // namespace upsweep::lab

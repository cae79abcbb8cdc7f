/// Runs that are drawn: the picture of a request with what stands around it.
#pragma once

#include <lab/page.hpp>
#include <lab/run.hpp>

#include <string>
#include <string_view>

namespace upsweep::lab {

struct drawing {
  picture shape;
  caption words;
};

/// Runs `asked` twice, once for the values and once for the combining tree. Throws usage_error when
/// it would not fit a page.
[[nodiscard]] drawing traced(request const& asked);

/// The block that shows the algorithm best on as many elements: one tile for a kernel of one block,
/// many for one of the whole array.
[[nodiscard]] int picture_block(request const& asked);

/// How many elements show the algorithm: one tile for a kernel of one block, two and a bit for one
/// of the whole array.
[[nodiscard]] std::uint64_t picture_size(std::string const& stem);

/// The paragraph of an algorithm's page that says its idea.
[[nodiscard]] std::string idea_of(std::string_view page);

}  // namespace upsweep::lab

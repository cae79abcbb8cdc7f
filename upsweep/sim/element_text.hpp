/// Elements of a known type as text, and numbers in text as elements.
#pragma once

#include <upsweep/sim/trace.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace upsweep::sim {

/// `size` bytes that begin `offset` bytes into elements of that type: "2.5", or "{1, 2.5}" if they
/// hold several numbers. Empty if they hold none.
[[nodiscard]] std::string text_of(element_layout const& type, std::byte const* bytes,
                                  std::size_t size, std::size_t offset = 0);

/// Writes a number to its position in `element`; false if the text is no number that it can hold.
[[nodiscard]] bool set_number(number_field const& field, std::string_view text, std::byte* element);

}  // namespace upsweep::sim

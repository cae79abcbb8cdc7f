/// Where the values of raw binary and .npy files lie.
#pragma once

#include <io/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace upsweep::io {

/// `elements` values of type `stored`, or all up to the end of the file. They begin where the
/// source's window begins.
struct array_layout {
  dtype stored = dtype::f64;
  dtype delivered = dtype::f64;
  bool swapped = false;
  std::optional<std::uint64_t> elements;
  bool may_follow = false;  ///< bytes after the last element are allowed
  std::vector<std::size_t>
      chosen;  ///< columns of a two-dimensional array; empty for all values as one column
};

/// Reads such a file, of which `facts` are known.
[[nodiscard]] std::unique_ptr<reader> make_array_reader(std::unique_ptr<byte_source> source,
                                                        array_layout what, input_facts facts);

}  // namespace upsweep::io

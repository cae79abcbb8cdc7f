/// What the module upsweep_arrow.so offers to the tool, which loads it when a file needs it. They
/// come from one build, so the interface is C++.
#pragma once

#include <io/column_source.hpp>
#include <io/container.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace upsweep::io {

/// The bytes of a file: all in memory, or if `read` is set a stream, of which it reads some and
/// returns their number, 0 at the end.
struct arrow_bytes {
  std::string_view whole = {};
  std::function<std::size_t(char* out, std::size_t room)> read = {};
};

/// These throw std::exception with a sentence without its point, and what `read` and `put` throw.
struct arrow_module {
  std::unique_ptr<column_source> (*read)(container format, arrow_bytes bytes, int threads);
  std::unique_ptr<column_sink> (*write)(container format, std::span<source_column const> columns,
                                        std::function<void(std::string_view)> put);
};

/// The name and type of the only function that the module exports.
inline constexpr char arrow_entry[] = "upsweep_arrow_module";
using arrow_entry_function = arrow_module const* (*)();

/// Of read.cpp, in the module.
[[nodiscard]] std::unique_ptr<column_source> read_by_arrow(container format, arrow_bytes bytes,
                                                           int threads);

}  // namespace upsweep::io

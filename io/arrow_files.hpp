/// Parquet and Arrow's IPC, by a module that is loaded when such a file is read or written.
#pragma once

#include <io/reader.hpp>
#include <io/writer.hpp>

#include <memory>
#include <optional>
#include <span>

namespace upsweep::io {

/// The format of Arrow's that the first bytes are; waits for eight.
[[nodiscard]] std::optional<container> arrow_format_of(byte_source& source);

/// Parquet and Arrow's file format are read into memory unless they are mapped; a stream is read as
/// it arrives. Throws unavailable_error without Arrow's library.
[[nodiscard]] std::unique_ptr<reader> make_arrow_reader(std::unique_ptr<byte_source> source,
                                                        input_options const& options,
                                                        container format,
                                                        std::span<dtype const> types);

/// Strings whose first values are all integers, or all numbers, become numbers.
[[nodiscard]] std::unique_ptr<writer> make_arrow_writer(output_options options);

}  // namespace upsweep::io

/// Formats that are not read, recognized by their first bytes, and how to convert each.
#pragma once

#include <io/byte_source.hpp>

#include <string_view>

namespace upsweep::io {

/// Throws data_error if `source` begins as a file of another format does (a workbook, Parquet,
/// Arrow, HDF5, a database, a compressed file ...), with a command that converts it. Waits for more
/// bytes only while those that arrived are the beginning of such a format.
void refuse_foreign(byte_source& source);

/// Throws data_error for text whose characters have two or four bytes, with the command of iconv.
void refuse_wide_text(byte_source& source);

/// Throws data_error for mark-up (XML, HTML).
void refuse_markup(byte_source& source);

/// Throws data_error if the lines of the text in the window end with a carriage return alone.
void refuse_lone_returns(byte_source const& source);

/// Throws usage_error if a file name's extension is that of a format that is not written.
void refuse_to_write(std::string_view path);

}  // namespace upsweep::io

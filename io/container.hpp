/// The file formats: how they are named and recognized, and those that are not read.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace upsweep::io {

class byte_source;

/// `text` is numbers separated by white space; `csv` and `tsv` are records of quoted or bare
/// fields; `raw` is values without a header; `jsonl` is JSON values, mostly objects, one after the
/// other, and `json` an array of them. `markdown` and `aligned` tables are only written. `arrow` is
/// Arrow's IPC as a file, which is Feather 2 too, and `arrows` its stream.
enum class container : std::uint8_t {
  automatic,
  text,
  csv,
  tsv,
  raw,
  npy,
  jsonl,
  json,
  markdown,
  aligned,
  parquet,
  arrow,
  arrows
};

[[nodiscard]] constexpr bool is_json(container format) noexcept {
  return format == container::jsonl || format == container::json;
}
/// True for values of one type without strings.
[[nodiscard]] constexpr bool is_array(container format) noexcept {
  return format == container::raw || format == container::npy;
}

/// True for the formats that Arrow's library reads and writes.
[[nodiscard]] constexpr bool is_of_arrow(container format) noexcept {
  return format == container::parquet || format == container::arrow || format == container::arrows;
}

enum class byte_order : std::uint8_t { little, big };
inline constexpr byte_order native_order =
    std::endian::native == std::endian::little ? byte_order::little : byte_order::big;

/// "text", "csv", "tsv", "raw", "npy", "jsonl", "json", "markdown", "aligned", "parquet", "arrow",
/// "arrows", "auto".
[[nodiscard]] std::string_view name_of(container format) noexcept;
[[nodiscard]] std::optional<container> find_container(std::string_view name) noexcept;
/// What follows the last dot of the file's name; empty if there is no dot.
[[nodiscard]] std::string_view extension_of(std::string_view path) noexcept;
/// The format that a path's extension implies: .txt .text .dat, .csv, .tsv .tab, .npy, .jsonl
/// .ndjson, .json, .md, .parquet .pq, .arrow .feather .ipc, .arrows, and .bin .raw or a dtype's
/// name (.f32); otherwise automatic.
[[nodiscard]] container container_of_path(std::string_view path) noexcept;

/// "little" and "big" (also "le", "be", "<", ">", "native").
[[nodiscard]] std::optional<byte_order> find_byte_order(std::string_view name) noexcept;

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

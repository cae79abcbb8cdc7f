/// The base class of the readers: the bytes, and what is known before the first row.
#pragma once

#include <io/byte_source.hpp>
#include <io/error.hpp>
#include <io/input.hpp>
#include <io/limits.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::io {

class reader {
 public:
  explicit reader(std::unique_ptr<byte_source> source) : source_(std::move(source)) {}
  virtual ~reader() = default;
  reader(reader const&) = delete;
  reader& operator=(reader const&) = delete;

  virtual bool next(chunk& out) = 0;
  virtual array_view array() = 0;

  [[nodiscard]] byte_source const& source() const noexcept { return *source_; }

  std::vector<column_info> columns;
  std::vector<std::string> keys;
  std::vector<chosen_column> chosen;  ///< if the columns may be text; otherwise empty
  container format = container::text;
  bool has_header = false;
  char delimiter = ',';
  bool may_widen = false;
  std::optional<std::vector<std::size_t>> shape;
  bool fortran_order = false;
  std::optional<std::uint64_t> total_rows;
  std::uint64_t skipped_rows = 0;

 protected:
  std::unique_ptr<byte_source> source_;
};

/// Text, CSV and TSV.
[[nodiscard]] std::unique_ptr<reader> make_text_reader(std::unique_ptr<byte_source> source,
                                                       input_options const& options,
                                                       container format);
/// Raw binary.
[[nodiscard]] std::unique_ptr<reader> make_raw_reader(std::unique_ptr<byte_source> source,
                                                      input_options const& options);
/// .npy.
[[nodiscard]] std::unique_ptr<reader> make_npy_reader(std::unique_ptr<byte_source> source,
                                                      input_options const& options);

}  // namespace upsweep::io

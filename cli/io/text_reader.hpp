/// Reads text, CSV and TSV into typed columns, one record at a time, from a window that slides over the file or stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reader.hpp"
#include "records.hpp"
#include "text_layout.hpp"

namespace upsweep::cli::io {

class text_reader final : public reader {
 public:
  text_reader(std::unique_ptr<byte_source> source, input_options const& options, container found);

  bool next(chunk& out) override;
  array_view array() override;

 private:
  enum class step { record, end, pause };
  struct value_column {
    std::size_t field = 0;
    dtype type = dtype::f64;
    std::vector<std::byte> values;
  };
  struct key_column {
    std::size_t field = 0;
    std::string characters;
    std::vector<std::size_t> ends;
  };

  void choose_rules(input_options const& options);
  [[nodiscard]] first_records peek(input_options const& options);
  void choose_types(input_options const& options);
  void make_columns(text_layout const& layout);

  [[nodiscard]] scan_result scan(char const* from, char const* end, bool last);
  [[nodiscard]] step advance();
  void check_width() const;
  void store();
  void drop_consumed();

  [[nodiscard]] std::string locate(char const* at) const;
  [[noreturn]] void refuse(scan_result const& result) const;
  [[noreturn]] void refuse_as_name(field const& where) const;
  [[noreturn]] void refuse_value(std::size_t column, field const& where) const;

  record_rules rules_;
  bool flat_ = false;
  bool hash_first_ = false;
  bool skip_missing_ = false;
  bool judged_by_sample_ = false;  ///< the types come from the beginning of a stream, not from all of a file
  std::size_t width_ = 0;
  std::vector<value_column> values_;
  std::vector<key_column> key_columns_;
  std::size_t rows_per_chunk_ = 1;
  std::size_t rows_ = 0;
  std::size_t key_bytes_ = 0;
  std::uint64_t first_row_ = 0;
  std::vector<std::uint64_t> numbers_;  ///< of the rows of this chunk, when some are skipped

  char const* cursor_ = nullptr;
  char const* record_ = nullptr;  ///< first byte of the record in `fields_`
  std::vector<field> fields_;
  std::uint64_t lines_before_ = 0;  ///< line ends before the window
  std::uint64_t bytes_before_ = 0;  ///< of its first line, before the window
};

}  // namespace upsweep::cli::io

/// Reads named columns that have types, of Arrow's formats and of .npy records: as numbers, and as
/// strings where keys or whole rows are wanted.
#pragma once

#include <io/column_source.hpp>
#include <io/reader.hpp>
#include <io/text_layout.hpp>
#include <io/text_types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

class column_reader final : public reader {
 public:
  /// `types` are those of the value columns if they are known. `from` may refer to `bytes`.
  column_reader(std::unique_ptr<byte_source> bytes, std::unique_ptr<column_source> from,
                input_options options, std::span<dtype const> types);

  bool next(chunk& out) override;
  array_view array() override;
  void set_types(std::span<dtype const> types) override;
  void join_keys(key_joining const& how) override;
  [[nodiscard]] key_kind kind_of_key(std::size_t key) const noexcept override {
    return column_of(keys_[key]).is_decimal ? key_kind::number : reader::kind_of_key(key);
  }
  /// The source need not read front to back.
  [[nodiscard]] std::optional<std::uint64_t> bytes_total() const noexcept override {
    return std::nullopt;
  }

 private:
  struct texts {
    std::string characters;
    std::vector<std::size_t> ends;
    [[nodiscard]] text_column view() const noexcept { return {characters, ends}; }
    void end() { ends.push_back(characters.size()); }
  };

  void choose(text_layout const& layout, input_options const& options,
              std::span<dtype const> types);
  void choose_from_source();
  [[nodiscard]] source_column const& column_of(std::size_t at) const {
    return from_->columns[read_[at]];
  }

  void find_gaps(std::size_t value);
  void keep_whole_rows();
  void make_numbers(std::size_t value);
  void parse_texts(std::size_t value);
  void convert_numbers(std::size_t value);
  [[nodiscard]] text_column texts_of(std::size_t key);
  [[nodiscard]] text_column kept(text_column from, texts& out) const;
  [[nodiscard]] bool has_value(std::size_t value, std::size_t row) const {
    return present_[value].empty() || present_[value][row] != 0;
  }
  void join(chunk& out);
  [[noreturn]] void refuse(std::size_t value, std::size_t row, std::string_view what) const;

  std::unique_ptr<column_source> from_;
  source_rows batch_;
  std::vector<std::size_t> read_;    // the columns of the file that are read
  std::vector<std::size_t> values_;  // of each value column, its position among these
  std::vector<std::size_t> keys_;    // of each key
  bool skip_missing_ = false, mark_missing_ = false, has_own_words_ = false;
  missing_words missing_;
  key_joining joining_;

  std::uint64_t rows_before_ = 0;  // in the file
  std::uint64_t delivered_ = 0;
  std::vector<std::vector<std::uint8_t>> present_;  // of each value column; empty if all are
  std::vector<std::vector<std::byte>> numbers_;
  std::vector<typed_column> ready_;
  std::vector<texts> texts_;
  texts joined_;
  bool skips_ = false;  // some rows of the batch are not delivered
  std::vector<std::size_t> kept_;
  std::vector<std::uint64_t> row_numbers_;
  std::vector<text_column> views_;
};

}  // namespace upsweep::io

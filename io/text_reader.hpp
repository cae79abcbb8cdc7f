/// Reads text, CSV and TSV into typed columns. Splits a batch of the window into pieces, parses
/// them on all threads, and delivers them in order.
#pragma once

#include <io/column_choice.hpp>
#include <io/input.hpp>
#include <io/text_parser.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace upsweep::io {

class text_reader final : public reader {
 public:
  text_reader(std::unique_ptr<byte_source> source, input_options options, container found,
              std::span<dtype const> types);

  bool next(chunk& out) override;
  array_view array() override;
  void set_types(std::span<dtype const> types) override;
  void join_keys(key_joining const& how) override;
  void keep_tokens(std::size_t count, std::size_t compared) override {
    plan_.tokens = count;
    plan_.compared = compared;
  }
  [[nodiscard]] key_kind kind_of_key(std::size_t key) const noexcept override {
    if (key < plan_.tokens) return key_kind::token;
    return key < kinds_.size() ? kinds_[key] : key_kind::unknown;
  }

 private:
  void pass_separator_line(input_options const& options);
  void expect_comments() const;
  void expect_no_quotes(first_records const& records) const;
  void expect_name_of_each(std::size_t width);
  void expect_no_shift(std::string const& header) const;
  [[nodiscard]] text_layout layout_of(first_records const& records, input_options& options);
  void choose_rules(input_options const& options);
  [[nodiscard]] input_options with_header(input_options options) const;
  [[nodiscard]] first_records first_of(input_options const& options);
  [[nodiscard]] first_records peek(input_options const& options);
  [[nodiscard]] bool begins_with_lines_of_arrays(std::size_t at);
  void pass_json_bracket(json_rules& rules);
  template <class Scan>
  void sample_rows(Scan const& scan);
  [[nodiscard]] first_records peek_json(input_options const& options);
  void make_plan(text_layout const& layout, input_options const& options);
  void guess_types();
  void choose_types(input_options const& options);
  void take_as_text(std::vector<chosen_column> const& known, std::vector<column_use> const& uses);

  void begin_batch(piece_work work);
  [[nodiscard]] text_piece& take_piece(piece_work work);
  [[nodiscard]] bool read_batch();
  void note_large(std::size_t column, typed_column const& values);
  void deliver(text_piece& piece, chunk& out);
  [[nodiscard]] bool widen();
  void drop_consumed();

  [[nodiscard]] scan_result scan_at_cursor();
  [[nodiscard]] std::string locate(char const* at) const;
  [[noreturn]] void refuse_record();
  [[noreturn]] void refuse(scan_result const& result) const;
  void check_width(char const* record) const;
  [[noreturn]] void refuse_as_name(field const& where, header_verdict why,
                                   std::string const& hint) const;
  [[noreturn]] void refuse_value(std::size_t column, field const& where) const;
  void refuse_nested(std::string const& name, field const& where) const;

  text_plan plan_;
  int threads_ = 1;
  bool hash_first_ = false;
  bool judged_by_sample_ =
      false;  ///< the types come from the beginning of a stream, not from a whole file

  std::vector<key_kind> kinds_;  // of the keys that are not joined
  std::vector<text_piece> pieces_;
  std::size_t cut_ = 0;           ///< pieces of the current batch
  std::size_t taken_ = 0;         ///< those already delivered
  bool needs_more_ = false;       ///< the record at the cursor continues after the window
  char const* cursor_ = nullptr;  ///< in the window: after all delivered records
  std::uint64_t first_row_ = 0;
  field_list fields_;
  std::size_t header_bytes_ = 0;
  std::uint64_t lines_taken_ = 0;   ///< newlines between the window's beginning and the cursor
  std::uint64_t lines_before_ = 0;  ///< newlines before the window
  std::uint64_t bytes_before_ = 0;  ///< bytes of the window's first line that precede the window
};

}  // namespace upsweep::io

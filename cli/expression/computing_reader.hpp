/// Reads the columns of a file and computes others from them.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/engine/row_pool.hpp>
#include <cli/expression/computed_columns.hpp>
#include <io/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::cli {

/// Delivers the wanted columns, some of which are of the file.
class computing_reader final : public io::reader {
 public:
  computing_reader(expression_columns wanted, std::unique_ptr<io::reader> file);

  bool next(io::chunk& out) override;
  io::array_view array() override { return file_->array(); }
  void join_keys(io::key_joining const& how) override;
  [[nodiscard]] bool can_join_keys(std::size_t count) const noexcept override;
  void keep_tokens(std::size_t count) override;
  [[nodiscard]] io::key_kind kind_of_key(std::size_t key) const noexcept override;
  [[nodiscard]] std::string const& name() const noexcept override { return file_->name(); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return file_->bytes_read(); }
  [[nodiscard]] std::optional<std::uint64_t> bytes_total() const noexcept override {
    return file_->bytes_total();
  }

 private:
  /// A column that is delivered: of the file, or computed.
  struct delivered {
    std::optional<std::size_t> expression{};
    std::size_t index = 0;  ///< of a column of the file, among its values or keys
    bool is_value = false;  ///< a computed text that is chosen, and no key
  };
  using item = expression_columns::item;
  [[nodiscard]] std::vector<io::chosen_column> chosen_of_file() const;
  void resolve();
  void choose_keys();
  void choose_columns();
  void deliver(item const& of, io::chosen_column const& column);
  void compute(io::chunk& out);
  void keep_whole_rows(io::chunk& out);
  void compute_column(delivered const& which, io::chunk& out);
  void compute_key(delivered const& which, io::chunk& out);

  expression_columns columns_;
  std::unique_ptr<io::reader> file_;
  std::vector<delivered> values_, texts_;
  io::chunk rows_;  // of the file
  bool has_first_ = false, is_empty_ = false;
  std::vector<column_buffer> numbers_;
  std::vector<column_buffer> present_;
  std::vector<text_buffer> made_;
  std::uint64_t kept_rows_ = 0, dropped_rows_ = 0;  // with --skip-missing
  row_buffer kept_;
  text_buffer kept_joined_;
};

}  // namespace upsweep::cli

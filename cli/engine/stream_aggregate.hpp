/// The operators that are streams of the library: which one, over which types, and what becomes of
/// its results.
#pragma once

#include <cli/engine/aggregate.hpp>
#include <upsweep/by_name/streams.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

/// What a stream_aggregate says of its stream.
struct stream_shape {
  io::dtype takes;
  std::vector<result_field> fields;
  std::string use;            ///< as the user wrote it, for errors
  bool needs_values = false;  ///< an empty input is an error, although the operator has an identity
  bool takes_initial = true;
  bool exact = false, first_has_value = true;  ///< as in dynamic::stream_row
  std::optional<io::dtype> gives = {};  ///< what the stream stores; without it the types of fields
};

/// Passes columns to a stream and results on.
class stream_aggregate : public aggregate {
 public:
  stream_aggregate(dynamic::stream_pointer stream, stream_shape shape,
                   aggregate_settings const& settings);

  void initialize(std::uint64_t first_row) override;
  void number(std::span<std::uint64_t const> rows) override;
  void update(std::span<io::typed_column const> values) override;
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override;
  void finalize(std::span<column_buffer> results) override;
  [[nodiscard]] bool has_result() const noexcept override;
  void save(saved_state& to) const override;
  void load(saved_reader& from) override;
  [[nodiscard]] std::uint64_t position() const noexcept override { return stream_->position(); }
  void place(std::uint64_t position) override { stream_->restart(position); }
  [[nodiscard]] bool takes_piece(piece of) const noexcept override {
    return of == piece::in_place || shape_.exact;
  }
  void serialize(saved_state& to) const override;
  void combine(saved_reader& from) override;

 protected:
  /// The results of rows, or of all values, as the stream stores them.
  void scan_into(scan_kind kind, std::span<io::typed_column const> values,
                 std::span<void* const> out);
  void result_into(std::span<void* const> out);
  /// The result of all values, of operators with one of 64 bits.
  [[nodiscard]] std::uint64_t result_in_64_bits();
  /// The row number of the value at position `index`. If rows are numbered, the value must be one
  /// of the latest call.
  [[nodiscard]] std::uint64_t row_of(std::uint64_t index) const noexcept {
    if (!numbers_.empty()) return numbers_[index - numbered_from_] + rows_before_;
    return from_end_ ? first_row_ - index : first_row_ + index;
  }
  [[nodiscard]] bool in_piece() const noexcept { return in_piece_; }
  /// True if row_of(index) is no longer known.
  [[nodiscard]] bool is_past(std::uint64_t index) const noexcept {
    return !numbers_.empty() && index - numbered_from_ >= numbers_.size();
  }

 private:
  template <class F>
  void append_rows(std::size_t n, std::span<column_buffer> results, F const& store);

  dynamic::stream_pointer stream_;
  stream_shape shape_;
  bool from_end_, in_piece_;
  std::uint64_t rows_before_;
  std::uint64_t first_row_ = 0;             // of the value at position 0
  std::span<std::uint64_t const> numbers_;  // row numbers of the latest values
  std::uint64_t numbered_from_ = 0;         // position of the first of those values
  std::vector<void const*> in_;
  std::vector<void*> out_;
};

/// How a command's stream runs; `initial` as in dynamic::stream_options.
[[nodiscard]] dynamic::stream_options stream_options_of(aggregate_settings const& settings,
                                                        void const* initial = nullptr);

/// The operator `op` of the library with the name and parameter of `use`, for values of `type`.
/// Throws usage_error if the operator does not take such values or does not take --init.
[[nodiscard]] std::unique_ptr<aggregate> make_streamed(catalog::id op, operator_use const& use,
                                                       io::dtype type,
                                                       aggregate_settings const& settings);

/// True if the operator takes integers, and neither floating-point numbers nor others.
[[nodiscard]] bool takes_only_integers(catalog::id op) noexcept;

/// True if the GPU has the operator over such elements.
[[nodiscard]] bool is_on_gpu(catalog::id op, io::dtype element) noexcept;
/// The stream of a row, on the CPU or, with aggregate_settings::on_gpu, on the GPU. Throws
/// usage_error, which names `name`, for what the GPU does not have.
[[nodiscard]] dynamic::stream_pointer open_stream(dynamic::stream_row const& row,
                                                  aggregate_settings const& settings,
                                                  void const* initial, std::string const& name);

}  // namespace upsweep::cli

/// The base class of the readers: the bytes, and what is known before the first row.
#pragma once

#include <io/byte_source.hpp>
#include <io/column_source.hpp>
#include <io/error.hpp>
#include <io/input.hpp>
#include <io/limits.hpp>
#include <io/text_types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::io {

/// What input::join_keys asks for.
struct key_joining {
  std::size_t keys = 0;
  char separator = ',';
  bool quotes = true;
  bool members = false;  ///< of JSON: as members of an object
};

class reader : public input_facts {
 public:
  reader() = default;
  explicit reader(std::unique_ptr<byte_source> source) : source_(std::move(source)) {}
  virtual ~reader() = default;
  reader(reader const&) = delete;
  reader& operator=(reader const&) = delete;

  virtual bool next(chunk& out) = 0;
  virtual array_view array() = 0;

  /// For error messages.
  [[nodiscard]] virtual std::string const& name() const noexcept { return source_->name(); }
  [[nodiscard]] virtual std::uint64_t bytes_read() const noexcept { return source_->bytes_read(); }
  /// Nothing for a pipe.
  [[nodiscard]] virtual std::optional<std::uint64_t> bytes_total() const noexcept {
    return source_->bytes_total();
  }
  /// Before the first `next`: reads the value columns of text as these types instead of those
  /// guessed.
  virtual void set_types(std::span<dtype const>) {}
  [[nodiscard]] virtual bool can_join_keys(std::size_t) const noexcept { return true; }
  /// Before the first `next`: joins keys of text.
  virtual void join_keys(key_joining const&) {}
  /// Before the first `next`: see input::keep_tokens.
  virtual void keep_tokens(std::size_t) {}
  /// See input::kind_of_key.
  [[nodiscard]] virtual key_kind kind_of_key(std::size_t key) const noexcept {
    auto const type = key_types[key];
    return !type ? key_kind::text : *type == dtype::boolean ? key_kind::truth : key_kind::number;
  }

  bool is_blank = false;             ///< text without a record
  std::vector<type_guess> guesses;   ///< of the value columns of text whose types are not given
  std::vector<bool> keeps_spelling;  ///< of these: input_options::uses has as_written

 protected:
  /// The first `keys` keys are no longer delivered as such.
  void shift_texts(std::size_t joined) noexcept {
    for (auto& column : chosen) {
      if (column.is_text) column.index -= joined;
      if (column.written) *column.written -= joined;
    }
  }

  std::unique_ptr<byte_source> source_;
};

/// Opens one file. `types` are those of the value columns of text if they are known.
[[nodiscard]] std::unique_ptr<reader> open_reader(input_options const& options,
                                                  std::span<dtype const> types = {});

/// Text, CSV and TSV.
[[nodiscard]] std::unique_ptr<reader> make_text_reader(std::unique_ptr<byte_source> source,
                                                       input_options const& options,
                                                       container format,
                                                       std::span<dtype const> types);
/// Raw binary.
[[nodiscard]] std::unique_ptr<reader> make_raw_reader(std::unique_ptr<byte_source> source,
                                                      input_options options);
/// .npy, of numbers or of records.
[[nodiscard]] std::unique_ptr<reader> make_npy_reader(std::unique_ptr<byte_source> source,
                                                      input_options options,
                                                      std::span<dtype const> types);

/// Named columns that have types, of Arrow's formats and of .npy records. `types` are those of the
/// value columns if they are known. `from` may refer to `bytes`.
[[nodiscard]] std::unique_ptr<reader> make_column_reader(std::unique_ptr<byte_source> bytes,
                                                         std::unique_ptr<column_source> from,
                                                         input_options options,
                                                         std::span<dtype const> types);

/// Several files as one input.
[[nodiscard]] std::unique_ptr<reader> make_chained_reader(input_options const& options);

}  // namespace upsweep::io

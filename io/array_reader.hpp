/// Reads raw binary and .npy files. Values that are already contiguous, aligned, in native byte
/// order and of the requested type are handed out in place; others are copied chunk by chunk.
#pragma once

#include <io/reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::io {

class array_reader final : public reader {
 public:
  /// `elements` values of type `stored`, or all up to the end of the file. They begin where the
  /// source's window begins.
  struct layout {
    dtype stored = dtype::f64;
    dtype delivered = dtype::f64;
    bool swapped = false;
    std::optional<std::uint64_t> elements;
    bool may_follow = false;  ///< bytes after the last element are allowed
    std::vector<std::size_t>
        chosen;  ///< columns of a two-dimensional array; empty for all values as one column
  };

  explicit array_reader(std::unique_ptr<byte_source> source) : reader(std::move(source)) {}
  void start(layout what);

  bool next(chunk& out) override;
  array_view array() override;

 private:
  [[nodiscard]] bool next_flat(chunk& out);
  [[nodiscard]] bool next_rows(chunk& out);
  [[nodiscard]] bool next_transposed(chunk& out);
  void load_all();
  void check_end();
  [[nodiscard]] bool in_place(char const* values) const noexcept;
  [[nodiscard]] typed_column deliver(char const* values, std::size_t stride, std::size_t count,
                                     std::uint64_t first, std::size_t buffer);
  [[noreturn]] void refuse(char const* value, std::uint64_t element) const;

  layout what_;
  std::size_t size_ = 8;           ///< bytes of a stored element
  std::uint64_t data_offset_ = 0;  ///< of the first element in the file
  std::uint64_t done_ = 0;         ///< elements read so far; rows if columns were chosen
  bool ended_ = false;
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<char> gathered_;
};

}  // namespace upsweep::io

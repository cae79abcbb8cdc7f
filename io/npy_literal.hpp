/// Parses the kinds of Python literals that occur in the header of .npy.
#pragma once

#include <io/error.hpp>
#include <io/npy_header.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

class literal_parser {
 public:
  literal_parser(std::string_view text, std::string const& file) : text_(text), file_(file) {}

  void skip_blanks();
  [[nodiscard]] bool accept(char c);
  void expect(char c, std::string_view after);
  [[nodiscard]] std::string_view string(std::string_view what);
  [[nodiscard]] bool boolean();
  [[nodiscard]] std::vector<std::size_t> tuple();
  /// The fields of a record, without those that only fill it up; its size goes to `bytes`.
  [[nodiscard]] std::vector<npy_field> record(std::size_t& bytes);
  [[nodiscard]] bool at_end();
  [[nodiscard]] char peek();
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  [[nodiscard]] npy_field field(std::size_t offset);
  [[nodiscard]] std::size_t bytes_of(std::string_view descr) const;

  std::string_view text_;
  std::string const& file_;
  std::size_t at_ = 0;
  int depth_ = 0;  ///< of records in records
};

}  // namespace upsweep::io

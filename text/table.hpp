/// Tables on the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::text {

/// The width on a terminal: the number of UTF-8 bytes that begin a character.
[[nodiscard]] std::size_t width_of(std::string const& text);

/// A table whose first column is aligned left and whose other columns are aligned right.
class text_table {
 public:
  explicit text_table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace upsweep::text

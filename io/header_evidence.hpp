/// Decides from the first records of a text whether the first of them is a header.
#pragma once

#include <io/input.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::io {

/// The first records of a file, unquoted: as many as tell a header from data.
using first_records = std::vector<std::vector<std::string>>;

enum class header_verdict : std::uint8_t {
  data,
  header,
  strange,  ///< a field is neither a number nor a name: "$1.50"
  numbers,  ///< numbers may be names of columns, as years are
  as_good   ///< nothing tells, or what tells disagrees
};

struct header_guess {
  header_verdict what = header_verdict::data;
  std::size_t field = 0;  ///< of the first record, about which a message is
};

/// Evidence for a header is a name over a number or a time. Evidence for data is a number over a
/// number, a field over one of the same form ("2025-06-24"), and a field that repeats. Missing
/// values are no evidence, nor are true and false. The first record with evidence decides, unless a
/// name is repeated later. At most `most` records or `most_bytes` are read.
class header_evidence {
 public:
  static constexpr std::size_t most = 100, most_bytes = std::size_t{1} << 18;

  header_evidence(std::vector<std::string> const& first, input_options const& options,
                  bool white_space);

  /// Shows the next record.
  void add(std::vector<std::string> const& record);
  /// True if later records cannot change the guess, or are not read for it.
  [[nodiscard]] bool settled() const noexcept { return settled_; }
  /// By the records so far.
  [[nodiscard]] header_guess guess() const;

 private:
  void weigh(std::size_t field, std::string const& below);
  [[nodiscard]] bool speaks_for_names() const;
  /// Finds numbers that may be names, over the second record, which is `written` so.
  void look_for_numbered(std::vector<std::string> const& below,
                         std::vector<std::string> const& written);

  input_options const& options_;
  bool white_space_, settled_ = false, has_index_ = false;
  std::vector<std::string> first_;
  std::vector<bool> seen_;  // of each field: a value below it
  std::size_t records_ = 1, bytes_ = 0;
  // The first field that speaks for each: a name over a number, or over a time or amount; numbers
  // over numbers, and fields that are alike.
  std::optional<std::size_t> over_number_ = {}, for_header_ = {}, for_numbers_ = {}, for_data_ = {};
  std::optional<std::size_t> strange_ = {}, numbers_ = {};
  std::ptrdiff_t more_names_ = 0;  // names over measures, less numbers over values
};

/// The guess from as many of the records as it needs.
[[nodiscard]] header_guess guess_header(first_records const& records, input_options const& options,
                                        bool white_space);

}  // namespace upsweep::io

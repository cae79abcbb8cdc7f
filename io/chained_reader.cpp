/// Several files as one input: their rows one after the other, if their columns agree.
#include <io/compression.hpp>
#include <io/error.hpp>
#include <io/input.hpp>
#include <io/npy_header.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

bool is_standard_input(std::string const& path) {
  return path == "-";
}

/// True if the file decides nothing about the columns: it has no record, or only a header where
/// values decide which columns are text.
bool decides_nothing(reader const& file, input_options const& options) {
  if (file.is_blank) return true;
  return options.may_be_text && !file.guesses.empty() &&
         std::ranges::none_of(file.guesses, &type_guess::has_seen) &&
         std::ranges::count(file.chosen, true, &chosen_column::is_text) ==
             std::ranges::count(options.as_text, true);
}

class chained_reader final : public reader {
 public:
  explicit chained_reader(input_options const& options) {
    open_all(options);
    auto const most = options.more_paths.size();
    name_ = fmt::format("{} and {} more file{}",
                        is_standard_input(options.path) ? "standard input" : options.path, most,
                        most == 1 ? "" : "s");
    for (auto& each : parts_) each.how.known = known_;
    join_types();
  }

  bool next(chunk& out) override {
    for (; at_ < parts_.size(); ++at_) {
      auto& file = current();
      if (file.next(out)) {
        rows_here_ = out.first_row + out.rows;
        kinds_.resize(out.keys.size());
        for (std::size_t k = 0; k < kinds_.size(); ++k)
          if (kinds_[k] == key_kind::unknown) kinds_[k] = file.kind_of_key(k);
        renumber(out);
        columns = file.columns;  // of a stream, integers may have become decimals
        skipped_rows = skipped_before_ + file.skipped_rows;
        return true;
      }
      rows_before_ += rows_here_;
      skipped_before_ = skipped_rows = skipped_before_ + file.skipped_rows;
      bytes_before_ += file.bytes_read();
      rows_here_ = 0;
      parts_[at_].file.reset();
    }
    out = {};
    return false;
  }
  array_view array() override {
    if (!shape)
      throw usage_error(
          "{} are {}, which has no dimensions; only .npy files can be read as an array.", name_,
          name_of(format));
    for (chunk rows; next(rows);)
      whole_.insert(whole_.end(), rows.columns[0].bytes.begin(), rows.columns[0].bytes.end());
    return {columns[0].type, *shape, strides_of(*shape, false), whole_};
  }
  void join_keys(key_joining const& how) override {
    joining_ = how;
    shift_texts(how.keys);
    for (auto& each : parts_)
      if (each.file) each.file->join_keys(how);
  }
  void keep_tokens(std::size_t count, std::size_t compared) override {
    tokens_ = count;
    compared_ = compared;
    for (auto& each : parts_)
      if (each.file) each.file->keep_tokens(count, compared);
  }
  [[nodiscard]] key_kind kind_of_key(std::size_t key) const noexcept override {
    return key < kinds_.size() ? kinds_[key] : key_kind::unknown;
  }
  [[nodiscard]] std::string const& name() const noexcept override { return name_; }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override {
    bool const open = at_ < parts_.size() && parts_[at_].file;
    return bytes_before_ + (open ? parts_[at_].file->bytes_read() : 0);
  }
  [[nodiscard]] std::optional<std::uint64_t> bytes_total() const noexcept override {
    std::uint64_t total = 0;
    for (auto const& each : parts_) {
      if (!each.bytes) return std::nullopt;
      total += *each.bytes;
    }
    return total;
  }

 private:
  struct part {
    input_options how;
    std::unique_ptr<reader> file;  ///< null while a regular file waits for its turn
    std::optional<std::uint64_t> bytes;
    bool reopens = false;  ///< a regular file
  };
  /// Opens every file and checks that it agrees with the first. Regular files are closed again, so
  /// that any number of them can be read.
  void open_all(input_options const& options) {
    std::vector<std::string> paths{options.path};
    paths.insert(paths.end(), options.more_paths.begin(), options.more_paths.end());
    if (std::count_if(paths.begin(), paths.end(), is_standard_input) > 1)
      throw usage_error("Standard input (-) can be read only once; name it once.");
    for (auto const& path : paths)  // before waiting for a pipe
      if (!is_standard_input(path)) byte_source::check_readable(member_of_path(path).first);
    for (auto const& path : paths) {
      part each{options, {}, {}};
      each.how.path = path;
      each.how.more_paths.clear();
      if (decided_ && options.header == header_line::automatic)
        each.how.header = has_header ? header_line::present : header_line::absent;
      if (decided_) each.how.known = known_;
      each.file = open_reader(each.how);
      each.bytes = each.file->bytes_total();
      bool const decides = !decides_nothing(*each.file, options);
      if (parts_.empty() || (!decided_ && decides)) {
        agree_with(*each.file);
        decided_ = decides;
      } else if (decides) {
        check(*each.file);
      }
      may_widen = may_widen || each.file->may_widen;
      join_shapes(*each.file);
      for (std::size_t i = 0; i < each.file->guesses.size(); ++i) {
        auto const& guess = each.file->guesses[i];
        guesses.resize(columns.size());
        guesses[i].merge(guess);
        values_may_follow_ =
            values_may_follow_ || (!guess.has_seen() && !each.file->columns[i].has_no_values);
      }
      std::error_code none;
      each.reopens = !is_standard_input(path) && std::filesystem::is_regular_file(path, none);
      if (each.reopens && !parts_.empty()) each.file.reset();
      parts_.push_back(std::move(each));
    }
  }
  /// Takes the columns of `first`, which the other files must have too.
  void agree_with(reader const& first) {
    first_name_ = first.name();
    static_cast<input_facts&>(*this) = first;
    fortran_order = false;  // rows are joined, so all are delivered in row-major order
    guesses.clear();
    keeps_spelling = first.keeps_spelling;
    stays_exact = first.stays_exact;
    known_ = chosen;
    for (auto& before : parts_)  // without rows
      if (before.reopens) before.file.reset();
  }
  void check(reader const& file) const {
    if (file.format != format)
      throw data_error(
          "{} is read as {}, but {} as {}; files that are read as one input must have the same "
          "format (--from sets it).",
          file.name(), name_of(file.format), first_name_, name_of(format));
    if (format == container::raw || format == container::npy) return check_array(file);
    check_names(file.columns, columns, &column_info::name, file.name());
    check_names(file.keys, keys, std::identity(), file.name());
  }
  void check_array(reader const& file) const {
    if (!std::ranges::equal(file.columns, columns, {}, &column_info::type, &column_info::type))
      throw data_error(
          "{} holds {}, but {} {}; files that are read as one input must have the same type{}.",
          file.name(), name_of(file.columns[0].type), first_name_, name_of(columns[0].type),
          format == container::npy ? " (--dtype converts them)" : "");
    if (!shape) return;
    auto const& mine = *shape;
    auto const& other = *file.shape;
    if (mine.size() != other.size() || !std::equal(mine.begin() + 1, mine.end(), other.begin() + 1))
      throw data_error(
          "{} has the shape ({}), which cannot be joined with the shape ({}) of {} along the first "
          "dimension.",
          file.name(), fmt::join(other, ", "), fmt::join(mine, ", "), first_name_);
  }
  template <class Column, class Name>
  void check_names(std::vector<Column> const& names, std::vector<Column> const& wanted, Name name,
                   std::string const& file) const {
    auto const [found, other] = std::ranges::mismatch(names, wanted, {}, name, name);
    if (found == names.end() && other == wanted.end()) return;
    if (found == names.end())
      throw data_error("{} has no column '{}', but {} does.", file,
                       shown(std::invoke(name, *other)), first_name_);
    if (other == wanted.end())
      throw data_error("{} has a column '{}', but {} does not.", file,
                       shown(std::invoke(name, *found)), first_name_);
    throw data_error(
        "{} has a column '{}' where {} has '{}'; files that are read as one input must have the "
        "same columns, and a header row each if the first has one.",
        file, shown(std::invoke(name, *found)), first_name_, shown(std::invoke(name, *other)));
  }
  /// The type of each column is that of one file with all rows.
  void join_types() {
    for (std::size_t i = 0; i < guesses.size(); ++i) {
      columns[i].type = guesses[i].type();
      columns[i].has_no_values = !values_may_follow_ && !guesses[i].has_seen();
    }
    for (std::size_t i = 0; i < std::min(keeps_spelling.size(), guesses.size()); ++i)
      if (keeps_spelling[i] && guesses[i].are_codes())
        throw data_error(
            "{}: column '{}' has codes with leading zeros, but {} has numbers without; name a file "
            "with codes first, or give --dtype {} to read all as numbers.",
            name_, shown(columns[i].name), first_name_, name_of(columns[i].type));
    for (std::size_t i = 0; i < std::min(stays_exact.size(), guesses.size()); ++i)
      if (stays_exact[i] && guesses[i].rounds())
        throw data_error(
            "{}: column '{}' has integers that f64 would round beside decimals, but {} does not "
            "show that; name another file first, or give --dtype f64 if they may be rounded.",
            name_, shown(columns[i].name), first_name_);
    for (auto& each : parts_)
      if (each.file && each.file->columns.size() == columns.size()) each.file->set_types(types());
  }
  /// Adds the rows of a file to the shape and to the number of rows.
  void join_shapes(reader const& file) {
    if (file.shape && file.shape->empty())
      throw data_error("{} holds a single value without a dimension, so it cannot be joined.",
                       file.name());
    if (parts_.empty()) return;  // agree_with took those of the first file
    if (shape) (*shape)[0] += (*file.shape)[0];
    if (total_rows && file.total_rows) *total_rows += *file.total_rows;
    if (!file.total_rows) total_rows.reset();
  }
  [[nodiscard]] std::vector<dtype> types() const {
    std::vector<dtype> all;
    for (auto const& column : columns) all.push_back(column.type);
    return all;
  }
  reader& current() {
    auto& here = parts_[at_];
    if (here.file) return *here.file;
    here.file = open_reader(here.how, types());
    if (!here.file->is_blank) check(*here.file);  // it may have changed
    if (joining_) here.file->join_keys(*joining_);
    here.file->keep_tokens(tokens_, compared_);
    return *here.file;
  }
  /// Counts the rows of the files before.
  void renumber(chunk& out) {
    out.first_row += rows_before_;
    if (out.numbers.empty()) return;
    numbers_.assign(out.numbers.begin(), out.numbers.end());
    for (auto& number : numbers_) number += rows_before_ + skipped_before_;
    out.numbers = numbers_;
  }

  std::string name_;
  std::string first_name_;            ///< of the file with which the others must agree
  bool decided_ = false;              ///< whether there has been such a file
  bool values_may_follow_ = false;    ///< a stream has not ended, and had none of a column so far
  std::vector<chosen_column> known_;  ///< which chosen columns are text
  std::vector<part> parts_;
  std::size_t at_ = 0;
  std::uint64_t rows_before_ = 0;     ///< delivered from the files before the current one
  std::uint64_t rows_here_ = 0;       ///< delivered from the current one
  std::uint64_t skipped_before_ = 0;  ///< skipped in the files before
  std::uint64_t bytes_before_ = 0;
  std::optional<key_joining> joining_;
  std::size_t tokens_ = 0, compared_ = 0;
  std::vector<key_kind> kinds_;  ///< by the first file with values
  std::vector<std::uint64_t> numbers_;
  std::vector<std::byte> whole_;
};

}  // namespace

std::unique_ptr<reader> make_chained_reader(input_options const& options) {
  return std::make_unique<chained_reader>(options);
}

}  // namespace upsweep::io

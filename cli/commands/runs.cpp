/// `upsweep runs` and `upsweep unique`: consecutive equal numbers or strings, as rows of results,
/// in streams of any length.
#include <cli/aggregation/whole_input.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
#include <io/error.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/unique.hpp>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct run_flags : table_flags {
  bool whole_rows = false;  ///< unique: of a table with a chosen column, the rows
  bool counts = false;
  std::string count_name;
};

/// Runs found so far and not yet written. The last one is open: the next chunk may continue it.
class found_runs {
 public:
  /// Of the numbers of the only column, or of the strings of the key `text`; `keys` are kept.
  found_runs(int threads, io::dtype type, std::optional<std::size_t> text, std::size_t keys)
      : on_{.threads = threads}, text_(text), values_(type), keys_(keys) {}

  void add(io::chunk const& rows) {
    bool const goes_on = text_ ? find_texts(rows.keys[*text_]) : find_numbers(rows.columns[0]);
    if (goes_on) lengths_.back() += length(0, rows.rows);
    for (std::size_t r = goes_on ? 1 : 0; r < count_; ++r) {
      if (!text_) values_.append(slice(rows.columns[0], starts_[r], 1));
      lengths_.push_back(length(r, rows.rows));
      for (std::size_t k = 0; k < keys_.size(); ++k) keys_[k].push(rows.keys[k][starts_[r]]);
    }
  }

  [[nodiscard]] std::size_t size() const { return lengths_.size(); }

  /// Calls f(rows) for the runs that were not yet given to it; for the open one if `also_open`.
  template <class F>
  void take(bool also_open, bool counts, F const& f) {
    std::size_t const end = also_open ? size() : size() - 1;
    io::chunk rows;
    rows.rows = end - taken_;
    if (rows.rows == 0) return;
    std::vector<text_buffer> keys(keys_.size());
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      for (std::size_t i = taken_; i < end; ++i) keys[k].push(keys_[k].view()[i]);
      rows.keys.push_back(keys[k].view());
    }
    if (keys_.empty()) rows.columns.push_back(slice(values_.view(), taken_, rows.rows));
    if (counts)
      rows.columns.push_back(io::as_column(
          io::dtype::i64, std::span<std::int64_t const>(lengths_).subspan(taken_, rows.rows)));
    f(rows);
    keep_open();
    taken_ = also_open ? 1 : 0;
  }

 private:
  /// Finds where the runs of a chunk begin; true if the first continues the open one.
  [[nodiscard]] bool find_texts(io::text_column const& texts) {
    bool const goes_on = size() > 0 && texts[0] == last_;
    starts_.assign(1, 0);
    for (std::size_t row = 1; row < texts.size(); ++row)
      if (texts[row] != texts[row - 1]) starts_.push_back(row);
    count_ = starts_.size();
    last_ = texts[texts.size() - 1];
    return goes_on;
  }
  [[nodiscard]] bool find_numbers(io::typed_column const& column) {
    if (column.type != values_.type()) widen(column.type);
    find_starts(column);
    return size() > 0 && std::memcmp(element(values_.view(), size() - 1), element(column, 0),
                                     size_of(column.type)) == 0;
  }
  /// Numbers are compared by their bits, so it does not matter what they are.
  void find_starts(io::typed_column column) {
    starts_.resize(column.size());
    with_bits(size_of(column.type), [&]<class Bits>() {
      std::span const x(reinterpret_cast<Bits const*>(column.bytes.data()), column.size());
      count_ = upsweep::run_starts(on_, x, starts_);
    });
  }
  [[nodiscard]] std::int64_t length(std::size_t run, std::size_t rows) const {
    return static_cast<std::int64_t>((run + 1 < count_ ? starts_[run + 1] : rows) - starts_[run]);
  }

  void keep_open() {
    std::size_t const last = size() - 1;
    column_buffer value(values_.type());
    if (!text_) value.append(slice(values_.view(), last, 1));
    values_ = std::move(value);
    lengths_ = {lengths_[last]};
    for (auto& key : keys_) {
      text_buffer text;
      text.push(key.view()[last]);
      key = std::move(text);
    }
  }

  /// A column of integers of a stream has turned into decimals.
  void widen(io::dtype type) {
    column_buffer wide(type);
    wide.append(values_.view());
    values_ = std::move(wide);
  }

  cpu on_;
  std::optional<std::size_t> text_;
  column_buffer values_;
  std::string last_;  // the text of the open run
  std::vector<std::int64_t> lengths_;
  std::vector<text_buffer> keys_;  // the other fields of each run's first row
  std::size_t taken_ = 0;
  std::vector<std::size_t> starts_;  // of the current chunk
  std::size_t count_ = 0;            // how many of them
};

void run(run_flags const& flags) {
  io::input_options reading = flags.in.options();
  reading.threads = flags.threads;
  reading.whole_rows = flags.whole_rows;
  reading.may_widen = flags.out.may_widen();
  reading.may_be_text = true;
  reading.uses = {{.as_written = true}};
  io::input in(reading);
  auto const chosen = in->where_chosen();
  if (chosen.size() != 1)
    throw io::usage_error("--column: runs are found in one column, but {} are chosen.",
                          chosen.size());
  // A text is a key after those of whole rows, or the only one.
  auto names = in->keys;
  std::optional<std::size_t> text;
  if (chosen[0].is_text) text = chosen[0].index;
  if (text && names.size() > 1) names.pop_back();
  auto const written = keys_of_input(names.size());
  auto o = options_of_rows(in, flags.in, flags.out, written);
  if (flags.counts && is_array(in->format) && flags.out.wanted() == io::container::automatic)
    o.format = io::container::text;
  std::vector<io::column_info> columns;
  if (names.empty()) columns = in->columns;
  if (flags.counts) columns.push_back({flags.count_name, io::dtype::i64});
  keep_tokens(in, names.size(), text == 0 ? 1 : 0, flags.out, o);
  result_table out(flags.out, o, columns, names, keys_as_json::of(in, flags.in, written));
  found_runs runs(flags.threads, text ? io::dtype::u8 : in->columns[0].type, text, names.size());
  auto const write = [&](io::chunk const& rows) { out.write(rows); };
  for_each_chunk(in, [&](io::chunk const& rows) {
    runs.add(rows);
    runs.take(!flags.counts, flags.counts, write);
  });
  if (flags.counts && runs.size() > 0) runs.take(true, true, write);
  out.commit();
}

}  // namespace

void add_runs_command(registry& tool) {
  auto const [add, flags] = add_command<run_flags>(tool, "runs");
  flags.counts = true;
  flags.count_name = "length";
  add_table_options(add, flags);
}

void add_unique_command(registry& tool) {
  auto const [add, flags] = add_command<run_flags>(tool, "unique");
  flags.whole_rows = true;
  flags.count_name = "count";
  add("--counts", flags.counts, "Append how many rows each run has");
  add_table_options(add, flags);
}

}  // namespace upsweep::cli

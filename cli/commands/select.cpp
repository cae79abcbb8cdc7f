/// `upsweep select`: the rows of a table for which a condition is true, and computed columns.
#include <cli/aggregation/whole_input.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/row_pool.hpp>
#include <cli/expression/expression.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
#include <io/column_choice.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/select.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct select_flags : table_flags {
  std::optional<std::string> where;
  std::vector<std::string> add;
  bool invert = false, positions = false;
};

/// Reads rows, and finds those that are selected.
class row_selection {
 public:
  explicit row_selection(select_flags const& flags)
      : flags_(flags),
        missing_(flags.in.skipped()),
        expressions_(parsed()),
        in_(opened()),
        on_{.threads = flags.threads} {
    shown_ = in_->keys.size();
    for (auto const& column : in_->where_chosen()) shown_ -= column.is_text || column.written;
    out_options_ =
        options_of_rows(in_, flags_.in, flags_.out, keys_of_input(flags_.positions ? 0 : shown_));
    resolve();
    expect_new_names();
    joined_ = is_table() && (numbers_.empty() || texts_.empty()) &&
              join_keys(in_, shown_, flags_.out, out_options_);
    if (joined_) resolve();
    if (is_table() && !joined_) keep_tokens(in_, shown_, 0, flags_.out, out_options_);
    if (in_->shape && in_->shape->size() > 1)
      throw io::usage_error(
          "--where: {} has {} dimensions, but select takes arrays of one; save a column with "
          "numpy.save, or the table as text with numpy.savetxt.",
          in_->name(), in_->shape->size());
  }

  void run() {
    auto& o = out_options_;
    if (flags_.positions && is_array(o.format) && flags_.out.wanted() == io::container::automatic)
      o.format = io::container::text;
    std::vector<std::string> keys;
    std::vector<io::column_info> columns;
    if (flags_.positions)
      columns.push_back({"row", io::dtype::u64});
    else if (is_table())
      add_names(keys, columns);
    else
      columns = in_->columns;
    auto written = keys_of_input(shown_);
    for (auto const e : texts_)
      written.push_back({.is_number = expressions_.type(e) != expression_type::text &&
                                      !expressions_.has_codes()});
    result_table out(flags_.out, o, columns, keys,
                     keys_as_json::of(in_, flags_.in, std::move(written)));
    for_each_chunk(in_, [&](io::chunk const& rows) {
      find(rows);
      if (flags_.positions)
        write_positions(rows, out);
      else if (is_table())
        write_rows(rows, out);
      else
        write_numbers(rows, out);
    });
    out.commit();
  }

 private:
  [[nodiscard]] bool is_table() const { return shown_ > 0 && !flags_.positions; }
  /// The added columns, then the condition, which may use their names.
  expressions parsed() {
    expressions all;
    for (auto const& word : flags_.add) {
      bool const quoted = word.substr(0, word.find('=')).find('`') != std::string::npos;
      auto const equals = word.find('=', quoted ? word.find('`', word.find('`') + 1) : 0);
      auto const name = name_of(word.substr(0, equals));
      bool const is_comparison =
          equals != std::string::npos && equals > 0 &&
          (word.substr(equals, 2) == "==" || std::string("<>!").find(word[equals - 1]) < 3);
      if (equals == std::string::npos || is_comparison || name.empty())
        throw io::usage_error("--add: '{}' is not NAME = EXPRESSION, as in --add 'ratio = a / b'.",
                              io::shown(word));
      if (std::ranges::find(names_, name) != names_.end())
        throw io::usage_error("--add: '{}' is added twice.", io::shown(name));
      auto const skipped = word.find_first_not_of(' ', equals + 1);
      all.add(skipped == std::string::npos ? "" : word.substr(skipped), "--add " + name, name);
      names_.push_back(name);
    }
    if (flags_.where) all.add(*flags_.where, "--where");
    return all;
  }
  /// Without blanks around it and backquotes.
  static std::string name_of(std::string name) {
    while (name.ends_with(' ')) name.pop_back();
    while (name.starts_with(' ')) name.erase(0, 1);
    if (name.size() > 1 && name.starts_with('`') && name.ends_with('`'))
      name = name.substr(1, name.size() - 2);
    return name;
  }
  void expect_new_names() const {
    for (auto const& name : names_)
      if (std::ranges::find(in_->all_names, name) != in_->all_names.end())
        throw io::usage_error("--add: {} has a column '{}'; choose another name.", in_->name(),
                              io::shown(name));
    if (!names_.empty() && !is_table())
      throw io::usage_error(
          flags_.positions
              ? "--positions: writes numbers of rows, not their fields; omit it, or --add."
              : "--add: needs text, CSV or TSV, whose rows get more fields.");
  }
  io::input opened() const try {
    return io::input(reading());
  } catch (io::no_such_column const& e) {
    if (!expressions_.may_mean_text(e.column())) throw;
    throw io::no_such_column(
        fmt::format("--where: {} A text needs quotes: \"{}\".", e.what(), io::shown(e.column())),
        e.column(), e.names());
  }
  io::input_options reading() const {
    io::input_options o = flags_.in.marking_options();
    o.threads = flags_.threads;
    o.keys = o.columns;
    o.columns.clear();
    for (auto const& column : expressions_.columns()) {
      o.columns.push_back(column.name);
      if (!o.list) o.as_text.push_back(column.as_text);
      o.uses.push_back({.in_order = column.in_order,
                        .as_written = !column.as_text && (column.is_value || column.in_string),
                        .computes = true,
                        .compares = !column.as_text && column.compares});
    }
    o.single = o.columns.size();
    o.keys_only = o.columns.empty();
    o.whole_rows = o.keys.empty();
    o.may_be_text = !o.list;
    o.may_widen = flags_.out.may_widen();
    if (o.list && !o.columns.empty() && o.columns != std::vector<std::string>{"1"})
      throw io::usage_error(
          "--list: there is one column of numbers; write $1 for it in --where, without quotes.");
    return o;
  }

  [[nodiscard]] bool is_text(std::size_t e) const {
    return expressions_.type(e) == expression_type::text || expressions_.shows_codes(e);
  }

  /// Columns of a table without rows, such as what another selection left, have no types that could
  /// be wrong.
  void resolve() try {
    expressions_.resolve(in_->all_names, in_->where_chosen(), in_->columns);
    if (flags_.where) expressions_.expect_truth(names_.size());
    numbers_.clear();
    texts_.clear();
    for (std::size_t e = 0; e < names_.size(); ++e) (is_text(e) ? texts_ : numbers_).push_back(e);
  } catch (io::usage_error const&) {
    io::chunk rows;
    if (in_->next(rows)) throw;
    numbers_.clear();
    texts_.resize(names_.size());
    std::iota(texts_.begin(), texts_.end(), std::size_t{0});
  }

  /// The positions of the selected rows of the chunk.
  void find(io::chunk const& rows) {
    found_.resize(rows.rows);
    if (!flags_.where) return std::iota(found_.begin(), found_.end(), std::size_t{0});
    marks_.resize(rows.rows);
    expressions_.mark(names_.size(), rows, missing_.get(), marks_);
    found_.resize(upsweep::select_positions(
        on_, marks_, found_, [keep = flags_.invert ? 0 : 1](std::uint8_t m) { return m == keep; }));
  }

  /// The names of the written columns; sets their order if it is not that of keys and columns.
  void add_names(std::vector<std::string>& keys, std::vector<io::column_info>& columns) {
    keys.assign(in_->keys.begin(), in_->keys.begin() + static_cast<std::ptrdiff_t>(shown_));
    for (auto const e : texts_) keys.push_back(names_[e]);
    for (auto const e : numbers_) columns.push_back({names_[e], dtype_of(expressions_.type(e))});
    if (numbers_.empty() || texts_.empty()) return;
    auto& order = out_options_.order;
    for (std::size_t k = 0; k < shown_; ++k) order.push_back(k);
    std::size_t text = shown_, number = keys.size();
    for (std::size_t e = 0; e < names_.size(); ++e)
      order.push_back(std::ranges::find(texts_, e) != texts_.end() ? text++ : number++);
  }

  /// Adds the computed columns of the rows that were found.
  void add_computed(io::chunk const& found, io::chunk& selected) {
    computed_ = {};
    for (auto const e : numbers_) {
      auto& column = computed_.columns.emplace_back(dtype_of(expressions_.type(e)));
      auto& present = computed_.present.emplace_back(io::dtype::boolean);
      expressions_.append_numbers(e, found, missing_.get(), column, present);
    }
    for (auto const e : texts_)
      expressions_.append_texts(e, found, missing_.get(), computed_.texts.emplace_back());
    auto const made = computed_.view();
    selected.columns = made.columns;
    if (missing_) selected.present = made.present;
    selected.keys.insert(selected.keys.end(), made.keys.begin(), made.keys.end());
  }

  void write_rows(io::chunk const& rows, result_table& out) {
    if (found_.empty()) return;
    if (names_.empty()) {
      found_rows_.clear();
      found_rows_.append(fields_of(rows, 0, shown_), found_);
    } else {
      found_rows_.take(rows, found_);
    }
    auto const found = found_rows_.view();
    auto selected = fields_of(found, 0, shown_);
    if (!names_.empty()) add_computed(found, selected);
    out.write(selected);
  }

  void write_positions(io::chunk const& rows, result_table& out) const {
    std::vector<std::uint64_t> numbers;
    for (std::size_t const row : found_) numbers.push_back(rows.number(row) + 1);
    io::chunk selected;
    selected.rows = numbers.size();
    selected.columns.push_back(
        io::as_column(io::dtype::u64, std::span<std::uint64_t const>(numbers)));
    if (selected.rows > 0) out.write(selected);
  }

  void write_numbers(io::chunk const& rows, result_table& out) {
    if (found_.empty()) return;
    found_rows_.take(rows, found_);
    out.write(found_rows_.view());
  }

  select_flags const& flags_;
  std::shared_ptr<io::missing_words const> missing_;
  std::vector<std::string> names_;            // of added columns
  expressions expressions_;                   // these, and the condition
  std::vector<std::size_t> numbers_, texts_;  // among these
  io::input in_;
  cpu on_;
  std::size_t shown_ = 0;  // fields of a row that are written
  bool joined_ = false;    // they are read as they are written
  io::output_options out_options_;
  std::vector<std::uint8_t> marks_;
  std::vector<std::size_t> found_;
  row_buffer found_rows_;
  row_buffer computed_;
};

void run(select_flags const& flags) {
  if (!flags.where && flags.add.empty() && flags.in.columns.empty())
    throw io::usage_error("select: give --where, --add or --column.");
  row_selection(flags).run();
}

}  // namespace

void add_select_command(registry& tool) {
  auto const [add, flags] = add_command<select_flags>(tool, "select");
  add("--where CONDITION", flags.where,
      "Condition on the columns of a row, such as 'price > 3 && name == \"x\"'");
  add("--add NAME=EXPRESSION", flags.add,
      "Another column, such as 'ratio = a / b'; may be repeated, and later ones may use it",
      repeated);
  add("--invert", flags.invert, "The rows for which it is false");
  add("--positions", flags.positions, "The numbers of the rows, from 1, instead of the rows");
  add_table_options(add, flags);
}

}  // namespace upsweep::cli

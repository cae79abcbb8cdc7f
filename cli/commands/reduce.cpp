/// `upsweep reduce`: any operators over any columns in one pass, with one result per column, per
/// group, or per line of an array.
#include <cli/cuda/streams.hpp>
#include <cli/engine/groups.hpp>
#include <cli/engine/lines.hpp>
#include <cli/options.hpp>
#include <cli/results.hpp>
#include <cli/whole_input.hpp>
#include <cli/widening_set.hpp>
#include <io/error.hpp>
#include <upsweep/core/version.hpp>

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

namespace upsweep::cli {

namespace {

struct reduce_flags {
  input_flags in;
  output_flags out;
  engine_flags engine;
  std::vector<std::string> by;
  bool allow_repeats = false;
  std::optional<int> axis;
};

/// `concat`, the only operator over columns of text.
class concatenations {
 public:
  /// Removes the uses of concat from `uses`. The columns of text are the key columns after the
  /// first `first`.
  concatenations(std::vector<operator_use>& uses, std::size_t first) : first_(first) {
    for (auto use = uses.begin(); use != uses.end();)
      if (use->name == "concat") {
        separators_.push_back(use->parameter);
        use = uses.erase(use);
      } else {
        ++use;
      }
  }
  [[nodiscard]] bool wanted() const { return !separators_.empty(); }
  [[nodiscard]] std::vector<std::string> names(std::span<std::string const> columns) const {
    std::vector<std::string> all;
    for (auto const& column : columns)
      for (std::size_t s = 0; s < separators_.size(); ++s) all.push_back("concat(" + column + ")");
    return all;
  }
  void restart(std::size_t columns) {
    texts_.assign(columns * separators_.size(), "");
    empty_ = true;
  }
  void append(std::span<io::text_column const> keys, std::size_t first, std::size_t n) {
    for (std::size_t t = 0; t < texts_.size(); ++t) {
      auto const& column = keys[first_ + t / separators_.size()];
      for (std::size_t row = first; row < first + n; ++row) {
        if (!empty_ || row > first) texts_[t] += separators_[t % separators_.size()];
        texts_[t] += column[row];
      }
    }
    empty_ = empty_ && n == 0;
  }
  [[nodiscard]] std::vector<std::string> const& texts() const { return texts_; }

 private:
  std::size_t first_;
  std::vector<std::string> separators_, texts_;
  bool empty_ = true;
};

io::output_options table_options(reduce_flags const& flags, io::input const& in,
                                 std::size_t results) {
  io::container format = flags.out.wanted();
  bool const table = flags.by.size() + results > 1 &&
                     (in.format() == io::container::csv || in.format() == io::container::tsv);
  if (format == io::container::automatic) format = table ? in.format() : io::container::text;
  io::output_options o = flags.out.options(format);
  if (format == in.format() && format == io::container::csv) o.delimiter = in.delimiter();
  o.header = in.has_header() || !table;
  return o;
}

/// The reduction of a table: its groups, its operators, and the output.
class table_reduction {
 public:
  explicit table_reduction(reduce_flags const& flags)
      : flags_(flags),
        uses_(parse_operators(flags.engine.op)),
        text_(uses_, flags.by.size()),
        in_(reading()),
        groups_(flags.by, flags.allow_repeats) {
    if (!uses_.empty())
      set_.emplace(uses_, in_.columns(), flags.engine.settings(), in_.may_widen());
    auto const names = std::span(in_.key_names());
    keys_.assign(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(flags.by.size()));
    text_columns_ = names.size() - flags.by.size();
    for (auto& name : text_.names(names.subspan(flags.by.size()))) keys_.push_back(std::move(name));
    key_rows_.resize(keys_.size());
  }

  int run() {
    if (flags_.out.json && flags_.by.empty()) return run_json();
    std::vector<io::column_info> const columns =
        set_ ? set_->results() : std::vector<io::column_info>{};
    out_.emplace(flags_.out,
                 table_options(flags_, in_, columns.size() + keys_.size() - flags_.by.size()),
                 columns, keys_);
    read_all();
    flush(0);
    out_->commit();
    return 0;
  }

 private:
  io::input_options reading() const {
    io::input_options o = flags_.in.options();
    o.keys = flags_.by;
    o.threads = flags_.engine.thread_count();
    o.may_widen = flags_.out.may_widen();
    if (text_.wanted()) {
      if (o.columns.empty())
        throw io::usage_error("--op concat: choose the columns of text with --column.");
      if (flags_.engine.settings().on_gpu) refuse_on_gpu("concat", "text");
      o.keys.insert(o.keys.end(), o.columns.begin(), o.columns.end());
      if (uses_.empty()) {
        o.columns.clear();
        o.keys_only = true;
      }
    }
    return o;
  }

  void read_all() {
    restart(0);
    for_each_chunk(in_, [&](io::chunk const& rows) {
      groups_.for_each(rows, [&](std::size_t first, std::size_t n, bool is_new) {
        if (is_new && rows.first_row + first > 0) close();
        if (is_new) {
          restart(rows.number(first));
          here_ = groups_.current();
        }
        absorb(rows, first, n);
      });
      rows_ = rows.first_row + rows.rows;
      flush(4096);
    });
    if (flags_.by.empty() || groups_.open()) close();
  }

  void restart(std::uint64_t row) {
    if (set_) set_->restart(row);
    text_.restart(text_columns_);
  }
  void absorb(io::chunk const& rows, std::size_t first, std::size_t n) {
    text_.append(rows.keys, first, n);
    if (!set_) return;
    values_.clear();
    for (auto const& column : rows.columns) values_.push_back(slice(column, first, n));
    set_->reduce(values_, rows.numbers.empty() ? rows.numbers : rows.numbers.subspan(first, n));
  }
  /// Ends the current group and appends its row of results.
  void close() {
    if (set_) set_->finish();
    std::size_t k = 0;
    for (auto const& key : here_) key_rows_[k++].push(key);
    for (auto const& text : text_.texts()) key_rows_[k++].push(text);
    ++pending_;
  }
  /// Writes the rows of results if there are more than `most`.
  void flush(std::size_t most) {
    if (pending_ <= most || !out_) return;
    io::chunk rows;
    rows.rows = pending_;
    if (set_) rows.columns = set_->rows();
    for (auto const& keys : key_rows_) rows.keys.push_back(keys.view());
    out_->write(rows);
    if (set_) set_->clear();
    for (auto& keys : key_rows_) keys.clear();
    pending_ = 0;
  }

  int run_json() {
    read_all();
    nlohmann::ordered_json object{{"upsweep", version},
                                  {"tree", tree_version},
                                  {"mode", flags_.engine.mode},
                                  {"input", in_.name()},
                                  {"format", name_of(in_.format())},
                                  {"rows", rows_},
                                  {"skipped", in_.skipped_rows()},
                                  {"results", nlohmann::ordered_json::array()}};
    auto& results = object["results"];
    for (std::size_t r = 0; set_ && r < set_->results().size(); ++r) {
      auto const& [op, column] = set_->origins()[r];
      auto const values = set_->rows()[r];
      results.push_back({{"op", op},
                         {"column", column},
                         {"dtype", name_of(values.type)},
                         {"value", json_of(values, 0)}});
    }
    std::size_t t = 0;
    for (auto const& text : text_.texts())
      results.push_back({{"op", "concat"},
                         {"column", in_.key_names()[t++ * text_columns_ / text_.texts().size()]},
                         {"dtype", "text"},
                         {"value", text}});
    json_lines out(flags_.out);
    out.append(object);
    out.commit();
    return 0;
  }

  reduce_flags const& flags_;
  std::vector<operator_use> uses_;
  concatenations text_;
  io::input in_;
  std::optional<widening_set> set_;
  group_runs groups_;
  std::optional<result_table> out_;
  std::size_t text_columns_ = 0, pending_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<std::string> keys_, here_;
  std::vector<text_buffer> key_rows_;
  std::vector<io::typed_column> values_;
};

int reduce_along_axis(reduce_flags const& flags) {
  auto const uses = parse_operators(flags.engine.op);
  io::input in(flags.in.options());
  if (!flags.in.columns.empty())
    throw io::usage_error("--axis: applies to the whole array; omit --column.");
  if (!in.shape())
    throw io::usage_error(
        fmt::format("--axis: {} is {}, which has no axes; --axis needs a .npy file.", in.name(),
                    name_of(in.format())));
  auto shape = *in.shape();
  std::size_t const axis = find_axis(*flags.axis, shape);
  auto const settings = flags.engine.settings();
  folding_factory const make = [&] { return folding_set(uses, in.columns(), settings); };
  auto const info = make().results();
  auto const columns = reduce_lines(in.array(), axis, make, settings.line_threads());
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  io::container const format =
      flags.out.wanted() == io::container::automatic ? io::container::text : flags.out.wanted();
  io::output_options o = flags.out.options(format);
  if (format == io::container::npy && columns.size() == 1) o.shape = shape;
  result_table out(flags.out, o, info, {});
  io::chunk rows;
  rows.rows = columns[0].size();
  for (auto const& column : columns) rows.columns.push_back(column.view());
  out.write(rows);
  out.commit();
  return 0;
}

}  // namespace

void add_reduce_command(registry& tool) {
  CLI::App* const command = add_command(tool, "reduce");
  auto const flags = std::make_shared<reduce_flags>();
  add_engine_options(tool, *command, flags->engine, gpu::streams());
  auto* const by = comma_list(command->add_option(
      "--by", flags->by, "Group by these columns: one row of results per run of equal keys"));
  by->type_name("COLUMN,...");
  command
      ->add_flag("--allow-repeats", flags->allow_repeats,
                 "A repeated key begins a new group (default: an error)")
      ->needs(by);
  command
      ->add_option("--axis", flags->axis,
                   "Reduce a .npy array along this dimension; negative numbers count from the last")
      ->type_name("K")
      ->excludes(by);
  add_input_options(tool, *command, flags->in);
  add_output_options(tool, *command, flags->out);
  command->callback([flags, &tool] {
    tool.status = flags->axis ? reduce_along_axis(*flags) : table_reduction(*flags).run();
  });
}

}  // namespace upsweep::cli

/// `upsweep reduce`: any operators over any columns in one pass, with one result per column, per
/// group, or per line of an array.
#include <cli/aggregation/aggregation.hpp>
#include <cli/aggregation/along_axis.hpp>
#include <cli/aggregation/unsorted_groups.hpp>
#include <cli/aggregation/whole_input.hpp>
#include <cli/cuda/streams.hpp>
#include <cli/engine/groups.hpp>
#include <cli/engine/lines.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
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
  bool allow_repeats = false, is_sorted = false;
  std::optional<int> axis;

  /// Groups are runs of equal keys.
  [[nodiscard]] bool sorted() const { return is_sorted || allow_repeats; }
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
        plan_(checked(parse_operators(flags.engine.op)), flags.in.columns, flags.by),
        in_(reading()),
        settings_(flags.engine.settings()) {
    settings_.missing = flags.in.skipped();
    settings_.may_lack_results = !flags.by.empty();
    plan_.resolve(in_);
    total_ = make();
  }

  int run() {
    if (flags_.out.writes_json() && flags_.by.empty()) return run_json();
    std::vector<std::string> keys = plan_.group_names(in_);
    keys.insert(keys.end(), total_->texts().begin(), total_->texts().end());
    auto o = table_options(flags_, in_, total_->columns().size() + total_->texts().size());
    o.order = total_->order(plan_.group_names(in_).size());
    out_.emplace(flags_.out, o, total_->columns(), keys);
    if (flags_.by.empty() || flags_.sorted())
      read_runs();
    else
      read_groups();
    out_->commit();
    return 0;
  }

 private:
  static std::vector<operator_use> checked(std::vector<operator_use> uses) {
    for (auto const& use : uses)
      if (listed(use.id).in == available::scan_only)
        throw io::usage_error(
            fmt::format("--op {}: not available for reductions; use upsweep scan.", use.name));
    return uses;
  }

  io::input_options reading() const {
    io::input_options o = flags_.in.marking_options();
    plan_.choose(o);
    o.threads = flags_.engine.thread_count();
    o.may_widen = flags_.out.may_widen();
    if (plan_.wants_concat() && flags_.engine.settings().on_gpu) refuse_on_gpu("concat", "text");
    return o;
  }
  [[nodiscard]] std::unique_ptr<aggregation> make() const {
    return std::make_unique<aggregation>(plan_, in_, settings_);
  }

  /// Without --by, and with rows sorted by key: a row of results when a group ends.
  void read_runs() {
    group_runs groups(plan_.group_names(in_), flags_.allow_repeats);
    std::vector<std::string> here;
    total_->restart(0);
    for_each_chunk(in_, [&](io::chunk const& rows) {
      groups.for_each(rows, [&](std::size_t first, std::size_t n, bool is_new) {
        if (is_new && rows.first_row + first > 0) close(here);
        if (is_new) {
          total_->restart(rows.number(first));
          here = groups.current();
        }
        total_->add(rows, first, n);
      });
      rows_ = rows.first_row + rows.rows;
      flush();
    });
    if (flags_.by.empty() || groups.open()) close(here);
    flush();
  }
  /// Ends the current group and appends its row of results.
  void close(std::vector<std::string> const& keys) {
    total_->finish();
    key_rows_.resize(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) key_rows_[k].push(keys[k]);
    ++pending_;
  }
  /// Writes the results of the groups that ended: after each chunk, which of a pipe is what has
  /// arrived.
  void flush() {
    if (pending_ == 0 || !out_) return;
    io::chunk rows = total_->rows();
    std::vector<io::text_column> keys;
    for (auto const& texts : key_rows_) keys.push_back(texts.view());
    rows.keys.insert(rows.keys.begin(), keys.begin(), keys.end());
    out_->write(rows);
    total_->clear();
    for (auto& texts : key_rows_) texts.clear();
    pending_ = 0;
  }

  /// With --by: the rows of results when all rows are read.
  void read_groups() {
    unsorted_groups groups(plan_.group_names(in_).size(), plan_.needs_row_numbers(),
                           flags_.engine.thread_count(), [this] { return make(); });
    for_each_chunk(in_, [&](io::chunk const& rows) { groups.add(rows); });
    groups.finish([this](io::chunk const& rows) { out_->write(rows); });
  }

  int run_json() {
    read_runs();
    nlohmann::ordered_json object{{"upsweep", version},
                                  {"tree", tree_version},
                                  {"mode", flags_.engine.mode},
                                  {"input", in_.name()},
                                  {"format", name_of(in_.format())},
                                  {"rows", rows_},
                                  {"skipped", in_.skipped_rows()},
                                  {"results", nlohmann::ordered_json::array()}};
    auto const rows = total_->rows();
    auto const origins = total_->origins();
    auto order = total_->order(0);
    for (std::size_t r = order.size(); r < origins.size(); ++r) order.push_back(r);
    for (std::size_t r = 0; r < origins.size(); ++r) {
      nlohmann::ordered_json entry{{"op", origins[r].op}, {"column", origins[r].column}};
      if (order[r] < rows.keys.size()) {
        entry["dtype"] = "text";
        entry["value"] = std::string(rows.keys[order[r]][0]);
      } else {
        auto const& values = rows.columns[order[r] - rows.keys.size()];
        entry["dtype"] = name_of(values.type);
        entry["value"] = json_of(values, 0);
      }
      if (settings_.missing) entry["missing"] = origins[r].missing;
      object["results"].push_back(std::move(entry));
    }
    json_lines out(flags_.out);
    out.append(object);
    out.commit();
    return 0;
  }

  reduce_flags const& flags_;
  aggregation_plan plan_;
  io::input in_;
  folding_settings settings_;
  std::unique_ptr<aggregation> total_;
  std::optional<result_table> out_;
  std::size_t pending_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<text_buffer> key_rows_;
};

int reduce_along_axis(reduce_flags const& flags) {
  auto const uses = parse_operators(flags.engine.op);
  auto [in, axis, shape] = open_array(flags.in, uses, *flags.axis);
  auto const settings = flags.engine.settings();
  folding_factory const make = [&uses, &settings, &columns = in.columns()] {
    return folding_set(uses, columns, settings);
  };
  auto const info = make().results();
  auto const results = reduce_lines(in.array(), axis, make, settings.line_threads());
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  io::container const format =
      flags.out.wanted() == io::container::automatic ? io::container::text : flags.out.wanted();
  io::output_options o = flags.out.options(format);
  if (format == io::container::npy && results.size() == 1) o.shape = shape;
  write_columns(flags.out, o, info, results);
  return 0;
}

}  // namespace

void add_reduce_command(registry& tool) {
  CLI::App* const command = add_command(tool, "reduce");
  auto const flags = std::make_shared<reduce_flags>();
  add_engine_options(tool, *command, flags->engine, gpu::streams());
  auto* const by = comma_list(command->add_option(
      "--by", flags->by, "Group by these columns: one row of results per group"));
  by->type_name("COLUMN,...");
  command
      ->add_flag("--sorted", flags->is_sorted,
                 "Rows are sorted by key: results appear as groups end, in constant memory")
      ->needs(by);
  command
      ->add_flag("--allow-repeats", flags->allow_repeats,
                 "Each run of equal keys is a group, although keys repeat")
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

/// `upsweep reduce`: any operators over any columns in one pass, with one result per column, per
/// group, or per line of an array.
#include <cli/aggregation/aggregation.hpp>
#include <cli/aggregation/along_axis.hpp>
#include <cli/aggregation/results_object.hpp>
#include <cli/aggregation/unsorted_groups.hpp>
#include <cli/aggregation/whole_input.hpp>
#include <cli/cuda/streams.hpp>
#include <cli/engine/groups.hpp>
#include <cli/engine/lines.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
#include <cli/pieces/growing_file.hpp>
#include <cli/pieces/piece_merge.hpp>
#include <io/error.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>

namespace upsweep::cli {

namespace {

struct reduce_flags {
  input_flags in;
  output_flags out;
  engine_flags engine;
  std::vector<std::string> by;
  bool allow_repeats = false, is_sorted = false;
  std::optional<int> axis;
  std::string partial, resume;
  std::uint64_t from_row = 0;
  bool rows_move = false;  ///< of files that grow

  [[nodiscard]] piece of_piece() const {
    if (partial.empty() && resume.empty()) return piece::none;
    bool const unplaced = rows_move || !by.empty() || in.skip_missing || in.skip_rows;
    return unplaced ? piece::unplaced : piece::in_place;
  }
  /// Groups are runs of equal keys.
  [[nodiscard]] bool sorted() const { return is_sorted || allow_repeats; }
  [[nodiscard]] piece_request request() const {
    return request_of(engine.op, by, in, axis ? "0" : "");
  }
};

/// The reduction of a table, or of a piece of one: its groups, its operators, and the output.
class table_reduction {
 public:
  /// Reads, of a file that grows, only `part`.
  explicit table_reduction(reduce_flags const& flags, std::uint64_t from_row = 0,
                           std::optional<io::file_part> part = {})
      : flags_(flags),
        plan_(checked(parse_operators(flags.engine.op)), flags.in.columns, flags.by),
        in_(reading(part)),
        settings_(flags.engine.settings()) {
    settings_.missing = flags.in.skipped();
    settings_.may_lack_results = !flags.by.empty();
    settings_.of_piece = flags.of_piece();
    settings_.rows_before = from_row;
    if (settings_.of_piece != piece::none) settings_.initial.reset();  // it belongs to the whole
    plan_.resolve(in_);
    total_ = make();
  }

  void run() {
    if (flags_.out.writes_json() && flags_.by.empty()) return write_object();
    std::vector<std::string> keys = plan_.group_names(in_);
    std::size_t const by = keys.size();
    keys.insert(keys.end(), total_->texts().begin(), total_->texts().end());
    auto o =
        options_of_results(written_as::of(in_), keys.size() + total_->columns().size(), flags_.out);
    auto const written = total_->keys(keys_of_input(by));
    o.order = total_->order(by);
    o.key_types = types_of(written, in_);
    keep_tokens(in_, by, flags_.out, o);
    result_table out(flags_.out, o, total_->columns(), keys,
                     keys_as_json::of(in_, flags_.in, written));
    read_all([&](io::chunk const& rows) { out.write(rows); });
    out.commit();
  }

  part_file read_piece() {
    part_file part{in_.name(), {}};
    has_values_.resize(in_.columns().size());
    read_all([&](io::chunk const& rows) { part.append(rows); });
    auto& about = part.about;
    about.begin = settings_.rows_before;
    about.skipped = in_.skipped_rows();
    about.end = about.begin + rows_ + about.skipped;
    about.request = flags_.request();
    about.kind = settings_.of_piece;
    about.by = plan_.group_names(in_);
    about.plan = plan_;
    about.table = columns();
    about.has_values = has_values_;
    if (settings_.missing) about.missing = flags_.in.missing;
    about.format = written_as::of(in_);
    for (std::size_t k = 0; k < in_.key_names().size(); ++k)
      about.key_kinds.push_back(in_.kind_of_key(k));
    return part;
  }

 private:
  static std::vector<operator_use> checked(std::vector<operator_use> uses) {
    for (auto const& use : uses)
      if (listed(use.id).in == available::scan_only)
        throw io::usage_error(
            fmt::format("--op {}: not available for reductions; use upsweep scan.", use.name));
    return uses;
  }

  io::input_options reading(std::optional<io::file_part> const& part) const {
    io::input_options o = flags_.in.marking_options();
    plan_.choose(o);
    o.part = part;
    o.threads = flags_.engine.thread_count();
    o.may_widen = flags_.out.may_widen();
    std::string const of_texts = plan_.operator_of_texts();
    if (!of_texts.empty() && flags_.engine.settings().on_gpu) refuse_on_gpu(of_texts, "text");
    return o;
  }
  [[nodiscard]] std::unique_ptr<aggregation> make() const {
    auto made = std::make_unique<aggregation>(plan_, columns(), settings_);
    if (settings_.of_piece != piece::none) made->deliver_parts();
    return made;
  }
  /// In other pieces, a column of integers may have decimals.
  [[nodiscard]] table_columns columns() const {
    auto all = table_columns::of(in_, numbers_);
    bool const is_text = in_.format() != io::container::raw && in_.format() != io::container::npy;
    if (settings_.of_piece != piece::none) all.may_widen = is_text && flags_.in.type.empty();
    return all;
  }

  void read_all(std::function<void(io::chunk const&)> write) {
    write_ = std::move(write);
    if (flags_.by.empty() || flags_.sorted())
      read_runs();
    else
      read_groups();
  }
  void count(io::chunk const& rows) {
    rows_ = rows.first_row + rows.rows;
    auto const before = has_values_;
    for (std::size_t c = 0; c < has_values_.size(); ++c)
      has_values_[c] = has_values_[c] || rows.present.empty() ||
                       std::ranges::count(rows.present[c].as<bool>(), true) > 0;
    if (has_values_ != before) total_->expect_takes(settings_.of_piece, has_values_);
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
      count(rows);
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
    if (pending_ == 0 || !write_) return;
    io::chunk rows = total_->rows();
    std::vector<io::text_column> keys;
    for (auto const& texts : key_rows_) keys.push_back(texts.view());
    rows.keys.insert(rows.keys.begin(), keys.begin(), keys.end());
    write_(rows);
    total_->clear();
    for (auto& texts : key_rows_) texts.clear();
    pending_ = 0;
  }

  /// With --by: the rows of results when all rows are read.
  void read_groups() {
    unsorted_groups groups(plan_.group_names(in_).size(), plan_.needs_row_numbers(),
                           flags_.engine.thread_count(), [this] { return make(); });
    for_each_chunk(in_, [&](io::chunk const& rows) {
      groups.add(rows);
      count(rows);
    });
    groups.finish(write_);
  }

  void write_object() {
    read_runs();
    write_results_object(flags_.out,
                         {flags_.engine.mode, in_.name(), in_.format(), rows_, in_.skipped_rows(),
                          settings_.missing != nullptr},
                         *total_);
  }

  reduce_flags const& flags_;
  aggregation_plan plan_;
  io::input in_;
  io::number_spelling numbers_ = flags_.in.numbers();
  folding_settings settings_;
  std::unique_ptr<aggregation> total_;
  std::function<void(io::chunk const&)> write_;
  std::size_t pending_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<bool> has_values_;  // of a piece
  std::vector<text_buffer> key_rows_;
};

/// The lines of a piece of an array along its first dimension.
part_file read_lines(reduce_flags const& flags, std::uint64_t from_row,
                     std::optional<io::file_part> part) {
  auto const uses = parse_operators(flags.engine.op);
  auto [in, axis, shape] = open_array(flags.in, uses, *flags.axis, part);
  if (axis != 0)
    throw io::usage_error(fmt::format(
        "--axis {}: pieces are cut along axis 0, so each line along another axis lies in one "
        "piece; reduce each piece without --partial, and put the results behind each other.",
        *flags.axis));
  auto settings = flags.engine.settings();
  settings.initial.reset();  // it belongs to the whole
  settings.of_piece = flags.of_piece();
  settings.rows_before = from_row;
  aggregation_plan plan(uses, flags.in.columns, flags.by);  // both are empty
  plan.resolve(in);
  table_columns const columns{in.columns(), {}, false};
  part_file of{in.name(), {}};
  of.about.begin = from_row;
  of.about.end = from_row + shape[0];
  of.about.request = flags.request();
  of.about.plan = plan;
  of.about.table = columns;
  of.about.kind = settings.of_piece;
  of.about.has_values = {shape[0] > 0};
  of.about.format = written_as::of(in);
  of.about.lines.emplace(shape.begin() + 1, shape.end());
  of.parts = parts_of_lines(
      in.array(), axis,
      [&](std::size_t) {
        auto set = std::make_unique<aggregation>(plan, columns, settings);
        set->restart(0);
        return set;
      },
      settings.line_threads());
  return of;
}

part_file read_piece(reduce_flags const& flags, std::uint64_t from_row,
                     std::optional<io::file_part> part = {}) {
  return flags.axis ? read_lines(flags, from_row, part)
                    : table_reduction(flags, from_row, part).read_piece();
}

void reduce_piece(reduce_flags const& flags) {
  write_part_file({{read_piece(flags, flags.from_row)}}, flags.partial, flags.out.force);
}

/// Reduces what is new in files that grow, and prints the results of all of them.
void reduce_growing_files(reduce_flags const& flags) {
  auto const files = growing_files(flags.in.paths, flags.in.options(), flags.resume);
  reduce_flags own = flags;
  auto const* const moved = first_moved(files);
  own.rows_move = moved != nullptr;
  std::vector<part_file> whole;
  for (auto const& file : files) {
    std::uint64_t const row = whole.empty() ? 0 : whole.back().about.end;
    own.in.paths = {file.path()};
    std::vector<part_file> parts;
    if (auto const& before = file.before()) {
      expect_request(*before, flags.request(), "this command");
      parts.push_back(moved != nullptr ? moved_to(row, *before, moved->path()) : *before);
      auto& about = parts[0].about;
      if (about.empty()) about.begin = about.end = row;
    }
    auto const unread = file.unread();
    if (parts.empty() || unread.begin < unread.end)
      parts.push_back(read_piece(own, parts.empty() ? row : parts[0].about.end, unread));
    whole.push_back(parts.size() == 1 ? std::move(parts[0])
                                      : piece_merge(parts).joined(own.of_piece()));
    whole.back().name = file.path();
    whole.back().about.source = file.read();
  }
  std::size_t const more = whole.size() - 1;
  auto const& first = whole[0].name;
  piece_merge(whole).print(
      flags.out,
      more == 0 ? first : fmt::format("{} and {} more file{}", first, more, more == 1 ? "" : "s"),
      flags.engine.initial);
  write_part_file(whole, flags.resume, true);
}

void reduce_along_axis(reduce_flags const& flags) {
  auto const uses = parse_operators(flags.engine.op);
  auto [in, axis, shape] = open_array(flags.in, uses, *flags.axis);
  auto const settings = flags.engine.settings();
  folding_factory const make = [&uses, &settings, &columns = in.columns()] {
    return folding_set(uses, columns, settings);
  };
  auto const info = make().results();
  auto const results = reduce_lines(in.array(), axis, make, settings.line_threads());
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  write_columns(flags.out, options_of_lines(flags.out, results.size(), shape), info, results);
}

void add_piece_options(CLI::App& command, reduce_flags& flags) {
  auto* const partial =
      command
          .add_option("--partial", flags.partial,
                      "Write, instead of the results, what 'upsweep merge' needs to join them with "
                      "those of other pieces")
          ->type_name("FILE")
          ->group("Pieces");
  not_negative(
      command.add_option("--from-row", flags.from_row,
                         "Number of rows of the whole in front of this piece (default: 0)"))
      ->type_name("N")
      ->group("Pieces")
      ->needs(partial);
  auto* const resume =
      command
          .add_option("--resume", flags.resume,
                      "Read only what is new in each FILE since this state was written, print "
                      "the results of all, and update the state")
          ->type_name("STATE")
          ->group("Pieces")
          ->excludes(partial);
  expect_name(*partial);
  expect_name(*resume);
  for (auto const* name : {"--sorted", "--allow-repeats"}) {
    partial->excludes(command.get_option(name));
    resume->excludes(command.get_option(name));
  }
  for (auto const* name : {"--output", "--to", "--json", "--number-format"})
    partial->excludes(command.get_option(name));
}

/// Why these options cannot be of a piece.
void expect_no_piece(reduce_flags const& flags) {
  if (flags.of_piece() == piece::none) return;
  if (flags.engine.settings().on_gpu != nullptr)
    throw io::usage_error("--on cuda: pieces are reduced on the processor; omit --on.");
  if (flags.engine.initial && !flags.partial.empty())
    throw io::usage_error(
        "--init: an initial value is in front of all pieces; give it to upsweep merge.");
}

void run(reduce_flags const& flags) {
  expect_no_piece(flags);
  if (!flags.partial.empty()) return reduce_piece(flags);
  if (!flags.resume.empty()) return reduce_growing_files(flags);
  if (flags.axis) return reduce_along_axis(flags);
  table_reduction(flags).run();
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
  add_piece_options(*command, *flags);
  command->callback([flags] { run(*flags); });
}

}  // namespace upsweep::cli

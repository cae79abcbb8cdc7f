/// `upsweep scan`: running sums, extremes, averages and recurrences, row by row, of files and of
/// endless streams.
#include <cli/aggregation/aggregation.hpp>
#include <cli/aggregation/along_axis.hpp>
#include <cli/aggregation/group_scans.hpp>
#include <cli/aggregation/whole_input.hpp>
#include <cli/cuda/gpu.hpp>
#include <cli/engine/groups.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
#include <cli/pieces/piece_merge.hpp>
#include <io/error.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct scan_flags : operators_flags {
  std::vector<std::string> keep;
  bool exclusive = false, reverse = false, monotone = false, carry = false;

  [[nodiscard]] scan_kind kind() const {
    return exclusive ? scan_kind::exclusive : scan_kind::inclusive;
  }
  /// With --after an operator that looks ahead is refused as those are that are not saved.
  [[nodiscard]] bool needs_all_rows() const {
    auto const uses = parse_operators(engine.op);
    return reverse || (after.empty() && std::ranges::any_of(uses, [](operator_use const& use) {
                         return is(use.id, trait::ahead);
                       }));
  }
  [[nodiscard]] io::input_options reading(aggregation_plan const& plan) const {
    io::input_options o = in.marking_options();
    plan.choose(o);
    o.threads = engine.thread_count();
    o.may_widen = out.may_widen() && !needs_all_rows();
    return o;
  }
  [[nodiscard]] aggregate_settings settings() const {
    aggregate_settings s = engine.settings();
    s.from_end = reverse;
    s.scans = true;
    s.monotone = monotone;
    s.missing = in.skipped();
    s.carry_missing = carry;
    return s;
  }
};

/// The key columns that are written: those of --keep, and before them those of --by that --keep has
/// not too. After them are the strings that operators take.
class written_keys {
 public:
  written_keys(io::input const& in, scan_flags const& flags)
      : read(in->keys_of(flags.by.size() + flags.keep.size())) {
    auto const all = std::span(in->keys).first(read);
    std::size_t const by = in->keys_of(flags.by.size());
    auto const kept = all.subspan(by);
    for (std::size_t k = 0; k < all.size(); ++k) {
      bool const twice = k < by && std::ranges::find(kept, all[k]) != kept.end();
      if (twice) continue;
      columns.push_back({k});
      names.push_back(all[k]);
    }
  }
  void choose(std::vector<io::text_column>& keys) const {
    for (std::size_t k = 0; k < columns.size(); ++k) keys[k] = keys[*columns[k].of_input];
    keys.resize(columns.size());
  }
  std::size_t read;  ///< how many keys there are, of which some are there twice
  std::vector<std::string> names;
  std::vector<written_key> columns;
};

std::vector<operator_use> parse(scan_flags const& flags) {
  auto uses = parse_operators(flags.engine.op);
  for (auto const& use : uses) {
    if (use.id == catalog::id::concat || is(use.id, trait::reduce_only))
      throw io::usage_error("--op {}: not available for scans; use upsweep reduce.", use.name);
    if (flags.exclusive && is(use.id, trait::scan_only))
      throw io::usage_error("--exclusive: {} counts rows back from each row; omit --exclusive.",
                            use.name);
    if (flags.monotone && is(use.id, trait::unordered))
      throw io::usage_error(
          "--monotone: needs results that are ordered numbers, which those of {} are not; omit "
          "--monotone, or use sum, exact-sum or mean.",
          use.name);
  }
  return uses;
}

/// The columns of an input and its operators.
struct open_scan {
  explicit open_scan(scan_flags const& flags)
      : plan(parse(flags), flags.in.columns, flags.by, flags.keep), in(flags.reading(plan)) {
    plan.resolve(in);
    for (auto const& use : plan.text_uses()) {
      if (use.id == catalog::id::count) continue;
      if (flags.exclusive)
        throw io::usage_error(
            "--exclusive: {} of text has no result before the first row; omit --exclusive.",
            use.name);
      if (flags.monotone)
        throw io::usage_error("--monotone: needs numbers, but {} is of text; omit --monotone.",
                              use.name);
    }
  }
  aggregation_plan plan;
  io::input in;
};

/// The pieces before the rows that are scanned, as one, if there are any.
class pieces_before {
 public:
  /// `lines` as in piece_header.
  pieces_before(scan_flags const& flags, aggregation_plan const& plan, io::input const& in,
                std::optional<std::vector<std::size_t>> lines = {})
      : table(table_columns::of(in, flags.in.numbers())), settings(flags.settings()) {
    if (flags.after.empty()) return;
    part_ = part_before(flags.after);
    auto const& about = part_->about;
    part_file rows{in->name(), about};
    rows.about.request = request_of(flags);
    rows.about.lines = std::move(lines);
    rows.about.plan = plan;
    rows.about.table.columns = table.columns;
    rows.about.table.key_names = table.key_names;
    rows.about.table.numbers = table.numbers;
    rows.about.has_values.assign(table.columns.size(), true);
    expect_same_request(*part_, rows);
    if (about.empty()) return;
    join_types(rows.about, about, part_->name);
    table = rows.about.table;
    settings.of_piece = about.kind;
    settings.rows_before = about.end;
  }
  void give_to(aggregation& set, std::size_t line = 0) const {
    if (!part_ || part_->about.empty() || line == part_->parts.size()) return;
    set.join_part(std::as_bytes(std::span(part_->parts.view()[line])), part_->about.has_values,
                  part_->about.end);
  }
  /// Throws usage_error if an operator cannot go on after a part. One without values can be made of
  /// all operators.
  void expect_continued_by(aggregation& set) const {
    if (part_)
      set.numbers().expect_takes(piece::in_place, std::vector<bool>(table.columns.size(), true));
  }
  table_columns table;
  aggregate_settings settings;

 private:
  std::optional<part_file> part_;
};

/// The scan of a table: chunk by chunk, as the rows arrive; or of all rows in memory, from the last
/// to the first or by operators that look ahead.
class table_scan {
 public:
  explicit table_scan(scan_flags const& flags) : flags_(flags), from_(flags) {
    before_.expect_continued_by(*set_);
  }

  void run() {
    auto const written = set_->keys(keys_.columns);
    io::output_options o = options_like(in_, flags_.in, flags_.out);
    o.order = set_->order(keys_.names.size());
    o.key_types = types_of(written, in_);
    bool const is_whole = flags_.needs_all_rows();
    joined_ = !is_whole && flags_.by.empty() && from_.plan.text_uses().empty() &&
              from_.plan.dates().empty() && join_keys(in_, keys_.names.size(), flags_.out, o);
    if (!joined_) keep_tokens(in_, keys_.read, in_->keys_of(flags_.by.size()), flags_.out, o);
    std::optional<whole_table> whole;
    if (is_whole)
      whole.emplace(in_, whole_table_options{.by = by_,
                                             .keys = keys_.read,
                                             .sorted = flags_.sorted(),
                                             .allow_repeats = flags_.allow_repeats,
                                             .numbered = from_.plan.needs_row_numbers(),
                                             .maps_arrays = flags_.in.columns.empty(),
                                             .threads = flags_.engine.thread_count()});
    auto const total = whole ? whole->rows() : in_->total_rows;
    if (total && set_->columns().size() == 1) o.shape = {*total};
    auto names = keys_.names;
    names.insert(names.end(), set_->texts().begin(), set_->texts().end());
    result_table out(flags_.out, o, set_->columns(), names,
                     keys_as_json::of(in_, flags_.in, written));
    if (whole)
      scan_whole(*whole, out);
    else if (flags_.sorted())
      scan_runs(out);
    else
      scan_groups(out);
    out.commit();
  }

 private:
  [[nodiscard]] std::unique_ptr<aggregation> make() const {
    return std::make_unique<aggregation>(from_.plan, before_.table, before_.settings);
  }
  void scan_whole(whole_table const& table, result_table& out) {
    auto const results = table.scan(*set_, flags_.kind(), flags_.reverse);
    io::chunk rows;
    rows.rows = table.rows();
    rows.keys = table.keys();
    write(rows, results.view(), out);
  }
  void scan_groups(result_table& out) {
    unsorted_scans groups(by_.size(), keys_.read, flags_.engine.thread_count(),
                          before_.settings.on_gpu != nullptr, [this] { return make(); });
    for_each_chunk(in_, [&](io::chunk& rows) {
      auto const results = groups.scan(flags_.kind(), rows);
      write(rows, results, out);
    });
  }
  void scan_runs(result_table& out) {
    group_runs groups(by_, flags_.allow_repeats);
    for_each_chunk(in_, [&](io::chunk& rows) {
      groups.for_each(rows, [&](std::size_t first, std::size_t n, bool is_new) {
        if (is_new) {
          set_->restart(rows.number(first));
          before_.give_to(*set_);
        }
        set_->scan(flags_.kind(), rows, first, n);
      });
      write(rows, set_->rows(), out);
      set_->clear();
    });
  }
  /// The results become the rows' columns; strings among them follow the keys.
  void write(io::chunk& rows, io::chunk const& results, result_table& out) const {
    if (!joined_) keys_.choose(rows.keys);
    rows.columns = results.columns;
    rows.present = results.present;
    rows.keys.insert(rows.keys.end(), results.keys.begin(), results.keys.end());
    out.write(rows);
  }

  scan_flags const& flags_;
  open_scan from_;
  io::input& in_ = from_.in;
  pieces_before before_{flags_, from_.plan, in_};
  std::unique_ptr<aggregation> set_ = make();
  written_keys keys_{in_, flags_};
  std::vector<std::string> by_ = group_names(in_, flags_.by);
  bool joined_ = false;  // the keys are read as they are written
};

/// Scans the lines of an array, or of a piece of one after the pieces before it.
void scan_along_axis(scan_flags const& flags) {
  auto from = open_array(flags.in, parse(flags), *flags.axis);
  if (from.axis != 0 && !flags.after.empty())
    throw io::usage_error(
        "--axis {}: pieces are cut along axis 0, so each slice along another axis is in one piece; "
        "omit --after.",
        *flags.axis);
  pieces_before const before(flags, from.plan, from.in,
                             std::vector(from.shape.begin() + 1, from.shape.end()));
  std::size_t const size = from.shape[from.axis];
  line_operators const operators{
      [&] { return std::make_unique<aggregation>(from.plan, before.table, before.settings); },
      [&](aggregation& set, std::size_t line) {
        set.restart(flags.reverse && size > 0 ? size - 1 : 0);
        before.give_to(set, line);
      }};
  auto const results = scan_lines(from, flags.kind(), operators, before.settings);
  io::output_options o = options_like(from.in, flags.in, flags.out);
  if (results.size() == 1) o.shape = from.shape;
  write_columns(flags.out, o, operators.make()->columns(), results);
}

void run(scan_flags& flags) {
  flags.in.skip_missing = flags.in.skip_missing || flags.carry;
  flags.axis ? scan_along_axis(flags) : table_scan(flags).run();
}

}  // namespace

void add_scan_command(registry& tool) {
  auto const [add, flags] = add_command<scan_flags>(tool, "scan");
  add_engine_options(add, flags.engine, gpu::streams());
  add("--exclusive", flags.exclusive,
      "Exclusive scan: each result excludes the value of its own row");
  add("--reverse", flags.reverse,
      "Scan from the last row to the first; needs the whole input in memory");
  add("--monotone", flags.monotone,
      "Replace each result by the largest so far, so that running sums of non-negative floats "
      "never decrease");
  add("--by COLUMN,...", flags.by, "Group by these columns: each group has its own results",
      comma_list);
  add("--keep COLUMN,...", flags.keep,
      "Copy these columns, or all, to the output, before the results", comma_list);
  add_sorted_options(add, flags,
                     "Rows are sorted by key: memory for one group; a repeated key is an error");
  add("--axis K", flags.axis,
      "Scan a .npy array along this dimension; negative numbers count from the last",
      excludes({"--by", "--keep"}));
  add_input_options(add, flags.in);
  add("--carry-missing", flags.carry,
      "Like --skip-missing, but a row without a value repeats the result before it",
      excludes({"--skip-rows-with-missing", "--exclusive"}))
      ->group("Input");
  add_output_options(add, flags.out);
  option_group const group(add.command, "Pieces");
  add("--after PARTIAL", flags.after,
      "Continue after the rows of this file of 'upsweep reduce --partial'", expect_name,
      excludes({"--init", "--by", "--reverse", "--monotone"}));
}

}  // namespace upsweep::cli

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

#include <fmt/format.h>

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

struct scan_flags {
  input_flags in;
  output_flags out;
  engine_flags engine;
  std::vector<std::string> by, keep;
  bool is_sorted = false, allow_repeats = false, exclusive = false, reverse = false,
       monotone = false, carry = false;
  std::optional<int> axis;
  std::string after;

  [[nodiscard]] scan_kind kind() const {
    return exclusive ? scan_kind::exclusive : scan_kind::inclusive;
  }
  /// Groups are runs of equal keys.
  [[nodiscard]] bool sorted() const { return by.empty() || is_sorted || allow_repeats; }
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
      : read(in.keys_of(flags.by.size() + flags.keep.size())) {
    auto const all = std::span(in.key_names()).first(read);
    std::size_t const by = in.keys_of(flags.by.size());
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
      throw io::usage_error(
          fmt::format("--op {}: not available for scans; use upsweep reduce.", use.name));
    if (flags.exclusive && is(use.id, trait::scan_only))
      throw io::usage_error(fmt::format(
          "--exclusive: {} counts rows back from each row; omit --exclusive.", use.name));
    if (flags.monotone && is(use.id, trait::unordered))
      throw io::usage_error(fmt::format(
          "--monotone: needs results that are ordered numbers, which those of {} are not; "
          "omit --monotone, or use sum, exact-sum or mean.",
          use.name));
  }
  return uses;
}

aggregation_plan plan_of(scan_flags const& flags) {
  return {parse(flags), flags.in.columns, flags.by, flags.keep};
}

/// The columns of an input, its operators, and where the results go.
struct open_scan {
  explicit open_scan(scan_flags const& flags) : plan(plan_of(flags)), in(flags.reading(plan)) {
    plan.resolve(in);
    for (auto const& use : plan.text_uses()) {
      if (use.id == catalog::id::count) continue;
      if (flags.exclusive)
        throw io::usage_error(fmt::format(
            "--exclusive: {} of text has no result before the first row; omit --exclusive.",
            use.name));
      if (flags.monotone)
        throw io::usage_error(fmt::format(
            "--monotone: needs numbers, but {} is of text; omit --monotone.", use.name));
    }
  }
  aggregation_plan plan;
  io::input in;
};

std::vector<std::string> names_of(written_keys const& keys, aggregation const& results) {
  auto names = keys.names;
  names.insert(names.end(), results.texts().begin(), results.texts().end());
  return names;
}

/// The results become the rows' columns; strings among them follow the keys.
void put_results(io::chunk& rows, io::chunk const& results) {
  rows.columns = results.columns;
  rows.present = results.present;
  rows.keys.insert(rows.keys.end(), results.keys.begin(), results.keys.end());
}

/// The pieces before the rows that are scanned, as one, if there are any.
class pieces_before {
 public:
  /// `lines` as in piece_header.
  pieces_before(scan_flags const& flags, aggregation_plan const& plan, io::input const& in,
                std::optional<std::vector<std::size_t>> lines = {})
      : table(table_columns::of(in, flags.in.numbers())), settings(flags.settings()) {
    if (flags.after.empty()) return;
    part_ = part_in_front(flags.after);
    auto const& about = part_->about;
    part_file rows{in.name(), about};
    rows.about.request = request_of(flags.engine.op, flags.by, flags.in, flags.axis ? "0" : "");
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
  table_columns table;
  aggregate_settings settings;

 private:
  std::optional<part_file> part_;
};

/// Scans chunk by chunk, as the rows arrive.
int scan_stream(scan_flags const& flags) {
  open_scan from(flags);
  pieces_before const before(flags, from.plan, from.in);
  auto const make = [&] {
    return std::make_unique<aggregation>(from.plan, before.table, before.settings);
  };
  auto const set = make();
  written_keys const keys(from.in, flags);
  io::output_options o = options_like(from.in, flags.in, flags.out);
  auto const written = set->keys(keys.columns);
  o.order = set->order(keys.names.size());
  o.key_types = types_of(written, from.in);
  if (from.in.total_rows() && set->columns().size() == 1) o.shape = {*from.in.total_rows()};
  bool const joined = flags.by.empty() && from.plan.text_uses().empty() &&
                      from.plan.dates().empty() &&
                      join_keys(from.in, keys.names.size(), flags.out, o);
  if (!joined) keep_tokens(from.in, keys.read, flags.out, o);
  result_table out(flags.out, o, set->columns(), names_of(keys, *set),
                   keys_as_json::of(from.in, flags.in, written));
  auto const by = from.plan.group_names(from.in);
  if (!flags.sorted()) {
    unsorted_scans groups(by.size(), keys.read, flags.engine.thread_count(),
                          flags.settings().on_gpu != nullptr, make);
    for_each_chunk(from.in, [&](io::chunk& rows) {
      auto const results = groups.scan(flags.kind(), rows);
      keys.choose(rows.keys);
      put_results(rows, results);
      out.write(rows);
    });
    out.commit();
    return 0;
  }
  group_runs groups(by, flags.allow_repeats);
  for_each_chunk(from.in, [&](io::chunk& rows) {
    groups.for_each(rows, [&](std::size_t first, std::size_t n, bool is_new) {
      if (is_new) {
        set->restart(rows.number(first));
        before.give_to(*set);
      }
      set->scan(flags.kind(), rows, first, n);
    });
    if (!joined) keys.choose(rows.keys);
    put_results(rows, set->rows());
    out.write(rows);
    set->clear();
  });
  out.commit();
  return 0;
}

/// Scans a table that is in memory: from the last row to the first, or by operators that look
/// ahead.
int scan_whole(scan_flags const& flags) {
  open_scan from(flags);
  io::input& in = from.in;
  aggregation set(from.plan, table_columns::of(in, flags.in.numbers()), flags.settings());
  written_keys const written(in, flags);
  io::output_options o = options_like(in, flags.in, flags.out);
  auto const columns = set.keys(written.columns);
  o.order = set.order(written.names.size());
  o.key_types = types_of(columns, in);
  keep_tokens(in, written.read, flags.out, o);
  whole_table const table(in, {.by = from.plan.group_names(in),
                               .keys = written.read,
                               .sorted = flags.sorted(),
                               .allow_repeats = flags.allow_repeats,
                               .numbered = from.plan.needs_row_numbers(),
                               .maps_arrays = flags.in.columns.empty(),
                               .threads = flags.engine.thread_count()});
  if (set.columns().size() == 1) o.shape = {table.rows()};
  result_table out(flags.out, o, set.columns(), names_of(written, set),
                   keys_as_json::of(in, flags.in, columns));
  auto const results = table.scan(set, flags.kind(), flags.reverse);
  io::chunk rows;
  rows.rows = table.rows();
  rows.keys = table.keys();
  written.choose(rows.keys);
  put_results(rows, results.view());
  out.write(rows);
  out.commit();
  return 0;
}

/// Scans the lines of an array, or of a piece of one after the pieces before it.
int scan_along_axis(scan_flags const& flags) {
  auto from = open_array(flags.in, parse(flags), *flags.axis);
  if (from.axis != 0 && !flags.after.empty())
    throw io::usage_error(
        fmt::format("--axis {}: pieces are cut along axis 0, so each slice along another axis is "
                    "in one piece; omit --after.",
                    *flags.axis));
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
  return 0;
}

}  // namespace

void add_scan_command(registry& tool) {
  CLI::App* const command = add_command(tool, "scan");
  auto const flags = std::make_shared<scan_flags>();
  auto columns = [&](std::string const& name, std::vector<std::string>& list,
                     std::string const& sentence) {
    return comma_list(add_option(*command, name + " COLUMN,...", list, sentence));
  };
  add_engine_options(tool, *command, flags->engine, gpu::streams());
  command->add_flag("--exclusive", flags->exclusive,
                    "Exclusive scan: each result excludes the value of its own row");
  command->add_flag("--reverse", flags->reverse,
                    "Scan from the last row to the first; needs the whole input in memory");
  command->add_flag("--monotone", flags->monotone,
                    "Replace each result by the largest so far, so that running sums of "
                    "non-negative floats never decrease");
  auto* const by =
      columns("--by", flags->by, "Group by these columns: each group has its own results");
  auto* const keep = columns("--keep", flags->keep,
                             "Copy these columns, or all, to the output, before the results");
  command
      ->add_flag("--sorted", flags->is_sorted,
                 "Rows are sorted by key: memory for one group; a repeated key is an error")
      ->needs(by);
  command
      ->add_flag("--allow-repeats", flags->allow_repeats,
                 "Each run of equal keys is a group, although keys repeat")
      ->needs(by);
  add_option(*command, "--axis K", flags->axis,
             "Scan a .npy array along this dimension; negative numbers count from the last")
      ->excludes(by)
      ->excludes(keep);
  add_input_options(tool, *command, flags->in);
  command
      ->add_flag("--carry-missing", flags->carry,
                 "Like --skip-missing, but a row without a value repeats the result before it")
      ->group("Input")
      ->excludes(command->get_option("--skip-rows-with-missing"))
      ->excludes(command->get_option("--exclusive"));
  add_output_options(tool, *command, flags->out);
  option_group const group(*command, "Pieces");
  auto* const after =
      add_option(*command, "--after PARTIAL", flags->after,
                 "Continue after the rows of this file of 'upsweep reduce --partial'");
  expect_name(*after);
  for (auto const* name : {"--init", "--by", "--reverse", "--monotone"})
    after->excludes(command->get_option(name));
  command->callback([flags, &tool] {
    flags->in.skip_missing = flags->in.skip_missing || flags->carry;
    tool.status = flags->axis               ? scan_along_axis(*flags)
                  : flags->needs_all_rows() ? scan_whole(*flags)
                                            : scan_stream(*flags);
  });
}

}  // namespace upsweep::cli

/// What `upsweep reduce` is asked for, and the reduction of a table, or of a piece of one.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/aggregation/unsorted_groups.hpp>
#include <cli/aggregation/whole_input.hpp>
#include <cli/engine/groups.hpp>
#include <cli/options.hpp>
#include <cli/output/results.hpp>
#include <cli/pieces/piece_merge.hpp>
#include <io/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

struct reduce_flags : operators_flags {
  std::string partial, resume;
  std::uint64_t from_row = 0;
  bool rows_move = false;  ///< of files that grow

  [[nodiscard]] piece of_piece() const {
    if (partial.empty() && resume.empty()) return piece::none;
    bool const known = from_row == 0 || !after.empty() || !counts_values();
    return known && !rows_move ? piece::in_place : piece::unplaced;
  }
  /// Before a piece there are not as many values as rows.
  [[nodiscard]] bool counts_values() const {
    return !by.empty() || in.skip_missing || in.skip_rows;
  }
};

/// The reduction of a table, or of a piece of one: its groups, its operators, and the output.
class table_reduction {
 public:
  /// Reads, of a file that grows, only `part`. Before a piece are `from_row` rows, and what is
  /// known of them, if that is needed.
  explicit table_reduction(reduce_flags const& flags, std::uint64_t from_row = 0,
                           std::optional<io::file_part> part = {}, part_file const* front = nullptr)
      : flags_(flags),
        plan_(checked(parse_operators(flags.engine.op)), flags.in.columns, flags.by),
        in_(reading(part)),
        settings_(flags.engine.settings()) {
    settings_.missing = flags.in.skipped();
    settings_.may_lack_results = !flags.by.empty();
    settings_.of_piece = flags.of_piece();
    settings_.rows_before = from_row;
    if (settings_.of_piece != piece::none) settings_.initial.reset();  // it belongs to the whole
    if (settings_.of_piece == piece::in_place && flags.counts_values())
      place_ = front == nullptr ? placement() : placement(*front, request_of(flags));
    plan_.resolve(in_);
    total_ = make();
  }

  void run() {
    if (flags_.out.writes_json() && flags_.by.empty()) return write_object();
    std::vector<std::string> keys = group_names(in_, flags_.by);
    std::size_t const by = keys.size();
    keys.insert(keys.end(), total_->texts().begin(), total_->texts().end());
    auto o =
        options_of_results(written_as::of(in_), keys.size() + total_->columns().size(), flags_.out);
    auto const written = total_->keys(keys_of_input(by));
    o.order = total_->order(by);
    o.key_types = types_of(written, in_);
    keep_tokens(in_, by, by, flags_.out, o);
    result_table out(flags_.out, o, total_->columns(), keys,
                     keys_as_json::of(in_, flags_.in, written));
    read_all([&](io::chunk const& rows) { out.write(rows); });
    out.commit();
  }

  part_file read_piece() {
    part_file part{in_->name(), {}};
    has_values_.resize(in_->columns.size());
    std::size_t const by = group_names(in_, flags_.by).size();
    if (is_json(in_->format)) in_->keep_tokens(by, by);
    read_all([&](io::chunk const& rows) { part.append(rows); });
    auto& about = part.about;
    about.begin = settings_.rows_before;
    about.skipped = in_->skipped_rows;
    about.end = about.begin + rows_ + about.skipped;
    about.request = request_of(flags_);
    about.kind = settings_.of_piece;
    about.by = group_names(in_, flags_.by);
    about.plan = plan_;
    about.table = columns();
    about.has_values = has_values_;
    if (settings_.missing) about.missing = flags_.in.missing;
    about.format = written_as::of(in_);
    for (std::size_t k = 0; k < in_->keys.size(); ++k)
      about.key_kinds.push_back(in_->kind_of_key(k));
    return part;
  }

 private:
  static std::vector<operator_use> checked(std::vector<operator_use> uses) {
    for (auto const& use : uses)
      if (is(use.id, trait::scan_only))
        throw io::usage_error("--op {}: not available for reductions; use upsweep scan.", use.name);
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
    bool const is_text = in_->format != io::container::raw && in_->format != io::container::npy;
    if (settings_.of_piece != piece::none) all.may_widen = is_text && flags_.in.type.empty();
    return all;
  }

  void read_all(std::function<void(io::chunk const&)> write) {
    write_ = std::move(write);
    if (flags_.sorted())
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
    if (has_values_ != before) total_->numbers().expect_takes(settings_.of_piece, has_values_);
  }

  /// Without --by, and with rows sorted by key: a row of results when a group ends.
  void read_runs() {
    group_runs groups(group_names(in_, flags_.by), flags_.allow_repeats);
    std::vector<std::string> here;
    restart(0);
    for_each_chunk(in_, [&](io::chunk const& rows) {
      groups.for_each(rows, [&](std::size_t first, std::size_t n, bool is_new) {
        if (is_new && rows.first_row + first > 0) close(here);
        if (is_new) {
          restart(rows.number(first));
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
  /// Before the first row of a group of the table; a piece has no groups here.
  void restart(std::uint64_t row) {
    total_->restart(row);
    if (place_) place_->begin(*total_, "");
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

  [[nodiscard]] unsorted_groups::starter starter() const {
    if (!place_) return {};
    return [this](aggregation& set, std::string const& keys) { place_->begin(set, keys); };
  }
  /// With --by: the rows of results when all rows are read.
  void read_groups() {
    unsorted_groups groups(
        group_names(in_, flags_.by).size(), plan_.needs_row_numbers(), flags_.engine.thread_count(),
        [this] { return make(); }, starter());
    for_each_chunk(in_, [&](io::chunk const& rows) {
      groups.add(rows);
      count(rows);
    });
    groups.finish(write_);
  }

  void write_object() {
    read_runs();
    write_results_object(flags_.out,
                         {flags_.engine.mode, in_->name(), in_->format, rows_, in_->skipped_rows,
                          settings_.missing != nullptr},
                         *total_);
  }

  reduce_flags const& flags_;
  aggregation_plan plan_;
  io::input in_;
  io::number_spelling numbers_ = flags_.in.numbers();
  aggregate_settings settings_;
  std::optional<placement> place_;
  std::unique_ptr<aggregation> total_;
  std::function<void(io::chunk const&)> write_;
  std::size_t pending_ = 0;
  std::uint64_t rows_ = 0;
  std::vector<bool> has_values_;  // of a piece
  std::vector<text_buffer> key_rows_;
};

}  // namespace upsweep::cli

/// The operators over text. Strings are compared byte by byte, which is the order of code points of
/// UTF-8 and the order in time of dates such as 2015-01-31.
#include <cli/engine/texts.hpp>

#include <cli/engine/groups.hpp>
#include <cli/engine/parameters.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <io/times.hpp>
#include <upsweep/ops/sessions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace upsweep::cli {

namespace {

class row_count final : public text_aggregate {
 public:
  void initialize() override { rows_ = 0; }
  void update(text_rows const& rows) override { rows_ += rows.end - rows.first; }
  [[nodiscard]] bool is_number() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t number() const override { return rows_; }
  void serialize(saved_state& to) const override { put(to, rows_); }
  void combine(saved_reader& from) override { rows_ += from.take<std::uint64_t>(); }

 private:
  std::uint64_t rows_ = 0;
};

/// The most frequent text, of several the smallest.
class text_mode final : public text_aggregate {
 public:
  void initialize() override {
    seen_.clear();
    counts_.clear();
  }
  void update(text_rows const& rows) override {
    seen_.number({rows.column, 1}, rows.first, rows.end, groups_);
    counts_.resize(seen_.size());
    for (auto const group : groups_) ++counts_[group];
  }
  [[nodiscard]] bool has_result() const noexcept override { return !counts_.empty(); }
  [[nodiscard]] std::string_view text() const override {
    if (counts_.empty()) refuse_empty("mode");
    auto const texts = seen_.keys()[0].view();
    std::size_t best = 0;
    for (std::size_t i = 1; i < counts_.size(); ++i)
      if (counts_[i] > counts_[best] ||
          (counts_[i] == counts_[best] && comes_before(texts[i], texts[best])))
        best = i;
    return texts[best];
  }
  void serialize(saved_state& to) const override {
    put(to, counts_.size());
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      put_text(to, seen_.keys()[0].view()[i]);
      put(to, counts_[i]);
    }
  }
  void combine(saved_reader& from) override {
    text_buffer later;
    std::vector<std::uint64_t> counts(from.take_count());
    for (auto& count : counts) {
      later.push(from.take_text());
      count = from.take<std::uint64_t>();
    }
    auto const column = later.view();
    seen_.number({&column, 1}, 0, column.size(), groups_);
    counts_.resize(seen_.size());
    for (std::size_t i = 0; i < counts.size(); ++i) counts_[groups_[i]] += counts[i];
  }

 private:
  group_table seen_{1};
  std::vector<std::uint64_t> counts_;  // of each group
  std::vector<std::uint32_t> groups_;
};

/// The number of the run of equal strings, or of equal numbers: -0 equals 0, and NaN nothing.
class text_runs final : public text_aggregate {
 public:
  explicit text_runs(bool of_numbers) : of_numbers_(of_numbers) {}
  void initialize() override { runs_ = 0; }
  void update(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) {
      auto const text = rows[row];
      if (runs_ == 0) first_ = text;
      if (runs_ == 0 || !continues(text)) ++runs_;
      last_ = text;
    }
  }
  [[nodiscard]] bool is_number() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t number() const override { return runs_; }
  void serialize(saved_state& to) const override {
    put(to, runs_);
    put_text(to, first_);
    put_text(to, last_);
  }
  void combine(saved_reader& from) override {
    auto const runs = from.take<std::uint64_t>();
    std::string const first = from.take_text(), last = from.take_text();
    if (runs == 0) return;
    if (runs_ == 0) first_ = first;
    runs_ += runs - (runs_ > 0 && continues(first) ? 1 : 0);
    last_ = last;
  }

 private:
  [[nodiscard]] bool continues(std::string_view text) const {
    auto const is_zero = [](std::string_view number) { return number == "0" || number == "-0"; };
    return text == last_ ? !of_numbers_ || text != "nan"
                         : of_numbers_ && is_zero(text) && is_zero(last_);
  }

  bool of_numbers_;
  std::string first_, last_;
  std::uint64_t runs_ = 0;
};

/// The number of the session of each time.
class session_of_times final : public text_aggregate {
 public:
  session_of_times(sessions<double> op, std::string column) : op_(op), column_(std::move(column)) {}
  void initialize() override { state_ = {}; }
  void update(text_rows const& rows) override {
    for (std::size_t row = rows.first; row < rows.end; ++row) {
      auto const time = io::parse_time(rows[row]);
      if (!time)
        throw io::data_error(
            "{}'{}' in column '{}' is not a time such as 2015-01-31 10:30 or 2015-01-31T10:30:05Z.",
            rows.place(row), io::shown(rows[row]), column_);
      state_ = op_(state_, op_.lift(time->seconds()));
    }
  }
  [[nodiscard]] bool is_number() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t number() const override { return state_.count; }
  void serialize(saved_state& to) const override { put_value(to, state_); }
  void combine(saved_reader& from) override {
    state_ = op_(state_, from.take_value<sequence_state<double>>());
  }

 private:
  sessions<double> op_;
  std::string column_;
  sequence_state<double> state_;
};

/// first, last, min and max: one of the strings.
class chosen_text final : public text_aggregate {
 public:
  chosen_text(catalog::id id, std::string name, std::string column)
      : id_(id), name_(std::move(name)), column_(std::move(column)), in_order_(column_) {}
  void initialize() override {
    best_.reset();
    in_order_.restart();
  }
  void update(text_rows const& rows) override {
    if (rows.first == rows.end) return;
    if (id_ == catalog::id::first) {
      if (!best_) best_ = rows[rows.first];
    } else if (id_ == catalog::id::last) {
      best_ = rows[rows.end - 1];
    } else {
      for (std::size_t row = rows.first; row < rows.end; ++row) compare(rows[row]);
    }
  }
  [[nodiscard]] std::string_view text() const override {
    if (!best_) refuse_empty(name_);
    return *best_;
  }
  [[nodiscard]] bool has_result() const noexcept override { return best_.has_value(); }
  void serialize(saved_state& to) const override {
    put(to, best_.has_value());
    if (best_) put_text(to, *best_);
  }
  void combine(saved_reader& from) override {
    if (from.take<std::uint8_t>() == 0) return;
    std::string later = from.take_text();
    if (compares() && !in_order_.take(later)) throw in_order_.error(later);
    if (!best_ || takes(later)) best_ = std::move(later);
  }

 private:
  /// Strings and numbers have no common order: one among the others is a mistake in the data.
  void compare(std::string_view value) {
    if (best_ && !is_compared_as_text(column_) && io::is_number(value) != io::is_number(*best_))
      throw io::data_error(
          "'{}' in column '{}' is a {}, but the column begins with a {}, and {} compares either "
          "strings or numbers.",
          io::shown(value), column_, io::is_number(value) ? "number" : "text",
          io::is_number(value) ? "text" : "number", name_);
    if (!in_order_.take(value)) throw in_order_.error(value);
    if (!best_ || takes(value)) best_ = value;
  }
  [[nodiscard]] bool compares() const { return id_ == catalog::id::min || id_ == catalog::id::max; }
  /// Whether a later text replaces the one so far.
  [[nodiscard]] bool takes(std::string_view later) const {
    using enum catalog::id;
    if (compares() && is_nan(*best_)) return false;
    return id_ == last || (compares() && is_nan(later)) ||
           (id_ == min && comes_before(later, *best_)) ||
           (id_ == max && comes_before(*best_, later));
  }
  [[nodiscard]] static bool is_nan(std::string_view text) {
    return io::is_number(text) && std::isnan(place_of(text).value);
  }

  catalog::id id_;
  std::string name_, column_;
  strings_in_order in_order_;
  std::optional<std::string> best_;
};

std::unique_ptr<text_aggregate> make(operator_use const& use, std::string const& column,
                                     io::number_spelling const& numbers, bool from_end) {
  using enum catalog::id;
  if (use.id == count) return std::make_unique<row_count>();
  if (use.name == "mode") return std::make_unique<text_mode>();
  if (use.name == "run") return std::make_unique<text_runs>(use.of_numbers);
  if (use.name == "session")
    return std::make_unique<session_of_times>(sessions<double>{session_gap(use).number}, column);
  if (is(use.id, trait::decimal)) return make_decimals(use, column, numbers);
  if (use.id == concat || use.name == "distinct" || use.name == "distinct-list")
    return make_text_list(use);
  if (is(use.id, trait::finds_row)) return make_arg_text(use, column, numbers, from_end);
  return std::make_unique<chosen_text>(use.id, use.name, column);
}

}  // namespace

std::string text_rows::place(std::size_t row) const {
  return fmt::format("Row {}: ", chunk.number(row) + 1);
}

void refuse_empty(std::string_view name) {
  throw io::data_error("{}: there are no values and hence no result; give at least one value.",
                       name);
}

text_set::text_set(std::vector<operator_use> const& uses, std::vector<std::string> const& columns,
                   io::number_spelling const& numbers, aggregate_settings const& settings)
    : words_(settings.missing),
      may_lack_results_(words_ && settings.may_lack_results),
      carries_(words_ && settings.carry_missing) {
  for (auto const& use : uses) {
    refuse_initial(use.name, settings);
    std::string const column = use.at ? columns[*use.at] : "";
    std::string all = column;
    for (auto const other : use.others_at) all += "," + columns[other];
    aggregates_.push_back(make(use, column, numbers, settings.from_end));
    inputs_.push_back(
        {use.at, use.others_at.empty() ? std::nullopt : std::optional(use.others_at[0])});
    std::string const name = use.at ? use.name + "(" + all + ")" : use.name;
    results_.push_back({use.alias.empty() ? name : use.alias, use.name, all,
                        aggregates_.back()->is_number(),
                        is(use.id, trait::decimal) || use.of_numbers, inputs_.back().other});
  }
  texts_.resize(aggregates_.size());
  missing_.resize(aggregates_.size());
  counts_.resize(aggregates_.size(), column_buffer(io::dtype::u64));
  present_.resize(aggregates_.size(), column_buffer(io::dtype::boolean));
}

void text_set::restart() {
  for (auto const& one : aggregates_) one->initialize();
  std::ranges::fill(missing_, 0);
}

text_rows text_set::rows_of(std::size_t f, io::chunk const& rows, std::size_t first,
                            std::size_t n) const {
  auto const column = [&](std::optional<std::size_t> place) {
    return place ? &rows.keys[*place] : nullptr;
  };
  return {rows, column(inputs_[f].column), column(inputs_[f].other), first, first + n};
}

bool text_set::is_missing(text_rows const& rows, std::size_t row) const {
  auto const lacks = [&](io::text_column const* column) {
    return column != nullptr && (*words_)((*column)[row]);
  };
  return words_ && (lacks(rows.column) || lacks(rows.other));
}

void text_set::add(io::chunk const& rows, std::size_t first, std::size_t n) {
  for (std::size_t f = 0; f < aggregates_.size(); ++f) {
    auto const all = rows_of(f, rows, first, n);
    if (!words_ || all.column == nullptr) {
      aggregates_[f]->update(all);
      continue;
    }
    for (std::size_t row = first; row < first + n; ++row)
      if (is_missing(all, row))
        ++missing_[f];
      else
        aggregates_[f]->update(rows_of(f, rows, row, 1));
  }
}

/// A missing text is an empty one.
void text_set::append(std::size_t f, bool has_result) {
  if (results_[f].is_number) {
    counts_[f].push(aggregates_[f]->number());
    present_[f].push(has_result);
  } else {
    texts_[f].push(has_result ? aggregates_[f]->text() : std::string_view());
  }
}

void text_set::scan(scan_kind kind, io::chunk const& rows, std::size_t first, std::size_t n) {
  for (std::size_t f = 0; f < aggregates_.size(); ++f) {
    auto const all = rows_of(f, rows, first, n);
    for (std::size_t row = first; row < first + n; ++row) {
      bool const here = !is_missing(all, row);
      if (kind == scan_kind::exclusive) append(f, here);
      if (here) aggregates_[f]->update(rows_of(f, rows, row, 1));
      if (kind == scan_kind::inclusive)
        append(f, here || (carries_ && (results_[f].is_number ? aggregates_[f]->number() > 0
                                                              : aggregates_[f]->has_result())));
    }
  }
}

void text_set::finish() {
  for (std::size_t f = 0; f < aggregates_.size(); ++f)
    append(f, !may_lack_results_ || aggregates_[f]->has_result());
}

void text_set::serialize(saved_state& to) const {
  for (std::size_t f = 0; f < aggregates_.size(); ++f) {
    aggregates_[f]->serialize(to);
    put(to, missing_[f]);
  }
}

void text_set::combine(saved_reader& from) {
  for (std::size_t f = 0; f < aggregates_.size(); ++f) {
    aggregates_[f]->combine(from);
    missing_[f] += from.take<std::uint64_t>();
  }
}

void text_set::append_to(io::chunk& rows) const {
  bool const says_present = words_ || !rows.present.empty();
  for (std::size_t f = 0; f < aggregates_.size(); ++f)
    if (results_[f].is_number) {
      rows.columns.push_back(counts_[f].view());
      if (says_present) rows.present.push_back(present_[f].view());
    } else {
      rows.keys.push_back(texts_[f].view());
    }
}

void text_set::clear() {
  for (auto& texts : texts_) texts.clear();
  for (auto& column : counts_) column.clear();
  for (auto& column : present_) column.clear();
}

}  // namespace upsweep::cli

/// Divides the operators among those over numbers and those over strings.
#include <cli/aggregation/aggregation.hpp>

#include <cli/options.hpp>

#include <io/error.hpp>
#include <io/records.hpp>
#include <io/shown.hpp>
#include <io/times.hpp>
#include <upsweep/core/version.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace upsweep::cli {

namespace {

/// Appends `word` unless it is there, and returns where it is.
std::size_t position(std::vector<std::string>& words, std::string const& word) {
  auto const found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  words.push_back(word);
  return words.size() - 1;
}

}  // namespace

aggregation_plan::aggregation_plan(std::vector<operator_use> uses, std::vector<std::string> columns,
                                   std::vector<std::string> const& by,
                                   std::vector<std::string> keep)
    : uses_(std::move(uses)), columns_(std::move(columns)), by_(by), keep_(std::move(keep)) {
  bool general = false, counts = false;
  for (auto const& use : uses_) {
    if (takes_texts_only(use) && use.column.empty() && columns_.empty())
      throw io::usage_error("--op {}: choose the columns of text with --column.", use.name);
    if (!use.column.empty()) {
      auto& named = takes_texts_only(use) ? keys_ : own_;
      position(named, use.column);
      for (auto const& other : use.others) position(named, other);
    } else if (use.id == catalog::id::count)
      counts = true;
    else if (!takes_texts_only(use))
      general = true;
  }
  bool const own = !own_.empty() || !keys_.empty();
  if (general && own && columns_.empty())
    throw io::usage_error(
        "--op: some operators name their column, others do not; give --column for these, or write "
        "OPERATOR:COLUMN everywhere.");
  bool const no_columns = columns_.empty() && !general && counts;
  counts_rows_ = no_columns && (own || !by_.empty());
  may_count_rows_ = no_columns && !counts_rows_;
  only_texts_ = !general && !counts;
  joins_columns_ = std::ranges::any_of(
      uses_, [](operator_use const& use) { return takes_texts_only(use) && use.column.empty(); });
}

void aggregation_plan::choose(io::input_options& options) const {
  options.columns = only_texts_ ? std::vector<std::string>() : columns_;
  options.columns.insert(options.columns.end(), own_.begin(), own_.end());
  options.single = own_.size();
  options.keys = by_;
  options.keys.insert(options.keys.end(), keep_.begin(), keep_.end());
  options.keys.insert(options.keys.end(), keys_.begin(), keys_.end());
  if (joins_columns_) options.keys.insert(options.keys.end(), columns_.begin(), columns_.end());
  options.keys_only = options.columns.empty() && (counts_rows_ || joins_columns_ || !keys_.empty());
  options.rows_suffice = may_count_rows_ && !options.skip_missing;
  auto const used = [this](std::string const& column) {
    io::column_use all;
    for (auto const& use : uses_) {
      if (use.column != column && std::ranges::find(use.others, column) == use.others.end())
        continue;
      bool const may_be_date = use.name == "window-by" && use.column != column;
      all.as_numbers = all.as_numbers || !(takes_texts(use) || may_be_date);
      all.in_order = all.in_order || is(use.id, trait::orders_strings);
      all.as_written = all.as_written || is(use.id, trait::shows_strings) || shows_numbers(use);
      all.compares = all.compares || compares_numbers(use);
    }
    return all;
  };
  std::size_t const general = std::max<std::size_t>(options.columns.size(), 1) - own_.size();
  options.uses.assign(general, used(""));
  for (auto const& column : own_) options.uses.push_back(used(column));
  options.may_be_text = std::ranges::any_of(uses_, [](operator_use const& use) {
    return (takes_texts(use) && !takes_texts_only(use)) || shows_numbers(use) ||
           compares_numbers(use) || use.name == "window-by";
  });
}

void aggregation_plan::add(operator_use use, io::chosen_column const& column) {
  if (column.rounds && (shows_numbers(use) || compares_numbers(use)))
    throw io::data_error(
        "--op {}: column '{}' has integers that f64 would round beside decimals; give --dtype f64 "
        "if it may.",
        use.name, use.column.empty() ? "column" : use.column);
  if (column.written && shows_numbers(use))
    throw io::usage_error(
        "--op {}: column '{}' has numbers with leading zeros or a '+', as codes have, and the "
        "results would lose them; give --dtype i64 (or f64) if they are numbers.",
        use.name, use.column.empty() ? "column" : use.column);
  bool const is_text = column.is_text || (column.written && is(use.id, trait::shows_strings));
  use.at = column.is_text || !is_text ? column.index : *column.written;
  use.of_numbers = is_text && column.rounds;
  auto& list = is_text ? text_ : numeric_;
  results_.push_back({is_text, list.size()});
  list.push_back(std::move(use));
}

/// Where a column of keys_, which an operator of strings names, is among the keys of the input.
std::size_t aggregation_plan::place_of_text(io::input const& in, std::string const& op,
                                            std::string const& column) {
  std::size_t const key = by_.size() + keep_.size() + position(keys_, column);
  auto const n = in->keys_of(key + 1) - in->keys_of(key);
  if (n == 0)
    throw io::data_error("{} is empty, so '{}' chooses no column, but {} needs one.", in->name(),
                         column, op);
  if (n > 1)
    throw io::usage_error("--op {}: '{}' is a range; give the name or position of one column.", op,
                          column);
  return in->keys_of(key);
}

void aggregation_plan::resolve(io::input const& in) {
  auto const takes_all = [](operator_use const& use) {
    return takes_several_columns(use.id) && use.column.empty();
  };
  if (std::ranges::any_of(uses_, takes_all)) {
    numeric_ = uses_;
    return;
  }
  auto const chosen = in->where_chosen();
  auto const place = [this](std::size_t key) {
    auto const found = std::ranges::find(dates_, key);
    if (found == dates_.end()) return dates_.push_back(key), dates_.size() - 1;
    return static_cast<std::size_t>(found - dates_.begin());
  };
  std::size_t const general = chosen.size() - own_.size();
  bool const rows = counts_rows_ || (may_count_rows_ && general == 0);
  std::size_t const named = by_.size() + keep_.size() + keys_.size(), joined = in->keys_of(named);
  std::size_t const columns = rows             ? 0
                              : !only_texts_   ? general
                              : joins_columns_ ? in->keys_of(named + columns_.size()) - joined
                                               : 0;
  for (std::size_t c = 0; c < columns; ++c)
    for (auto const& use : uses_) {
      if (!use.column.empty()) continue;
      if (columns > 1 && !use.alias.empty())
        throw io::usage_error(
            "--op {} as {}: {} columns cannot have one name; write {}:COLUMN as {}.", use.name,
            use.alias, columns, use.name, use.alias);
      if (takes_texts_only(use))
        add(use, {true, joined + c});
      else
        add(use, chosen[c]);
    }
  for (auto const& use : uses_) {
    if (use.column.empty() && !rows) continue;
    if (use.column.empty()) {
      results_.push_back({true, text_.size()});
      text_.push_back(use);
    } else if (takes_texts_only(use)) {
      operator_use found = use;
      for (auto const& other : use.others)
        found.others_at.push_back(place_of_text(in, use.name, other));
      add(std::move(found), {true, place_of_text(in, use.name, use.column)});
    } else {
      auto const own = [&](std::string const& column) {
        return chosen[general + position(own_, column)];
      };
      operator_use found = use;
      for (auto const& other : use.others) {
        auto const column = own(other);
        found.of_dates = use.name == "window-by" && column.is_text;
        found.others_at.push_back(found.of_dates ? in->columns.size() + place(column.index)
                                                 : column.index);
      }
      add(std::move(found), own(use.column));
    }
  }
}

bool aggregation_plan::needs_row_numbers() const {
  return std::ranges::any_of(uses_, [](operator_use const& use) {
    return is(use.id, trait::finds_row) || use.name == "session" || is(use.id, trait::decimal);
  });
}

std::string aggregation_plan::operator_of_texts() const {
  auto const found = std::ranges::find_if(uses_, takes_texts_only);
  return found == uses_.end() ? "" : found->name;
}

aggregation::aggregation(aggregation_plan const& plan, table_columns const& in,
                         aggregate_settings const& settings)
    : texts_(plan.text_uses(), in.key_names, in.numbers, settings),
      order_(plan.results()),
      missing_(settings.missing),
      dates_(plan.dates()),
      of_dates_(dates_.size(), column_buffer(io::dtype::i64)),
      present_dates_(dates_.size(), column_buffer(io::dtype::boolean)) {
  auto all = in.columns;
  for (std::size_t const key : dates_) {
    date_names_.push_back(in.key_names[key]);
    all.push_back({date_names_.back(), io::dtype::i64});
  }
  numbers_ = column_set(plan.numeric_uses(), all, settings, in.may_widen);
  for (auto const& result : numbers_.results()) columns_.push_back(result.info);
  for (auto const& result : texts_.results()) {
    if (result.is_number) {
      columns_.push_back({result.name, io::dtype::u64});
      ++counts_;
    } else {
      text_names_.push_back(result.name);
    }
  }
}

std::vector<written_key> aggregation::keys(std::vector<written_key> of_input) const {
  for (auto const& result : texts_.results())
    if (!result.is_number) of_input.push_back({result.key, result.is_decimal});
  return of_input;
}

std::vector<std::size_t> aggregation::order(std::size_t keys) const {
  std::vector<std::size_t> all;
  if (text_names_.empty() && counts_ == 0) return all;
  for (std::size_t k = 0; k < keys; ++k) all.push_back(k);
  std::size_t const columns = keys + text_names_.size();
  std::size_t texts = keys, counts = columns + columns_.size() - counts_;
  for (auto const& [is_text_set, index] : order_)
    all.push_back(!is_text_set                        ? columns + index
                  : texts_.results()[index].is_number ? counts++
                                                      : texts++);
  return all;
}

std::vector<aggregation::origin> aggregation::origins() const {
  std::vector<origin> numbers, all;
  auto const missing = numbers_.missing();
  for (auto const& result : numbers_.results())
    numbers.push_back({result.op, result.column, missing[numbers.size()]});
  if (order_.empty()) return numbers;
  for (auto const& [is_text_set, index] : order_) {
    auto const& texts = texts_.results();
    all.push_back(is_text_set ? origin{texts[index].op, texts[index].column, texts_.missing(index)}
                              : numbers[index]);
  }
  return all;
}

void aggregation::restart(std::uint64_t row) {
  numbers_.restart(row);
  texts_.restart();
}

void aggregation::take_dates(io::chunk const& rows, std::size_t first, std::size_t n) {
  for (std::size_t d = 0; d < dates_.size(); ++d) {
    of_dates_[d].clear(), present_dates_[d].clear();
    text_rows const texts{rows, &rows.keys[dates_[d]], nullptr, first, first + n};
    for (std::size_t row = first; row < first + n; ++row) {
      bool const is_there = !missing_ || !(*missing_)(texts[row]);
      auto const time = is_there ? io::parse_time(texts[row]) : std::optional<io::written_time>();
      auto const at = time ? time->since_1970() : std::optional<std::int64_t>();
      if (is_there && !at)
        throw io::data_error(
            "{}'{}' in column '{}' is not a time of the years 1678 to 2261, such as 2015-01-31 "
            "10:30 or 2015-01-31T10:30:05Z.",
            texts.place(row), io::shown(texts[row]), date_names_[d]);
      of_dates_[d].push(at.value_or(0));
      present_dates_[d].push(is_there);
    }
    values_.push_back(of_dates_[d].view());
    if (missing_) present_.push_back(present_dates_[d].view());
  }
}

std::span<std::uint64_t const> aggregation::take(io::chunk const& rows, std::size_t first,
                                                 std::size_t n) {
  values_.clear();
  present_.clear();
  for (auto const& column : rows.columns) values_.push_back(slice(column, first, n));
  for (auto const& column : rows.present) present_.push_back(slice(column, first, n));
  take_dates(rows, first, n);
  return rows.numbers.empty() ? rows.numbers : rows.numbers.subspan(first, n);
}

void aggregation::add(io::chunk const& rows, std::size_t first, std::size_t n) {
  texts_.add(rows, first, n);
  auto const numbers = take(rows, first, n);
  numbers_.reduce(values_, numbers, present_);
}

void aggregation::collect(io::chunk const& rows, std::size_t first, std::size_t n) {
  take(rows, first, n);
  numbers_.collect(values_, present_);
}

void aggregation::scan(scan_kind kind, io::chunk const& rows, std::size_t first, std::size_t n) {
  texts_.scan(kind, rows, first, n);
  finished_ += n;
  auto const numbers = take(rows, first, n);
  numbers_.scan(kind, values_, numbers, present_);
}

void aggregation::finish() {
  ++finished_;
  if (parts_) {
    auto const part = save_part(parts_as_);
    return parts_->push({reinterpret_cast<char const*>(part.data()), part.size()});
  }
  numbers_.finish();
  texts_.finish();
}

void aggregation::save(saved_state& to) const {
  numbers_.save(to);
  texts_.serialize(to);
}

void aggregation::load(saved_state const& saved) {
  saved_reader from(saved);
  numbers_.load(from);
  texts_.restart();
  texts_.combine(from);
}

saved_state aggregation::save_part(piece as) const {
  saved_state part;
  numbers_.serialize(part, as);
  texts_.serialize(part);
  return part;
}

void aggregation::join_part(std::span<std::byte const> part, std::vector<bool> const& has_values,
                            std::uint64_t rows) {
  saved_reader from(part);
  numbers_.combine(from, has_values, rows);
  texts_.combine(from);
  if (!from.at_end()) throw io::data_error("The saved state of the operators is too long.");
}

io::chunk aggregation::rows() const {
  io::chunk all;
  all.rows = finished_;
  if (parts_) {
    all.keys.push_back(parts_->view());
    return all;
  }
  all.columns = numbers_.rows();
  all.present = numbers_.present();
  texts_.append_to(all);
  return all;
}

void aggregation::clear() {
  finished_ = 0;
  if (parts_) parts_->clear();
  numbers_.clear();
  texts_.clear();
}

void write_results_object(output_flags const& flags, results_source const& of,
                          aggregation const& from) {
  nlohmann::ordered_json object{{"upsweep", version},
                                {"tree", tree_version},
                                {"mode", of.mode},
                                {"input", of.input},
                                {"format", name_of(of.format)},
                                {"rows", of.rows},
                                {"skipped", of.skipped},
                                {"results", nlohmann::ordered_json::array()}};
  auto const rows = from.rows();
  auto const origins = from.origins();
  auto order = from.order(0);
  for (std::size_t r = order.size(); r < origins.size(); ++r) order.push_back(r);
  for (std::size_t r = 0; r < origins.size(); ++r) {
    nlohmann::ordered_json entry{{"op", origins[r].op}, {"column", origins[r].column}};
    if (order[r] < rows.keys.size()) {
      entry["dtype"] = "text";
      io::expect_json_text(rows.keys[order[r]][0]);
      entry["value"] = std::string(rows.keys[order[r]][0]);
    } else {
      auto const& values = rows.columns[order[r] - rows.keys.size()];
      entry["dtype"] = name_of(values.type);
      entry["value"] = json_of(values, 0);
    }
    if (of.says_missing) entry["missing"] = origins[r].missing;
    object["results"].push_back(std::move(entry));
  }
  json_lines out(flags);
  out.append(object);
  out.commit();
}

}  // namespace upsweep::cli

/// The opening moves of text_reader: byte-order mark, separator, header, columns, types.
#include <fmt/format.h>

#include <algorithm>

#include "text_reader.hpp"
#include "text_types.hpp"

namespace upsweep::cli::io {
namespace {

/// ',' unless the first line has none but has semicolons, as spreadsheets of some countries write.
char find_delimiter(std::string_view window) {
  auto const line = window.substr(0, window.find('\n'));
  bool const semicolons = line.find(',') == std::string_view::npos && line.find(';') != std::string_view::npos;
  return semicolons ? ';' : ',';
}

}  // namespace

text_reader::text_reader(std::unique_ptr<byte_source> source, input_options const& options, container found)
    : reader(std::move(source)), skip_missing_(options.skip_missing) {
  format = found;
  source_->fill(3);
  auto const start = source_->window().substr(0, 3);
  if (start == "\xef\xbb\xbf") source_->consume(3);
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) {
    throw data_error(
        fmt::format("{} is UTF-16 text; convert it first, for instance with iconv -f UTF-16 -t UTF-8.", source_->name()));
  }
  choose_rules(options);
  auto const records = peek(options);
  auto const layout = find_layout(records, options, rules_.white_space, source_->name());
  hash_first_ = layout.hash_first;
  if (layout.unclear) {
    cursor_ = source_->window().data();
    static_cast<void>(advance());
    refuse_as_name(fields_[*layout.unclear]);
  }
  flat_ = layout.flat;
  width_ = layout.width;
  has_header = layout.has_header;
  make_columns(layout);
  if (has_header && !records.empty()) {
    static_cast<void>(advance());
    drop_consumed();
  }
  choose_types(options);

  std::size_t row_bytes = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    columns[i].type = values_[i].type;
    row_bytes += size_of(values_[i].type);
  }
  rows_per_chunk_ = std::max<std::size_t>(chunk_bytes / std::max<std::size_t>(row_bytes, 1), 1);
}

void text_reader::choose_rules(input_options const& options) {
  rules_.white_space = format == container::text;
  if (options.delimiter != 0) {
    if (options.delimiter == '"' || options.delimiter == '\n' || options.delimiter == '\r') {
      throw usage_error("The delimiter cannot be a quote or a line end; give one other character, such as ';'.");
    }
    rules_.white_space = false;
    rules_.delimiter = options.delimiter;
  } else if (format == container::tsv) {
    rules_.delimiter = '\t';
  } else if (format == container::csv) {
    source_->fill(1);
    while (source_->window().find('\n') == std::string_view::npos && source_->window().size() < sample_bytes && source_->more()) {
    }
    rules_.delimiter = find_delimiter(source_->window());
  }
  if (format == container::text && !rules_.white_space) format = container::csv;
  rules_.comment = options.comment.value_or(rules_.white_space ? '#' : '\0');
  delimiter = rules_.white_space ? ' ' : rules_.delimiter;
}

/// The first two records, without consuming them. A line of text that does not end within the sample is no header, but a list.
first_records text_reader::peek(input_options const& options) {
  first_records records;
  bool const list = rules_.white_space && options.columns.empty() && options.keys.empty();
  if (list && options.header == header_line::absent) {
    source_->fill(1);
    if (!source_->window().empty()) records.push_back({"0"});
    return records;
  }
  std::size_t at = 0;
  while (records.size() < 2) {
    auto const window = source_->window();
    auto const* const from = window.data() + at;
    auto const* const end = from + std::min(window.size() - at, longest_record);
    cursor_ = window.data();
    auto const result = scan_record(rules_, from, end, source_->ended() && end == window.data() + window.size(), fields_);
    if (result.what == scanned::nothing) break;
    if (result.what == scanned::bad_quote || result.what == scanned::unclosed_quote) refuse(result);
    at = static_cast<std::size_t>(result.next - window.data());
    if (result.what == scanned::record) {
      record_ = result.start;
      std::vector<std::string> texts(fields_.size());
      for (std::size_t i = 0; i < texts.size(); ++i) append_unquoted(texts[i], fields_[i]);
      records.push_back(std::move(texts));
      if (options.header != header_line::automatic) break;  // the second record is asked for only to judge the first
      continue;
    }
    auto const unfinished = static_cast<std::size_t>(end - result.next);
    if (list && unfinished >= sample_bytes) {
      if (records.empty()) records.push_back({"0"});
      break;
    }
    if (unfinished == longest_record) refuse(result);
    auto const held = window.size();
    source_->fill(held < least_read ? held + 1 : 2 * held);
  }
  return records;
}

void text_reader::make_columns(text_layout const& layout) {
  for (auto column : layout.values) {
    values_.push_back({column, dtype::f64, {}});
    columns.push_back({layout.names[column], dtype::f64});
  }
  for (auto column : layout.keys) {
    key_columns_.push_back({column, {}, {}});
    keys.push_back(layout.names[column]);
  }
  cursor_ = source_->window().data();
}

/// Looks ahead until every column is known to be f64: to the end of a mapped file, or through the sample of a stream.
void text_reader::choose_types(input_options const& options) {
  if (options.type) {
    for (auto& column : values_) column.type = *options.type;
    return;
  }
  source_->fill(sample_bytes);
  judged_by_sample_ = !source_->ended();
  auto const window = source_->window();
  auto const* const end = window.data() + window.size();
  std::vector<type_guess> guesses(values_.size());
  auto const settled = [&] {
    return std::all_of(guesses.begin(), guesses.end(), [](auto const& guess) { return guess.settled(); });
  };
  for (auto const* from = window.data(); !settled();) {
    auto const* const limit = from + std::min(static_cast<std::size_t>(end - from), longest_record);
    auto const result = scan(from, limit, source_->ended() && limit == end);
    if (result.what != scanned::record) break;  // the end, or an error that `next` will report
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].field < fields_.size()) guesses[i].observe(fields_[values_[i].field].text());
    from = result.next;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) values_[i].type = guesses[i].type();
  cursor_ = source_->window().data();
}

}  // namespace upsweep::cli::io

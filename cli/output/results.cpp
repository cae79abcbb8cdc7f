/// Chooses between the table writers of io/ and JSON lines.
#include <cli/output/results.hpp>

#include <io/error.hpp>
#include <io/number.hpp>
#include <io/records.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace upsweep::cli {

namespace {

/// Throws usage_error if binary output would go to a terminal.
io::output_options checked(io::output_options options) {
  bool const is_binary = is_array(options.format) || is_of_arrow(options.format);
  if (is_binary && (options.path == "-" || options.path.empty()) && isatty(STDOUT_FILENO) == 1)
    throw io::usage_error(
        "{} output is binary, but standard output is a terminal; give -o FILE or --to text, or use "
        "a pipe.",
        name_of(options.format));
  return options;
}

/// An object whose characters are ASCII, for a terminal.
std::string shown_json(std::string const& object) {
  using json = nlohmann::ordered_json;
  auto const read = json::parse(object, nullptr, false);
  if (read.is_discarded()) return io::printable(object);
  return read.dump(-1, ' ', true, json::error_handler_t::replace);
}

}  // namespace

keys_as_json keys_as_json::of(io::input const& in, input_flags const& reading,
                              std::vector<written_key> keys) {
  auto numbers = reading.numbers();
  numbers.currencies.reset();  // "$5" stays a text, which says of what it is an amount
  return {std::move(keys), [&in](std::size_t key) { return in->kind_of_key(key); },
          std::move(numbers), io::missing_words(reading.missing)};
}

std::vector<io::key_kind> keys_as_json::kinds(std::size_t joined, std::size_t count) const {
  std::vector<io::key_kind> all(count, io::key_kind::text);
  for (std::size_t k = joined; k < std::min(count, keys.size()); ++k)
    if (keys[k].of_input)
      all[k] = kind_in_input(*keys[k].of_input);
    else if (keys[k].is_number)
      all[k] = io::key_kind::number;
  return all;
}

void keys_as_json::append(io::key_kind kind, std::string_view field, std::string& object) const {
  using enum io::key_kind;
  if (kind == token || (kind == truth && !field.empty())) {
    object += field;
    return;
  }
  std::string buffer;
  auto const spelled = kind == written_number ? io::standard_form(field, numbers, buffer) : field;
  bool const is_number = kind == number || kind == written_number;
  if (is_number && io::append_json_number(object, spelled)) return;
  if (field.empty() || missing.is_own(field) || (kind != text && missing(field)))
    object += "null";
  else
    io::append_json_text(object, field);
}

std::vector<written_key> keys_of_input(std::size_t count, std::size_t skipped) {
  std::vector<written_key> keys;
  for (std::size_t k = skipped; k < count; ++k) keys.push_back({k});
  return keys;
}

std::vector<std::optional<io::dtype>> types_of(std::vector<written_key> const& keys,
                                               io::input const& in) {
  auto const& types = in->key_types;
  std::vector<std::optional<io::dtype>> all;
  for (auto const& key : keys)
    all.push_back(key.of_input && *key.of_input < types.size() ? types[*key.of_input]
                                                               : std::nullopt);
  return types.empty() ? types : all;
}

nlohmann::ordered_json json_of(io::typed_column values, std::size_t row) {
  std::byte const* const at = element(values, row);
  if (values.type == io::dtype::boolean) return *reinterpret_cast<bool const*>(at);
  std::string const text = io::number_text(values.type, at);
  auto parsed = [&]<class T>(T value) -> nlohmann::ordered_json {
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  };
  if (io::is_integer(values.type))
    return io::is_signed(values.type) ? parsed(std::int64_t{}) : parsed(std::uint64_t{});
  double value = 0;  // the shortest text of an f32, read as a double, prints as the same text
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (std::isfinite(value)) return value;
  return text;
}

json_lines::json_lines(output_flags const& flags, bool is_array)
    : out_((flags.expect_writable(), flags.path), flags.force, flags.compression()),
      is_array_(is_array) {
  if (!flags.number_format.empty())
    throw io::usage_error(
        "JSON has the shortest numbers that read back equal; --number-format is for text, CSV and "
        "TSV.");
}

json_lines::json_lines(output_flags const& flags)
    : json_lines(flags, !flags.json && flags.wanted() == io::container::json) {}

void json_lines::append(nlohmann::ordered_json const& object) {
  append_text(object.dump(-1, ' ', is_shown(), nlohmann::ordered_json::error_handler_t::replace));
}

void json_lines::append_text(std::string_view object) {
  if (is_array_) lines_ += is_empty_ ? "[\n" : ",\n";
  is_empty_ = false;
  lines_ += object;
  if (!is_array_) lines_ += '\n';
}

void json_lines::flush() {
  out_.write(lines_);
  lines_.clear();
}

void json_lines::commit() {
  if (is_array_) lines_ += is_empty_ ? "[]\n" : "\n]\n";
  flush();
  out_.commit();
}

io::output_options options_like(io::input const& in, input_flags const& reading,
                                output_flags const& writing) {
  io::container const format =
      writing.wanted() == io::container::automatic ? in->format : writing.wanted();
  io::output_options o = writing.options(format);
  if (format == in->format && format == io::container::csv) o.delimiter = in->delimiter;
  if (format == in->format && format == io::container::raw && !reading.endian.empty())
    o.endian = *io::find_byte_order(reading.endian);
  o.header =
      in->has_header || (in->format != io::container::csv && in->format != io::container::tsv);
  return o;
}

io::output_options options_of_rows(io::input const& in, input_flags const& reading,
                                   output_flags const& writing,
                                   std::vector<written_key> const& keys) {
  auto o = options_like(in, reading, writing);
  o.key_types = types_of(keys, in);
  bool const has_choice = writing.wanted() == io::container::automatic;
  if (o.format == io::container::text && in->has_header && !keys.empty() && has_choice)
    o.format = io::container::tsv;
  return o;
}

io::output_options options_of_results(written_as const& in, std::size_t fields,
                                      output_flags const& writing) {
  io::container format = writing.wanted();
  bool const has_records = in.format == io::container::csv || in.format == io::container::tsv;
  bool const table = fields > 1 && (has_records || is_json(in.format));
  if (format == io::container::automatic) format = table ? in.format : io::container::text;
  io::output_options o = writing.options(format);
  if (format == in.format && format == io::container::csv) o.delimiter = in.delimiter;
  o.header = in.has_header || !table;
  return o;
}

bool join_keys(io::input& in, std::size_t keys, output_flags const& writing,
               io::output_options const& options) {
  bool const is_text = options.format == io::container::text ||
                       options.format == io::container::csv || options.format == io::container::tsv;
  if (keys == 0 || !in->can_join_keys(keys)) return false;
  if (writing.writes_json() || is_json(options.format)) {
    if (is_json(in->format)) in->join_keys({.keys = keys, .members = true});
    return is_json(in->format);
  }
  if (!is_text) return false;
  in->join_keys({keys, separator_of(options), options.format != io::container::text});
  return true;
}

void keep_tokens(io::input& in, std::size_t keys, std::size_t compared, output_flags const& writing,
                 io::output_options const& options) {
  if (!is_json(in->format)) return;
  if (writing.writes_json() || is_json(options.format)) in->keep_tokens(keys, compared);
}

std::string const& result_table::name(std::size_t field) const {
  return field < keys_.size() ? keys_[field] : columns_[field - keys_.size()].name;
}

/// An object has each name once; a second field of that name would replace the first.
void result_table::expect_different_names() const {
  std::vector<std::string> names;
  for (std::size_t const field : order_) names.push_back(name(field));
  std::ranges::sort(names);
  auto const twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  std::string const shown = io::shown(*twice);
  bool const is_result =
      std::ranges::find(columns_, *twice, &io::column_info::name) != columns_.end();
  throw io::usage_error(
      "--json: two fields are named '{}', but an object has each name once; {}.", shown,
      is_result ? "name a result otherwise, as in --op 'mean as m'"
                : "choose one of the columns by its position, as in --column 1, or write CSV");
}

result_table::result_table(output_flags const& flags, io::output_options const& options,
                           std::vector<io::column_info> columns, std::vector<std::string> keys,
                           keys_as_json as_json)
    : columns_(std::move(columns)),
      keys_(std::move(keys)),
      order_(options.order),
      as_json_(std::move(as_json)) {
  if (order_.empty())
    for (std::size_t field = 0; field < keys_.size() + columns_.size(); ++field)
      order_.push_back(field);
  if (flags.json || is_json(options.format)) {
    expect_different_names();
    json_.emplace(flags, !flags.json && options.format == io::container::json);
    for (std::size_t const field : order_)
      io::append_json_text(labels_.emplace_back(), name(field)) += ':';
  } else {
    out_ = io::open_output(checked(options));
    out_->begin(columns_, keys_);
  }
}

/// Appends the field `order_[i]` of a row.
void result_table::append_member(io::chunk const& rows, std::size_t row, std::size_t i,
                                 std::span<io::key_kind const> kinds, std::string& object) const {
  std::size_t const field = order_[i];
  std::size_t const joined = rows.joined ? keys_.size() - rows.keys.size() : 0;
  if (field < joined) return;
  if (object.size() > 1) object += ',';
  object += labels_[i];
  if (field < keys_.size()) {
    as_json_.append(kinds[field], rows.keys[field - joined][row], object);
  } else {
    std::size_t const c = field - keys_.size();
    bool const has = rows.present.empty() || rows.present[c].as<bool>()[row];
    object += has ? json_of(rows.columns[c], row).dump() : "null";
  }
}

void result_table::write(io::chunk const& rows) {
  if (out_) return out_->write(rows);
  std::string object;
  auto const kinds =
      as_json_.kinds(rows.joined ? keys_.size() - rows.keys.size() : 0, keys_.size());
  for (std::size_t row = 0; row < rows.rows; ++row) {
    object = '{';
    if (rows.joined) object += (*rows.joined)[row];
    for (std::size_t i = 0; i < order_.size(); ++i) append_member(rows, row, i, kinds, object);
    object += '}';
    json_->append_text(json_->is_shown() ? shown_json(object) : object);
  }
  json_->flush();
}

void result_table::commit() {
  if (out_) return out_->commit();
  json_->commit();
}

}  // namespace upsweep::cli

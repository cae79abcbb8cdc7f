/// Chooses between the table writers of io/ and JSON lines.
#include <cli/output/results.hpp>

#include <io/error.hpp>
#include <io/number.hpp>
#include <io/printable.hpp>
#include <io/shown.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace upsweep::cli {

namespace {

/// Throws usage_error if binary output would go to a terminal.
io::output_options checked(io::output_options options) {
  bool const binary = options.format == io::container::npy || options.format == io::container::raw;
  if (binary && (options.path == "-" || options.path.empty()) && isatty(STDOUT_FILENO) == 1)
    throw io::usage_error(
        fmt::format("{} output is binary, but standard output is a terminal; give -o FILE or --to "
                    "text, or use a pipe.",
                    name_of(options.format)));
  return options;
}

}  // namespace

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

json_lines::json_lines(output_flags const& flags)
    : out_((flags.expect_writable(), flags.path), flags.force),
      is_array_(!flags.json && flags.path.ends_with(".json")) {}

void json_lines::append(nlohmann::ordered_json const& object) {
  if (is_array_) lines_ += is_empty_ ? "[\n" : ",\n";
  is_empty_ = false;
  bool const is_shown = out_.is_standard_output() && io::shows_on_terminal();
  lines_ += object.dump(-1, ' ', is_shown, nlohmann::ordered_json::error_handler_t::replace);
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
      writing.wanted() == io::container::automatic ? in.format() : writing.wanted();
  io::output_options o = writing.options(format);
  if (format == in.format() && format == io::container::csv) o.delimiter = in.delimiter();
  if (format == in.format() && format == io::container::raw && !reading.endian.empty())
    o.endian = *io::find_byte_order(reading.endian);
  o.header =
      in.has_header() || (in.format() != io::container::csv && in.format() != io::container::tsv);
  return o;
}

io::output_options options_of_results(written_as const& in, std::size_t fields,
                                      output_flags const& writing) {
  io::container format = writing.wanted();
  bool const table =
      fields > 1 && (in.format == io::container::csv || in.format == io::container::tsv);
  if (format == io::container::automatic) format = table ? in.format : io::container::text;
  io::output_options o = writing.options(format);
  if (format == in.format && format == io::container::csv) o.delimiter = in.delimiter;
  o.header = in.has_header || !table;
  return o;
}

bool join_keys(io::input& in, std::size_t keys, output_flags const& writing,
               io::output_options const& options) {
  bool const binary = options.format == io::container::npy || options.format == io::container::raw;
  if (keys == 0 || !in.can_join_keys(keys) || writing.writes_json() || binary) return false;
  in.join_keys(keys, separator_of(options), options.format != io::container::text);
  return true;
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
  throw io::usage_error(fmt::format(
      "--json: two fields are named '{}', but an object has each name once; {}.", shown,
      is_result ? "name a result otherwise, as in --op 'mean as m'"
                : "choose one of the columns by its position, as in --column 1, or write CSV"));
}

result_table::result_table(output_flags const& flags, io::output_options const& options,
                           std::vector<io::column_info> columns, std::vector<std::string> keys)
    : columns_(std::move(columns)), keys_(std::move(keys)), order_(options.order) {
  if (order_.empty())
    for (std::size_t field = 0; field < keys_.size() + columns_.size(); ++field)
      order_.push_back(field);
  if (flags.writes_json()) {
    expect_different_names();
    json_.emplace(flags);
  } else {
    out_.emplace(checked(options));
    out_->begin(columns_, keys_);
  }
}

void result_table::write(io::chunk const& rows) {
  if (out_) return out_->write(rows);
  for (std::size_t row = 0; row < rows.rows; ++row) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t const field : order_)
      if (field < keys_.size())
        object[name(field)] = std::string(rows.keys[field][row]);
      else if (std::size_t const c = field - keys_.size();
               rows.present.empty() || rows.present[c].as<bool>()[row])
        object[name(field)] = json_of(rows.columns[c], row);
      else
        object[name(field)] = nullptr;
    json_->append(object);
  }
  json_->flush();
}

void result_table::commit() {
  if (out_) return out_->commit();
  json_->commit();
}

}  // namespace upsweep::cli

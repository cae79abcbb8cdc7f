/// Declares the shared options for CLI11, and translates them for the readers, writers and
/// operators.
#include <cli/options.hpp>

#include <cli/expression/computed_columns.hpp>
#include <io/column_choice.hpp>
#include <io/compression.hpp>
#include <io/container.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <string_view>

namespace upsweep::cli {

char one_character(std::string const& option, std::string const& text) {
  if (text.empty()) return '\0';
  if (text == "\\t" || text == "tab") return '\t';
  if (text.size() != 1)
    throw io::usage_error(
        "{}: '{}' is not a single character; give one character, or \\t for a tab.", option, text);
  return text[0];
}

namespace {

io::dtype dtype_named(std::string const& name) {
  if (auto const found = io::find_dtype(name)) return *found;
  std::vector<std::string_view> names;
  for (auto const type : io::all_dtypes) names.push_back(name_of(type));
  throw io::usage_error("'{}' is not a dtype; the dtypes are {}.", name, fmt::join(names, ", "));
}

/// A character that may separate the digits of a number.
void check_separator(std::string const& option, std::string_view text) {
  std::string_view rest = text;
  bool const one = !text.empty() && io::take_character(rest) && rest.empty();
  bool const wrong = one && text.size() == 1 &&
                     (std::isalnum(static_cast<unsigned char>(text[0])) != 0 ||
                      std::string_view("+-\"\n\r\t").find(text[0]) != std::string_view::npos);
  if (!one || wrong)
    throw io::usage_error(
        "{}: '{}' cannot separate digits; give one character, such as , or . or '.", option,
        io::shown(text));
}

/// What describes text, CSV and TSV.
void add_text_options(options const& add, input_flags& flags) {
  add("--delimiter CHARACTER", flags.delimiter, "Delimiter of CSV (default: detected, , or ;)");
  add("--header", flags.header, "The first record is a header row");
  add("--no-header", flags.no_header, "The first record is data", excludes({"--header"}));
  add("--comment CHARACTER", flags.comment, "Comment character (default: # in text, none in CSV)");
  add.command
      .add_flag("--thousands{comma}", flags.thousands,
                "Text, CSV: thousands separator (default: a comma, or a point with --decimal ,)")
      ->type_name("CHARACTER");
  add("--decimal CHARACTER", flags.decimal, "Text, CSV: decimal separator (default: .)");
  add("--currency", flags.currency,
      "Text, CSV: numbers are amounts of money, such as $1,234.50, 3.00- EUR or (12.00)");
  add("--skip-missing", flags.skip_missing,
      "Skip missing values (empty, NA, N/A, null) of the columns that are used; default: an error");
  add("--skip-rows-with-missing", flags.skip_rows,
      "Skip rows in which a number that is used is missing");
  add("--missing WORD,...", flags.missing,
      "Words that are missing values too; write --missing=-999 for a negative number", comma_list);
}

}  // namespace

io::number_spelling input_flags::numbers() const {
  io::number_spelling numbers;
  std::string const usual = decimal == "," ? "." : ",";
  if (!thousands.empty() || currency)
    numbers.thousands = thousands.empty() || thousands == "comma" ? usual : thousands;
  for (auto const& path : paths)
    if (thousands == "comma" && (path == "," || path == "." || path == "'"))
      throw io::usage_error("--thousands {0}: write --thousands={0}, without a blank.", path);
  if (!numbers.thousands.empty()) check_separator("--thousands", numbers.thousands);
  if (!decimal.empty()) {
    check_separator("--decimal", decimal);
    numbers.decimal = one_character("--decimal", decimal);
  }
  if (numbers.thousands == std::string(1, numbers.decimal))
    throw io::usage_error(
        "--thousands: '{}' is the decimal separator too; give another character for one of them.",
        numbers.thousands);
  if (currency) numbers.currencies = std::make_shared<io::column_currencies>();
  numbers.says_decimal = !decimal.empty();
  return numbers;
}

io::input_options input_flags::options() const {
  io::input_options o;
  if (!paths.empty()) {
    o.path = paths[0];
    o.more_paths.assign(paths.begin() + 1, paths.end());
  }
  o.format = *io::find_container(from);
  o.columns = columns;
  o.list = list;
  o.delimiter = one_character("--delimiter", delimiter);
  o.header = header      ? io::header_line::present
             : no_header ? io::header_line::absent
                         : io::header_line::automatic;
  if (!comment.empty()) o.comment = one_character("--comment", comment);
  o.numbers = numbers();
  o.skip_missing = skip_missing || skip_rows;
  o.missing = missing;
  if (!type.empty()) o.type = dtype_named(type);
  o.offset = offset;
  o.count = count;
  if (!endian.empty()) o.endian = *io::find_byte_order(endian);
  o.computed = std::make_shared<expression_columns>();
  return o;
}

io::input_options input_flags::marking_options() const {
  io::input_options o = options();
  o.mark_missing = skip_missing && !skip_rows;
  o.skip_missing = skip_rows;
  return o;
}

std::shared_ptr<io::missing_words const> input_flags::skipped() const {
  if (!skip_missing || skip_rows) return nullptr;
  return std::make_shared<io::missing_words const>(missing);
}

std::vector<std::string> group_names(io::input const& in, std::vector<std::string> const& by) {
  auto const& names = in->keys;
  auto const count = in->keys_of(by.size());
  std::vector<std::string> all(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count));
  if (count == by.size() && !in->has_header)
    for (std::size_t k = 0; k < count; ++k)
      if (!io::chooses_by_name(by[k])) all[k] = by[k];
  return all;
}

void add_input_options(options const& add, input_flags& flags) {
  add("FILE", flags.paths,
      "Files to read, one after the other as one input; standard input if absent or -",
      expect_name);
  option_group const group(add.command, "Input");
  add("-c,--column COLUMN,...", flags.columns,
      "Columns to read, by name or by position from 1; ranges such as 2-4 or price-qty; all",
      comma_list);
  add("--list", flags.list, "Text: read all numbers of all lines as one column",
      excludes({"--column"}));
  add("--from FORMAT", flags.from,
      "Input format: auto (default), text, csv, tsv, jsonl, json, raw, npy, parquet, arrow, "
      "feather or arrows (a stream of arrow)",
      one_of({"auto", "text", "csv", "tsv", "jsonl", "json", "raw", "npy", "parquet", "arrow",
              "feather", "arrows"}));
  std::vector<std::string> types;
  for (io::dtype const type : io::all_dtypes) types.emplace_back(name_of(type));
  add("--dtype TYPE", flags.type,
      "Element type (i8 ... f64) as which text is parsed and raw values are read, and to which "
      ".npy values are converted (default: found in the data; raw input needs it)",
      completed_by(types));  // dtype_named accepts more spellings
  add_text_options(add, flags);
  add("--offset BYTES", flags.offset,
      "Bytes to skip at the beginning of each raw file (default: 0)", not_negative);
  add("--count N", flags.count, "Number of raw values to read of each file (default: all)",
      not_negative);
  add("--endian ORDER", flags.endian,
      "Byte order of raw values: little or big (default: this machine's)",
      one_of({"little", "big", "native"}));
}

io::container output_flags::wanted() const {
  io::container const named = *io::find_container(to);
  return named != io::container::automatic || path == "-"
             ? named
             : io::container_of_path(io::without_compression(path));
}

bool output_flags::may_widen() const {
  return !is_array(wanted()) && !is_of_arrow(wanted());
}

bool output_flags::writes_json() const {
  return json || is_json(wanted());
}

void output_flags::expect_writable() const {
  if (to == "auto" && !json) io::refuse_to_write(io::without_compression(path));
}

io::compression output_flags::compression() const {
  if (compress == "gzip") return io::compression::gzip;
  if (compress == "zstd") return io::compression::zstd;
  return compress == "none" ? io::compression::none : io::compression_of_path(path);
}

io::output_options output_flags::options(io::container format) const {
  expect_writable();
  io::output_options o;
  o.path = path;
  o.force = force;
  o.format = format;
  o.compress = compression();
  o.number_format = number_format;
  return o;
}

void add_output_options(options const& add, output_flags& flags) {
  option_group const group(add.command, "Output");
  add("-o,--output FILE", flags.path, "File to write, atomically (default: standard output)",
      expect_name);
  add("--force", flags.force, "Replace the file if it exists");
  add("--to FORMAT", flags.to,
      "Output format: text, csv, tsv, jsonl, json, markdown, aligned, raw, npy, parquet, arrow, "
      "feather or arrows (default: that of the input)",
      one_of({"auto", "text", "csv", "tsv", "jsonl", "json", "markdown", "aligned", "raw", "npy",
              "parquet", "arrow", "feather", "arrows"}));
  add("--number-format FORMAT", flags.number_format,
      "printf format such as %.3f (default: shortest text that reads back equal)");
  add("--compress KIND", flags.compress,
      "Compress the output: gzip, zstd or none (default: by the file's name, .gz or .zst)",
      one_of({"auto", "gzip", "zstd", "none"}));
  add("--json", flags.json, "Write JSON", excludes({"--to"}));
}

aggregate_settings engine_flags::settings() const {
  aggregate_settings s;
  s.threads = thread_count();
  if (on == "cuda") s.on_gpu = gpu;
  s.mode = mode == "fast" ? upsweep::mode::fast : upsweep::mode::reproducible;
  s.initial = initial;
  return s;
}

int engine_flags::thread_count() const {
  if (on != "serial") return threads;
  if (threads > 1)
    throw io::usage_error("--on serial: has one thread; omit --threads {} or --on.", threads);
  return 1;
}

void add_threads_option(options const& add, int& threads) {
  add("--threads N", threads,
      "Number of threads (default: 0, as many as affinity and the cgroup quota allow)",
      in_range(0, 4096));
}

void add_table_options(options const& add, table_flags& flags) {
  add_threads_option(add, flags.threads);
  add_input_options(add, flags.in);
  add_output_options(add, flags.out);
}

void add_sorted_options(options const& add, operators_flags& flags, std::string const& sentence) {
  add("--sorted", flags.is_sorted, sentence, needs({"--by"}));
  add("--allow-repeats", flags.allow_repeats,
      "Each run of equal keys is a group, although keys repeat", needs({"--by"}));
}

void add_engine_options(options const& add, engine_flags& flags, device_streams const& gpu) {
  flags.gpu = &gpu;
  add("--op OPERATOR,...", flags.op, "Operators (default: sum); see 'upsweep list'", comma_list,
      completed_by(operator_names()));
  add("--init VALUE", flags.initial,
      "Initial value, before all others; write --init=-5 for a negative one");
  add("--mode MODE", flags.mode,
      "reproducible (default): bitwise reproducible results. fast: allows other groupings, which "
      "this version does not use",
      one_of({"reproducible", "fast"}));
  add("--on MACHINE", flags.on, "Machine: cpu (default), serial (one thread), or cuda, a GPU",
      one_of({"cpu", "serial", "cuda"}));
  add_threads_option(add, flags.threads);
}

}  // namespace upsweep::cli

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
    throw io::usage_error(fmt::format(
        "{}: '{}' is not a single character; give one character, or \\t for a tab.", option, text));
  return text[0];
}

namespace {

io::dtype dtype_named(std::string const& name) {
  if (auto const found = io::find_dtype(name)) return *found;
  std::vector<std::string_view> names;
  for (auto const type : io::all_dtypes) names.push_back(name_of(type));
  throw io::usage_error(
      fmt::format("'{}' is not a dtype; the dtypes are {}.", name, fmt::join(names, ", ")));
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
        fmt::format("{}: '{}' cannot separate digits; give one character, such as , or . or '.",
                    option, io::shown(text)));
}

/// What describes text, CSV and TSV.
void add_text_options(CLI::App& command, input_flags& flags) {
  add_option(command, "--delimiter CHARACTER", flags.delimiter,
             "Delimiter of CSV (default: detected, , or ;)");
  auto* const header =
      command.add_flag("--header", flags.header, "The first record is a header row");
  command.add_flag("--no-header", flags.no_header, "The first record is data")->excludes(header);
  add_option(command, "--comment CHARACTER", flags.comment,
             "Comment character (default: # in text, none in CSV)");
  command
      .add_flag("--thousands{comma}", flags.thousands,
                "Text, CSV: thousands separator (default: a comma, or a point with --decimal ,)")
      ->type_name("CHARACTER");
  add_option(command, "--decimal CHARACTER", flags.decimal,
             "Text, CSV: decimal separator (default: .)");
  command.add_flag(
      "--currency", flags.currency,
      "Text, CSV: numbers are amounts of money, such as $1,234.50, 3.00- EUR or (12.00)");
  command.add_flag(
      "--skip-missing", flags.skip_missing,
      "Skip missing values (empty, NA, N/A, null) of the columns that are used; default: "
      "an error");
  command.add_flag("--skip-rows-with-missing", flags.skip_rows,
                   "Skip rows in which a number that is used is missing");
  comma_list(add_option(command, "--missing WORD,...", flags.missing,
                        "Words that are missing values too; write --missing=-999 for a "
                        "negative number"));
}

}  // namespace

io::number_spelling input_flags::numbers() const {
  io::number_spelling numbers;
  std::string const usual = decimal == "," ? "." : ",";
  if (!thousands.empty() || currency)
    numbers.thousands = thousands.empty() || thousands == "comma" ? usual : thousands;
  if (!numbers.thousands.empty()) check_separator("--thousands", numbers.thousands);
  if (!decimal.empty()) {
    check_separator("--decimal", decimal);
    numbers.decimal = one_character("--decimal", decimal);
  }
  if (numbers.thousands == std::string(1, numbers.decimal))
    throw io::usage_error(
        fmt::format("--thousands: '{}' is the decimal separator too; give another character for "
                    "one of them.",
                    numbers.thousands));
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

void expect_name(CLI::Option& option) {
  option.check([](std::string const& path) {
    return path.empty() ? std::string("'' names no file; write - for standard input or output")
                        : std::string();
  });
}

void add_input_options(registry& tool, CLI::App& command, input_flags& flags) {
  expect_name(*add_option(
      command, "FILE", flags.paths,
      "Files to read, one after the other as one input; standard input if absent or -"));
  option_group const group(command, "Input");
  auto* const columns = comma_list(add_option(
      command, "-c,--column COLUMN,...", flags.columns,
      "Columns to read, by name or by position from 1; ranges such as 2-4 or price-qty; all"));
  command.add_flag("--list", flags.list, "Text: read all numbers of all lines as one column")
      ->excludes(columns);
  one_of(tool,
         add_option(command, "--from FORMAT", flags.from,
                    "Input format: auto (default), text, csv, tsv, jsonl, json, raw, npy, parquet, "
                    "arrow, feather or arrows (a stream of arrow)"),
         {"auto", "text", "csv", "tsv", "jsonl", "json", "raw", "npy", "parquet", "arrow",
          "feather", "arrows"});
  std::vector<std::string> types;
  for (io::dtype const type : io::all_dtypes) types.emplace_back(name_of(type));
  auto* const type = add_option(
      command, "--dtype TYPE", flags.type,
      "Element type (i8 ... f64) as which text is parsed and raw values are read, and to which "
      ".npy values are converted (default: found in the data; raw input needs it)");
  tool.choices[type] = types;  // for completion only; dtype_named accepts more spellings
  add_text_options(command, flags);
  not_negative(add_option(command, "--offset BYTES", flags.offset,
                          "Bytes to skip at the beginning of each raw file (default: 0)"));
  not_negative(add_option(command, "--count N", flags.count,
                          "Number of raw values to read of each file (default: all)"));
  one_of(tool,
         add_option(command, "--endian ORDER", flags.endian,
                    "Byte order of raw values: little or big (default: this machine's)"),
         {"little", "big", "native"});
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

void add_output_options(registry& tool, CLI::App& command, output_flags& flags) {
  option_group const group(command, "Output");
  expect_name(*add_option(command, "-o,--output FILE", flags.path,
                          "File to write, atomically (default: standard output)"));
  command.add_flag("--force", flags.force, "Replace the file if it exists");
  auto* const to =
      one_of(tool,
             add_option(command, "--to FORMAT", flags.to,
                        "Output format: text, csv, tsv, jsonl, json, markdown, aligned, raw, npy, "
                        "parquet, arrow, feather or arrows (default: that of the input)"),
             {"auto", "text", "csv", "tsv", "jsonl", "json", "markdown", "aligned", "raw", "npy",
              "parquet", "arrow", "feather", "arrows"});
  add_option(command, "--number-format FORMAT", flags.number_format,
             "printf format such as %.3f (default: shortest text that reads back equal)");
  one_of(tool,
         add_option(command, "--compress KIND", flags.compress,
                    "Compress the output: gzip, zstd or none (default: by the file's name, "
                    ".gz or .zst)"),
         {"auto", "gzip", "zstd", "none"});
  command.add_flag("--json", flags.json, "Write JSON")->excludes(to);
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
    throw io::usage_error(
        fmt::format("--on serial: has one thread; omit --threads {} or --on.", threads));
  return 1;
}

void add_threads_option(CLI::App& command, int& threads) {
  in_range(
      add_option(command, "--threads N", threads,
                 "Number of threads (default: 0, as many as affinity and the cgroup quota allow)"),
      0, 4096);
}

void add_table_options(registry& tool, CLI::App& command, table_flags& flags) {
  add_threads_option(command, flags.threads);
  add_input_options(tool, command, flags.in);
  add_output_options(tool, command, flags.out);
}

void add_sorted_options(CLI::App& command, operators_flags& flags, CLI::Option* by,
                        std::string const& sentence) {
  command.add_flag("--sorted", flags.is_sorted, sentence)->needs(by);
  command
      .add_flag("--allow-repeats", flags.allow_repeats,
                "Each run of equal keys is a group, although keys repeat")
      ->needs(by);
}

void add_engine_options(registry& tool, CLI::App& command, engine_flags& flags,
                        device_streams const& gpu) {
  flags.gpu = &gpu;
  auto* const op = comma_list(add_option(command, "--op OPERATOR,...", flags.op,
                                         "Operators (default: sum); see 'upsweep list'"));
  tool.choices[op] = operator_names();
  add_option(command, "--init VALUE", flags.initial,
             "Initial value, before all others; write --init=-5 for a negative one");
  one_of(tool,
         add_option(command, "--mode MODE", flags.mode,
                    "reproducible (default): bitwise reproducible results. fast: allows other "
                    "groupings, which this version does not use"),
         {"reproducible", "fast"});
  one_of(tool,
         add_option(command, "--on MACHINE", flags.on,
                    "Machine: cpu (default), serial (one thread), or cuda, a GPU"),
         {"cpu", "serial", "cuda"});
  add_threads_option(command, flags.threads);
}

}  // namespace upsweep::cli

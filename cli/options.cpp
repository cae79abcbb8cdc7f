/// Binds the shared options to CLI11, and translates them for the readers, writers and operators.
#include <cli/options.hpp>

#include <io/error.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace upsweep::cli {

char one_character(std::string const& option, std::string const& text) {
  if (text.empty()) return '\0';
  if (text == "\\t" || text == "tab") return '\t';
  if (text.size() != 1)
    throw io::usage_error(fmt::format(
        "{}: '{}' is not one character; write a single one, or \\t for a tab.", option, text));
  return text[0];
}

namespace {

io::dtype dtype_named(std::string const& name) {
  if (auto const found = io::find_dtype(name)) return *found;
  std::vector<std::string_view> names;
  for (auto const type : io::all_dtypes) names.push_back(name_of(type));
  throw io::usage_error(
      fmt::format("'{}' is no dtype; the dtypes are {}.", name, fmt::join(names, ", ")));
}

}  // namespace

io::input_options input_flags::options() const {
  io::input_options o;
  o.path = path;
  o.format = *io::find_container(from);
  o.columns = columns;
  o.list = list;
  o.delimiter = one_character("--delimiter", delimiter);
  o.header = header      ? io::header_line::present
             : no_header ? io::header_line::absent
                         : io::header_line::automatic;
  if (!comment.empty()) o.comment = one_character("--comment", comment);
  o.skip_missing = skip_missing;
  if (!type.empty()) o.type = dtype_named(type);
  o.offset = offset;
  o.count = count;
  if (!endian.empty()) o.endian = *io::find_byte_order(endian);
  return o;
}

void add_input_options(registry& tool, CLI::App& command, input_flags& flags) {
  CLI::Validator const not_negative =
      CLI::Validator(CLI::NonNegativeNumber).description("");  // else -1 becomes 2^64 - 1
  command.add_option("FILE", flags.path, "What to read; - or nothing is standard input");
  auto* const columns = comma_list(command.add_option(
      "-c,--column", flags.columns, "Columns to work on, by name or by position from 1"));
  columns->type_name("COLUMN,...")->group("Input");
  command
      .add_flag("--list", flags.list,
                "Text: all numbers are one column, however many stand on a line")
      ->group("Input")
      ->excludes(columns);
  one_of(tool,
         command.add_option("--from", flags.from,
                            "Format of the input: auto, text, csv, tsv, raw or npy"),
         {"auto", "text", "csv", "tsv", "raw", "npy"})
      ->type_name("FORMAT")
      ->group("Input");
  std::vector<std::string> types;
  for (io::dtype const type : io::all_dtypes) types.emplace_back(name_of(type));
  auto* const type = command.add_option(
      "--dtype", flags.type,
      "Type to read text as, that raw values have, to convert .npy to: i8 ... f64");
  tool.choices[type] =
      types;  // dtype_named accepts more spellings, so completion proposes and nothing checks here
  type->type_name("TYPE")->group("Input");
  command
      .add_option("--delimiter", flags.delimiter,
                  "What separates the fields of CSV; found out if not given")
      ->type_name("CHARACTER")
      ->group("Input");
  auto* const header =
      command.add_flag("--header", flags.header, "The first record is a header")->group("Input");
  command.add_flag("--no-header", flags.no_header, "The first record is data")
      ->group("Input")
      ->excludes(header);
  command.add_option("--comment", flags.comment, "What begins a comment; # in text")
      ->type_name("CHARACTER")
      ->group("Input");
  command
      .add_flag("--skip-missing", flags.skip_missing,
                "Leave out rows with a missing value (empty, NA, N/A, null); else an error")
      ->group("Input");
  command.add_option("--offset", flags.offset, "Bytes to skip at the start of raw values")
      ->type_name("BYTES")
      ->check(not_negative)
      ->group("Input");
  command.add_option("--count", flags.count, "How many raw values to read")
      ->type_name("N")
      ->check(not_negative)
      ->group("Input");
  one_of(tool,
         command.add_option("--endian", flags.endian, "Byte order of raw values: little or big"),
         {"little", "big", "native"})
      ->type_name("ORDER")
      ->group("Input");
}

io::container output_flags::wanted() const {
  io::container const named = *io::find_container(to);
  return named != io::container::automatic || path == "-" ? named : io::container_of_path(path);
}

bool output_flags::may_widen() const {
  return wanted() != io::container::raw && wanted() != io::container::npy;
}

io::output_options output_flags::options(io::container format) const {
  io::output_options o;
  o.path = path;
  o.force = force;
  o.format = format;
  o.number_format = number_format;
  return o;
}

void add_output_options(registry& tool, CLI::App& command, output_flags& flags) {
  command.add_option("-o,--output", flags.path, "File to write; it appears whole or not at all")
      ->type_name("FILE")
      ->group("Output");
  command.add_flag("--force", flags.force, "Replace the file if it exists")->group("Output");
  auto* const to =
      one_of(tool,
             command.add_option(
                 "--to", flags.to,
                 "Format of the output: text, csv, tsv, raw or npy; else that of the input"),
             {"auto", "text", "csv", "tsv", "raw", "npy"});
  to->type_name("FORMAT")->group("Output");
  command
      .add_option("--number-format", flags.number_format,
                  "printf format such as %.3f; else the shortest text that reads back equal")
      ->type_name("FORMAT")
      ->group("Output");
  command.add_flag("--json", flags.json, "Write JSON")->group("Output")->excludes(to);
}

folding_settings engine_flags::settings() const {
  folding_settings s;
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
        fmt::format("--on serial: has one thread; leave --threads {} away, or --on.", threads));
  return 1;
}

void add_engine_options(registry& tool, CLI::App& command, engine_flags& flags,
                        device_streams const& gpu) {
  flags.gpu = &gpu;
  auto* const op = comma_list(command.add_option(
      "--op", flags.op, "Operators, sum if not given; 'upsweep list' explains them"));
  op->type_name("OPERATOR,...");
  tool.choices[op] = operator_names();
  command
      .add_option("--init", flags.initial,
                  "Combined to the left of all values; write --init=-5 for a negative one")
      ->type_name("VALUE");
  one_of(tool,
         command.add_option("--mode", flags.mode,
                            "reproducible: the same bits everywhere. fast: allows another "
                            "grouping, which streams do not use"),
         {"reproducible", "fast"})
      ->type_name("MODE");
  one_of(tool,
         command.add_option("--on", flags.on,
                            "Where: cpu (default), serial, which is one thread of it, or cuda, a "
                            "GPU"),
         {"cpu", "serial", "cuda"})
      ->type_name("MACHINE");
  command
      .add_option("--threads", flags.threads,
                  "Threads to use; 0: as many as affinity and the cgroup quota allow")
      ->type_name("N")
      ->check(CLI::Range(0, 4096).description(""));
}

}  // namespace upsweep::cli

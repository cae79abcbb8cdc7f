/// Names and file name extensions of the formats, the table of formats that are not read, and the
/// checks of text that is not UTF-8.
#include <io/container.hpp>

#include <io/byte_source.hpp>
#include <io/compression.hpp>
#include <io/dtype.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <tuple>

namespace upsweep::io {
namespace {

using namespace std::string_view_literals;

struct named_format {
  std::string_view name;
  std::array<std::string_view, 2> other_names = {};
  std::array<std::string_view, 3> extensions = {};
};
/// Indexed by container.
constexpr named_format formats_by_name[] = {
    {"auto"},
    {"text", {"txt"}, {"txt", "text", "dat"}},
    {"csv", {}, {"csv"}},
    {"tsv", {}, {"tsv", "tab"}},
    {"raw", {"bin", "binary"}, {"bin", "raw"}},
    {"npy", {}, {"npy"}},
    {"jsonl", {"ndjson"}, {"jsonl", "ndjson"}},
    {"json", {}, {"json"}},
    {"markdown", {"md"}, {"md"}},
    {"aligned"},
    {"parquet", {}, {"parquet", "pq"}},
    {"arrow", {"feather"}, {"arrow", "feather", "ipc"}},
    {"arrows", {}, {"arrows"}},
};

/// A format that is not read: the bytes with which it may begin, its name, and what makes text of
/// it.
/// Letters alone may also begin a text; then a control character must follow.
struct foreign_format {
  std::array<std::string_view, 4> magics;
  std::string_view name, remedy;
};

constexpr std::string_view pandas =
    "python3 -c \"import pandas, sys; pandas.read_{}('FILE').to_csv(sys.stdout, index=False)\" | "
    "upsweep ...";

constexpr foreign_format formats[] = {
    {{"\x1f\x8b"sv}, "compressed with gzip", "gzip -dc FILE | upsweep ..."},
    {{"\x28\xb5\x2f\xfd"sv}, "compressed with zstd", "zstd -dc FILE | upsweep ..."},
    {{"\xfd\x37zXZ\0"sv}, "compressed with xz", "xz -dc FILE | upsweep ..."},
    {{"\x1f\x9d"sv}, "compressed with compress", "gzip -dc FILE | upsweep ..."},
    {{"\x04\x22\x4d\x18"sv}, "compressed with lz4", "lz4 -dc FILE | upsweep ..."},
    {{"7z\xbc\xaf\x27\x1c"sv}, "a 7-Zip archive", "7z e -so FILE | upsweep ..."},
    {{"Rar!\x1a\x07"sv}, "a RAR archive", "unrar p -inul FILE | upsweep ..."},
    {{"\xff\x06\0\0sNaPpY"sv}, "compressed with snappy", "snzip -dc FILE | upsweep ..."},
    {{"FEA1"sv}, "Feather, version 1,", "feather"},
    {{"ORC"sv}, "ORC", "orc"},
    {{"Obj\x01"sv}, "Avro", "fastavro --json FILE | jq -r '[.[]] | @csv' | upsweep ..."},
    {{"\x89HDF\r\n\x1a\n"sv},
     "HDF5 (or netCDF)",
     "python3 -c \"import h5py, numpy, sys; numpy.save(sys.stdout.buffer, "
     "h5py.File('FILE')['NAME'][()])\" | upsweep ..."},
    {{"CDF\x01"sv, "CDF\x02"sv, "CDF\x05"sv},
     "netCDF",
     "ncdump -v NAME FILE, or: nccopy -k nc4 FILE FILE.h5"},
    {{"SQLite format 3\0"sv},
     "an SQLite database",
     "sqlite3 -csv -header FILE 'SELECT * FROM TABLE' | upsweep ..."},
    {{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv},
     "an old Office file (.xls)",
     "libreoffice --headless --convert-to csv FILE"},
    {{"MATLAB 5.0 MAT-file"sv},
     "a MATLAB file",
     "python3 -c \"import numpy, scipy.io, sys; numpy.save(sys.stdout.buffer, "
     "scipy.io.loadmat('FILE')['NAME'])\" | upsweep ..."},
    {{"RDX3\n"sv, "RDX2\n"sv},
     "an R workspace",
     "Rscript -e 'load(\"FILE\"); write.csv(NAME)' | upsweep ..."},
    {{"X\n\0\0"sv}, "an R object", "Rscript -e 'write.csv(readRDS(\"FILE\"))' | upsweep ..."},
    {{"<stata_dta>"sv}, "a Stata file", "stata"},
    {{"$FL2@(#)"sv}, "an SPSS file", "spss"},
    {{"%PDF-"sv}, "PDF", "pdftotext -layout FILE - | upsweep ..."},
    {{"\x80\x02"sv, "\x80\x03"sv, "\x80\x04\x95"sv, "\x80\x05\x95"sv},
     "a Python pickle",
     "save it as .npy or .csv in the program that wrote it"},
};

[[noreturn]] void refuse(byte_source const& source, std::string_view name,
                         std::string_view remedy) {
  throw data_error("{} is {}, which is not read; convert it: {}", source.name(), name, remedy);
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f';
}

bool named_as_workbook(std::string_view name) {
  for (std::string_view const end : {".xlsx", ".xlsm", ".xlsb", ".ods", ".XLSX"})
    if (name.ends_with(end)) return true;
  return false;
}

/// A zip archive, by the name of its first member: a workbook, or another.
void refuse_zip(byte_source& source) {
  auto const member = first_zip_member(source);
  bool const office = member == "[Content_Types].xml" || member == "mimetype" ||
                      member.starts_with("xl/") || member.starts_with("_rels/") ||
                      member.starts_with("docProps/") || named_as_workbook(source.name());
  if (office)
    refuse(source, "a workbook (.xlsx, .ods)", "libreoffice --headless --convert-to csv FILE");
  refuse(source, "a zip archive", "unzip -p FILE | upsweep ...");
}

}  // namespace

std::string_view name_of(container format) noexcept {
  return formats_by_name[static_cast<std::size_t>(format)].name;
}

std::optional<container> find_container(std::string_view name) noexcept {
  if (name.empty()) return std::nullopt;
  for (std::size_t i = 0; i < std::size(formats_by_name); ++i) {
    auto const& format = formats_by_name[i];
    if (name == format.name || std::ranges::count(format.other_names, name) > 0)
      return static_cast<container>(i);
  }
  return std::nullopt;
}

std::string_view extension_of(std::string_view path) noexcept {
  auto const slash = path.rfind('/');
  auto const file = slash == std::string_view::npos ? path : path.substr(slash + 1);
  auto const dot = file.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : file.substr(dot + 1);
}

container container_of_path(std::string_view path) noexcept {
  auto const extension = extension_of(path);
  for (std::size_t i = 0; i < std::size(formats_by_name) && !extension.empty(); ++i)
    if (std::ranges::count(formats_by_name[i].extensions, extension) > 0)
      return static_cast<container>(i);
  return find_dtype(extension) ? container::raw : container::automatic;
}

std::optional<byte_order> find_byte_order(std::string_view name) noexcept {
  if (name == "little" || name == "le" || name == "<") return byte_order::little;
  if (name == "big" || name == "be" || name == ">") return byte_order::big;
  if (name == "native" || name == "=") return native_order;
  return std::nullopt;
}

void refuse_foreign(byte_source& source) {
  if (source.begins_with("PK\x03\x04")) refuse_zip(source);
  if (source.begins_with("BZh") && (source.fill(10), source.window().find("1AY&SY") == 4))
    refuse(source, "compressed with bzip2", "bzip2 -dc FILE | upsweep ...");
  for (auto const& [magics, name, remedy] : formats)
    for (auto const magic : magics) {
      if (magic.empty() || !source.begins_with(magic)) continue;
      bool const letters =
          std::ranges::none_of(magic, [](char c) { return is_control(c) || c < 0; });
      if (letters && name != "PDF" && name != "a Stata file") {
        // The headers of MATLAB and SPSS begin with a line of text.
        source.fill(256);
        if (std::ranges::none_of(source.window().substr(0, 256), is_control)) continue;
      }
      bool const by_pandas = !contains(remedy, ' ');
      refuse(source, name,
             by_pandas ? fmt::format(fmt::runtime(pandas), remedy) : std::string(remedy));
    }
}

void refuse_wide_text(byte_source& source) {
  source.fill(1);
  auto const first = source.window().substr(0, 1);
  if (first == "\xff" || first == "\xfe" || first == "\0"sv) source.fill(4);
  auto const start = source.window().substr(0, 64);
  auto const convert = [&](std::string_view coding) {
    throw data_error("{} is {} text; convert it: iconv -f {} -t UTF-8 FILE | upsweep ...",
                     source.name(), coding, coding);
  };
  if (start.starts_with("\xff\xfe\0\0"sv) || start.starts_with("\0\0\xfe\xff"sv)) convert("UTF-32");
  if (start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff")) convert("UTF-16");
  if (start.size() < 4 || !contains(start, '\0')) return;
  // Without a mark: ASCII characters among zeros, at every second or fourth byte.
  // Most, since a name may have other characters.
  for (auto const& [coding, width, at] :
       {std::tuple{"UTF-32LE", 4u, 0u}, std::tuple{"UTF-32BE", 4u, 3u},
        std::tuple{"UTF-16LE", 2u, 0u}, std::tuple{"UTF-16BE", 2u, 1u}}) {
    std::size_t fits = 0;
    std::size_t const whole = start.size() / width * width;
    for (std::size_t i = 0; i < whole; ++i)
      fits += i % width == at ? start[i] > 0 && !is_control(start[i]) : start[i] == '\0';
    if (10 * fits >= 9 * whole) convert(coding);
  }
}

void refuse_markup(byte_source& source) {
  source.fill(1);
  auto window = source.window();
  auto const begin = window.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return;
  window.remove_prefix(begin);
  if (window.starts_with("<?xml") || window.starts_with("<!DOCTYPE") || window.starts_with("<html"))
    refuse(source, window.starts_with("<?xml") ? "XML" : "an HTML page", "save its table as CSV");
}

void refuse_lone_returns(byte_source const& source) {
  auto const window = source.window().substr(0, std::size_t{1} << 16);
  auto const at = window.find('\r');
  if (at == std::string_view::npos || contains(window, '\n')) return;
  if (window.find_first_not_of(" \t\r", at) == std::string_view::npos) return;
  throw data_error(
      "{} has lines that end with a carriage return alone; convert it: tr '\\r' '\\n' < FILE | "
      "upsweep ...",
      source.name());
}

void refuse_to_write(std::string_view path) {
  struct remedy {
    std::string_view instead;
    std::array<std::string_view, 9> extensions;
  };
  static constexpr remedy remedies[] = {
      {"compress a pipe: upsweep ... | xz > FILE", {"xz"}},
      {"compress a pipe: upsweep ... | bzip2 > FILE", {"bz2"}},
      {"compress a pipe: upsweep ... | lz4 > FILE", {"lz4"}},
      {"write a .csv and pack it", {"zip"}},
      {"write a .npy", {"npz", "h5", "hdf5", "nc", "mat"}},
      {"write a .npy or a .csv", {"pkl"}},
      {"write a .csv", {"rds", "sav", "dta", "rdata", "xml", "toml", "html", "yaml"}},
      {"write a .csv and convert it", {"orc", "avro"}},
      {"write a .csv and import it", {"db", "sqlite"}},
      {"write a .csv, which spreadsheets open", {"xlsx", "xls", "ods"}}};
  auto const written = extension_of(path);
  for (auto const& [instead, extensions] : remedies)
    for (auto const extension : extensions)
      if (!extension.empty() && is_word(written, extension))
        throw usage_error(
            "-o {}: .{} is not written; {}. --to text writes text whatever the name is.",
            shown(path), extension, instead);
}

}  // namespace upsweep::io

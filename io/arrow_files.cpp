/// Parquet and Arrow's IPC, by a module that is loaded when such a file is read or written.
#include <io/arrow/module.hpp>
#include <io/error.hpp>
#include <io/input.hpp>
#include <io/number.hpp>
#include <io/output.hpp>
#include <upsweep/host/threads.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

using namespace std::string_view_literals;

struct loaded_library {
  arrow_module const* module = nullptr;
  std::string trouble = {};  ///< why it is not there
};

/// The module in a folder beside that of the running program, and nowhere else.
std::string module_path() {
  std::error_code none;
  auto const here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (std::string const folder : {UPSWEEP_MODULE_FOLDERS}) {
    auto const path = (here / folder / "upsweep_arrow.so").lexically_normal();
    if (std::filesystem::exists(path, none)) return path;
  }
  return {};
}

/// It stays loaded.
loaded_library load() {
  auto const path = module_path();
  if (path.empty()) return {nullptr, "this upsweep was built without Arrow's library"};
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const entry = module != nullptr ? ::dlsym(module, arrow_entry) : nullptr;
  if (entry == nullptr)
    return {nullptr, fmt::format("{} cannot be loaded ({}), so Upsweep must be built again", path,
                                 ::dlerror())};
  return {reinterpret_cast<arrow_entry_function>(entry)()};
}

/// Loaded once.
loaded_library const& arrow_library() {
  static loaded_library const library = load();
  return library;
}

std::string reading_instead(container format) {
  std::string_view const read = format == container::parquet ? "parquet.read_table('FILE')"
                                : format == container::arrow ? "feather.read_table('FILE')"
                                                             : "ipc.open_stream('FILE').read_all()";
  return fmt::format(
      "convert it: pip install pyarrow; python3 -c \"import sys; from pyarrow import csv, {}; "
      "csv.write_csv({}, sys.stdout.buffer)\" | upsweep ...",
      read.substr(0, read.find('.')), read);
}

constexpr std::size_t block_rows = std::size_t{1} << 17;  // of Parquet, an eighth of a row group
constexpr std::size_t block_bytes = std::size_t{1} << 26;

arrow_module const& module_for(container format) {
  auto const& library = arrow_library();
  if (library.module == nullptr)
    throw unavailable_error(
        "--to {}: {}; write CSV and convert it: pip install polars; python3 -c \"import polars; "
        "polars.read_csv('FILE.csv').write_{}('FILE.{}')\"",
        name_of(format), library.trouble, format == container::parquet ? "parquet" : "ipc",
        name_of(format));
  return *library.module;
}

class arrow_writer final : public writer {
 public:
  explicit arrow_writer(output_options chosen)
      : writer(std::move(chosen)), module_(module_for(options.format)) {}

  void begin(std::span<column_info const> columns, std::span<std::string const> keys) override {
    order_ = fields(keys.size(), columns.size());
    if (order_.empty()) throw usage_error("There is no column to write to {}.", file.name());
    keys_ = keys.size();
    for (std::size_t const field : order_) {
      auto& made = columns_.emplace_back();
      if (field < keys_) {
        made.about.name = keys[field];
      } else {
        auto const& of = columns[field - keys_];
        made.about = {of.name, options.type.value_or(of.type)};
      }
    }
  }

  void finish() override {
    if (held_ > 0 || !sink_) flush();
    with_file(file.name(), [&] { sink_->finish(); });
  }

 private:
  struct column {
    source_column about = {};
    std::vector<std::byte> numbers = {};
    std::vector<std::uint8_t> present = {};  // empty while all are
    text_buffer texts = {};
  };

  void put(chunk const& chunk) override {
    for (std::size_t c = 0; c < order_.size(); ++c) {
      if (order_[c] < keys_)
        columns_[c].texts.append(chunk.keys[order_[c]], 0, chunk.rows);
      else
        add_numbers(columns_[c], chunk, order_[c] - keys_);
    }
    held_ += chunk.rows;
    std::size_t bytes = 0;
    for (auto const& each : columns_) bytes += each.numbers.size() + each.texts.characters.size();
    if (held_ >= block_rows || bytes >= block_bytes) flush();
  }
  /// A column of a stream may have become decimals.
  void add_numbers(column& to, chunk const& chunk, std::size_t c) {
    auto const& from = chunk.columns[c];
    if (from.type != to.about.type)
      throw data_error("{}: Column '{}' begins with {} and goes on with {}; give --dtype f64.",
                       file.name(), to.about.name, name_of(*to.about.type), name_of(from.type));
    auto const bytes = from.bytes.first(chunk.rows * size_of(from.type));
    to.numbers.insert(to.numbers.end(), bytes.begin(), bytes.end());
    if (chunk.present.empty()) {
      if (!to.present.empty()) to.present.resize(held_ + chunk.rows, 1);
      return;
    }
    to.present.resize(held_, 1);
    auto const present = chunk.present[c].as<std::uint8_t>();
    to.present.insert(to.present.end(), present.begin(), present.end());
  }

  /// The type of strings that are all numbers as they would be written; nothing if one is not.
  static std::optional<dtype> type_of(text_column const& texts) {
    type_guess guess;
    for (std::size_t row = 0; row < texts.size(); ++row) {
      auto const text = texts[row];
      if (text.empty()) continue;
      std::int64_t whole = 0;
      bool const is_whole = parse_number(text, dtype::i64, &whole) == parsed::good;
      if (is_whole ? number_text(whole) != text : !is_number(text)) return std::nullopt;
      guess.observe(text);
    }
    bool const has_type = guess.has_seen() && !guess.rounds();
    return has_type ? std::optional(guess.type()) : std::nullopt;
  }

  void flush() {
    if (!sink_) open();
    source_rows out;
    out.rows = held_;
    for (auto& each : columns_) {
      if (each.texts.size() > 0) finish_texts(each);
      auto& made = out.columns.emplace_back();
      if (each.about.type)
        made.numbers = {*each.about.type, each.numbers};
      else
        made.texts = each.texts.view();
      if (!each.present.empty())
        made.present = {reinterpret_cast<bool const*>(each.present.data()), each.present.size()};
    }
    with_file(file.name(), [&] { sink_->write(out); });
    for (auto& each : columns_) each = {.about = std::move(each.about)};
    flushed_ += held_;
    held_ = 0;
  }

  void open() {
    std::vector<source_column> all;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      auto const key = order_[c];
      bool const has_type = key < options.key_types.size() && options.key_types[key];
      if (has_type)
        columns_[c].about.type = options.key_types[key];
      else if (key < keys_ && options.key_types.empty())
        columns_[c].about.type = type_of(columns_[c].texts.view());
      all.push_back(columns_[c].about);
    }
    sink_ = with_file(file.name(), [&] {
      return module_.write(options.format, all,
                           [this](std::string_view bytes) { file.write(bytes); });
    });
  }

  /// Makes numbers of strings if the column has numbers. An empty text is a missing value.
  void finish_texts(column& of) {
    auto const texts = of.texts.view();
    for (std::size_t row = 0; row < texts.size(); ++row) {
      if (!texts[row].empty()) continue;
      of.present.resize(texts.size(), 1);
      of.present[row] = 0;
    }
    if (!of.about.type) return;
    auto const size = size_of(*of.about.type);
    of.numbers.resize(texts.size() * size);
    for (std::size_t row = 0; row < texts.size(); ++row) {
      auto const text = texts[row];
      if (text.empty()) continue;
      if (parse_number(text, *of.about.type, of.numbers.data() + row * size) != parsed::good)
        throw data_error(
            "{}: Column '{}' has '{}' in row {}, but {} in the rows before, which decide its type; "
            "write CSV.",
            file.name(), of.about.name, text, flushed_ + row + 1, name_of(*of.about.type));
    }
  }

  arrow_module const& module_;
  std::vector<std::size_t> order_;
  std::vector<column> columns_;
  std::size_t keys_ = 0, held_ = 0;  // columns of text, and rows in memory
  std::uint64_t flushed_ = 0;
  std::unique_ptr<column_sink> sink_;
};

}  // namespace

std::optional<container> arrow_format_of(byte_source& source) {
  if (source.begins_with("ARROW1\0\0"sv)) return container::arrow;
  if (source.begins_with("\xff\xff\xff\xff"sv)) {
    source.fill(8);
    std::uint32_t length = 0;
    if (source.window().size() >= 8) std::memcpy(&length, source.window().data() + 4, 4);
    if (length > 0 && length < std::uint32_t{1} << 24 && length % 8 == 0) return container::arrows;
  }
  if (!source.begins_with("PAR1"sv)) return std::nullopt;
  source.fill(8);  // text may begin so
  auto const start = source.window().substr(0, 8);
  bool const is_binary = std::ranges::any_of(start, [](char c) {
    return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r';
  });
  return is_binary ? std::optional(container::parquet) : std::nullopt;
}

std::unique_ptr<reader> make_arrow_reader(std::unique_ptr<byte_source> source,
                                          input_options const& options, container format,
                                          std::span<dtype const> types) {
  auto const& file = source->name();
  std::string_view const kind = format == container::parquet ? "Parquet" : "Arrow";
  auto const& library = arrow_library();
  if (library.module == nullptr)
    throw data_error("{} is {}, but {}; {}", file, kind, library.trouble, reading_instead(format));
  arrow_bytes bytes;
  if (format == container::arrows && !source->mapped()) {
    bytes.read = [from = source.get()](char* out, std::size_t room) {
      from->fill(1);
      auto const got = std::min(room, from->window().size());
      std::memcpy(out, from->window().data(), got);
      from->consume(got);
      return got;
    };
  } else {
    source->fill(std::numeric_limits<std::size_t>::max());
    bytes.whole = source->window();
  }
  auto const threads = static_cast<int>(upsweep::host::threads::usable(options.threads));
  auto columns = with_file(fmt::format("{} ({})", file, kind),
                           [&] { return library.module->read(format, std::move(bytes), threads); });
  columns->kind = kind;
  return make_column_reader(std::move(source), std::move(columns), options, types);
}

std::unique_ptr<writer> make_arrow_writer(output_options options) {
  return std::make_unique<arrow_writer>(std::move(options));
}

}  // namespace upsweep::io

/// Recognizes the formats of Arrow, and hands the bytes of a file to its library.
#include <io/arrow_files.hpp>

#include <io/arrow_library.hpp>
#include <upsweep/host/threads.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep::io {
namespace {

using namespace std::string_view_literals;

class named_source final : public column_source {
 public:
  named_source(std::string file, std::unique_ptr<column_source> from)
      : file_(std::move(file)), from_(std::move(from)) {
    columns = from_->columns;
    rows = from_->rows;
  }
  void choose(std::span<std::size_t const> chosen) override {
    with_file(file_, [&] { from_->choose(chosen); });
  }
  [[nodiscard]] bool next(source_rows& out) override {
    return with_file(file_, [&] { return from_->next(out); });
  }

 private:
  std::string file_;
  std::unique_ptr<column_source> from_;
};

std::string reading_instead(container format) {
  std::string_view const read = format == container::parquet ? "parquet.read_table('FILE')"
                                : format == container::arrow ? "feather.read_table('FILE')"
                                                             : "ipc.open_stream('FILE').read_all()";
  return fmt::format(
      "convert it: pip install pyarrow; python3 -c \"import sys; from pyarrow import csv, {}; "
      "csv.write_csv({}, sys.stdout.buffer)\" | upsweep ...",
      read.substr(0, read.find('.')), read);
}

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
    throw data_error(
        fmt::format("{} is {}, but {}; {}", file, kind, library.trouble, reading_instead(format)));
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
  auto const name = fmt::format("{} ({})", file, kind);
  auto columns = with_file(name, [&] {
    return std::make_unique<named_source>(name,
                                          library.module->read(format, std::move(bytes), threads));
  });
  return make_column_reader(std::move(source), std::move(columns), options, types);
}

}  // namespace upsweep::io

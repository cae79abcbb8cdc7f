/// Detects the format of an input and creates its reader.
#include <io/input.hpp>

#include <io/compression.hpp>
#include <io/error.hpp>
#include <io/npy_header.hpp>
#include <io/records.hpp>
#include <io/shown.hpp>
#include <io/text_reader.hpp>
#include <upsweep/host/threads.hpp>

#include <fmt/format.h>

#include <string_view>

namespace upsweep::io {
namespace {

/// The decompressed content of `source` if it is compressed. Raw values may begin with any bytes,
/// so a name must say that they are compressed.
std::unique_ptr<byte_source> decompressed(std::unique_ptr<byte_source> source,
                                          input_options const& options, container format) {
  auto const named = compression_of_path(options.path);
  if (format == container::raw && named == compression::none) return source;
  source->fill(1);
  auto const first = source->window().substr(0, 1);
  if (format == container::raw || first == "\x1f" || first == "\x28") source->fill(4);
  auto const found = compression_of(source->window());
  if (format == container::raw && found != named)
    throw data_error("{} is not compressed as its name says; rename it.", source->name());
  if (found == compression::none) return source;
  bool const ahead = upsweep::host::threads::usable(options.threads) > 1;
  return std::make_unique<byte_source>(std::move(source), found, ahead);
}

/// Waits while what arrived does not tell.
bool begins_as_json(byte_source& source) {
  source.fill(1);
  for (;;) {
    if (auto const found = looks_like_json(source.window())) return *found;
    if (!source.more()) return false;
  }
}

/// What a line says about the format: separators, or a field in quotes alone. A decimal comma does
/// not make it CSV.
container container_of_line(std::string_view line, char decimal) {
  auto const bare = without_quoted(line);
  bool const comma = decimal != ',' && contains(bare, ',');
  if (contains(line, '\t') && !comma) return container::tsv;
  if (comma || contains(bare, ';') || is_quoted(line)) return container::csv;
  return container::text;
}

/// The format that the first bytes suggest. Looks at most at the first line that is neither blank
/// nor a comment, and at the next if the first is a single word that may be the name of a column.
container container_of_content(byte_source& source, char decimal, char comment) {
  constexpr std::size_t most = std::size_t{1} << 16;
  static_cast<void>(source.begins_with("\x93NUMPY"));
  if (is_npy(source.window())) return container::npy;
  for (;;) {
    auto window = source.window().substr(0, most);
    if (contains(window, '\0'))
      throw data_error(
          "{} is binary but not a .npy file; to read raw values, give --from raw and --dtype.",
          source.name());
    if (named_separator(window)) return container::csv;
    bool has_name = false;
    while (!window.empty()) {
      auto end = first_line_end(window);
      bool const complete =
          end != std::string_view::npos || source.window().size() >= most || source.ended();
      if (complete && end == std::string_view::npos) end = window.find('\n');
      auto const line = trimmed(window.substr(0, end));
      if (!line.empty() && line[0] != comment && complete) {
        auto const found = container_of_line(line, decimal);
        bool const is_word = found == container::text && !is_number(line) && !contains(line, ' ');
        if (has_name) return is_quoted(line) ? container::csv : container::text;
        if (!is_word) return found;
        has_name = true;
      }
      if (end == std::string_view::npos) break;
      window.remove_prefix(end + 1);
    }
    if (source.window().size() >= most || source.ended()) return container::text;
    static_cast<void>(source.more());  // at the end of the source the last line is complete
  }
}

/// The format of what may be text, but may begin as something else.
container recognized(byte_source& source, input_options const& options, container format) {
  if (auto const found = arrow_format_of(source)) return *found;
  refuse_foreign(source);
  if (is_of_arrow(format))
    throw data_error("{} does not begin as {} does; it is damaged, or --from is wrong.",
                     source.name(), name_of(format));
  refuse_wide_text(source);
  bool const is_automatic = options.format == container::automatic;
  if (is_automatic) refuse_markup(source);
  if (is_automatic && !is_json(format) && begins_as_json(source)) return container::jsonl;
  if (format != container::automatic) return format;
  return container_of_content(source, options.numbers.decimal, options.comment.value_or('#'));
}

}  // namespace

std::unique_ptr<reader> open_reader(input_options const& options, std::span<dtype const> types) {
  auto const [path, member] = member_of_path(options.path);
  auto source = std::make_unique<byte_source>(path);
  auto format = options.format;
  bool const raw_options = options.offset || options.count || options.endian;
  if (options.part && source->mapped()) source->end_at(options.part->end);
  if (format == container::automatic) format = container_of_path(without_compression(options.path));
  if (format == container::automatic && raw_options) format = container::raw;
  if (!member.empty() ||
      (format != container::raw && first_zip_member(*source).ends_with(".npy"))) {
    bool const ahead = upsweep::host::threads::usable(options.threads) > 1;
    source = open_member(std::move(source), member, ahead);
    format = container::npy;
  }
  source = decompressed(std::move(source), options, format);
  if (!is_array(format)) {
    if (source->begins_with("\xef\xbb\xbf")) source->consume(3);  // a byte-order mark
    format = recognized(*source, options, format);
  }
  bool const is_whole = !member.empty() || is_of_arrow(format);
  if (options.part && (is_whole || (options.part->end > 0 && !source->mapped())))
    throw usage_error("{}: only a file that is not compressed can be read on from where it ended.",
                      source->name());
  if (format == container::raw) return make_raw_reader(std::move(source), options);
  if (format == container::npy) return make_npy_reader(std::move(source), options, types);
  if (raw_options)
    throw usage_error(
        "{} is read as {}; --offset, --count and --endian are for raw binary (--from raw).",
        source->name(), name_of(format));
  if (is_of_arrow(format)) return make_arrow_reader(std::move(source), options, format, types);
  return std::make_unique<text_reader>(std::move(source), options, format, types);
}

input::input(input_options options)
    : reader_(options.more_paths.empty() ? open_reader(options) : make_chained_reader(options)) {
  if (options.computed) reader_ = options.computed->computed(std::move(reader_));
}

}  // namespace upsweep::io

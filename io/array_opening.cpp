/// Opens raw binary and .npy files: finds the layout of the values from the options, the header and
/// the size of the file.
#include <io/array_layout.hpp>
#include <io/column_choice.hpp>
#include <io/decompressor.hpp>
#include <io/error.hpp>
#include <io/npy_header.hpp>
#include <io/npy_records.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

void skip(byte_source& source, std::uint64_t bytes) {
  for (auto left = bytes; left != 0;) {
    source.fill(1);
    auto const step = std::min<std::uint64_t>(source.window().size(), left);
    if (step == 0) {
      throw data_error(fmt::format("{} has only {} bytes, but --offset is {}.", source.name(),
                                   source.position(), bytes));
    }
    source.consume(static_cast<std::size_t>(step));
    left -= step;
  }
}

/// The indices, from 0, of the chosen columns of an array that has `width` columns.
std::vector<std::size_t> choose(input_options& options, std::size_t width,
                                std::string const& file) {
  column_table const table{
      {}, width, file, fmt::format("its columns are unnamed and numbered from 1 to {}.", width)};
  if (options.computed) options.computed->replace(options, table);
  std::vector<std::size_t> chosen;
  for (auto const& found : find_each(options.columns, options.single, table))
    chosen.insert(chosen.end(), found.columns.begin(), found.columns.end());
  return chosen;
}

/// Skips the rows before a part of an array, and leaves its own in the header.
void cut_to_part(npy_header& header, file_part const& part, byte_source& source) {
  std::size_t width = 1;
  for (std::size_t d = 1; d < header.shape.size(); ++d) width *= header.shape[d];
  auto const begin = std::max(part.begin, source.position()), end = std::max(part.end, begin);
  source.consume(static_cast<std::size_t>(begin - source.position()));
  header.shape[0] = static_cast<std::size_t>(end - begin) / (width * size_of(header.type));
  header.elements = header.shape[0] * width;
}

void refuse_keys(input_options const& options, std::string const& file) {
  if (options.keys.empty()) return;
  throw usage_error(
      fmt::format("{} has no columns to group by or to copy; --by, --keep, and --column of select "
                  "need text, CSV or TSV.",
                  file));
}

/// The bytes of the values that a header promises.
std::uint64_t bytes_of_values(npy_header const& header) {
  return header.elements * header.element_bytes;
}

/// Throws if the values of a file are not `needed` bytes.
void check_size(byte_source const& source, std::uint64_t needed) {
  if (!source.size()) return;
  auto const there = *source.size() - source.position();
  if (there == needed) return;
  throw data_error(fmt::format(
      "{}: The .npy header promises {} bytes of values from byte {} on, but the file has {}; it is "
      "{}.",
      source.name(), needed, source.position(), there,
      there < needed ? "truncated" : "damaged, or several arrays in one file"));
}

std::unique_ptr<reader> make_record_reader(std::unique_ptr<byte_source> source, npy_header header,
                                           input_options const& options,
                                           std::span<dtype const> types) {
  if (header.shape.size() > 1)
    throw data_error(
        fmt::format("{} holds records in {} dimensions; save them in one: "
                    "numpy.save(FILE, records.ravel()).",
                    source->name(), header.shape.size()));
  auto const& bytes = *source;
  auto const needed = bytes_of_values(header);
  auto records = make_record_source(*source, std::move(header));
  auto made = make_column_reader(std::move(source), std::move(records), options, types);
  check_size(bytes, needed);
  return made;
}

}  // namespace

std::unique_ptr<reader> make_raw_reader(std::unique_ptr<byte_source> source,
                                        input_options options) {
  auto const& file = source->name();
  refuse_keys(options, file);
  static_cast<void>(choose(options, 1, file));
  if (options.columns.size() > 1)
    throw usage_error(fmt::format("{} is raw binary, which has only one column.", file));
  auto const named = find_dtype(extension_of(without_compression(options.path)));
  if (!options.type && !named) {
    throw usage_error(fmt::format(
        "{} is raw binary, which does not record its element type; give --dtype, for example "
        "--dtype f64.",
        file));
  }
  array_layout what;
  what.stored = what.delivered = options.type ? *options.type : *named;
  what.swapped = options.endian.value_or(native_order) != native_order;
  what.elements = options.count;
  what.may_follow = options.count.has_value();
  auto const size = size_of(what.stored);
  std::uint64_t begin = options.offset.value_or(0);
  if (auto const& part = options.part) {
    if (part->begin > 0) begin = part->begin;
    what.elements = part->end > begin ? (part->end - begin) / size : 0;
    what.may_follow = true;
    if (what.elements == 0) begin = 0;
  }
  skip(*source, begin);
  if (source->size()) {
    auto const bytes = *source->size() - source->position();
    if (what.elements && *what.elements > bytes / size) {
      throw data_error(
          fmt::format("{} holds {} elements of {} from byte {} on, fewer than --count {}.", file,
                      bytes / size, name_of(what.stored), source->position(), *what.elements));
    }
    if (!what.elements && bytes % size != 0) {
      throw data_error(
          fmt::format("{}: The {} bytes from byte {} on are not a whole number of {} elements "
                      "({} bytes each); check --dtype and --offset.",
                      file, bytes, source->position(), name_of(what.stored), size));
    }
    if (!what.elements) what.elements = bytes / size;
  }
  input_facts facts;
  facts.format = container::raw;
  facts.columns = {{"value", what.delivered}};
  facts.total_rows = what.elements;
  return make_array_reader(std::move(source), std::move(what), std::move(facts));
}

std::unique_ptr<reader> make_npy_reader(std::unique_ptr<byte_source> source, input_options options,
                                        std::span<dtype const> types) {
  auto const& file = source->name();
  if (options.offset || options.count || options.endian) {
    throw usage_error(
        fmt::format("{} is a .npy file, whose header gives the position, number and byte order of "
                    "its values; --offset, --count and --endian are for raw binary.",
                    file));
  }
  source->fill(12);
  auto const header_bytes = npy_header_bytes(source->window().substr(0, 12), file);
  source->fill(header_bytes);
  if (source->window().size() < header_bytes) {
    throw data_error(fmt::format("{} ends after {} bytes, inside the .npy header.", file,
                                 source->window().size()));
  }
  auto header = parse_npy_header(source->window().substr(0, header_bytes), options.type, file);
  source->consume(header_bytes);
  if (options.part && !header.fields.empty())
    throw usage_error(
        fmt::format("{}: Reading cannot continue after the end of an array of records; give all "
                    "files to one command.",
                    file));
  if (options.part) cut_to_part(header, *options.part, *source);
  if (!header.fields.empty())
    return make_record_reader(std::move(source), std::move(header), options, types);
  refuse_keys(options, file);
  array_layout what;
  what.stored = header.type;
  what.delivered = options.type.value_or(header.type);
  what.swapped = header.order != native_order;
  what.elements = header.elements;
  if (!options.columns.empty() && header.shape.size() == 2) {
    what.chosen = choose(options, header.shape[1], file);
  } else if (!options.columns.empty() && header.shape.size() == 1) {
    if (choose(options, 1, file).size() > 1)
      throw usage_error(fmt::format("{} has one column.", file));
  } else if (!options.columns.empty()) {
    throw usage_error(fmt::format("{} has {} dimensions; --column needs one or two dimensions.",
                                  file, header.shape.size()));
  }
  check_size(*source, bytes_of_values(header));
  input_facts facts;
  facts.format = container::npy;
  facts.shape = header.shape;
  facts.fortran_order = header.fortran_order;
  for (auto column : what.chosen)
    facts.columns.push_back({fmt::format("column {}", column + 1), what.delivered});
  if (what.chosen.empty()) facts.columns = {{"value", what.delivered}};
  facts.total_rows = what.chosen.empty() ? header.elements : header.shape[0];
  return make_array_reader(std::move(source), std::move(what), std::move(facts));
}

}  // namespace upsweep::io

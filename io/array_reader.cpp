/// Opens raw binary and .npy files: finds the layout of the values from the options, the header and
/// the size of the file. Reads values in chunks: those that are already contiguous, aligned, in
/// native byte order and of the requested type are handed out in place; others are copied.
#include <io/column_choice.hpp>
#include <io/compression.hpp>
#include <io/error.hpp>
#include <io/input.hpp>
#include <io/limits.hpp>
#include <io/npy_header.hpp>
#include <io/number.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

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
      "{} has no columns to group by or to copy; --by, --keep, and --column of select need text, "
      "CSV or TSV.",
      file);
}

/// `elements` values of type `stored`, or all up to the end of the file. They begin where the
/// source's window begins.
struct array_layout {
  dtype stored = dtype::f64;
  dtype delivered = dtype::f64;
  bool swapped = false;
  std::optional<std::uint64_t> elements;
  bool may_follow = false;  ///< bytes after the last element are allowed
  std::vector<std::size_t>
      chosen;  ///< columns of a two-dimensional array; empty for all values as one column
};

class array_reader final : public reader {
 public:
  array_reader(std::unique_ptr<byte_source> source, array_layout what, input_facts facts)
      : reader(std::move(source)), what_(std::move(what)) {
    static_cast<input_facts&>(*this) = std::move(facts);
    size_ = size_of(what_.stored);
    buffers_.resize(std::max<std::size_t>(what_.chosen.size(), 1));
  }

  bool next(chunk& out) override {
    out = {};
    if (ended_) return false;
    bool const transposes = what_.chosen.empty() && fortran_order && shape->size() > 1;
    ended_ = !(transposes ? next_transposed(out) : next_rows(out));
    return !ended_;
  }
  array_view array() override {
    if (!shape)
      throw usage_error(
          "{} is raw binary, which has no dimensions; only a .npy file can be read as an array.",
          source_->name());
    load_all();
    auto const all = static_cast<std::size_t>(*what_.elements);
    return {what_.delivered, *shape, strides_of(*shape, fortran_order),
            deliver(source_->window().data(), 1, all, 0, 0).bytes};
  }

 private:
  bool hand_out(std::size_t rows, std::vector<typed_column> values, chunk& out) {
    out.first_row = done_;
    out.rows = rows;
    out.columns = std::move(values);
    done_ += rows;
    return true;
  }
  /// Reads the chosen columns of a two-dimensional array. Without them every element is a row.
  [[nodiscard]] bool next_rows(chunk& out) {
    bool const chooses = !what_.chosen.empty();
    bool const by_columns = chooses && fortran_order;  // needs all of it
    if (by_columns && done_ == 0) load_all();
    std::size_t const width = chooses ? (*shape)[1] : 1, apart = by_columns ? 1 : width,
                      row_bytes = apart * size_;
    auto const rows = chooses ? (*shape)[0] : what_.elements;
    auto const left = rows ? *rows - done_ : ~std::uint64_t{0};
    bool const large = !chooses && source_->mapped() && in_place(source_->window().data());
    auto const most =
        (large ? mapped_chunk_bytes : chunk_bytes) / std::max(row_bytes, size_of(what_.delivered));
    auto const wish = std::min<std::uint64_t>(std::max<std::size_t>(most, 1), left);
    if (!by_columns && wish != 0) source_->fill(row_bytes);
    while (!by_columns && source_->window().size() / row_bytes < wish && !source_->would_wait() &&
           source_->more()) {
    }
    auto const window = source_->window();
    auto const count =
        static_cast<std::size_t>(std::min<std::uint64_t>(window.size() / row_bytes, wish));
    if (count == 0) {
      if (left != 0 && rows) refuse_end(done_);
      if (by_columns) source_->consume(*what_.elements * size_);
      check_end();
      return false;
    }
    std::vector<typed_column> values;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      auto const column = chooses ? what_.chosen[i] : 0;
      auto const at = by_columns ? column * *rows + done_ : column;
      auto const element = by_columns ? at : done_ * width + column;
      values.push_back(deliver(window.data() + at * size_, apart, count, element, i));
    }
    if (!by_columns) source_->consume(count * row_bytes);
    return hand_out(count, std::move(values), out);
  }
  /// Reads all values of an array in Fortran order as row-major order. Needs the whole array in
  /// memory, or mapped.
  [[nodiscard]] bool next_transposed(chunk& out) {
    auto const& extents = *shape;
    auto const left = *what_.elements - done_;
    if (done_ == 0) load_all();
    if (left == 0) {
      source_->consume(*what_.elements * size_);
      check_end();
      return false;
    }
    auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes / size_, left));
    gathered_.resize(count * size_);
    // `digits` is the multi-index of the next element in row-major order. It is incremented like an
    // odometer by a run along the last dimension, and `at` moves with each digit that changes.
    std::vector<std::size_t> digits(extents.size());
    auto const strides = strides_of(extents, true);
    std::uint64_t rest = done_;
    std::size_t at = 0;
    for (std::size_t d = extents.size(); d-- > 0;) {
      digits[d] = static_cast<std::size_t>(rest % extents[d]);
      rest /= extents[d];
      at += digits[d] * strides[d];
    }
    auto const* const values = source_->window().data();
    for (std::size_t i = 0; i < count;) {
      auto const run = std::min(count - i, extents.back() - digits.back());
      copy_elements(gathered_.data() + i * size_, size_, values + at * size_,
                    strides.back() * size_, size_, run);
      i += run;
      digits.back() += run;
      at += run * strides.back();
      for (std::size_t d = extents.size() - 1; d > 0 && digits[d] == extents[d]; --d) {
        at += strides[d - 1] - digits[d] * strides[d];
        digits[d] = 0;
        ++digits[d - 1];
      }
    }
    return hand_out(count, {deliver(gathered_.data(), 1, count, done_, 0)}, out);
  }
  void load_all() {
    auto const bytes = *what_.elements * size_;
    source_->fill(bytes);
    if (source_->window().size() < bytes) refuse_end(source_->window().size() / size_);
  }
  /// `read` counts elements, or rows of chosen columns.
  [[noreturn]] void refuse_end(std::uint64_t read) const {
    if (!what_.chosen.empty() && !fortran_order)
      throw data_error("{} ends inside row {} of {}; it is truncated.", source_->name(), read + 1,
                       (*shape)[0]);
    throw data_error("{} ends after {} of {} elements; it is truncated.", source_->name(), read,
                     *what_.elements);
  }
  /// Called after the last element. Throws if bytes are left over.
  void check_end() {
    if (what_.may_follow) return;
    source_->fill(1);
    auto const left = source_->window().size();
    if (left == 0) return;
    if (what_.elements)
      throw data_error(
          "{} continues after its last element, at byte {}; it is damaged, or several files in "
          "one.",
          source_->name(), source_->position());
    throw data_error(
        "{}: The last {} element is incomplete, {} of {} bytes; check --dtype and --offset.",
        source_->name(), name_of(what_.stored), left, size_);
  }
  [[nodiscard]] bool in_place(char const* values) const noexcept {
    return !what_.swapped && what_.stored == what_.delivered &&
           reinterpret_cast<std::uintptr_t>(values) % size_ == 0;
  }
  /// `count` values starting at `values`, `stride` elements apart, as a column in native byte order
  /// and of the requested type. `first` is the index of the first of them, for error messages.
  [[nodiscard]] typed_column deliver(char const* values, std::size_t stride, std::size_t count,
                                     std::uint64_t first, std::size_t buffer) {
    if (count == 0) return {what_.delivered, {}};
    auto const* source = values;
    if (stride != 1 || !in_place(values)) {
      auto& copied = buffers_[buffer];
      copied.resize(count * std::max(size_, size_of(what_.delivered)));
      copy_elements(copied.data(), size_, values, stride * size_, size_, count);
      if (what_.swapped) swap_bytes(copied.data(), size_, count);
      source = reinterpret_cast<char const*>(copied.data());
    }
    std::span<std::byte const> const bytes(reinterpret_cast<std::byte const*>(source),
                                           count * size_);
    if (what_.stored == dtype::boolean) {
      if (auto const bad = find_bad_boolean(bytes); bad != count)
        refuse(source + bad, first + bad * stride);
    }
    if (what_.stored == what_.delivered) return {what_.delivered, bytes};

    std::vector<std::byte> converted(count * size_of(what_.delivered));
    auto const good = convert(what_.stored, source, what_.delivered, converted.data(), count);
    if (good != count) refuse(source + good * size_, first + good * stride);
    buffers_[buffer].swap(converted);
    return {what_.delivered, buffers_[buffer]};
  }
  [[noreturn]] void refuse(char const* value, std::uint64_t element) const {
    auto const where = fmt::format("{}: Element {}", source_->name(), element);
    if (what_.stored == dtype::boolean) {  // 0 and 1 fit every type
      throw data_error(
          "{} is {}, but a boolean is 0 or 1; the file is damaged, or its dtype is u8.", where,
          static_cast<unsigned char>(*value));
    }
    throw data_error("{} is {}, which {} cannot hold; choose another --dtype.", where,
                     number_text(what_.stored, value), name_of(what_.delivered));
  }

  array_layout what_;
  std::size_t size_ = 8;    ///< bytes of a stored element
  std::uint64_t done_ = 0;  ///< elements read so far; rows if columns were chosen
  bool ended_ = false;
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<char> gathered_;
};
}  // namespace

std::unique_ptr<reader> make_raw_reader(std::unique_ptr<byte_source> source,
                                        input_options options) {
  auto const& file = source->name();
  refuse_keys(options, file);
  static_cast<void>(choose(options, 1, file));
  if (options.columns.size() > 1)
    throw usage_error("{} is raw binary, which has only one column.", file);
  auto const named = find_dtype(extension_of(without_compression(options.path)));
  if (!options.type && !named)
    throw usage_error(
        "{} is raw binary, which does not record its element type; give --dtype, for example "
        "--dtype f64.",
        file);
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
  if (!source->skip(begin))
    throw data_error("{} has only {} bytes, but --offset is {}.", file, source->position(), begin);
  if (source->size()) {
    auto const bytes = *source->size() - source->position();
    if (what.elements && *what.elements > bytes / size)
      throw data_error("{} holds {} elements of {} from byte {} on, fewer than --count {}.", file,
                       bytes / size, name_of(what.stored), source->position(), *what.elements);
    if (!what.elements && bytes % size != 0)
      throw data_error(
          "{}: The {} bytes from byte {} on are not a whole number of {} elements ({} bytes each); "
          "check --dtype and --offset.",
          file, bytes, source->position(), name_of(what.stored), size);
    if (!what.elements) what.elements = bytes / size;
  }
  input_facts facts;
  facts.format = container::raw;
  facts.columns = {{"value", what.delivered}};
  facts.total_rows = what.elements;
  return std::make_unique<array_reader>(std::move(source), std::move(what), std::move(facts));
}

std::unique_ptr<reader> make_npy_reader(std::unique_ptr<byte_source> source, input_options options,
                                        std::span<dtype const> types) {
  auto const& file = source->name();
  if (options.offset || options.count || options.endian)
    throw usage_error(
        "{} is a .npy file, whose header gives the position, number and byte order of its values; "
        "--offset, --count and --endian are for raw binary.",
        file);
  source->fill(12);
  auto const header_bytes = npy_header_bytes(source->window().substr(0, 12), file);
  source->fill(header_bytes);
  if (source->window().size() < header_bytes)
    throw data_error("{} ends after {} bytes, inside the .npy header.", file,
                     source->window().size());
  auto header = parse_npy_header(source->window().substr(0, header_bytes), options.type, file);
  source->consume(header_bytes);
  if (options.part && !header.fields.empty())
    throw usage_error(
        "{}: Reading cannot continue after the end of an array of records; give all files to one "
        "command.",
        file);
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
    if (choose(options, 1, file).size() > 1) throw usage_error("{} has one column.", file);
  } else if (!options.columns.empty()) {
    throw usage_error("{} has {} dimensions; --column needs one or two dimensions.", file,
                      header.shape.size());
  }
  check_npy_size(*source, header.elements * header.element_bytes);
  input_facts facts;
  facts.format = container::npy;
  facts.shape = header.shape;
  facts.fortran_order = header.fortran_order;
  for (auto column : what.chosen)
    facts.columns.push_back({fmt::format("column {}", column + 1), what.delivered});
  if (what.chosen.empty()) facts.columns = {{"value", what.delivered}};
  facts.total_rows = what.chosen.empty() ? header.elements : header.shape[0];
  return std::make_unique<array_reader>(std::move(source), std::move(what), std::move(facts));
}

}  // namespace upsweep::io

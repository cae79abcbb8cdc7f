/// Copies the fields of .npy records into columns, a block of records at a time.
#include <io/error.hpp>
#include <io/input.hpp>
#include <io/limits.hpp>
#include <io/npy_header.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

class record_source final : public column_source {
 public:
  record_source(byte_source& bytes, npy_header header) : bytes_(bytes), header_(std::move(header)) {
    rows = header_.elements;
    for (auto const& field : header_.fields) columns.push_back(column_of(field));
  }

  void choose(std::span<std::size_t const> chosen) override {
    chosen_.assign(chosen.begin(), chosen.end());
    numbers_.resize(chosen_.size());
    texts_.resize(chosen_.size());
  }

  [[nodiscard]] bool next(source_rows& out) override {
    auto const size = header_.element_bytes;
    out.rows = static_cast<std::size_t>(std::min<std::uint64_t>(
        std::max<std::size_t>(chunk_bytes / size, 1), header_.elements - done_));
    out.columns.clear();
    bytes_.fill(std::max<std::size_t>(out.rows * size, 1));
    auto const window = bytes_.window();
    if (window.size() < out.rows * size)
      throw data_error("{} ends inside record {} of {}; it is truncated.", bytes_.name(),
                       done_ + window.size() / size + 1, header_.elements);
    if (out.rows == 0) {
      if (window.empty()) return false;
      throw data_error(
          "{} continues after its last record, at byte {}; it is damaged, or several files in one.",
          bytes_.name(), bytes_.position());
    }
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      auto const& field = header_.fields[chosen_[i]];
      auto const* const first = window.data() + field.offset;
      auto& values = out.columns.emplace_back();
      if (columns[chosen_[i]].type)
        values.numbers = numbers_of(i, first, out.rows);
      else
        values.texts = texts_of(i, first, out.rows);
    }
    bytes_.consume(out.rows * size);
    done_ += out.rows;
    return true;
  }

 private:
  static source_column column_of(npy_field const& field) {
    source_column made{field.name};
    char const kind = field.is_plain ? field.descr[1] : '\0';  // it has a size, so three characters
    if (!field.is_plain)
      made.unreadable = field.descr;
    else if (kind != 'S' && kind != 'a' && kind != 'U' && !(made.type = find_dtype(field.descr)))
      made.unreadable = reason_against(field.descr);
    return made;
  }

  /// Copies a field of `count` records and makes its byte order the native one.
  void gather(npy_field const& field, char const* first, std::size_t count, std::size_t unit,
              std::vector<std::byte>& out) const {
    out.resize(count * field.bytes);
    copy_elements(out.data(), field.bytes, first, header_.element_bytes, field.bytes, count);
    if (order_of(field.descr) != native_order) swap_bytes(out.data(), unit, out.size() / unit);
  }

  typed_column numbers_of(std::size_t i, char const* first, std::size_t count) {
    auto const& field = header_.fields[chosen_[i]];
    auto const type = *columns[chosen_[i]].type;
    gather(field, first, count, field.bytes, numbers_[i]);
    if (type == dtype::boolean)
      if (auto const bad = find_bad_boolean(numbers_[i]); bad != count)
        throw data_error(
            "{}: Record {} has {} as '{}', but a boolean is 0 or 1; the file is damaged.",
            bytes_.name(), done_ + bad + 1, std::to_integer<int>(numbers_[i][bad]),
            shown(field.name));
    return {type, numbers_[i]};
  }

  text_column texts_of(std::size_t i, char const* first, std::size_t count) {
    auto const& field = header_.fields[chosen_[i]];
    bool const is_wide = field.descr[1] == 'U';
    gather(field, first, count, is_wide ? 4 : 1, numbers_[i]);
    auto const* const all = reinterpret_cast<char const*>(numbers_[i].data());
    auto& out = texts_[i];
    auto& characters = out.characters;
    out.clear();
    for (std::size_t row = 0; row < count; ++row) {
      std::string_view text(all + row * field.bytes, field.bytes);
      if (is_wide) {
        for (std::size_t at = 0; at < text.size(); at += 4) {
          std::uint32_t c = 0;
          std::memcpy(&c, text.data() + at, 4);
          append_character(characters, c);
        }
      } else {
        characters += text;
      }
      auto const begin = out.ends.empty() ? 0 : out.ends.back();
      while (characters.size() > begin && characters.back() == '\0') characters.pop_back();
      out.end();
    }
    return out.view();
  }

  byte_source& bytes_;
  npy_header header_;
  std::vector<std::size_t> chosen_;
  std::uint64_t done_ = 0;
  std::vector<std::vector<std::byte>> numbers_;
  std::vector<text_buffer> texts_;
};

}  // namespace

void check_npy_size(byte_source const& source, std::uint64_t needed) {
  if (!source.size()) return;
  auto const there = *source.size() - source.position();
  if (there == needed) return;
  throw data_error(
      "{}: The .npy header promises {} bytes of values from byte {} on, but the file has {}; it is "
      "{}.",
      source.name(), needed, source.position(), there,
      there < needed ? "truncated" : "damaged, or several arrays in one file");
}

std::unique_ptr<reader> make_record_reader(std::unique_ptr<byte_source> source, npy_header header,
                                           input_options const& options,
                                           std::span<dtype const> types) {
  if (header.shape.size() > 1)
    throw data_error(
        "{} holds records in {} dimensions; save them in one: numpy.save(FILE, records.ravel()).",
        source->name(), header.shape.size());
  auto const& bytes = *source;
  auto const needed = header.elements * header.element_bytes;
  auto records = std::make_unique<record_source>(*source, std::move(header));
  auto made = make_column_reader(std::move(source), std::move(records), options, types);
  check_npy_size(bytes, needed);
  return made;
}

}  // namespace upsweep::io

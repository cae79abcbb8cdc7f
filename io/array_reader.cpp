/// Reads raw and .npy values in chunks. Values that are already contiguous, aligned, in native byte
/// order and of the requested type are handed out in place; others are copied chunk by chunk.
#include <io/array_layout.hpp>

#include <io/convert.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <io/reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::io {
namespace {

void gather(char* out, char const* in, std::size_t stride, std::size_t size, std::size_t count) {
  if (stride == 1) {
    std::memcpy(out, in, size * count);
    return;
  }
  auto const copy = [&]<std::size_t bytes>() {
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(out + i * bytes, in + i * stride * bytes, bytes);
  };
  if (size == 1) copy.template operator()<1>();
  if (size == 2) copy.template operator()<2>();
  if (size == 4) copy.template operator()<4>();
  if (size == 8) copy.template operator()<8>();
}

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
    bool const got = !what_.chosen.empty()                ? next_rows(out)
                     : fortran_order && shape->size() > 1 ? next_transposed(out)
                                                          : next_flat(out);
    ended_ = !got;
    return got;
  }
  array_view array() override {
    if (!shape) {
      throw usage_error(fmt::format(
          "{} is raw binary, which has no dimensions; only a .npy file can be read as an array.",
          source_->name()));
    }
    load_all();
    array_view view;
    view.type = what_.delivered;
    view.shape = *shape;
    view.strides.assign(shape->size(), 1);
    auto const dimensions = shape->size();
    for (std::size_t i = 1; i < dimensions; ++i) {
      auto const d = fortran_order ? i : dimensions - 1 - i;
      auto const inner = fortran_order ? d - 1 : d + 1;
      view.strides[d] = view.strides[inner] * (*shape)[inner];
    }
    view.bytes =
        deliver(source_->window().data(), 1, static_cast<std::size_t>(*what_.elements), 0, 0).bytes;
    return view;
  }

 private:
  [[nodiscard]] bool next_flat(chunk& out) {
    auto const left = what_.elements ? *what_.elements - done_ : ~std::uint64_t{0};
    bool const large = source_->mapped() && in_place(source_->window().data());
    auto const wish = std::min<std::uint64_t>(
        (large ? mapped_chunk_bytes : chunk_bytes) / std::max(size_, size_of(what_.delivered)),
        left);
    if (wish != 0) source_->fill(size_);
    while (source_->window().size() / size_ < wish && !source_->would_wait() && source_->more()) {
    }
    auto const window = source_->window();
    auto const count =
        static_cast<std::size_t>(std::min<std::uint64_t>(window.size() / size_, wish));
    if (count == 0) {
      if (left != 0 && what_.elements) {
        throw data_error(fmt::format("{} ends after {} of {} elements; it is truncated.",
                                     source_->name(), done_, *what_.elements));
      }
      check_end();
      return false;
    }
    out.first_row = done_;
    out.rows = count;
    out.columns = {deliver(window.data(), 1, count, done_, 0)};
    source_->consume(count * size_);
    done_ += count;
    return true;
  }
  /// Reads the chosen columns of a two-dimensional array.
  [[nodiscard]] bool next_rows(chunk& out) {
    auto const rows = (*shape)[0];
    auto const width = (*shape)[1];
    auto const row_bytes = width * size_;
    auto const wish = std::max<std::size_t>(
        chunk_bytes / std::max<std::size_t>(fortran_order ? size_ : row_bytes, 1), 1);
    auto const count = static_cast<std::size_t>(std::min<std::uint64_t>(wish, rows - done_));
    if (count == 0) {
      if (fortran_order) source_->consume(rows * row_bytes);
      check_end();
      return false;
    }
    if (fortran_order) {
      if (done_ == 0) load_all();
    } else {
      source_->fill(count * row_bytes);
      if (source_->window().size() < count * row_bytes) {
        throw data_error(fmt::format("{} ends inside row {} of {}; it is truncated.",
                                     source_->name(),
                                     done_ + source_->window().size() / row_bytes + 1, rows));
      }
    }
    auto const window = source_->window();
    out.first_row = done_;
    out.rows = count;
    out.columns.clear();
    for (std::size_t i = 0; i < what_.chosen.size(); ++i) {
      auto const column = what_.chosen[i];
      auto const at = fortran_order ? column * rows + done_ : column;
      auto const element = fortran_order ? at : done_ * width + column;
      out.columns.push_back(
          deliver(window.data() + at * size_, fortran_order ? 1 : width, count, element, i));
    }
    if (!fortran_order) source_->consume(count * row_bytes);
    done_ += count;
    return true;
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

    // `digits` is the multi-index of the first element in row-major order. It is incremented like
    // an odometer, and `at` moves by the stride of each digit that changes.
    std::vector<std::size_t> digits(extents.size());
    std::vector<std::size_t> strides(extents.size(), 1);
    for (std::size_t d = 1; d < extents.size(); ++d) strides[d] = strides[d - 1] * extents[d - 1];
    std::uint64_t rest = done_;
    std::size_t at = 0;
    for (std::size_t d = extents.size(); d-- > 0;) {
      digits[d] = static_cast<std::size_t>(rest % extents[d]);
      rest /= extents[d];
      at += digits[d] * strides[d];
    }
    auto const* const values = source_->window().data();
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(gathered_.data() + i * size_, values + at * size_, size_);
      for (std::size_t d = extents.size(); d-- > 0;) {
        at += strides[d];
        if (++digits[d] < extents[d]) break;
        at -= digits[d] * strides[d];
        digits[d] = 0;
      }
    }
    out.first_row = done_;
    out.rows = count;
    out.columns = {deliver(gathered_.data(), 1, count, done_, 0)};
    done_ += count;
    return true;
  }
  void load_all() {
    auto const bytes = *what_.elements * size_;
    source_->fill(bytes);
    if (source_->window().size() < bytes) {
      throw data_error(fmt::format("{} ends after {} of {} elements; it is truncated.",
                                   source_->name(), source_->window().size() / size_,
                                   *what_.elements));
    }
  }
  /// Called after the last element. Throws if bytes are left over.
  void check_end() {
    if (what_.may_follow) return;
    source_->fill(1);
    auto const left = source_->window().size();
    if (left == 0) return;
    if (what_.elements) {
      throw data_error(
          fmt::format("{} continues after its last element, at byte {}; it is damaged, or several "
                      "files in one.",
                      source_->name(), source_->position()));
    }
    throw data_error(fmt::format(
        "{}: The last {} element is incomplete, {} of {} bytes; check --dtype and --offset.",
        source_->name(), name_of(what_.stored), left, size_));
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
      gather(reinterpret_cast<char*>(copied.data()), values, stride, size_, count);
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
          fmt::format("{} is {}, but a boolean is 0 or 1; the file is damaged, or its dtype is u8.",
                      where, static_cast<unsigned char>(*value)));
    }
    throw data_error(fmt::format("{} is {}, which {} cannot hold; choose another --dtype.", where,
                                 number_text(what_.stored, value), name_of(what_.delivered)));
  }

  array_layout what_;
  std::size_t size_ = 8;    ///< bytes of a stored element
  std::uint64_t done_ = 0;  ///< elements read so far; rows if columns were chosen
  bool ended_ = false;
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<char> gathered_;
};
}  // namespace

std::unique_ptr<reader> make_array_reader(std::unique_ptr<byte_source> source, array_layout what,
                                          input_facts facts) {
  return std::make_unique<array_reader>(std::move(source), std::move(what), std::move(facts));
}

}  // namespace upsweep::io

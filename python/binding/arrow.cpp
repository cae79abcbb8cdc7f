/// Columns of Arrow, for Python: numbers or strings in chunks, some of which may be null.
#include <python/binding/module.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" {

// Of the Arrow C data interface and C stream interface, whose layout is frozen:
// https://arrow.apache.org/docs/format/CDataInterface.html
struct ArrowSchema {
  char const *format, *name, *metadata;
  std::int64_t flags, n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  void const** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  char const* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace upsweep::python {
namespace {

/// A structure of Arrow that is released with its owner.
template <class T>
class owned {
 public:
  owned() = default;
  /// Takes what `from` has, as the interface says: the structure is copied and marked released.
  explicit owned(T& from) : value_(from) {
    detail::expects(from.release != nullptr,
                    "the Arrow capsule was read before; its owner has to make a new one per call");
    from.release = nullptr;
  }
  owned(owned&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
  owned(owned const&) = delete;
  owned& operator=(owned const&) = delete;
  ~owned() {
    if (value_.release) value_.release(&value_);
  }
  T* operator->() { return &value_; }
  T const* operator->() const { return &value_; }
  T* get() { return &value_; }

 private:
  T value_{};
};

bool bit(void const* bits, std::int64_t i) {
  return (static_cast<std::uint8_t const*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

/// The library's name of a format, or nothing. Times without a zone are integers.
std::string_view type_of_format(std::string_view format) {
  constexpr std::pair<char, std::string_view> names[] = {
      {'c', "i8"},  {'C', "u8"},  {'s', "i16"}, {'S', "u16"}, {'i', "i32"}, {'I', "u32"},
      {'l', "i64"}, {'L', "u64"}, {'e', "f16"}, {'f', "f32"}, {'g', "f64"}, {'b', "bool"}};
  if (format.size() == 1)
    for (auto const& [letter, name] : names)
      if (format[0] == letter) return name;
  if (format == "tdD") return "i32";
  bool const times = format.size() == 4 && format.starts_with("ts");
  bool const spans = format.size() == 3 && format.starts_with("tD");
  if (format == "tdm" || times || spans) return "i64";
  return {};
}

/// The name of the extension type in the metadata of a field, or nothing. Metadata is the number of
/// its pairs, then each key and its value, each after its size; numbers are of 32 bits.
std::string_view extension_of(char const* metadata) {
  if (!metadata) return {};
  auto const number = [&] {
    std::int32_t n;
    std::memcpy(&n, metadata, sizeof n);
    metadata += sizeof n;
    return n;
  };
  auto const text = [&] {
    auto const size = static_cast<std::size_t>(number());
    std::string_view const t(metadata, size);
    metadata += size;
    return t;
  };
  for (std::int32_t pairs = number(); pairs > 0; --pairs) {
    auto const key = text(), value = text();
    if (key == "ARROW:extension:name") return value;
  }
  return {};
}

bool is_text(std::string_view format) {
  return format == "u" || format == "U" || format == "vu";
}

/// Element i of an array of strings.
std::string_view text_at(ArrowArray const& a, std::string_view format, std::int64_t i) {
  i += a.offset;
  if (format == "vu") {  // a size, and 12 bytes or 4 of them, a buffer and an offset
    auto const* const view = static_cast<char const*>(a.buffers[1]) + 16 * i;
    std::int32_t at[4];
    std::memcpy(at, view, sizeof at);
    auto const size = static_cast<std::size_t>(at[0]);
    if (size <= 12) return {view + 4, size};
    return {static_cast<char const*>(a.buffers[2 + at[2]]) + at[3], size};
  }
  auto const between = [&]<class Offset>(Offset const* offsets) -> std::string_view {
    auto const size = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
    if (size == 0) return {};  // there need not be a buffer
    return {static_cast<char const*>(a.buffers[2]) + offsets[i], size};
  };
  if (format == "U") return between(static_cast<std::int64_t const*>(a.buffers[1]));
  return between(static_cast<std::int32_t const*>(a.buffers[1]));
}

/// A column of numbers or strings: its chunks, and how many of its elements are null. Strings may
/// be elements of a dictionary.
class column {
 public:
  column() = default;
  column(column&&) = default;
  column(column const&) = delete;
  column& operator=(column const&) = delete;
  ~column() = default;

  static column of_stream(nb::capsule const& capsule) {
    owned<ArrowArrayStream> stream(
        *static_cast<ArrowArrayStream*>(capsule.data("arrow_array_stream")));
    auto const expect_ok = [&](int code) {
      if (code == 0) return;
      char const* const why = stream->get_last_error(stream.get());
      detail::fail(
          (std::string("the Arrow stream failed: ") + (why ? why : "no reason given")).c_str());
    };
    column c;
    owned<ArrowSchema> schema;
    expect_ok(stream->get_schema(stream.get(), schema.get()));
    c.set_format(*schema.get());
    while (true) {
      owned<ArrowArray> chunk;
      expect_ok(stream->get_next(stream.get(), chunk.get()));
      if (!chunk->release) return c;  // the end
      c.append(std::move(chunk));
    }
  }
  static column of_array(nb::capsule const& schema, nb::capsule const& array) {
    owned<ArrowSchema> const format(*static_cast<ArrowSchema*>(schema.data("arrow_schema")));
    column c;
    c.set_format(*format.operator->());
    c.append(owned<ArrowArray>(*static_cast<ArrowArray*>(array.data("arrow_array"))));
    return c;
  }

  std::string format;     ///< as Arrow writes it
  std::string extension;  ///< the name of an extension type, whose elements are no numbers
  std::string type;       ///< the library's name, or empty
  bool texts = false, has_dictionary = false;
  std::size_t size = 0, nulls = 0;

  /// Stores the elements, but those that are null.
  void store(output const& out) const {
    std::size_t const bytes = size_of(type_named(type));
    expect_same_size(out.size(), size - nulls);
    std::byte* to = line_of(out, bytes).first;
    for (auto const& chunk : chunks_) to = store_chunk(*chunk.operator->(), bytes, to);
  }

  /// Stores a number for each string, none of which may be null; returns the different strings in
  /// the order of their numbers.
  nb::list number(output const& codes, settings const& on) const {
    std::vector<std::string_view> all;
    expect_same_size(codes.size(), size);
    detail::expects(size < std::numeric_limits<std::uint32_t>::max(),
                    "a column of strings has 2^32 - 1 elements or more; give it in parts");
    auto* const to = elements_of<std::uint32_t>(codes);
    std::vector<std::uint64_t> first;
    auto const count = computing(size, [&] {
      std::uint32_t* end = to;
      for (auto const& chunk : chunks_) end = append_texts(*chunk.operator->(), all, end);
      std::vector<std::uint32_t> numbers(all.size());
      first.resize(all.size());
      auto const found = dynamic::number_texts(on.executor(), all.data(), all.size(),
                                               numbers.data(), first.data());
      for (std::size_t i = 0; i < size; ++i) to[i] = numbers[to[i]];
      return found;
    });
    nb::list found;
    for (std::size_t k = 0; k < count; ++k)
      found.append(nb::str(all[first[k]].data(), all[first[k]].size()));
    return found;
  }

 private:
  void set_format(ArrowSchema const& schema) {
    format = schema.format;
    extension = extension_of(schema.metadata);
    has_dictionary = schema.dictionary != nullptr;
    if (has_dictionary)
      index_bytes_ = size_of(type_named(type_of_format(format)));
    else if (extension.empty())
      type = type_of_format(format);
    text_format_ = schema.dictionary ? schema.dictionary->format : format;
    texts = is_text(text_format_);
  }
  /// Appends the strings of a chunk, those of a dictionary once, and stores the index of each
  /// element among them. Returns where the next chunk's begin.
  std::uint32_t* append_texts(ArrowArray const& a, std::vector<std::string_view>& all,
                              std::uint32_t* to) const {
    auto const append = [&](ArrowArray const& from, std::int64_t i) {
      all.push_back(text_at(from, text_format_, i));
      return static_cast<std::uint32_t>(all.size() - 1);
    };
    if (index_bytes_ == 0) {
      for (std::int64_t i = 0; i < a.length; ++i) *to++ = append(a, i);
      return to;
    }
    constexpr std::uint32_t unused = ~std::uint32_t{0};
    std::vector<std::uint32_t> places(static_cast<std::size_t>(a.dictionary->length), unused);
    for (std::int64_t i = a.offset; i < a.offset + a.length; ++i) {
      std::size_t const index = index_at(a, i);
      std::uint32_t& place = places[index];
      if (place == unused) place = append(*a.dictionary, static_cast<std::int64_t>(index));
      *to++ = place;
    }
    return to;
  }
  void append(owned<ArrowArray> chunk) {
    if (!type.empty() || texts || has_dictionary) {
      size += static_cast<std::size_t>(chunk->length);
      nulls += nulls_in(*chunk.operator->());
    }
    chunks_.push_back(std::move(chunk));
  }
  /// The index in its dictionary of element i of all in a chunk.
  std::size_t index_at(ArrowArray const& a, std::int64_t i) const {
    std::uint64_t index = 0;  // never negative, and of a machine that is little-endian
    std::memcpy(&index,
                static_cast<char const*>(a.buffers[1]) + static_cast<std::size_t>(i) * index_bytes_,
                index_bytes_);
    return index;
  }
  static bool may_have_nulls(ArrowArray const& a) { return a.null_count != 0 && a.buffers[0]; }
  /// Elements that are null, or that refer to an element of the dictionary that is.
  std::size_t nulls_in(ArrowArray const& a) const {
    std::size_t count = 0;
    bool const words = a.dictionary && a.dictionary->n_buffers > 0 && may_have_nulls(*a.dictionary);
    if (words || may_have_nulls(a))
      for (std::int64_t i = a.offset; i < a.offset + a.length; ++i)
        count += (may_have_nulls(a) && !bit(a.buffers[0], i)) ||
                 (words && !bit(a.dictionary->buffers[0],
                                a.dictionary->offset + static_cast<std::int64_t>(index_at(a, i))));
    return count;
  }
  /// Stores a chunk, and returns where the next begins.
  std::byte* store_chunk(ArrowArray const& a, std::size_t bytes, std::byte* to) const {
    bool const bits = type == "bool";
    auto const* const from = static_cast<std::byte const*>(a.buffers[1]);
    if (!bits && !may_have_nulls(a)) {
      std::size_t const all = static_cast<std::size_t>(a.length) * bytes;
      if (all > 0) std::memcpy(to, from + static_cast<std::size_t>(a.offset) * bytes, all);
      return to + all;
    }
    for (std::int64_t i = a.offset; i < a.offset + a.length; ++i) {
      if (may_have_nulls(a) && !bit(a.buffers[0], i)) continue;
      if (bits)
        *to = std::byte{bit(from, i)};
      else
        std::memcpy(to, from + static_cast<std::size_t>(i) * bytes, bytes);
      to += bytes;
    }
    return to;
  }

  std::vector<owned<ArrowArray>> chunks_;
  std::string text_format_;
  std::size_t index_bytes_ = 0;  // of the indices into a dictionary
};

}  // namespace

void add_arrow(nb::module_& m) {
  nb::class_<column>(m, "Column", "A column of numbers or strings in Arrow's memory.")
      .def_static("of_stream", &column::of_stream)
      .def_static("of_array", &column::of_array)
      .def_ro("format", &column::format)
      .def_ro("type", &column::type)
      .def_ro("size", &column::size)
      .def_ro("nulls", &column::nulls)
      .def_ro("texts", &column::texts)
      .def_ro("extension", &column::extension)
      .def_ro("has_dictionary", &column::has_dictionary)
      .def("store", &column::store)
      .def("number", &column::number);
}

}  // namespace upsweep::python

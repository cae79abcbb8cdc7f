/// Alternative names of the element types, and columns of strings.
#include <io/dtype.hpp>

#include <array>

namespace upsweep::io {
namespace {

/// Indexed by dtype; the first of each is `np.dtype(...).str` without the byte order.
constexpr std::array<std::string_view, 4> aliases[] = {
    {"i1", "int8", "int8_t", "schar"},     {"i2", "int16", "int16_t", "short"},
    {"i4", "int32", "int32_t", "int"},     {"i8", "int64", "int64_t", "long"},
    {"u1", "uint8", "uint8_t", "uchar"},   {"u2", "uint16", "uint16_t", "ushort"},
    {"u4", "uint32", "uint32_t", "uint"},  {"u8", "uint64", "uint64_t", "ulong"},
    {"f2", "float16", "half", "binary16"}, {"bfloat16", "bfloat", "brain", "bf"},
    {"f4", "float32", "float", "single"},  {"f8", "float64", "double", "binary64"},
    {"b1", "?", "boolean", "bool8"},
};

}  // namespace

std::optional<dtype> find_dtype(std::string_view name) noexcept {
  bool const numpy =
      !name.empty() && std::string_view("<>=|").find(name.front()) != std::string_view::npos;
  if (numpy) name.remove_prefix(1);
  // "i8" is 8 bits here and 8 bytes in NumPy. NumPy always writes the byte order, so its mark tells
  // them apart.
  if (!numpy)
    if (auto const type = dynamic::find_dtype(name)) return type;
  for (dtype const type : all_dtypes) {
    auto const& known = aliases[static_cast<std::size_t>(type)];
    if (numpy && name == known[0]) return type;
    for (auto const alias : known)
      if (!numpy && name == alias) return type;
  }
  return std::nullopt;
}

std::string_view numpy_name(dtype type) noexcept {
  return aliases[static_cast<std::size_t>(type)][0];
}

void text_buffer::append(text_column from, std::size_t first, std::size_t n) {
  if (n == 0) return;
  auto const of_column = from.ends.subspan(first, n);
  std::size_t const begin = first == 0 ? 0 : from.ends[first - 1], before = characters.size();
  characters += from.characters.substr(begin, of_column.back() - begin);
  std::size_t const old = ends.size();
  ends.resize(old + n);
  for (std::size_t i = 0; i < n; ++i) ends[old + i] = of_column[i] - begin + before;
}

void text_buffer::append(text_column from, std::span<std::size_t const> positions) {
  constexpr std::size_t ahead = 16;  // strings that may lie anywhere are on their way meanwhile
  std::size_t const n = positions.size();
  auto const* const of_column = from.ends.data();
  for (std::size_t i = 0; i < n; ++i) {
    if (i + 2 * ahead < n) __builtin_prefetch(of_column + positions[i + 2 * ahead]);
    if (i + ahead < n)
      __builtin_prefetch(from.characters.data() + of_column[positions[i + ahead]] - 1);
    push(from[positions[i]]);
  }
}

}  // namespace upsweep::io

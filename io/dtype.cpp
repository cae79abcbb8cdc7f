/// Alternative names of the element types.
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

}  // namespace upsweep::io

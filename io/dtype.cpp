/// The table of element types: sizes, names and aliases.
#include <io/dtype.hpp>

#include <array>

namespace upsweep::io {
namespace {

struct row {
  std::size_t size;
  std::string_view name;
  std::array<std::string_view, 4>
      aliases;  // the first is what `np.dtype(...).str` says, without its byte order
};

/// Indexed by dtype.
constexpr row table[] = {
    {1, "i8", {"i1", "int8", "int8_t", "schar"}},
    {1, "u8", {"u1", "uint8", "uint8_t", "uchar"}},
    {2, "i16", {"i2", "int16", "int16_t", "short"}},
    {2, "u16", {"u2", "uint16", "uint16_t", "ushort"}},
    {4, "i32", {"i4", "int32", "int32_t", "int"}},
    {4, "u32", {"u4", "uint32", "uint32_t", "uint"}},
    {8, "i64", {"i8", "int64", "int64_t", "long"}},
    {8, "u64", {"u8", "uint64", "uint64_t", "ulong"}},
    {2, "f16", {"f2", "float16", "half", "binary16"}},
    {2, "bf16", {"bfloat16", "bfloat", "brain", "bf"}},
    {4, "f32", {"f4", "float32", "float", "single"}},
    {8, "f64", {"f8", "float64", "double", "binary64"}},
    {1, "bool", {"b1", "?", "boolean", "bool8"}},
};

constexpr row const& at(dtype type) {
  return table[static_cast<std::size_t>(type)];
}

}  // namespace

std::size_t size_of(dtype type) noexcept {
  return at(type).size;
}

std::string_view name_of(dtype type) noexcept {
  return at(type).name;
}

std::optional<dtype> find_dtype(std::string_view name) noexcept {
  bool const numpy =
      !name.empty() && std::string_view("<>=|").find(name.front()) != std::string_view::npos;
  if (numpy) name.remove_prefix(1);
  // "i8" is 8 bits here and 8 bytes in NumPy, which always writes its byte order; so the mark
  // decides.
  if (!numpy) {
    for (auto type : all_dtypes)
      if (name == at(type).name) return type;
  }
  for (auto type : all_dtypes) {
    auto const& aliases = at(type).aliases;
    if (numpy && name == aliases[0]) return type;
    for (auto alias : aliases)
      if (!numpy && name == alias) return type;
  }
  return std::nullopt;
}

}  // namespace upsweep::io

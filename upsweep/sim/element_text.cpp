/// Numbers are written with as few digits as read back equal.
#include <upsweep/sim/element_text.hpp>

#include <upsweep/core/number_types.hpp>

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace upsweep::sim {

namespace {

template <class T>
std::string written(T value, int base = 10) {
  char text[64];
  char* end = nullptr;
  if constexpr (std::is_integral_v<T>)
    end = std::to_chars(text, text + sizeof text, value, base).ptr;
  else
    end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::uint64_t bits_of(std::byte const* at, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, bytes);
  return bits;
}

std::int64_t extended(std::uint64_t bits, unsigned bytes) {
  unsigned const unused = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

float from_half(std::uint64_t bits) {
  return static_cast<float>(std::bit_cast<float16>(static_cast<std::uint16_t>(bits)));
}
std::uint64_t to_half(double value) {
  return std::bit_cast<std::uint16_t>(static_cast<float16>(value));
}
std::uint64_t to_bfloat16(float value) {
  auto const bits = std::bit_cast<std::uint32_t>(value);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

std::string text_of(number_field const& f, std::byte const* at) {
  std::uint64_t const bits = bits_of(at, f.bytes);
  switch (f.kind) {
    case number_kind::floating:
      return f.bytes == 4 ? written(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                          : written(std::bit_cast<double>(bits));
    case number_kind::half:
      return written(from_half(bits));
    case number_kind::bfloat16:
      return written(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16)));
    case number_kind::truth:
      return bits == 0 ? "false" : "true";
    case number_kind::character:
      if (bits >= ' ' && bits < 0x7f) return {'\'', static_cast<char>(bits), '\''};
      return written(extended(bits, 1));
    case number_kind::unsigned_integer:
      return written(bits);
    case number_kind::pointer:
      return "0x" + written(bits, 16);
    case number_kind::signed_integer:
      break;
  }
  return written(extended(bits, f.bytes));
}

template <class T>
bool parse(std::string_view text, T& value) {
  auto const* const end = text.data() + text.size();
  auto const done = std::from_chars(text.data(), end, value);
  return done.ec == std::errc{} && done.ptr == end;
}

bool parse_integer(number_field const& f, std::string_view text, std::uint64_t& bits) {
  unsigned const unused = 64 - 8 * f.bytes;
  if (f.kind == number_kind::unsigned_integer || f.kind == number_kind::truth)
    return parse(text, bits) && bits <= (f.kind == number_kind::truth
                                             ? 1
                                             : std::numeric_limits<std::uint64_t>::max() >> unused);
  std::int64_t value = 0;
  if (!parse(text, value)) return false;
  bits = static_cast<std::uint64_t>(value);
  return extended(bits, f.bytes) == value;
}

}  // namespace

std::string text_of(element_layout const& type, std::byte const* bytes, std::size_t size,
                    std::size_t offset) {
  if (type.bytes == 0) return {};
  std::string all;
  int count = 0;
  std::size_t const first = offset / type.bytes, last = (offset + size - 1) / type.bytes;
  for (std::size_t element = first; element <= last; ++element)
    for (number_field const& f : type.fields) {
      std::size_t const at = element * type.bytes + f.offset;
      if (f.bytes > 8 || at < offset || at + f.bytes > offset + size) continue;
      all += (count++ == 0 ? "" : ", ") + text_of(f, bytes + (at - offset));
    }
  return count > 1 ? "{" + all + "}" : all;
}

bool set_number(number_field const& field, std::string_view text, std::byte* element) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t bits = 0;
  double value = 0;
  switch (field.kind) {
    case number_kind::floating:
    case number_kind::half:
    case number_kind::bfloat16:
      if (!parse(text, value)) return false;
      bits = field.kind == number_kind::half       ? to_half(value)
             : field.kind == number_kind::bfloat16 ? to_bfloat16(static_cast<float>(value))
             : field.bytes == 4 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                : std::bit_cast<std::uint64_t>(value);
      break;
    case number_kind::pointer:
      return false;
    default:
      if (!parse_integer(field, text, bits)) return false;
  }
  std::memcpy(element + field.offset, &bits, field.bytes);
  return true;
}

}  // namespace upsweep::sim

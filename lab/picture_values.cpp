/// Values as strings; their types may be unknown.
#include <lab/picture_values.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::lab {

namespace {

template <class T>
T read(sim::lane_event const& e) {
  T value{};
  std::memcpy(&value, e.value.data(), sizeof value);
  return value;
}

}  // namespace

std::string text_of(sim::lane_event const& e, std::optional<element_type> known) {
  element_type const type = known.value_or(element_type::i32);
  auto const bytes = static_cast<unsigned>(e.size);
  if (bytes == static_cast<unsigned>(elements[static_cast<std::size_t>(type)].bytes)) {
    bool const flag = (type == element_type::f32 && read<std::uint32_t>(e) < 0x00800000u) ||
                      (type == element_type::f64 && read<std::uint64_t>(e) < 0x0010000000000000u);
    if (!flag) return text_of(type, e.value.data());
  }
  switch (bytes) {
    case 1:
      return fmt::format("{}", read<std::uint8_t>(e));
    case 2:
      return fmt::format("{}", read<std::uint16_t>(e));
    case 4:
      return fmt::format("{}", read<std::int32_t>(e));
    case 8:
      return fmt::format("{}", read<std::int64_t>(e));
    default:
      return bytes == 0 ? std::string() : fmt::format("{} bytes", bytes);
  }
}

std::string text_received(sim::lane_event const& e, std::optional<element_type> known) {
  if (!known) return text_of(e, known);
  element_type const type = *known;
  auto const bytes = static_cast<std::size_t>(elements[static_cast<std::size_t>(type)].bytes);
  if (e.size != 2 * bytes || e.size > e.value.size()) return text_of(e, type);
  return e.value[bytes] == std::byte{0} ? std::string("none") : text_of(type, e.value.data());
}

}  // namespace upsweep::lab

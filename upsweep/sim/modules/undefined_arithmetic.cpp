/// What compilers call, under -fsanitize=shift-exponent,float-cast-overflow, before they compute
/// something that C++ leaves undefined: a GPU then gives another value than the CPU, on which
/// the kernel goes on here.
#include <upsweep/sim/hook_calls.hpp>

#include <upsweep/sim/access.hpp>
#include <upsweep/sim/sentences.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

namespace upsweep::sim {

namespace {

/// As compilers lay them out.
struct type_descriptor {
  std::uint16_t kind, info;  ///< kind 0: an integer; bit 0 of info is its sign, the rest log2(bits)
  char name[1];
};
struct cast_data {
  char const* file;
  std::uint32_t line, column;
  type_descriptor const* from;
  type_descriptor const* to;
};

unsigned bits_of(type_descriptor const& t) {
  return t.kind == 0 ? 1u << (t.info >> 1) : t.info;
}
bool is_signed(type_descriptor const& t) {
  return t.kind == 0 && (t.info & 1) != 0;
}
/// `int` of "'int'".
std::string name_of(type_descriptor const& t) {
  std::string name = t.name;
  if (name.size() > 1 && name.front() == '\'') name = name.substr(1, name.size() - 2);
  return name;
}

/// A value that has more bits than a pointer is passed by its address.
std::uint64_t value_of(type_descriptor const& type, std::uintptr_t given) {
  if (bits_of(type) <= 8 * sizeof given) return given;
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<void const*>(given), sizeof value);
  return value;
}
double number_of(type_descriptor const& from, std::uint64_t value) {
  return bits_of(from) == 32 ? std::bit_cast<float>(static_cast<std::uint32_t>(value))
                             : std::bit_cast<double>(value);
}

/// A finding about the running lane; host code is not judged.
template <class Sentence>
void note(std::uint64_t pc, Sentence const& sentence) {
  if (running.lane == nullptr || here.by == nullptr || here.busy || here.failing) return;
  position const at = position::of_call(pc);
  here.by->launch().found.note(finding_kind::misuse, at, {}, [&] {
    return say(upsweep::sim::name_of(running_lane()), " ", sentence(), " at ", short_name(at));
  });
}

std::string text_of(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", x);
  return text;
}

}  // namespace

}  // namespace upsweep::sim

UPSWEEP_SIM_EXPORTED void __ubsan_handle_shift_out_of_bounds(void* data, std::uintptr_t,
                                                             std::uintptr_t by) {
  using namespace upsweep::sim;
  auto const& about = *static_cast<cast_data const*>(data);
  note(UPSWEEP_SIM_CALLER, [&] {
    auto const distance = static_cast<std::int64_t>(value_of(*about.to, by));
    std::int64_t const shown = is_signed(*about.to) && bits_of(*about.to) == 32
                                   ? static_cast<std::int32_t>(distance)
                                   : distance;
    return say("shifts ", bits_of(*about.from), " bits by ", shown,
               ", which C++ leaves undefined: a GPU shifts all bits out and the emulator does not; "
               "test the distance, or shift in two steps,");
  });
}
UPSWEEP_SIM_EXPORTED void __ubsan_handle_float_cast_overflow(void* data, std::uintptr_t value) {
  using namespace upsweep::sim;
  auto const& about = *static_cast<cast_data const*>(data);
  note(UPSWEEP_SIM_CALLER, [&] {
    return say("converts ", text_of(number_of(*about.from, value_of(*about.from, value))), " to ",
               name_of(*about.to),
               ", which cannot hold it: C++ leaves that undefined, and a GPU gives the nearest "
               "number of the type where the emulator does not; test the range before converting,");
  });
}

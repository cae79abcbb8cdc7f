/// The messages name the thread, the access, and the bounds of the memory.
#include <upsweep/sim/access.hpp>

#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/sentences.hpp>

#include <cstddef>
#include <string>

namespace upsweep::sim {

void out_of_bounds(findings& found, step_kind kind, memory const& m, std::ptrdiff_t byte,
                   layout type, position at) {
  here.failing = true;
  lane const& l = running_lane();
  std::string const verb = kind == step_kind::load    ? " reads "
                           : kind == step_kind::store ? " writes "
                                                      : " updates ";
  if (m.is_released)
    found.fail(finding_kind::out_of_bounds,
               say(name_of(l), verb, name_of(m), " at ", short_name(at),
                   ", which has been freed by ", m.is_of_heap ? "free() or delete" : "cudaFree()"),
               at);
  byte = static_cast<std::ptrdiff_t>(distance_to(m, m.data + byte));
  auto const size = static_cast<std::ptrdiff_t>(type & 0xffffu);
  std::ptrdiff_t const index = (byte - (byte < 0 ? size - 1 : 0)) / size;
  found.fail(finding_kind::out_of_bounds,
             say(name_of(l), verb, "element ", index, " of ", name_of(m), " at ", short_name(at),
                 ", which has ", m.bytes / static_cast<std::size_t>(size), " elements"),
             at);
}

void misaligned(findings& found, step_kind kind, memory const& m, std::ptrdiff_t byte, layout type,
                position at) {
  here.failing = true;
  found.fail(
      finding_kind::misaligned,
      say(name_of(running_lane()), kind == step_kind::load ? " reads " : " writes ", type & 0xffffu,
          " bytes at byte ", byte, " of ", name_of(m), " at ", short_name(at),
          ": an access of this type must start at a multiple of ", (type >> 16) + 1, " bytes"),
      at);
}

void outside_own_array(findings& found, std::int64_t index, char const* array,
                       std::uint32_t elements, position at) {
  here.failing = true;
  found.fail(finding_kind::out_of_bounds,
             say(name_of(running_lane()), " uses element ", index, " of its own array '", array,
                 "' at ", short_name(at), ", which has ", elements, " elements"),
             at);
}

void note_division(findings& found, position at) {
  found.note(finding_kind::misuse, at, {}, [&] {
    return say(name_of(running_lane()), " divides an integer by 0 at ", short_name(at),
               ": the result is undefined, and a GPU continues without an error: test the divisor");
  });
}

}  // namespace upsweep::sim

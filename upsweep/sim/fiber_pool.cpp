/// What pools of fibers do however stacks are switched.
#include <upsweep/sim/fiber.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::sim {

/// At the lowest address of a stack.
constexpr std::uint64_t canary = 0x5ca1ab1e0ddba11;

/// The lowest bytes of its stacks, into which an overflow writes.
static std::array<std::byte*, 2> ends_of(fiber const& f) {
#if UPSWEEP_SIM_USES_ASYNCIFY
  return {f.stack, f.program_stack == nullptr ? f.stack : f.program_stack};
#else
  return {f.stack, f.stack};
#endif
}

void fiber_pool::start(fiber& f) {
  for (std::byte* const end : ends_of(f)) std::memcpy(end, &canary, sizeof canary);
  prepare(f);
}

bool fiber_pool::overflown(fiber const& f) {
  for (std::byte const* const end : ends_of(f))
    if (std::memcmp(end, &canary, sizeof canary) != 0) return true;
  return false;
}

void fiber_pool::reset() {
  idle_.clear();
  for (auto& f : all_) {
    start(*f);
    idle_.push_back(f.get());
  }
}

}  // namespace upsweep::sim

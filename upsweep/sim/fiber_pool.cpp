/// What pools of fibers do however stacks are switched.
#include <upsweep/sim/fiber.hpp>

#include <cstdint>
#include <cstring>

namespace upsweep::sim {

/// At the lowest address of a stack.
constexpr std::uint64_t canary = 0x5ca1ab1e0ddba11;

void fiber_pool::start(fiber& f) {
  std::memcpy(f.stack, &canary, sizeof canary);
  prepare(f);
}

bool fiber_pool::overflown(fiber const& f) {
  std::uint64_t found;
  std::memcpy(&found, f.stack, sizeof found);
  return found != canary;
}

void fiber_pool::reset() {
  idle_.clear();
  for (auto& f : all_) {
    start(*f);
    idle_.push_back(f.get());
  }
}

}  // namespace upsweep::sim

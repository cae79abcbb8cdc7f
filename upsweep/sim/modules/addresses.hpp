/// From an address that a kernel accesses to the memory that it belongs to.
#pragma once

#include <upsweep/sim/access.hpp>
#include <upsweep/sim/address_space.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::sim {

/// The memory that an address outside of the running block's arrays belongs to; null for what
/// belongs to the running thread alone, and for constants. Any other address ends the thread.
[[gnu::noinline]] memory* memory_elsewhere(std::byte* p, step_kind kind, position at);

/// The array that an access of the running block hits, or null.
[[gnu::always_inline]] inline memory* own_array(std::byte const* p) {
  auto const offset = static_cast<std::size_t>(p - here.window);
  return offset < window_bytes ? here.cells[offset / cell_bytes] : nullptr;
}
[[gnu::always_inline]] inline memory* memory_at(std::byte* p, step_kind kind, position at) {
  if (memory* const m = own_array(p); m != nullptr) [[likely]]
    return m;
  if (memory* const m = buffer_at(p); m != nullptr) [[likely]]
    return m;
  return memory_elsewhere(p, kind, at);
}

/// An atomic access of the running lane, which counts as `counted`: volatile ones as a load or
/// store.
template <step_kind counted = step_kind::atomic>
void atomic_access(memory& m, std::byte* p, atomic_call const& call, std::uint64_t pc);

/// Host code of a module accesses device memory.
void note_host_access(std::byte const* p, unsigned bytes, step_kind kind, std::uint64_t pc);

}  // namespace upsweep::sim

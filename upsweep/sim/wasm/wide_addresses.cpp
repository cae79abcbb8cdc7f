/// Elements so far outside a buffer that 32 bits cannot tell which they are: after an int index has
/// overflowed, for example. Their addresses represent those that they would have with 64 bits,
/// where buffers are further apart.
#include <upsweep/sim/address_space.hpp>

#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/runner.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::sim {

namespace {

// As in address_space.hpp, with 64 bits.
constexpr std::int64_t wide_slot_bytes = 1 << 28, wide_margin = 1 << 20, wide_stagger = 4352;
constexpr std::size_t wide_slot_count = 1 << 16;
constexpr std::int64_t wide_buffers = std::int64_t{1} << 46,
                       wide_windows = wide_buffers + wide_slot_bytes * wide_slot_count;

// No memory has addresses from 2 GiB on. A far element has one in the middle of a piece of its own,
// since the address of its member is that of the element and some bytes.
constexpr std::uint32_t first_far = 0x80000000, end_of_far = 0xf0000000, piece_bytes = 0x20000,
                        piece_count = (end_of_far - first_far) / piece_bytes;

constinit memory* wide_slots[wide_slot_count] = {};
constinit std::size_t next_wide_slot = 0;
constinit std::uint16_t first_wide_slot[slot_count] = {};  ///< of the buffer that begins in a slot
constinit std::int64_t far_elements[piece_count] = {};
constinit std::uint32_t next_far = 0;

std::size_t slot_of(memory const& m) {
  return static_cast<std::size_t>(m.data - first_buffer) / slot_bytes;
}
std::size_t wide_slots_for(std::size_t bytes) {
  return static_cast<std::size_t>(
      (static_cast<std::int64_t>(bytes) + 4 * wide_margin) / wide_slot_bytes + 1);
}
std::int64_t wide_begin(memory const& m) {
  std::int64_t const slot = first_wide_slot[slot_of(m)];
  return wide_buffers + slot * wide_slot_bytes + wide_margin + slot % 61 * wide_stagger;
}

std::uint32_t number_of(std::byte const* p) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p));
}
bool is_far(std::byte const* p) {
  return number_of(p) >= first_far && number_of(p) < end_of_far;
}

std::int64_t wide_address(std::byte const* p) {
  if (is_far(p)) {
    std::uint32_t const at = number_of(p) - first_far;
    return far_elements[at / piece_bytes] + at % piece_bytes - piece_bytes / 2;
  }
  if (memory const* const m = buffer_at(p); m != nullptr) return wide_begin(*m) + (p - m->data);
  if (is_in_window(p)) {
    auto const at = static_cast<std::size_t>(p - first_buffer) - buffers_bytes;
    return wide_windows + static_cast<std::int64_t>(at / window_bytes) * wide_slot_bytes +
           static_cast<std::int64_t>(at % window_bytes);
  }
  return number_of(p);
}

/// The buffer whose slots hold a wide address, or null.
memory* wide_buffer_at(std::int64_t at) {
  bool const is_among = at >= wide_buffers && at < wide_windows;
  return is_among ? wide_slots[(at - wide_buffers) / wide_slot_bytes] : nullptr;
}

/// Whether the address is in this memory, as `found`.
bool is_near(std::int64_t at, std::byte*& found) {
  if (memory const* const m = wide_buffer_at(at); m != nullptr) {
    std::int64_t const byte = at - wide_begin(*m), most = margin / 2;
    found = m->data + static_cast<std::ptrdiff_t>(byte);
    return byte >= -most && byte < static_cast<std::int64_t>(m->bytes) + most;
  }
  if (std::int64_t const of_window = at - wide_windows; of_window >= 0) {
    std::int64_t const window = of_window / wide_slot_bytes, byte = of_window % wide_slot_bytes;
    found = first_buffer + buffers_bytes + static_cast<std::size_t>(window) * window_bytes +
            static_cast<std::size_t>(byte);
    return window < static_cast<std::int64_t>(window_count) &&
           byte < static_cast<std::int64_t>(window_bytes);
  }
  found = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(at));
  return at >= std::int64_t{end_of_far} - (std::int64_t{1} << 32) && at < first_far;
}

}  // namespace

void take_wide_slots(memory& m) {
  first_wide_slot[slot_of(m)] = static_cast<std::uint16_t>(
      take_slots(wide_slots, next_wide_slot, wide_slots_for(m.bytes), m));
}
void give_wide_slots_back(memory const& m, std::size_t bytes) {
  std::size_t const first = first_wide_slot[slot_of(m)];
  for (std::size_t i = 0; i < wide_slots_for(bytes); ++i) wide_slots[first + i] = nullptr;
}

std::int64_t distance_to(memory const& m, std::byte const* p) {
  bool const is_buffer = is_far(p) && buffer_at(m.data) == &m;
  return is_far(p) ? wide_address(p) - (is_buffer ? wide_begin(m) : wide_address(m.data))
                   : p - m.data;
}

bool may_be_far(std::byte const* p) {
  return is_far(p) && wide_address(p) >= wide_buffers;
}

memory* memory_far_from(std::byte const* p) {
  if (!is_far(p)) return nullptr;
  std::int64_t const at = wide_address(p);
  if (memory* const m = wide_buffer_at(at); m != nullptr) return m;
  // Shared memory: an end of the window is as far from its arrays.
  block const& mine = *running_lane().of->of;
  std::byte const* const window = mine.window->begin();
  std::int64_t const byte = at - wide_address(window);
  if (byte >= wide_slot_bytes || byte < 0) return nullptr;
  return shared_arrays::nearest(mine, window + window_bytes - 1);
}

}  // namespace upsweep::sim

/// The address of what is `bytes` bytes after `p`.
UPSWEEP_SIM_EXPORTED std::byte* upsweep_sim_far_element(std::byte* p, std::int64_t bytes) {
  using namespace upsweep::sim;
  std::byte* const place = p + static_cast<std::ptrdiff_t>(bytes);
  if (running.lane == nullptr) return place;
  if (memory const* const m = buffer_at(p); m != nullptr && buffer_at(place) == m &&
                                            place >= m->data && place < m->data + m->bytes &&
                                            bytes == static_cast<std::ptrdiff_t>(bytes))
    return place;
  std::int64_t const at = wide_address(p) + bytes;
  if (std::byte* near = nullptr; is_near(at, near)) return near;
  next_far = (next_far + 1) % piece_count;
  far_elements[next_far] = at;
  return reinterpret_cast<std::byte*>(first_far + next_far * piece_bytes + piece_bytes / 2);
}

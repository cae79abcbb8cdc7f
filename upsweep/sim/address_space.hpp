/// The addresses of emulated memory: one reservation, in which an address tells the buffer, or the
/// resident block and the shared array.
///
/// Nothing of it is readable before it belongs to something, so it costs no memory.
#pragma once

#include <upsweep/sim/state.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::sim {

// Addresses of the process, which cost no memory until they are used.

/// `bytes` bytes of addresses that cannot be accessed yet; null if there are none.
[[nodiscard]] std::byte* reserve_pages(std::size_t bytes);
/// The pages around these bytes become readable and writable, and are zero if they are new. Returns
/// whether there was memory for them.
[[nodiscard]] bool open_pages(std::byte* begin, std::size_t bytes);
/// Returns the memory of whole pages, which cannot be accessed from then on.
void close_pages(std::byte* begin, std::size_t bytes);
/// Returns the memory of the pages around these bytes, which become zero and remain accessible.
void empty_pages(std::byte* begin, std::size_t bytes);
/// Gives reserved addresses back.
void release_pages(std::byte* begin, std::size_t bytes);

/// Buffers begin in a slot of their own, with `margin` bytes or more of nobody's addresses before
/// and after them: an access out of bounds is named after the buffer that it missed.
/// Where addresses have 32 bits there is less of everything.
inline constexpr bool has_wide_addresses = sizeof(void*) == 8;
inline constexpr std::size_t slot_bytes = std::size_t{1} << (has_wide_addresses ? 28 : 20),
                             slot_count = has_wide_addresses ? std::size_t{1} << 16 : 192,
                             margin = std::size_t{1} << (has_wide_addresses ? 20 : 17),
                             stagger = has_wide_addresses ? 4352 : 256;
/// A resident block that runs a module's kernel has a window; its shared arrays begin in a cell of
/// their own, so at bank 0 and with a gap after most of them.
inline constexpr std::size_t window_bytes = std::size_t{1} << (has_wide_addresses ? 28 : 21),
                             window_count = has_wide_addresses ? std::size_t{1} << 12 : 160,
                             cell_bytes = 64 * 1024, cell_count = window_bytes / cell_bytes;
/// The dynamic part, at most 227 KiB, and the first of the module's arrays; between them, and
/// before both, a cell that belongs to nobody.
inline constexpr std::size_t dynamic_cell = 1, first_cell = 6;

inline constexpr std::size_t buffers_bytes = slot_bytes * slot_count,
                             windows_bytes = window_bytes * window_count;

extern constinit std::byte* first_buffer;  ///< null before the first use
extern constinit memory* memory_of_slot[slot_count];

/// The buffer whose slots hold this address, or null.
[[nodiscard]] inline memory* buffer_at(std::byte const* p) {
  auto const offset = static_cast<std::size_t>(p - first_buffer);
  return offset < buffers_bytes ? memory_of_slot[offset / slot_bytes] : nullptr;
}
/// Whether the address lies in the window of some block.
[[nodiscard]] inline bool is_in_window(std::byte const* p) {
  return static_cast<std::size_t>(p - first_buffer) - buffers_bytes < windows_bytes;
}

/// Gives `m` addresses for its bytes. Throws precondition_error when there are none left.
void take_slots(memory& m);
/// The first of `wanted` slots in a row, which are m's now.
std::size_t take_slots(std::span<memory*> slots, std::size_t& next, std::size_t wanted, memory& m);
/// Takes its addresses, and memory for them.
void give_slots_back(memory const& m, std::size_t bytes);
/// Frees the memory of a buffer that keeps its addresses, so that a later access is reported.
void drop_pages(memory const& m);

/// How many bytes after the beginning of `m` an address is. Where addresses have 32 bits, that of
/// an element far outside a buffer tells where it would be otherwise: upsweep/sim/wasm/.
[[nodiscard]] std::int64_t distance_to(memory const& m, std::byte const* p);
/// Whether an index of 32 bits into a buffer can lead to this address, which is in none.
[[nodiscard]] bool may_be_far(std::byte const* p);
/// The buffer or array that such an element is nearest to, or null.
[[nodiscard]] memory* memory_far_from(std::byte const* p);
void take_wide_slots(memory& m);
void give_wide_slots_back(memory const& m, std::size_t bytes);
#ifndef __wasm__
inline std::int64_t distance_to(memory const& m, std::byte const* p) {
  return p - m.data;
}
inline bool may_be_far(std::byte const*) {
  return true;
}
inline memory* memory_far_from(std::byte const*) {
  return nullptr;
}
#endif

/// The window of a resident block. Host threads may take theirs concurrently.
class window_lease {
 public:
  window_lease();
  ~window_lease();
  window_lease(window_lease const&) = delete;
  window_lease& operator=(window_lease const&) = delete;

  [[nodiscard]] std::byte* begin() const;
  /// Makes the cells readable that hold `bytes` bytes from `cell` on.
  void open(std::size_t cell, std::size_t bytes);

 private:
  std::size_t number_;
};

/// The window for host code that uses a shared array, which is a mistake.
[[nodiscard]] window_lease& window_of_host();

}  // namespace upsweep::sim

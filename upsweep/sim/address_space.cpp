/// Slots are taken first fit, after the last one taken; windows first fit.
#include <upsweep/sim/address_space.hpp>

#include <upsweep/core/errors.hpp>
#include <upsweep/sim/host_threads.hpp>

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstdlib>
#include <span>

#ifndef __wasm__
#include <sys/mman.h>
#endif

namespace upsweep::sim {

// Pages by mmap(), and in a linear memory without protection.

#ifdef __wasm__

namespace {
constexpr std::size_t page = 64 * 1024;
}  // namespace

// New memory of WebAssembly is zero, and takes none of the system's until it is written. What is
// given back is not protected, so an access of it by code without hooks stays unnoticed.
std::byte* reserve_pages(std::size_t bytes) {
  return static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page));
}
bool open_pages(std::byte*, std::size_t) {
  return true;
}
void close_pages(std::byte*, std::size_t) {}
void empty_pages(std::byte*, std::size_t) {}
void release_pages(std::byte* begin, std::size_t) {
  std::free(begin);
}

#else

namespace {

constexpr std::size_t page = 4096;

/// The bytes before `begin` on its page.
std::size_t before(std::byte const* begin) {
  return reinterpret_cast<std::uintptr_t>(begin) % page;
}

}  // namespace

std::byte* reserve_pages(std::size_t bytes) {
  void* const place =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return place == MAP_FAILED ? nullptr : static_cast<std::byte*>(place);
}
bool open_pages(std::byte* begin, std::size_t bytes) {
  std::size_t const more = before(begin);
  return mprotect(begin - more, bytes + more, PROT_READ | PROT_WRITE) == 0;
}
void close_pages(std::byte* begin, std::size_t bytes) {
  mmap(begin, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}
void empty_pages(std::byte* begin, std::size_t bytes) {
  std::size_t const more = before(begin);
  madvise(begin - more, bytes + more, MADV_DONTNEED);
}
void release_pages(std::byte* begin, std::size_t bytes) {
  munmap(begin, bytes);
}

#endif

constinit std::byte* first_buffer = nullptr;
constinit memory* memory_of_slot[slot_count] = {};

namespace {

constinit host_mutex mutex;
constinit std::size_t next_slot = 0;
constinit bool is_leased[window_count] = {};
constinit std::bitset<cell_count> open_cells[window_count] = {};  // its lessee's

void make_usable(std::byte* begin, std::size_t bytes) {
  if (!open_pages(begin, bytes)) detail::fail("the emulator: no memory left");
}

/// With the mutex.
void reserve() {
  if (first_buffer != nullptr) return;
  // A window more, so that windows can be aligned to cells.
  std::byte* const place = reserve_pages(buffers_bytes + windows_bytes + cell_bytes);
  if (place == nullptr)
    detail::fail(
        "the emulator needs 17 TiB of addresses, not of memory, for its buffers: remove the limit "
        "of the address space (ulimit -v unlimited)");
  auto const begin = reinterpret_cast<std::uintptr_t>(place);
  first_buffer = place + (cell_bytes - begin % cell_bytes) % cell_bytes;
}

/// Slots for `bytes` bytes and the margins around them.
std::size_t slots_for(std::size_t bytes) {
  return (bytes + 4 * margin) / slot_bytes + 1;
}

std::size_t slot_of(memory const& m) {
  return static_cast<std::size_t>(m.data - first_buffer) / slot_bytes;
}

/// The first of `wanted` free slots in a row, from `begin` on; their number if there are none.
std::size_t free_slots(std::span<memory* const> slots, std::size_t begin, std::size_t wanted) {
  for (std::size_t run = 0, i = begin; i < slots.size(); ++i) {
    run = slots[i] == nullptr ? run + 1 : 0;
    if (run == wanted) return i + 1 - wanted;
  }
  return slots.size();
}

}  // namespace

std::size_t take_slots(std::span<memory*> slots, std::size_t& next, std::size_t wanted, memory& m) {
  std::size_t slot = free_slots(slots, next, wanted);
  if (slot == slots.size()) slot = free_slots(slots, 0, wanted);
  if (slot == slots.size()) detail::fail("the emulator: no addresses left for another buffer");
  std::ranges::fill(slots.subspan(slot, wanted), &m);
  next = slot + wanted;
  return slot;
}

void take_slots(memory& m) {
  host_lock const lock(mutex);
  reserve();
  std::size_t const slot = take_slots(memory_of_slot, next_slot, slots_for(m.bytes), m);
  // Buffers at the same distance from their slots would compete for the same cache sets.
  m.data = first_buffer + slot * slot_bytes + margin + slot % 61 * stagger;
  if (m.bytes > 0) make_usable(m.data, m.bytes);
  if constexpr (!has_wide_addresses) take_wide_slots(m);
}

void give_slots_back(memory const& m, std::size_t bytes) {
  host_lock const lock(mutex);
  std::size_t const first = slot_of(m), count = slots_for(bytes);
  close_pages(first_buffer + first * slot_bytes, count * slot_bytes);
  for (std::size_t i = 0; i < count; ++i) memory_of_slot[first + i] = nullptr;
  if constexpr (!has_wide_addresses) give_wide_slots_back(m, bytes);
}

void drop_pages(memory const& m) {
  empty_pages(m.data, m.bytes);
}

window_lease::window_lease() : number_(0) {
  host_lock const lock(mutex);
  reserve();
  while (number_ < window_count && is_leased[number_]) ++number_;
  if (number_ == window_count)
    detail::fail("the emulator: more than 4095 resident blocks; use fewer resident_blocks");
  is_leased[number_] = true;
}

window_lease::~window_lease() {
  host_lock const lock(mutex);
  is_leased[number_] = false;
}

std::byte* window_lease::begin() const {
  return first_buffer + buffers_bytes + number_ * window_bytes;
}

void window_lease::open(std::size_t cell, std::size_t bytes) {
  for (std::size_t end = cell + (bytes + cell_bytes - 1) / cell_bytes; cell < end; ++cell)
    if (!open_cells[number_][cell]) {
      make_usable(begin() + cell * cell_bytes, cell_bytes);
      open_cells[number_][cell] = true;
    }
}

window_lease& window_of_host() {
  static window_lease window;
  return window;
}

}  // namespace upsweep::sim

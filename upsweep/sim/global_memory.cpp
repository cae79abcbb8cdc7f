/// New buffers are filled with poison; copies are checked against their bounds.
#include <upsweep/sim/global_memory.hpp>

#include <upsweep/core/errors.hpp>
#include <upsweep/sim/address_space.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace upsweep::sim {

global_memory::~global_memory() {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    if (buffer_at(buffers_[i]->data) == buffers_[i].get()) give_slots_back(*buffers_[i], sizes_[i]);
}

memory& global_memory::add(std::size_t bytes, unsigned element, char const* name) {
  detail::expects(buffers_.size() < 0x7fff,
                  "sim::machine: more than 32767 buffers; use a new machine");
  auto m = std::make_unique<memory>();
  m->bytes = bytes;
  m->tag = static_cast<std::uint64_t>(buffers_.size()) << 48;
  m->set_element(element);
  m->identity = (buffers_.size() + 1) * 0x9e3779b97f4a7c15;
  m->name = &names_.emplace_back(name == nullptr ? "buffer" : name);
  if (checks_) add_shadows(*m);
  buffers_.push_back(std::move(m));
  sizes_.push_back(bytes);
  return *buffers_.back();
}

void global_memory::add_shadows(memory& m) {
  std::size_t const count = m.shadows_of(m.element_bytes);
  // Without exceptions of the C++ library, as in WebAssembly, a plain new would end the program.
  shadows_.emplace_back(new (std::nothrow) shadow[count]());
  if (shadows_.back() == nullptr) throw std::bad_alloc();
  m.shadows = shadows_.back().get();
  histories_.emplace_back(static_cast<std::uint32_t*>(std::calloc(count, sizeof(std::uint32_t))));
  if (histories_.back() == nullptr) throw std::bad_alloc();
  m.histories = histories_.back().get();
}

memory& global_memory::add_buffer(std::size_t bytes, unsigned element, char const* name) {
  memory& m = add(bytes, element, name);
  take_slots(m);
  std::memset(m.data, poison, m.bytes);
  return m;
}

memory* global_memory::allocate(std::size_t count, layout element, char const* name) {
  unsigned const size = element & 0xffffu;
  return &add_buffer(count * size, size, name);
}

memory* global_memory::allocate_bytes(std::size_t bytes, unsigned element, char const* name) {
  memory& m = add_buffer(bytes, element, name);
  m.is_divisible = true;
  return &m;
}

void global_memory::release(memory& m) {
  drop_pages(m);
  std::erase_if(shadows_, [&](auto const& s) { return s.get() == m.shadows; });
  std::erase_if(histories_, [&](auto const& h) { return h.get() == m.histories; });
  m.shadows = nullptr;
  m.bytes = 0;
  m.is_released = true;
}

void global_memory::split(memory& m, unsigned size) {
  host_lock const lock(mutex_);
  sim::shadow const* const old = m.shadows;
  std::uint32_t const* const old_histories = m.histories;
  unsigned const coarse = m.element_bytes;
  m.set_element(size);
  add_shadows(m);
  m.copy_shadows(old, old_histories, coarse);
}

memory* global_memory::adopt(module_variable const& v) {
  host_lock const lock(mutex_);
  memory*& known = variables_[v.begin];
  if (known == nullptr) {
    known = &add(v.bytes, 4, v.name.c_str());
    known->data = v.begin;
    known->is_divisible = true;
    if (checks_)
      std::fill_n(known->shadows, known->shadows_of(known->element_bytes), shadow{host_write, 0});
  }
  return known;
}

void* global_memory::host_access(memory* m, std::ptrdiff_t byte, std::size_t bytes, bool write) {
  if (bytes == 0) return m == nullptr ? nullptr : m->data;
  detail::expects(m != nullptr, "sim::machine: a copy to or from a null pointer");
  detail::expects(
      byte >= 0 && static_cast<std::size_t>(byte) + bytes <= m->bytes,
      "sim::machine: a copy between host and device extends beyond the end of the buffer");
  if (write && m->shadows != nullptr) {
    std::uint64_t const first = m->element_of(static_cast<std::uint64_t>(byte)),
                        last = m->element_of(static_cast<std::uint64_t>(byte) + bytes - 1);
    std::fill(m->shadows + first, m->shadows + last + 1, shadow{host_write, 0});
  }
  return m->data + byte;
}

std::uint64_t fingerprint(std::byte const* begin, std::size_t bytes, std::uint64_t seed) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t lanes[4]{seed, seed + 1, seed + 2, seed + 3};
  std::size_t done = 0;
  for (; done + 32 <= bytes; done += 32) {
    std::uint64_t words[4];
    std::memcpy(words, begin + done, 32);
    for (int i = 0; i < 4; ++i) lanes[i] = std::rotl(lanes[i] ^ words[i], 29) * odd;
  }
  for (; done < bytes; ++done)
    lanes[0] = std::rotl(lanes[0] ^ std::to_integer<std::uint64_t>(begin[done]), 29) * odd;
  std::uint64_t all = bytes;
  for (std::uint64_t const lane : lanes) all = std::rotl(all ^ lane, 31) * odd;
  return all;
}

std::vector<std::uint64_t> global_memory::fingerprints() const {
  std::vector<std::uint64_t> all(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    memory const& m = *buffers_[i];
    if (sizes_[i] != 0 && !m.is_released)
      all[i] = sim::fingerprint(m.data, m.bytes, reinterpret_cast<std::uintptr_t>(m.data));
  }
  return all;
}

std::uint64_t global_memory::fingerprint() const {
  auto const all = fingerprints();
  return sim::fingerprint(reinterpret_cast<std::byte const*>(all.data()),
                          all.size() * sizeof all[0], all.size());
}

void global_memory::forget_accesses() {
  for (auto const& m : buffers_)
    if (m->shadows != nullptr)
      std::for_each(m->shadows, m->shadows + m->shadows_of(m->element_bytes),
                    [](shadow& s) { s = {s.write == 0 ? 0 : host_write, 0}; });
}

}  // namespace upsweep::sim

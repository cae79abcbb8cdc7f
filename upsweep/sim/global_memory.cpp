/// New buffers are filled with poison; copies are checked against their bounds.
#include <upsweep/sim/global_memory.hpp>

#include <upsweep/core/errors.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace upsweep::sim {

namespace {
/// Sectors and lines of a buffer are counted from its start, as cudaMalloc aligns it.
constexpr std::align_val_t buffer_alignment{256};
}  // namespace

global_memory::~global_memory() {
  for (auto const& m : buffers_) ::operator delete(m->data, buffer_alignment);
}

memory* global_memory::allocate(std::size_t count, emulated::layout element, char const* name) {
  detail::expects(buffers_.size() < 0x7fff,
                  "sim::machine: more than 32767 buffers; use a new machine");
  auto m = std::make_unique<memory>();
  std::size_t const size = element & 0xffffu;
  m->bytes = count * size;
  m->data =
      static_cast<std::byte*>(::operator new(std::max<std::size_t>(m->bytes, 1), buffer_alignment));
  std::memset(m->data, poison, m->bytes);
  m->tag = static_cast<std::uint64_t>(buffers_.size()) << 48;
  m->set_element(static_cast<unsigned>(size));
  m->identity = (buffers_.size() + 1) * 0x9e3779b97f4a7c15;
  if (checks_) {
    shadows_.emplace_back(new shadow[count]());
    m->shadows = shadows_.back().get();
    earlier_reads_.emplace_back(static_cast<epoch*>(std::calloc(count + 1, sizeof(epoch))));
    if (earlier_reads_.back() == nullptr) throw std::bad_alloc();
    m->earlier_reads = earlier_reads_.back().get();
  }
  m->name = &names_.emplace_back(name == nullptr ? "buffer" : name);
  buffers_.push_back(std::move(m));
  return buffers_.back().get();
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

void global_memory::forget_accesses() {
  for (auto const& m : buffers_)
    if (m->shadows != nullptr)
      std::for_each(m->shadows, m->shadows + m->bytes / m->element_bytes,
                    [](shadow& s) { s = {s.write == 0 ? 0 : host_write, 0}; });
}

}  // namespace upsweep::sim

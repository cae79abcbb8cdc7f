/// Next fit in one reservation that is much larger than the limit.
#include <upsweep/sim/device_heap.hpp>

#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>

namespace upsweep::sim {

namespace {

constexpr std::size_t gap = 64;  // between pieces: an index out of bounds hits no other one
constexpr std::size_t least_bytes = std::size_t{1} << (sizeof(void*) == 8 ? 30 : 24),
                      most_bytes = std::size_t{1} << (sizeof(void*) == 8 ? 40 : 25);

}  // namespace

device_heap::~device_heap() {
  if (begin_ != nullptr) release_pages(begin_, bytes_);
}

/// Pages that nobody touches cost nothing.
void device_heap::reserve() {
  if (begin_ != nullptr) return;
  std::size_t const bytes = std::clamp(limit_ * 8, least_bytes, most_bytes);
  std::byte* const place = reserve_pages(bytes);
  if (place == nullptr || !open_pages(place, bytes)) return;
  begin_ = next_ = place;
  bytes_ = bytes;
  whole_ = &buffers_.add_heap("device heap");
}

std::byte* device_heap::room_for(std::size_t bytes, std::size_t alignment) {
  bool has_wrapped = false;
  for (;;) {
    auto const place =
        (reinterpret_cast<std::uintptr_t>(next_) + gap + alignment - 1) / alignment * alignment;
    auto* const p = reinterpret_cast<std::byte*>(place);
    if (p + bytes + gap > begin_ + bytes_) {
      if (has_wrapped) return nullptr;
      has_wrapped = true;
      next_ = begin_;
      continue;
    }
    // What has been freed makes room; what has not is skipped.
    auto last = pieces_.lower_bound(p + bytes + gap), first = last;
    std::byte* end_of_used = nullptr;
    while (first != pieces_.begin()) {
      auto const before = std::prev(first);
      memory const& m = before->second.m;
      if (before->first + m.bytes + gap <= p) break;
      if (!m.is_released) {
        end_of_used = m.data + m.bytes;
        break;
      }
      first = before;
    }
    if (end_of_used == nullptr) {
      pieces_.erase(first, last);
      next_ = p + bytes;
      return p;
    }
    next_ = end_of_used;
  }
}

std::byte* device_heap::allocate(std::size_t bytes, std::size_t alignment, char const* verb,
                                 position at) {
  host_lock const lock(mutex_);
  reserve();
  if (begin_ == nullptr || bytes > limit_ || used_ + bytes > limit_) return nullptr;
  std::byte* const p = room_for(std::max<std::size_t>(bytes, 1), alignment);
  if (p == nullptr) return nullptr;
  piece& made = pieces_[p];
  memory& m = made.m;
  m.data = p;
  m.bytes = bytes;
  auto const offset = static_cast<std::uint64_t>(p - begin_);
  m.tag = whole_->tag + offset;
  m.identity = whole_->identity + offset;
  m.set_element(bytes % 4 == 0 ? 4 : 1);
  m.is_divisible = m.is_of_heap = true;
  made.name = say(verb, " at ", short_name(at));
  m.name = &made.name;
  if (checks_) {
    std::size_t const count = m.shadows_of(m.element_bytes);
    made.shadows = std::make_unique<shadow[]>(count);
    made.histories = std::make_unique<std::uint32_t[]>(count);
    m.shadows = made.shadows.get();
    m.histories = made.histories.get();
  }
  std::memset(p, poison, bytes);
  used_ += bytes;
  return p;
}

device_heap::pieces::iterator device_heap::nearest(std::byte const* place) {
  auto const next = pieces_.upper_bound(place);
  if (next == pieces_.begin()) return next;
  auto const before = std::prev(next);
  std::byte const* const end = before->first + before->second.m.bytes;
  bool const is_nearer_to_next =
      next != pieces_.end() && place >= end && next->first - place < place - end;
  return is_nearer_to_next ? next : before;
}

memory* device_heap::at(std::byte const* place) {
  if (!contains(place)) return nullptr;
  host_lock const lock(mutex_);
  auto const found = nearest(place);
  return found == pieces_.end() ? nullptr : &found->second.m;
}

void device_heap::release(std::byte* place, char const* verb, position at, findings& found) {
  host_lock lock(mutex_);
  auto const it = pieces_.find(place);
  if (it == pieces_.end() || it->second.m.is_released) {
    std::string const why = it == pieces_.end()
                                ? std::string("what malloc() and new have not returned")
                                : say("buffer '", it->second.name, "', which has been freed at ",
                                      short_name(it->second.freed_at));
    lock.unlock();
    found.fail(finding_kind::misuse,
               say(name_of(running_lane()), " calls ", verb, " at ", short_name(at), " for ", why,
                   ": free each piece of the heap once, in a kernel"),
               at);
  }
  piece& freed = it->second;
  used_ -= freed.m.bytes;
  freed.m.bytes = 0;
  freed.m.is_released = true;
  freed.m.shadows = nullptr;
  freed.m.histories = nullptr;
  freed.shadows.reset();
  freed.histories.reset();
  freed.freed_at = at;
}

bool device_heap::set_limit(std::size_t bytes) {
  if (begin_ != nullptr) return false;
  limit_ = bytes;
  return true;
}

void device_heap::forget_accesses() {
  for (auto& [place, one] : pieces_)
    if (memory const& m = one.m; m.shadows != nullptr)
      std::for_each(m.shadows, m.shadows + m.shadows_of(m.element_bytes),
                    [](shadow& s) { s = {s.write == 0 ? 0 : host_write, 0}; });
}

}  // namespace upsweep::sim

/// Sets of accesses, and which element has which history.
#include <upsweep/sim/history.hpp>

#include <upsweep/sim/state.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace upsweep::sim {

namespace {

constexpr epoch who = thread_bits | 3;

bool same_thread(epoch a, epoch b) {
  return ((a ^ b) & who) == 0;
}

}  // namespace

void access_set::add(epoch s, std::size_t room) {
  for (auto e = of_.rbegin(); e != of_.rend(); ++e)
    if (same_thread(*e, s)) {
      *e = s;
      return;
    }
  if (of_.size() < room) {
    of_.push_back(s);
    return;
  }
  // The first stays, and one of another block beside it: a write by any block has a reader of
  // another one here.
  if (serial_of(of_[1]) == serial_of(of_[0]) && serial_of(s) != serial_of(of_[0])) {
    of_[1] = s;
    return;
  }
  of_[2 + next_++ % (of_.size() - 2)] = s;
}

void access_set::remove(epoch s, epoch since) {
  std::erase_if(of_, [&](epoch e) { return same_thread(e, s) && e >= since; });
}

epoch access_set::take_last() {
  if (of_.empty()) return 0;
  epoch const last = of_.back();
  of_.pop_back();
  return last;
}

history* histories::find(memory& m, std::uint64_t element) {
  std::uint32_t& index = m.histories[element];
  if (index == 0 || index >= all_.size()) return nullptr;  // of an earlier launch
  history& h = all_[index];
  std::uint64_t const offset = m.identity + element * m.element_bytes - h.begin;
  if (offset >= h.bytes || h.bytes - offset < m.element_bytes)
    return nullptr;  // of another element, likewise
  if (h.bytes == m.element_bytes) return &h;
  // The element is a part of the one that it was: each part has its own from now on.
  history part = h;
  history& mine = add(m, element);
  part.begin = mine.begin;
  part.bytes = mine.bytes;
  mine = std::move(part);
  return &mine;
}

history& histories::of(memory& m, std::uint64_t element) {
  history* const h = find(m, element);
  return h != nullptr ? *h : add(m, element);
}

history& histories::add(memory& m, std::uint64_t element) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(all_.size()));
    all_.emplace_back();
  }
  std::uint32_t const index = free_.back();
  free_.pop_back();
  m.histories[element] = index;
  history& h = all_[index];
  h.begin = m.identity + element * m.element_bytes;
  h.bytes = m.element_bytes;
  return h;
}

void histories::forget(memory const& m) {
  if (all_.size() == 1) return;
  for (std::uint64_t e = 0; e < m.bytes / m.element_bytes; ++e) {
    std::uint32_t const index = m.histories[e];
    if (index == 0 || index >= all_.size()) continue;
    if (history& h = all_[index]; h.begin == m.identity + e * m.element_bytes) {
      h = {};
      free_.push_back(index);
    }
  }
}

}  // namespace upsweep::sim

/// What barriers, fences and atomics order: the other half of the checker.
#include <upsweep/sim/checker.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace upsweep::sim {

namespace {

constexpr unsigned last_tick = 0xfff0;
constexpr std::size_t most_flags_of_lane = 8, most_flags_of_block = 64;
constexpr std::size_t most_unfenced_of_lane = 8, most_unfenced = 64;

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst || order == std::memory_order_consume;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

void add_flag(std::vector<heard_flag>& list, heard_flag const& f, std::size_t most) {
  auto const same = std::ranges::find_if(
      list, [&](heard_flag const& h) { return h.of == f.of && h.offset == f.offset; });
  if (same != list.end()) {
    same->first = std::min(same->first, f.first);
    same->last = std::max(same->last, f.last);
    return;
  }
  if (list.size() == most) list.erase(list.begin());
  list.push_back(f);
}

void add_unfenced(std::vector<unfenced_store>& list, unfenced_store const& u, std::size_t most) {
  auto const is_same = [&](unfenced_store const& v) { return v.by == u.by && v.place == u.place; };
  if (list.size() < most && std::ranges::none_of(list, is_same)) list.push_back(u);
}

}  // namespace

void checker::started(block& b) {
  b.base = b.bound = b.now = epoch_at(first_serial_ + b.number, 0);
  b.known = b.pending = b.fenced = 0;
  b.cluster_bound = b.base;
  b.heard.clear();
  b.unfenced.clear();
  b.lanes_know = false;
  tick(b);
}

/// Advances the block's logical time, so that later accesses have later epochs. A block that
/// synchronizes more often than an epoch can count is no longer checked against itself.
void checker::tick(block& b) {
  if (tick_of(b.now) < last_tick)
    b.now += epoch_at(0, 1);
  else
    b.bound = b.base + epoch_at(1, 0);
}

void checker::barrier_completed(block& b) {
  races_.report_held(serial_of(b.base));
  tick(b);
  if (tick_of(b.now) < last_tick) b.bound = b.now;
  if (!b.lanes_know) return;
  std::vector<snapshot> known{b.known}, pending{b.pending}, fenced{b.fenced};
  std::vector<known_part> parts;
  for (lane& l : b.lanes) {
    if (l.known != 0) known.push_back(l.known);
    if (l.pending != 0) pending.push_back(l.pending);
    l.known = l.pending = 0;
    if (release_point const& at = l.fences[true]; l.fenced[true] != 0) {
      fenced.push_back(l.fenced[true]);
    } else if (at.tick != 0) {
      add_parts(parts, l, at);
      fenced.insert(fenced.end(), {at.known, at.block_known});
    }
    l.fences[true] = {};
    l.fenced[true] = 0;
    for (heard_flag const& f : l.heard) add_flag(b.heard, f, most_flags_of_block);
    l.heard.clear();
    for (unfenced_store const& u : l.unfenced) add_unfenced(b.unfenced, u, most_unfenced);
    l.unfenced.clear();
  }
  b.known = order_.join(std::move(known), serial_of(b.base));
  b.pending = order_.join(std::move(pending), serial_of(b.base));
  b.fenced = order_.join(std::move(fenced), known_part::whole);
  if (!parts.empty()) b.fenced = order_.make(std::move(parts), b.fenced, 0, 0);
  b.lanes_know = false;
}

void checker::cluster_completed(cluster& c) {
  snapshot known = 0, pending = 0, fenced = 0;
  for (block* b : c.blocks) {
    barrier_completed(*b);
    b->cluster_bound = b->bound;
    known = order_.join(known, b->known);
    pending = order_.join(pending, b->pending);
    fenced = order_.join(fenced, b->fenced);
  }
  for (block* b : c.blocks) {
    b->known = known;
    b->pending = pending;
    b->fenced = fenced;
  }
}

void checker::warp_synchronized(warp& w, std::uint32_t lanes) {
  block& b = *w.of;
  tick(b);
  auto const time = static_cast<std::uint16_t>(tick_of(b.now));
  if (b.lanes_know) {
    b.is_rare = true;
    snapshot known = 0, pending = 0, fenced[2] = {};
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      lane& l = w.lanes[std::countr_zero(rest)];
      known = order_.join(known, l.known);
      pending = order_.join(pending, l.pending);
      for (bool const wide : {false, true})
        fenced[wide] = order_.join(fenced[wide], released_by_fence(l, wide));
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      lane& l = w.lanes[std::countr_zero(rest)];
      l.known = known;
      l.pending = pending;
      std::ranges::copy(fenced, l.fenced);
    }
  }
  if ((lanes | w.gone) == w.exists) {
    w.synchronized = time;  // except for lanes that have returned: warp::left_at
    // What some lanes know of those that have returned is passed on below.
    if (w.gone == 0 || w.knowledge == nullptr) return;
  }
  if (w.knowledge == nullptr) w.knowledge = std::make_unique<warp_knowledge>();
  auto& before = w.knowledge->before;
  std::uint16_t all[32] = {};
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    for (unsigned j = 0; j < 32; ++j) all[j] = std::max(all[j], before[std::countr_zero(rest)][j]);
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) all[std::countr_zero(rest)] = time;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    std::ranges::copy(all, before[std::countr_zero(rest)]);
}

release_point checker::point_of(lane const& l) {
  block const& b = *l.of->of;
  return {tick_of(b.now), b.bound, l.of->synchronized, l.known, b.known};
}

/// What a release by thread l at a point publishes besides what it knew there: its own accesses
/// before, and those that barriers had ordered before.
void checker::add_parts(std::vector<known_part>& parts, lane const& l, release_point const& at) {
  warp const& w = *l.of;
  block const& b = *w.of;
  std::uint64_t const serial = serial_of(b.base);
  parts.push_back({serial, l.index, at.tick});
  if (at.bound > b.base) parts.push_back({serial, known_part::whole, tick_of(at.bound - 1) + 1});
  if (w.gone == 0 && w.knowledge == nullptr) {
    if (at.synchronized > 0)
      parts.push_back({serial, known_part::warps + w.index, at.synchronized});
  } else {
    for (unsigned i = 0; i < 32; ++i) {
      unsigned const partly = w.knowledge == nullptr ? 0 : w.knowledge->before[l.index % 32][i];
      unsigned const tick = std::max(std::min(w.met(i), at.synchronized), partly);
      if (tick > 0 && i != l.index % 32) parts.push_back({serial, w.index * 32 + i, tick});
    }
  }
  for (block const* peer : b.of->blocks)
    if (peer != &b && peer->cluster_bound > peer->base)
      parts.push_back({serial_of(peer->base), known_part::whole, tick_of(peer->cluster_bound)});
}

snapshot checker::take_snapshot(lane const& l, release_point const& at) {
  std::vector<known_part> parts;
  add_parts(parts, l, at);
  return order_.make(std::move(parts), at.known, at.block_known, 0);
}

/// A __threadfence() is sequentially consistent in PTX. So it also releases what another thread of
/// the block publishes after the next barrier, and acquires for what another thread has read before
/// the last one. Weaker fences count the same here.
void checker::fence(lane& l, bool device_wide, std::memory_order order) {
  block& b = *l.of->of;
  b.is_rare = b.lanes_know = true;
  if (acquires(order)) {
    l.known = order_.join(order_.join(l.known, l.pending), b.pending);
    l.pending = 0;
  }
  if (releases(order)) {
    tick(b);
    if (device_wide) {
      l.unfenced.clear();
      b.unfenced.clear();
    }
    l.fences[device_wide] = point_of(l);
    // The snapshot is usually taken when something is published, if ever. What a point does not
    // hold would be newer then.
    bool const now = l.of->knowledge != nullptr || b.of->blocks.size() > 1;
    l.fenced[device_wide] = now ? take_snapshot(l, l.fences[device_wide]) : 0;
  }
}

snapshot checker::released_by_fence(lane& l, bool device_wide) {
  release_point const& at = l.fences[device_wide];
  snapshot& released = l.fenced[device_wide];
  if (at.tick != 0 && released == 0) released = take_snapshot(l, at);
  return released;
}

void checker::acquire(location const& from, atomic_call const& call, lane& l) {
  block& b = *l.of->of;
  snapshot& into = acquires(call.order) ? l.known : l.pending;
  into = order_.join(into, from.released);
  for (auto const& [serial, released] : from.in_block)
    if (serial == serial_of(b.base)) into = order_.join(into, released);
  if (into != 0) b.lanes_know = true;
}

/// An update continues what earlier atomics have released, a store replaces it.
void checker::release(location& to, atomic_call const& call, lane& l) {
  block& b = *l.of->of;
  if (call.kind == atomic_kind::store) {
    to.released = 0;
    to.in_block.clear();
  }
  if (releases(call.order)) {
    tick(b);
    add_release(to, take_snapshot(l, point_of(l)), call.device_wide, b);
  } else {
    for (bool const wide : {false, true}) add_release(to, released_by_fence(l, wide), wide, b);
    add_release(to, b.fenced, true, b);
  }
}

/// A store without a fence before it: its element is a flag for the volatile ones before it.
/// Relaxed atomics are no such data: words that tell by themselves whether they are complete need
/// no fence.
void checker::note_unfenced(location& to, std::uint64_t place, atomic_call const& call, lane& l) {
  block& b = *l.of->of;
  epoch const mine = b.base | static_cast<epoch>(l.index) << 14;
  std::erase_if(to.after, [&](unfenced_store const& u) { return u.by == mine; });
  if (releases(call.order)) return;
  for (auto const* const list : {&l.unfenced, &b.unfenced})
    for (unfenced_store const& u : *list)
      if (u.place != place) add_unfenced(to.after, u, most_unfenced);
  any_unfenced_ = any_unfenced_ || !to.after.empty();
  if (call.kind != atomic_kind::store || !call.is_volatile) return;
  add_unfenced(l.unfenced, {mine, place}, most_unfenced_of_lane);
  b.lanes_know = true;
}

void checker::add_release(location& to, snapshot released, bool device_wide, block const& by) {
  if (released == 0) return;
  std::uint64_t const serial = serial_of(by.base);
  if (device_wide) {
    to.released = order_.join(to.released, released);
    return;
  }
  auto const same = std::ranges::find(to.in_block, serial, [](auto const& p) { return p.first; });
  if (same == to.in_block.end())
    to.in_block.emplace_back(serial, released);
  else
    same->second = order_.join(same->second, released);
}

void checker::acquire_from(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                           position at) {
  block& b = *l.of->of;
  auto const known = locations_.find(m.identity + offset);
  if (call.kind == atomic_kind::store || known == locations_.end()) return;
  location const& place = known->second;
  if (place.last_writer == 0) return;
  b.is_rare = true;
  acquire(place, call, l);
  if (place.only_writer == (b.base | static_cast<epoch>(l.index) << 14)) return;
  add_flag(l.heard, {&m, offset, at, place.first_writer, place.last_writer}, most_flags_of_lane);
  b.lanes_know = true;
}

void checker::published(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                        bool changed) {
  block& b = *l.of->of;
  b.is_rare = true;
  bool const writes = changed || call.kind == atomic_kind::store ||
                      call.kind == atomic_kind::update;  // but not a failed compare-and-swap
  if (!writes) return;
  if (m.owner != nullptr && call.order == std::memory_order_relaxed && l.fences[0].tick == 0 &&
      l.fences[1].tick == 0 && b.fenced == 0 && !locations_.contains(m.identity + offset))
    return;  // a counter, not a flag
  location& place = locations_[m.identity + offset];
  release(place, call, l);
  if (m.owner == nullptr) note_unfenced(place, m.identity + offset, call, l);
  epoch const mine = b.base | static_cast<epoch>(l.index) << 14;
  std::uint64_t const serial = serial_of(b.base);
  bool const is_first = place.last_writer == 0;
  place.only_writer = is_first || place.only_writer == mine ? mine : 0;
  place.first_writer = is_first ? serial : std::min(place.first_writer, serial);
  place.last_writer = std::max(place.last_writer, serial);
}

std::optional<heard_flag> checker::flag_between(lane const& l, epoch s, memory const& m,
                                                std::uint64_t offset) {
  using flags = std::vector<heard_flag>;
  for (flags const* const list : {&l.heard, static_cast<flags const*>(&l.of->of->heard)})
    for (heard_flag const& f : *list)
      if (f.first <= serial_of(s) && serial_of(s) <= f.last && (f.of != &m || f.offset != offset))
        return f;
  return {};
}

}  // namespace upsweep::sim

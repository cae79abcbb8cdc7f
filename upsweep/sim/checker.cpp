/// The happens-before relation, and the messages about accesses that it does not order.
#include <upsweep/sim/checker.hpp>

#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <bit>
#include <string_view>

namespace upsweep::sim {

namespace {

/// Whether the lane or its block has acquired the access. The lane is busy: with many blocks the
/// search may take longer than `loop_watch` waits for a basic block.
bool knows(happens_before& order, lane const& l, epoch s) {
  busy_scope const busy;
  return order.knows(l.of->of->known, s) || order.knows(l.known, s);
}

constexpr char volatile_advice[] =
    "; a volatile access does not order the lanes of a warp, which need not run in step since "
    "Volta: add a __syncwarp() between them (with --schedule lockstep they run in step, as old "
    "listings expect)";

constexpr unsigned last_tick = 0xfff0;
constexpr unsigned most_sites = 0xfff;

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst || order == std::memory_order_consume;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

}  // namespace

checker::checker(findings& found, simt::launch_shape const& shape, std::uint64_t first_serial)
    : found_(found),
      shape_(shape),
      first_serial_(first_serial),
      launch_bound_(epoch_at(first_serial, 0)),
      sites_(1) {}

unsigned checker::find_number(position at) {
  std::uint64_t const key = at.word();
  unsigned& number = site_numbers_[key];
  if (number == 0 && sites_.size() <= most_sites) {
    number = static_cast<unsigned>(sites_.size());
    sites_.push_back(at);
  }
  recent_sites_[key / 8 % 256] = {key, number};
  return number;
}

void checker::started(block& b) {
  b.base = b.bound = b.now = epoch_at(first_serial_ + b.number, 0);
  b.known = 0;
  b.cluster_bound = b.base;
  b.heard.clear();
  b.lanes_know = false;
  tick(b);
}

void checker::ended(block& b) {
  if (b.of->blocks.size() == 1) return;
  for (memory* m : b.by_slot) {
    if (m == nullptr) continue;
    for (std::uint64_t e = 0; e < m->bytes / m->element_bytes; ++e) {
      epoch r = m->shadows[e].read;
      if (kind_of_epoch(r) == many_blocks && serial_of(r) == serial_of(b.base))
        r = earlier_read(*m, m->shadows[e]);
      if (r < launch_bound_ || serial_of(r) == serial_of(b.base)) continue;
      bool const is_past = std::ranges::any_of(b.of->blocks, [&](block* peer) {
        return serial_of(peer->base) == serial_of(r) && r < peer->cluster_bound;
      });
      if (is_past) continue;
      position const at = sites_[site_of(r)];
      found_.note(finding_kind::race_between_blocks, at, {}, [&] {
        return say(
            name_of_thread(shape_, serial_of(r) - first_serial_, thread_of(r)), " reads element ",
            e, " of ", name_of(*m), " at ", short_name(at), " in the shared memory of ", name_of(b),
            ", which may have exited by then: end the kernel with a cluster barrier, so that "
            "no block exits while others read its shared memory");
      });
      return;
    }
  }
}

/// Advances the block's logical time, so that later accesses have later epochs. A block that
/// synchronises more often than an epoch can count is no longer checked against itself.
void checker::tick(block& b) {
  if (tick_of(b.now) < last_tick)
    b.now += epoch_at(0, 1);
  else
    b.bound = b.base + epoch_at(1, 0);
}

void checker::barrier_completed(block& b) {
  tick(b);
  if (tick_of(b.now) < last_tick) b.bound = b.now;
  if (!b.lanes_know) return;
  std::vector<snapshot> known{b.known};
  for (lane& l : b.lanes) {
    if (l.known != 0) known.push_back(l.known);
    l.known = 0;
    b.heard.insert(b.heard.end(), l.heard.begin(), l.heard.end());
    l.heard.clear();
  }
  b.known = order_.join(std::move(known), serial_of(b.base));
  if (b.heard.size() > 64) b.heard.erase(b.heard.begin(), b.heard.end() - 64);
  b.lanes_know = false;
}

void checker::cluster_completed(cluster& c) {
  snapshot all = 0;
  for (block* b : c.blocks) {
    barrier_completed(*b);
    b->cluster_bound = b->bound;
    all = order_.join(all, b->known);
  }
  for (block* b : c.blocks) b->known = all;
}

void checker::warp_synchronised(warp& w, std::uint32_t lanes) {
  block& b = *w.of;
  tick(b);
  auto const time = static_cast<std::uint16_t>(tick_of(b.now));
  if (b.lanes_know) {
    b.is_rare = true;
    snapshot all = 0;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      all = order_.join(all, w.lanes[std::countr_zero(rest)].known);
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
      w.lanes[std::countr_zero(rest)].known = all;
  }
  if ((lanes | w.gone) == w.exists) {
    w.synchronised = time;  // except for lanes that have returned: warp::left_at
    return;
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

/// Whether the access `s` of another thread of this launch happens before the current access of
/// `l`.
bool checker::is_ordered(lane& l, epoch s) {
  warp const& w = *l.of;
  block const& b = *w.of;
  if (is_trivially_ordered(l, s)) return true;
  if (serial_of(s) == serial_of(b.base)) {
    unsigned const other = thread_of(s);
    if (other / 32 == w.index &&
        (tick_of(s) < w.met(other % 32) ||
         (w.knowledge != nullptr && tick_of(s) < w.knowledge->before[l.index % 32][other % 32])))
      return true;
  } else {
    for (block const* peer : b.of->blocks)
      if (serial_of(peer->base) == serial_of(s) && s < peer->cluster_bound) return true;
  }
  return knows(order_, l, s);
}

epoch checker::unordered_read(memory& m, lane& l, shadow& of) {
  epoch const s = peek(of.read);
  if (s == 0 || s < launch_bound_) return 0;
  block const& b = *l.of->of;
  unsigned const kind = kind_of_epoch(s);
  auto const unless_ordered = [&](epoch read) { return is_ordered(l, read) ? 0 : read; };
  if (kind == one_thread || (kind != many_blocks && serial_of(s) != serial_of(b.base)))
    return unless_ordered(s);
  epoch const earlier = peek(earlier_read(m, of));
  if (kind == many_blocks) {
    epoch const last = unless_ordered(s);
    return last != 0 ? last : unless_ordered(earlier);
  }
  // The reader in the shadow may be `l` itself; the others are not.
  if (s < b.bound || knows(order_, l, s)) return 0;
  if (epoch const known = unless_ordered(earlier); known != 0) return known;
  bool const all_have_met =
      kind == one_warp && thread_of(s) / 32 == l.of->index && tick_of(s) < l.of->synchronised;
  if (all_have_met || (kind_of_epoch(earlier) == one_thread && is_ordered(l, s))) return 0;
  return s;
}

void checker::check_write(shadow& s, memory& m, std::uint64_t offset, lane& l, char const* verb,
                          bool is_atomic, position at) {
  epoch const w = peek(s.write);
  if (w != 0 && !(is_atomic && kind_of_epoch(w) == atomic_write && w >= launch_bound_) &&
      !is_ordered(l, w))
    race(m, offset, l, w, true, verb, at);
  else if (epoch const r = unordered_read(m, l, s); r != 0)
    race(m, offset, l, r, false, verb, at);
}

void checker::atomic(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                     position at) {
  shadow& s = m.shadows[m.element_of(offset)];
  epoch const w = peek(s.write);
  if (w == 0 && call.kind != atomic_kind::store) uninitialised(m, offset, l, at);
  if (call.kind == atomic_kind::load) {
    if (w != 0 && kind_of_epoch(w) == plain_write && !is_ordered(l, w))
      race(m, offset, l, w, true, "reads (atomically)", at);
    return;
  }
  check_write(s, m, offset, l, "writes (atomically)", true, at);
  poke(s.write, now(l, at) | atomic_write);
  poke(s.read, 0);
}

/// What a release of thread l publishes: all that it knows, and its own accesses before tick
/// `thread_tick`.
snapshot checker::take_snapshot(lane const& l, unsigned thread_tick, bool device_wide) {
  warp const& w = *l.of;
  block const& b = *w.of;
  std::uint64_t const serial = serial_of(b.base);
  std::vector<known_part> parts{{serial, l.index, thread_tick}};
  if (b.bound > b.base) parts.push_back({serial, known_part::whole, tick_of(b.bound - 1) + 1});
  if (w.synchronised > 0) parts.push_back({serial, known_part::warps + w.index, w.synchronised});
  for (block const* peer : b.of->blocks)
    if (peer != &b && peer->cluster_bound > peer->base)
      parts.push_back({serial_of(peer->base), known_part::whole, tick_of(peer->cluster_bound)});
  return order_.make(std::move(parts), l.known, b.known, 0, device_wide ? 0 : serial);
}

void checker::fence(lane& l, bool device_wide, std::memory_order order) {
  l.of->of->is_rare = true;
  if (acquires(order)) {
    l.known = order_.join(l.known, l.pending);
    l.pending = 0;
    l.of->of->lanes_know = true;
  }
  if (releases(order)) {
    tick(*l.of->of);
    l.fence_tick = tick_of(l.of->of->now);
    l.fence_is_wide = device_wide;
    l.fenced = 0;  // its snapshot is taken when something is published
  }
}

void checker::published(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                        bool changed) {
  block& b = *l.of->of;
  b.is_rare = true;
  if (m.owner != nullptr && call.order == std::memory_order_relaxed && l.fence_tick == 0 &&
      !locations_.contains(m.identity + offset))
    return;  // a counter, not a flag
  location& place = locations_[m.identity + offset];
  bool const reads = call.kind != atomic_kind::store;
  bool const writes = call.kind == atomic_kind::store || changed;
  if (reads && place.writer != 0) {
    if (place.released != 0 && order_.is_for(place.released, serial_of(b.base))) {
      snapshot& into = acquires(call.order) ? l.known : l.pending;
      into = order_.join(into, place.released);
      b.lanes_know = true;
    }
    if (l.heard.empty() || l.heard.back() != place.writer) {
      l.heard.push_back(place.writer);
      if (l.heard.size() > 8) l.heard.erase(l.heard.begin());
      b.lanes_know = true;
    }
  }
  if (!writes) return;
  snapshot published = 0;
  if (releases(call.order)) {
    tick(b);
    published = take_snapshot(l, tick_of(b.now), call.device_wide);
  } else if (l.fence_tick != 0) {
    if (l.fenced == 0) l.fenced = take_snapshot(l, l.fence_tick, l.fence_is_wide);
    published = l.fenced;
  }
  place.released =
      call.kind == atomic_kind::store ? published : order_.join(place.released, published);
  place.writer = b.base | static_cast<epoch>(l.index) << 14;
}

bool checker::has_observed(lane const& l, epoch s) const {
  auto const same = [s](epoch heard) {
    return ((heard ^ s) & thread_bits) == 0 || serial_of(heard) == serial_of(s);
  };
  return std::ranges::any_of(l.heard, same) || std::ranges::any_of(l.of->of->heard, same);
}

/// Whether both sides of a race are read-modify-write updates, so that one update is lost.
bool checker::are_updates(memory const& m, std::uint64_t offset, lane const& l, epoch before,
                          bool before_writes, bool is_read, position at) {
  unsigned const place = site_of(before);
  if (place == 0) return false;
  if (is_read) return number_of(at) != 0 && reads_of_updates_[place] == number_of(at);
  return has_just_read(l, m, offset) && place == number_of(before_writes ? at : l.last_at);
}

void checker::race(memory& m, std::uint64_t offset, lane& l, epoch before, bool before_writes,
                   char const* verb, position at) {
  bool const same_block = serial_of(before) == serial_of(l.of->of->base);
  bool const in_one_warp = same_block && thread_of(before) / 32 == l.of->index &&
                           (before_writes || kind_of_epoch(before) <= one_warp);
  // The shadow holds the last of several readers. If that is the thread itself, the race is with
  // one of the others.
  char const* other_reader = nullptr;
  if (!before_writes && same_block && thread_of(before) == l.index)
    other_reader = in_one_warp ? "another thread of its warp" : "another thread of its block";
  bool const heard = (before_writes || !same_block) && has_observed(l, before);
  finding_kind const kind = heard        ? finding_kind::missing_fence
                            : same_block ? finding_kind::race_in_block
                                         : finding_kind::race_between_blocks;
  position const there = sites_[site_of(before)];
  found_.note(
      kind, there, at,
      [&] {
        std::string const other =
            other_reader != nullptr
                ? other_reader
                : name_of_thread(shape_, serial_of(before) - first_serial_, thread_of(before));
        std::string text =
            say(name_of(l), " ", verb, " element ", offset / m.element_bytes, " of ", name_of(m),
                " at ", short_name(at), "; ", other,
                before_writes ? " writes it at " : " reads it at ", short_name(there));
        if (heard)
          text +=
              "; a flag orders the two threads, but no fence orders the data: call __threadfence() "
              "after "
              "writing the data and before setting the flag, and again after seeing the flag and "
              "before "
              "accessing the data";
        else if (are_updates(m, offset, l, before, before_writes,
                             std::string_view(verb).starts_with("reads"), at))
          text +=
              "; both update the element, and one of two concurrent updates is lost: use "
              "atomicAdd() or another atomic function";
        else if (in_one_warp && at == here.last_volatile)
          text += volatile_advice;
        else if (same_block)
          text += say(
              "; nothing orders the two accesses, so either may come first: add a __syncthreads() "
              "between them",
              in_one_warp ? ", or a __syncwarp() if only lanes of one warp are involved" : "");
        else
          text +=
              "; nothing orders the two blocks, so either may come first: split the kernel into "
              "two "
              "launches, or publish the data with a flag and fences";
        return text;
      },
      other_reader != nullptr
          ? std::nullopt
          : std::optional(thread_number{serial_of(before) - first_serial_, thread_of(before)}));
}

void checker::uninitialised(memory& m, std::uint64_t offset, lane& l, position at) {
  // A compiler may not report every write. What does not hold poison has been written.
  std::byte const* const begin = m.data + offset;
  std::byte const* const end = m.data + std::min<std::uint64_t>(m.bytes, offset + m.element_bytes);
  if (std::any_of(begin, end, [](std::byte b) { return b != std::byte{poison}; })) return;
  found_.note(finding_kind::uninitialised_read, at, {}, [&] {
    return say(name_of(l), " reads element ", offset / m.element_bytes, " of ", name_of(m), " at ",
               short_name(at), ", which has never been written",
               m.owner != nullptr ? ": shared memory is uninitialised when a block starts" : "");
  });
}

}  // namespace upsweep::sim

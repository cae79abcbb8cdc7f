/// Which accesses the happens-before relation does not order.
#include <upsweep/sim/checker.hpp>

#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace upsweep::sim {

namespace {

/// Whether the lane or its block has acquired the access. The lane is busy: with many blocks the
/// search may take longer than `loop_watch` waits for a basic block.
bool knows(happens_before& order, lane const& l, epoch s) {
  busy_scope const busy;
  return order.knows(l.of->of->known, s) || order.knows(l.known, s);
}

bool is_atomic(epoch write) {
  return (write & atomic_write) != 0;
}

}  // namespace

checker::checker(findings& found, simt::launch_shape const& shape, std::uint64_t first_serial,
                 bool alone)
    : found_(found),
      undefined_(found),
      first_serial_(first_serial),
      alone_(alone),
      launch_bound_(epoch_at(first_serial, 0)),
      races_(found, shape, first_serial) {}

void checker::ended(block& b) {
  undefined_.settle();
  races_.report_held(serial_of(b.base));
  for (memory* m : b.by_slot) {
    if (m == nullptr) continue;
    for (std::uint64_t e = 0; b.of->blocks.size() > 1 && e < m->bytes / m->element_bytes; ++e)
      if (read_at_end(b, *m, e)) break;
    histories_.forget(*m);
  }
}

/// Whether a block of the cluster may still be reading the element of a block that has ended.
bool checker::read_at_end(block const& b, memory& m, std::uint64_t e) {
  auto const is_past = [&](epoch r) {
    if (r < launch_bound_ || r == see_history || serial_of(r) == serial_of(b.base)) return true;
    return std::ranges::any_of(b.of->blocks, [&](block* peer) {
      return serial_of(peer->base) == serial_of(r) && r < peer->cluster_bound;
    });
  };
  epoch last = m.shadows[e].read;
  if (kind_of_epoch(last) != one_thread)
    if (history const* const h = histories_.find(m, e); h != nullptr && is_past(last))
      for (epoch const r : h->reads)
        if (!is_past(r)) last = r;
  if (is_past(last)) return false;
  position const at = races_.site(site_of(last));
  found_.note(finding_kind::race_between_blocks, at, {}, [&] {
    return say(races_.name_of_thread_at(last), " reads element ", e, " of ", name_of(m), " at ",
               short_name(at), " in the shared memory of ", name_of(b),
               ", which may have exited by then: end the kernel with a cluster barrier, so that "
               "no block exits while others read its shared memory");
  });
  return true;
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

epoch checker::unordered(access_set const& of, lane& l, bool only_plain) {
  for (epoch const s : of)
    if (!(only_plain && kind_of_epoch(s) == by_atomic_load) && !is_ordered(l, s)) return s;
  return 0;
}

/// An atomic write conflicts with plain reads only.
epoch checker::unordered_read(memory& m, lane& l, shadow& of, bool by_atomic) {
  epoch const s = peek(of.read);
  if (s < launch_bound_) return 0;
  block const& b = *l.of->of;
  if (s != see_history) {
    if (!is_ordered(l, s)) return s;
    unsigned const kind = kind_of_epoch(s);
    if (kind == one_thread || (kind == one_block && s >= b.base && s < b.bound)) return 0;
  }
  history const* const h = history_of(m, of);
  return h == nullptr ? 0 : unordered(h->reads, l, by_atomic);
}

/// Null if blocks on other host threads use the element, which are independent of this one.
history* checker::made_history(memory& m, shadow const& s) {
  if (!alone_ && m.owner == nullptr) return nullptr;
  return &histories_.of(m, static_cast<std::uint64_t>(&s - m.shadows));
}

/// An access that no barrier of its block orders after the last write `w`.
void checker::check_after(epoch w, shadow& s, memory& m, std::uint64_t offset, lane& l, position at,
                          access_verb verb) {
  if (w == 0) {
    if (verb == access_verb::reads) uninitialized(m, offset, l, at);
    return;
  }
  if (!is_atomic(w)) {
    if (!is_trivially_ordered(l, w) && !is_ordered(l, w)) race(m, offset, l, w, true, verb, at);
    return;
  }
  history const* const h = history_of(m, s);
  if (h == nullptr) {
    if (w == see_history) poke(s.write, host_write);  // of an earlier launch
    return;
  }
  if (h->plain_write != 0 && !is_ordered(l, h->plain_write))
    race(m, offset, l, h->plain_write, true, verb, at);
  if (epoch const a = unordered(h->atomics, l); a != 0) race(m, offset, l, a, true, verb, at, true);
}

/// The element has been read by another thread than that of `mine`.
void checker::read_by_several(shadow& s, memory& m, epoch mine) {
  epoch const r = peek(s.read);
  if (r == see_history) {
    if (history* const h = history_of(m, s); h != nullptr)
      h->reads.add(mine, histories_.room());
    else
      poke(s.read, mine | one_thread);  // of an earlier launch
    return;
  }
  if (history* const h = made_history(m, s); h != nullptr) {
    if (kind_of_epoch(r) == one_thread) h->reads.clear();
    h->reads.add(r & ~epoch{3}, histories_.room());
  }
  bool const in_block = serial_of(r) == serial_of(mine) && kind_of_epoch(r) != many_blocks;
  poke(s.read, mine | (in_block ? one_block : many_blocks));
}

epoch checker::own_read(memory& m, shadow& s, lane const& l) {
  epoch const mine = l.of->of->base | static_cast<epoch>(l.index) << 14;
  auto const is_own = [&](epoch r) {
    return ((r ^ mine) & thread_bits) == 0 && r >= l.of->of->bound;
  };
  epoch const last = peek(s.read);
  if (last != see_history && is_own(last)) return last;
  if (last < launch_bound_ || kind_of_epoch(last) == one_thread) return 0;
  if (history const* const h = history_of(m, s); h != nullptr)
    for (epoch const r : h->reads)
      if (is_own(r) && (kind_of_epoch(r) == by_plain_read || races_.has(site_of(r), volatile_site)))
        return r;
  return 0;
}

void checker::check_write(shadow& s, memory& m, std::uint64_t offset, lane& l, position at) {
  if (epoch const r = own_read(m, s, l); r != 0) races_.note_update(site_of(r), at);
  is_lost_update_ = races_.confirm_update(l.of->of->base | static_cast<epoch>(l.index) << 14,
                                          m.identity + offset, l.operations);
  check_after(peek(s.write), s, m, offset, l, at, access_verb::writes);
  if (epoch const r = unordered_read(m, l, s, false); r != 0)
    race(m, offset, l, r, false, access_verb::writes, at);
  is_lost_update_ = false;
}

void checker::read_only(memory& m, std::uint64_t offset, lane const& l, position at) {
  shadow& s = m.shadows[m.element_of(offset)];
  epoch const w = peek(s.write);
  if (w < launch_bound_ || (w == see_history && history_of(m, s) == nullptr)) return;
  found_.note(finding_kind::misuse, at, {}, [&] {
    return say(name_of(l), " reads element ", m.element_of(offset), " of ", name_of(m),
               " by __ldg() at ", short_name(at),
               ", which this kernel has written: __ldg() may use a cache that holds the old value; "
               "use a plain load");
  });
}

void checker::atomic(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                     position at) {
  if (!is_atomic(peek(m.shadows[m.element_of(offset)].write))) forget_release(m, offset);
  std::uint64_t const last = m.element_of(offset + (call.type & 0xffffu) - 1);
  for (std::uint64_t e = m.element_of(offset); e <= last; ++e)
    atomic_access(m, e * m.element_bytes, call, l, at);
  // What it acquires does not order the access itself: it might have come before the release.
  acquire_from(m, offset, call, l, at);
}

/// The part of it in one element.
void checker::atomic_access(memory& m, std::uint64_t offset, atomic_call const& call, lane& l,
                            position at) {
  shadow& s = m.shadows[m.element_of(offset)];
  epoch const w = peek(s.write);
  bool const loads = call.kind == atomic_kind::load;
  if (w == 0 && call.kind != atomic_kind::store) uninitialized(m, offset, l, at);
  if (call.kind == atomic_kind::compare_and_swap) excuse_read(s, m, offset, l);
  epoch plain = w;
  if (is_atomic(w)) {
    history const* const h = history_of(m, s);
    plain = h == nullptr ? 0 : h->plain_write;
  }
  access_verb const verb = loads ? access_verb::reads_atomically : access_verb::writes_atomically;
  if (plain != 0 && !is_ordered(l, plain)) race(m, offset, l, plain, true, verb, at);
  if (call.is_volatile || !call.device_wide || any_of_block_)
    weak_atomic_access(s, m, offset, call, l, at);
  if (undefined_.any() && !loads) {
    auto const* const operand = static_cast<std::byte const*>(call.operand);
    std::size_t const bytes = call.type & 0xffffu;
    bool const swaps = call.kind == atomic_kind::compare_and_swap;  // a pair
    undefined_.write(l, at, m.data + offset, bytes,
                     call.is_volatile ? nullptr : operand + (swaps ? bytes : 0));
  }
  if (loads && any_unfenced_ && call.is_volatile) check_unfenced(m, s, offset, l, at);
  if (loads) return atomic_load(s, m, now(l, at) | by_atomic_load);
  if (epoch const r = unordered_read(m, l, s, true); r != 0) race(m, offset, l, r, false, verb, at);
  atomic_update(s, m, now(l, at));
}

epoch checker::weak_conflict(access_set const& of, bool atomics, bool is_flag,
                             atomic_call const& call, lane& l) {
  for (epoch const s : of) {
    if (!atomics && kind_of_epoch(s) != by_atomic_load) continue;
    bool const in_block = serial_of(s) == serial_of(l.of->of->base);
    bool const is_weak = in_block
                             ? !is_flag && call.is_volatile && races_.has(site_of(s), volatile_site)
                             : !call.device_wide || races_.has(site_of(s), block_scope_site);
    if (is_weak && !is_ordered(l, s)) return s;
  }
  return 0;
}

void checker::weak_atomic_access(shadow& s, memory& m, std::uint64_t offset,
                                 atomic_call const& call, lane& l, position at) {
  unsigned const site = races_.number_of(at);
  any_of_block_ = any_of_block_ || !call.device_wide;
  if (call.is_volatile) races_.note_property(site, volatile_site);
  if (!call.device_wide) races_.note_property(site, block_scope_site);
  epoch const thread = l.of->of->base | static_cast<epoch>(l.index) << 14;
  bool const loads = call.kind == atomic_kind::load;
  if (call.is_volatile && !loads)
    is_lost_update_ = races_.confirm_update(thread, m.identity + offset, l.operations);
  history const* const h = history_of(m, s);
  if (h == nullptr) return;
  // After a fence it is a flag, by which warps of a block may wait for each other.
  auto const place = locations_.find(m.identity + offset);
  bool const is_flag =
      place != locations_.end() && (place->second.released != 0 || !place->second.in_block.empty());
  epoch const w = peek(s.write);
  access_verb const verb = loads ? access_verb::reads : access_verb::writes;
  if (w >= launch_bound_ && is_atomic(w)) {
    epoch const a = weak_conflict(h->atomics, true, is_flag, call, l);
    if (a != 0) race(m, offset, l, a, true, verb, at);
  }
  if (loads || peek(s.read) < launch_bound_) return;
  if (epoch const r = weak_conflict(h->reads, false, is_flag, call, l); r != 0)
    race(m, offset, l, r, false, verb, at);
  if (!call.is_volatile) return;
  // A volatile counter: other blocks' updates are lost too.
  for (epoch const r : h->reads)
    if (((r ^ thread) & thread_bits) == 0 && r >= l.of->of->bound)
      races_.note_update(site_of(r), at);
  if (!races_.is_update(site)) return;
  for (epoch const a : h->atomics)
    if (is_atomic(w) && races_.is_update(site_of(a)) && races_.has(site_of(a), volatile_site) &&
        !is_ordered(l, a))
      return race(m, offset, l, a, true, verb, at);
}

void checker::check_unfenced(memory& m, shadow& s, std::uint64_t offset, lane& l, position at) {
  history const* const h = history_of(m, s);
  if (h == nullptr || !is_atomic(peek(s.write))) return;
  for (auto const* const list : {&l.heard, &l.of->of->heard})
    for (heard_flag const& f : *list) {
      auto const flag = locations_.find(f.of->identity + f.offset);
      if (flag == locations_.end()) continue;
      for (unfenced_store const& u : flag->second.after)
        for (epoch const a : h->atomics)
          if (u.place == m.identity + offset && ((a ^ u.by) & thread_bits) == 0 &&
              !is_ordered(l, a))
            return races_.report({.before = a,
                                  .now = now(l, at),
                                  .before_writes = true,
                                  .verb = access_verb::reads,
                                  .of = &m,
                                  .element = offset / m.element_bytes,
                                  .flag = f});
    }
}

void checker::atomic_load(shadow& s, memory& m, epoch mine) {
  history* const h = made_history(m, s);
  if (h == nullptr) return;
  epoch const r = peek(s.read);
  if (r != see_history) {
    if (r < launch_bound_ || kind_of_epoch(r) == one_thread) h->reads.clear();
    if (r >= launch_bound_) h->reads.add(r & ~epoch{3}, histories_.room());
    poke(s.read, see_history);
    m.shared_since = first_serial_;
  }
  h->reads.add(mine, histories_.room());
}

void checker::atomic_update(shadow& s, memory& m, epoch mine) {
  epoch const w = peek(s.write);
  bool const known = is_atomic(w) && w >= launch_bound_ && history_of(m, s) != nullptr;
  history* const h = made_history(m, s);
  if (h == nullptr) return poke(s.write, mine | atomic_write);
  if (!known) {
    h->plain_write = is_atomic(w) || w < launch_bound_ ? 0 : w;
    h->atomics.clear();
    if (peek(s.read) == 0) h->reads.clear();
  }
  h->atomics.add(mine, histories_.room());
  bool const in_block = !known || (w != see_history && serial_of(w) == serial_of(mine));
  if (!in_block) m.shared_since = first_serial_;
  poke(s.write, in_block ? mine | atomic_write : see_history);
}

void checker::excuse_read(shadow& s, memory& m, std::uint64_t offset, lane const& l) {
  epoch const mine = l.of->of->base | static_cast<epoch>(l.index) << 14;
  epoch const r = peek(s.read);
  if (epoch const own = own_read(m, s, l); own != 0)
    races_.excuse(mine, m.identity + offset, site_of(own));
  if (r < launch_bound_) return;
  history* const h = history_of(m, s);
  if (h != nullptr && kind_of_epoch(r) != one_thread)
    h->reads.remove(mine | by_plain_read, l.of->of->bound);
  if (r == see_history || ((r ^ mine) & thread_bits) != 0 || r < l.of->of->bound) return;
  epoch const before = h == nullptr || kind_of_epoch(r) == one_thread ? 0 : h->reads.take_last();
  poke(s.read, before == 0 ? 0 : before | (r & 3));
}

void checker::race(memory& m, std::uint64_t offset, lane& l, epoch before, bool before_writes,
                   access_verb verb, position at, bool by_atomic) {
  race_facts r{.before = before,
               .now = now(l, at),
               .before_writes = before_writes,
               .verb = verb,
               .of = &m,
               .element = offset / m.element_bytes,
               .by_volatile = at == here.last_volatile};
  bool const same_block = serial_of(before) == serial_of(r.now);
  bool const is_data = !same_block || !r.by_volatile;  // no flag
  if ((before_writes || !same_block) && is_data) r.flag = flag_between(l, before, m, offset);
  r.of_block = !same_block && (races_.has(site_of(before), block_scope_site) ||
                               races_.has(site_of(r.now), block_scope_site));
  bool const reads = verb == access_verb::reads && by_atomic;
  bool const plain_and_atomic = reads || (verb == access_verb::writes_atomically && !before_writes);
  if (!plain_and_atomic && !r.of_block) find_updates(r, m, offset, l);
  bool const by_now = verb == access_verb::reads;  // the thread whose next access decides
  if (plain_and_atomic || r.may_be_updates)
    races_.hold(by_now ? r.now : before, m.identity + r.element * m.element_bytes, r,
                by_now ? l.operations : races::unknown);
  else
    races_.report(r);
}

void checker::find_updates(race_facts& r, memory& m, std::uint64_t offset, lane& l) {
  unsigned const before = site_of(r.before), here_now = site_of(r.now);
  if (before == 0 || here_now == 0) return;
  bool const writes = r.verb == access_verb::writes;
  if (writes && r.before_writes)
    r.are_updates = is_lost_update_ || races_.are_updates(before, here_now);
  else if (writes)
    r.may_be_updates = own_read(m, m.shadows[m.element_of(offset)], l) != 0;
  else if (r.verb == access_verb::reads)
    r.may_be_updates = races_.is_update(before);
}

}  // namespace upsweep::sim

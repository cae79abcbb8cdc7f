/// Turns an aligned step into counts and, when tracing, into a step of the trace.
#include <upsweep/sim/recorder.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace upsweep::sim {

namespace {

/// Active lane `lane[i]` accesses the bytes from `first[i]` on; lanes are ascending.
struct warp_request {
  std::uint64_t const* first;
  std::uint8_t const* lane;
  unsigned count;
  unsigned bytes;  ///< of one lane: 1, 2, 4, 8 or 16
};

struct shared_cost {
  unsigned wavefronts;
  unsigned conflicts;  ///< wavefronts beyond one for each group of lanes that is served together
};

/// Wavefronts for lanes [begin, end) of the request: the largest number of distinct words that fall
/// into one bank.
unsigned passes(warp_request const& r, unsigned begin, unsigned end) {
  unsigned const words = (r.bytes + 3) / 4;
  std::uint64_t held[32];  // the first word of each bank
  std::uint32_t taken = 0;
  bool conflict = false;
  for (unsigned i = begin; i < end; ++i)
    for (unsigned j = 0; j < words; ++j) {
      std::uint64_t const word = r.first[i] / 4 + j;
      auto const bank = static_cast<unsigned>(word % 32);
      if ((taken >> bank & 1) == 0) {
        taken |= 1u << bank;
        held[bank] = word;
      } else {
        conflict |= held[bank] != word;
      }
    }
  if (!conflict) return 1;
  std::uint64_t all[64];
  unsigned count = 0;
  for (unsigned i = begin; i < end; ++i)
    for (unsigned j = 0; j < words; ++j) all[count++] = r.first[i] / 4 + j;
  std::sort(all, all + count);
  count = static_cast<unsigned>(std::unique(all, all + count) - all);
  unsigned in_bank[32] = {};
  for (unsigned i = 0; i < count; ++i) ++in_bank[all[i] % 32];
  return *std::max_element(in_bank, in_bank + 32);
}

/// 32 banks of 4 bytes. Accesses of 8 bytes are served per half-warp, of 16 bytes per quarter-warp;
/// lanes that access the same word share one access (broadcast).
shared_cost shared_request(warp_request const& r) {
  unsigned const group = r.bytes <= 4 ? 32 : r.bytes == 8 ? 16 : 8;
  shared_cost cost{0, 0};
  for (unsigned begin = 0; begin < r.count;) {
    unsigned end = begin + 1;
    while (end < r.count && r.lane[end] / group == r.lane[begin] / group) ++end;
    unsigned const needed = passes(r, begin, end);
    cost.wavefronts += needed;
    cost.conflicts += needed - 1;
    begin = end;
  }
  return cost;
}

/// The number of distinct aligned units of 2^shift bytes that the request touches.
unsigned units_touched(warp_request const& r, unsigned shift) {
  // Pieces are aligned and no larger than a unit, so each lies in one.
  unsigned count = 1;
  bool ascending = true;
  for (unsigned i = 1; i < r.count; ++i) {
    std::uint64_t const unit = r.first[i] >> shift, before = r.first[i - 1] >> shift;
    count += unit != before;
    ascending &= unit >= before;
  }
  if (ascending || count == 1) return count;
  std::uint64_t units[32];
  for (unsigned i = 0; i < r.count; ++i) units[i] = r.first[i] >> shift;
  std::sort(units, units + r.count);
  return static_cast<unsigned>(std::unique(units, units + r.count) - units);
}

unsigned memory_of(access_record const& r) {
  return static_cast<unsigned>(r.where >> 48);
}

element_counts& at(std::vector<element_counts>& list, std::size_t i) {
  if (list.size() <= i) list.resize(i + 1);
  return list[i];
}

}  // namespace

/// The lanes whose load did not poll; the polls of the others are counted.
std::uint32_t recorder::without_polls(warp& w, std::uint32_t mask, std::uint32_t const* records,
                                      counters& at_site) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto const i = static_cast<unsigned>(std::countr_zero(rest));
    if ((w.lanes[i].data_begin[records[i]].where & is_poll) == 0) continue;
    mask &= ~(1u << i);
    for (counters* c : {&at_site, &w.of->counts}) ++c->polls;
  }
  return mask;
}

/// One step of the lanes of `mask`; lane i's record is its `records[i]`-th.
void recorder::take(warp& w, shape const& s, std::uint32_t mask, std::uint32_t const* records) {
  counters& at_site = of_site(*s.where);
  step* traced = nullptr;
  if (tracing_) {
    traced = &steps_.emplace_back();
    traced->block = static_cast<unsigned>(w.of->number);
    traced->warp = w.index;
    traced->mask = mask;
    traced->kind = s.kind;
    traced->site = s.where->number;
    trace_lanes(w, s, mask, records, *traced);
  }
  if (s.kind == step_kind::atomic) return take_atomic(w, s, mask, records, at_site);
  if (loads_poll_ && s.kind == step_kind::load) {
    mask = without_polls(w, mask, records, at_site);
    if (mask == 0) return;
  }
  auto const lanes = static_cast<std::uint64_t>(std::popcount(mask));
  ++w.steps;
  for (counters* c : {&at_site, &w.of->counts}) {
    ++c->steps;
    c->active_lanes += lanes;
    c->divergent_steps += mask != w.exists;
    switch (s.kind) {
      case step_kind::apply:
        ++c->operator_steps;
        c->applications += lanes;
        break;
      case step_kind::shuffle:
        ++c->shuffles;
        break;
      case step_kind::vote:
        ++c->votes;
        break;
      case step_kind::warp_sync:
        ++c->warp_syncs;
        break;
      case step_kind::fence:
        ++c->fences;
        break;
      default:
        break;
    }
  }
  if (s.kind == step_kind::load || s.kind == step_kind::store)
    take_access(w, s, mask, records, at_site, traced);
}

namespace {

/// Lanes of one step that access the same buffer or array.
struct lane_group {
  unsigned memory;
  unsigned count = 0;
  bool consecutive = true;  ///< each lane's element follows that of the lane before
  std::uint64_t first[warp_lanes];
  std::uint8_t lane_of[warp_lanes];
};

/// Collects the lanes of `rest` that access the same buffer or array as its first lane, nearly
/// always all of them, and removes them from `rest`.
void next_group(lane_group& g, warp const& w, std::uint32_t& rest, std::uint32_t const* records,
                unsigned size) {
  auto const record_of = [&](unsigned i) -> access_record const& {
    return w.lanes[i].data_begin[records[i]];
  };
  auto const first = static_cast<unsigned>(std::countr_zero(rest));
  std::uint64_t const where = record_of(first).where;
  g.memory = static_cast<unsigned>(where >> 48);
  g.count = 0;
  std::uint32_t others = 0, gaps = 0;
  for (; rest != 0; rest &= rest - 1) {
    auto const i = static_cast<unsigned>(std::countr_zero(rest));
    std::uint64_t const mine = record_of(i).where;
    if (mine >> 48 != where >> 48) {
      others |= 1u << i;
      continue;
    }
    gaps |= static_cast<std::uint32_t>(mine != where + std::uint64_t{i - first} * size);
    g.first[g.count] = mine & offset_mask;
    g.lane_of[g.count++] = static_cast<std::uint8_t>(i);
  }
  g.consecutive = gaps == 0 && others == 0 && g.lane_of[g.count - 1] - first == g.count - 1;
  rest = others;
}

/// The number of distinct elements that the group accesses.
std::uint64_t elements_of(lane_group const& g) {
  if (g.consecutive) return g.count;
  std::uint64_t first[warp_lanes];
  std::uint64_t* const end = std::copy_n(g.first, g.count, first);
  std::sort(first, end);
  return static_cast<std::uint64_t>(std::unique(first, end) - first);
}

/// Counts the cost of a group's requests.
void charge(lane_group& g, unsigned size, unsigned piece, bool loads, counters& to) {
  bool const is_shared = (g.memory & shared_flag) != 0;
  (is_shared ? loads ? to.shared_loads : to.shared_stores
   : loads   ? to.global_loads
             : to.global_stores) += g.count;
  if (loads && !is_shared) to.elements_loaded += elements_of(g);
  std::uint64_t& sectors = loads ? to.sectors_loaded : to.sectors_stored;
  std::uint64_t& lines = loads ? to.lines_loaded : to.lines_stored;
  std::uint64_t const begin = g.first[0], last = begin + std::uint64_t{g.count} * size - 1;
  if (g.consecutive && size == piece && !is_shared) {
    ++to.global_requests;
    sectors += (last >> 5) - (begin >> 5) + 1;
    lines += (last >> 7) - (begin >> 7) + 1;
    return;
  }
  if (g.consecutive && size == 4 && is_shared) {
    ++to.shared_requests;
    ++to.shared_wavefronts;
    return;
  }
  for (unsigned done = 0; done < size; done += piece) {
    warp_request const r{g.first, g.lane_of, g.count, piece};
    if (is_shared) {
      shared_cost const cost = shared_request(r);
      ++to.shared_requests;
      to.shared_wavefronts += cost.wavefronts;
      to.shared_conflicts += cost.conflicts;
    } else {
      ++to.global_requests;
      sectors += units_touched(r, 5);
      lines += units_touched(r, 7);
    }
    for (unsigned i = 0; i < g.count; ++i) g.first[i] += piece;
  }
}

}  // namespace

void recorder::take_access(warp& w, shape const& s, std::uint32_t mask,
                           std::uint32_t const* records, counters& at_site, step* traced) {
  bool const loads = s.kind == step_kind::load;
  counters delta;
  lane_group g;
  for (std::uint32_t rest = mask; rest != 0;) {
    next_group(g, w, rest, records, s.size);
    element_counts& elements = (g.memory & shared_flag) != 0
                                   ? at(counted_.arrays, g.memory & ~shared_flag)
                                   : at(counted_.buffers, g.memory);
    (loads ? elements.loads : elements.stores) += g.count;
    charge(g, s.size, s.piece, loads, delta);
  }
  for (counters* c : {&at_site, &w.of->counts}) {
    c->shared_requests += delta.shared_requests;
    c->shared_wavefronts += delta.shared_wavefronts;
    c->shared_conflicts += delta.shared_conflicts;
    c->shared_loads += delta.shared_loads;
    c->shared_stores += delta.shared_stores;
    c->global_requests += delta.global_requests;
    c->sectors_loaded += delta.sectors_loaded;
    c->sectors_stored += delta.sectors_stored;
    c->lines_loaded += delta.lines_loaded;
    c->lines_stored += delta.lines_stored;
    c->global_loads += delta.global_loads;
    c->elements_loaded += delta.elements_loaded;
    c->global_stores += delta.global_stores;
  }
  if (traced != nullptr) {
    traced->wavefronts = static_cast<unsigned>(delta.shared_wavefronts);
    traced->conflicts = static_cast<unsigned>(delta.shared_conflicts);
    traced->sectors = static_cast<unsigned>(delta.sectors_loaded + delta.sectors_stored);
    traced->lines = static_cast<unsigned>(delta.lines_loaded + delta.lines_stored);
  }
}

void recorder::take_atomic(warp& w, shape const&, std::uint32_t mask, std::uint32_t const* records,
                           counters& at_site) {
  std::uint64_t where[warp_lanes];
  unsigned count = 0;
  std::uint64_t polls = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto const i = static_cast<unsigned>(std::countr_zero(rest));
    access_record const& r = w.lanes[i].data_begin[records[i]];
    if ((r.where & is_poll) != 0) {
      ++polls;
      continue;
    }
    unsigned const memory = memory_of(r);
    ++((memory & shared_flag) != 0 ? at(counted_.arrays, memory & ~shared_flag)
                                   : at(counted_.buffers, memory))
          .atomics;
    where[count++] = r.where;
  }
  std::sort(where, where + count);
  unsigned longest = 0;  // the most accesses to one address
  for (unsigned i = 0, run = 0; i < count; ++i) {
    run = i > 0 && where[i] == where[i - 1] ? run + 1 : 1;
    longest = std::max(longest, run);
  }
  if (count != 0) ++w.steps;
  for (counters* c : {&at_site, &w.of->counts}) {
    c->polls += polls;
    if (count == 0) continue;
    ++c->steps;
    c->active_lanes += count;
    c->divergent_steps += mask != w.exists;
    c->atomics += count;
    ++c->atomic_requests;
    c->atomic_rounds += longest;
  }
}

/// Counts a step in which lanes of a warp wait at a barrier or for each other.
void recorder::synchronize(warp& w, step_kind kind, std::uint32_t mask, position where) {
  site const& s = paths_.site_of(where);
  ++w.steps;
  for (counters* c : {&of_site(s), &w.of->counts}) {
    ++c->steps;
    c->active_lanes += static_cast<std::uint64_t>(std::popcount(mask));
    c->divergent_steps += mask != w.exists;
    c->shuffles += kind == step_kind::shuffle;
    c->votes += kind == step_kind::vote;
    c->warp_syncs += kind == step_kind::warp_sync;
  }
  if (!tracing_) return;
  step& traced = steps_.emplace_back();
  traced.block = static_cast<unsigned>(w.of->number);
  traced.warp = w.index;
  traced.mask = mask;
  traced.kind = kind;
  traced.site = s.number;
  if (kind == step_kind::shuffle || kind == step_kind::vote) trace_shuffle(w, mask, traced);
}

void recorder::count_barrier(block& b, step_kind kind, position where) {
  if (!on_) return;
  for (counters* c : {&of_site(paths_.site_of(where)), &b.counts})
    ++(kind == step_kind::barrier ? c->barriers : c->cluster_barriers);
}

void recorder::trace_lanes(warp& w, shape const& s, std::uint32_t mask,
                           std::uint32_t const* records, step& traced) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto const i = static_cast<unsigned>(std::countr_zero(rest));
    lane const& l = w.lanes[i];
    access_record const& r = l.data_begin[records[i]];
    lane_event& e = traced.lanes.emplace_back();
    e.lane = i;
    e.size = static_cast<std::uint8_t>(std::min<unsigned>(s.size, sizeof e.value));
    std::memcpy(e.value.data(), value_slot(l, &r)->bytes, e.size);
    if (s.kind == step_kind::load || s.kind == step_kind::store || s.kind == step_kind::atomic) {
      e.buffer = static_cast<int>(memory_of(r));  // becomes an index when the launch ends
      e.index = (r.where & offset_mask) / std::max(1u, s.size);
      event_value const& value = *value_slot(l, &r);
      e.when = value.when;
      e.polls = s.kind == step_kind::store ? 0 : value.polls;
      e.changes = s.kind == step_kind::atomic ? value.changes : s.kind == step_kind::store;
      e.failed = s.kind == step_kind::atomic && value.failed;
      e.unwritten = s.kind != step_kind::store && value.unwritten;
    } else if (s.kind == step_kind::shuffle) {
      e.source = static_cast<int>(r.where & 31);
    }
  }
}

void recorder::trace_shuffle(warp& w, std::uint32_t mask, step& traced) {
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    auto const i = static_cast<unsigned>(std::countr_zero(rest));
    lane const& l = w.lanes[i];
    lane_event& e = traced.lanes.emplace_back();
    e.lane = i;
    if (traced.kind == step_kind::shuffle) e.source = static_cast<int>(l.source);
    unsigned const bytes = traced.kind == step_kind::vote ? 4 : l.call->type & 0xffffu;
    e.size = static_cast<std::uint8_t>(std::min<std::size_t>(bytes, sizeof e.value));
    if (l.call->out != nullptr) std::memcpy(e.value.data(), l.call->out, e.size);
  }
}

}  // namespace upsweep::sim

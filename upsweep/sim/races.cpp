/// The sentences about races, and the races that are held back until more is known.
#include <upsweep/sim/races.hpp>

#include <upsweep/sim/sentences.hpp>
#include <upsweep/sim/state.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

namespace upsweep::sim {

// Sets of accesses, and which element has which history.

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

namespace {

constexpr unsigned most_sites = 0xfff;

constexpr char volatile_advice[] =
    "; a volatile access does not order the lanes of a warp, which need not run in step since "
    "Volta: add a __syncwarp() between them (with --schedule lockstep they run in step, as old "
    "listings expect)";

char const* text_of(access_verb verb) {
  switch (verb) {
    case access_verb::reads:
      return " reads ";
    case access_verb::writes:
      return " writes ";
    case access_verb::reads_atomically:
      return " reads (atomically) ";
    default:
      return " writes (atomically) ";
  }
}

bool in_one_block(race_facts const& r) {
  return serial_of(r.before) == serial_of(r.now);
}

finding_kind kind_of(race_facts const& r) {
  return r.flag            ? finding_kind::missing_fence
         : in_one_block(r) ? finding_kind::race_in_block
                           : finding_kind::race_between_blocks;
}

std::size_t compared_bytes(memory const& m) {
  return std::min<std::size_t>(m.element_bytes, 16);
}

}  // namespace

unsigned races::find_number(position at) {
  std::uint64_t const key = at.word();
  unsigned& number = site_numbers_[key];
  if (number == 0 && sites_.size() <= most_sites) {
    number = static_cast<unsigned>(sites_.size());
    sites_.push_back(at);
  }
  recent_sites_[key / 8 % 256] = {key, number};
  return number;
}

void races::report(race_facts r) {
  compare_values();
  bool const two_plain_writes = r.verb == access_verb::writes && r.before_writes &&
                                kind_of_epoch(r.before) == plain_write && !r.are_updates;
  if (!two_plain_writes) return say_it(r);
  std::byte const* const first = r.of->data + r.element * r.of->element_bytes;
  std::copy_n(first, compared_bytes(*r.of), first_value_.begin());
  writes_ = r;
}

/// The writes of the race that was reported last have been made.
void races::compare_values() {
  if (!writes_) return;
  race_facts r = *writes_;
  writes_.reset();
  std::byte const* const now = r.of->data + r.element * r.of->element_bytes;
  r.same_value = std::equal(now, now + compared_bytes(*r.of), first_value_.begin());
  if (!r.same_value) return say_it(r);
  equal_writes& all = equal_.try_emplace({site_of(r.before), site_of(r.now)}, r).first->second;
  ++all.count;
  all.are_several = all.are_several || r.element != all.first.element;
}

void races::hold(epoch reader, std::uint64_t place, race_facts const& r, unsigned met) {
  held_.try_emplace({reader & thread_bits, place}, held_race{r, met});
}

void races::excuse(epoch thread, std::uint64_t place, unsigned site) {
  swap_sites_.set(site);
  if (held_.empty()) return;
  auto const held = held_.find({thread & thread_bits, place});
  if (held != held_.end() && !held->second.facts.may_be_updates) held_.erase(held);
}

bool races::confirm_update(epoch thread, std::uint64_t place, unsigned met) {
  if (held_.empty()) return false;
  auto const held = held_.find({thread & thread_bits, place});
  if (held == held_.end()) return false;
  auto [facts, met_before] = held->second;
  held_.erase(held);
  bool const is_update = facts.may_be_updates && (met_before == unknown || met_before == met) &&
                         are_of_one_statement(facts);
  facts.are_updates = is_update;
  say_held(facts);
  return is_update;
}

void races::say_held(race_facts r) {
  // The loop of a compare-and-swap that has nothing to change ends after its plain read.
  unsigned const read = r.before_writes ? site_of(r.now) : site_of(r.before);
  if (!r.may_be_updates && swap_sites_[read]) return;
  // "if (x > largest) largest = x;": the update of a thread that has nothing to write.
  if (r.may_be_updates && r.before_writes)
    r.are_updates = r.are_updates || is_read_of(site_of(r.before), read);
  say_it(r);
}

/// Updates in two statements, as the steps of a tree, lack a barrier between them.
bool races::are_of_one_statement(race_facts const& r) const {
  unsigned const before = site_of(r.before), now = site_of(r.now);
  unsigned const read = r.before_writes ? now : before;
  unsigned const update = reads_of_updates_[r.before_writes ? before : now];
  return update == 0 || update == read ||
         readable(sites_[update]).line == readable(sites_[read]).line;
}

/// Whether one line reads and writes.
bool races::is_read_of(unsigned write, unsigned read) const {
  return reads_of_updates_[write] == read &&
         readable(sites_[write]).line == readable(sites_[read]).line;
}

void races::report_held(std::uint64_t serial) {
  compare_values();
  auto const begin = held_.lower_bound({epoch_at(serial, 0), 0});
  auto const end = held_.lower_bound({epoch_at(serial + 1, 0), 0});
  for (auto r = begin; r != end; ++r) say_held(r->second.facts);
  held_.erase(begin, end);
}

void races::report_all() {
  compare_values();
  for (auto const& [key, r] : held_) say_held(r.facts);
  held_.clear();
  for (auto const& [sites, all] : equal_)
    for (std::uint64_t i = 0; i < all.count; ++i) say_it(all.first, all.are_several);
  equal_.clear();
}

void races::say_it(race_facts const& r, bool are_several) {
  found_.note(
      kind_of(r), sites_[site_of(r.before)], sites_[site_of(r.now)],
      [&] { return sentence(r, are_several); }, thread_at(r.before), thread_at(r.now),
      r.flag ? std::string() : name_of(*r.of) + advice(r, are_several));
}

std::string races::name_of_thread_at(epoch s) const {
  return name_of_thread(shape_, serial_of(s) - first_serial_, thread_of(s));
}

std::string races::sentence(race_facts const& r, bool are_several) const {
  return say(name_of_thread_at(r.now), text_of(r.verb), "element ", r.element, " of ",
             name_of(*r.of), " at ", short_name(sites_[site_of(r.now)]), "; ",
             name_of_thread_at(r.before), r.before_writes ? " writes it at " : " reads it at ",
             short_name(sites_[site_of(r.before)]), advice(r, are_several));
}

std::string races::advice(race_facts const& r, bool are_several) const {
  bool const in_block = in_one_block(r);
  bool const in_warp = in_block && thread_of(r.before) / 32 == thread_of(r.now) / 32;
  if (r.flag)
    return say("; a flag, element ", r.flag->offset / r.flag->of->element_bytes, " of ",
               name_of(*r.flag->of), ", which is read at ", short_name(r.flag->at),
               ", orders the two threads, but no fence orders the data: call __threadfence() after "
               "writing the data and before setting the flag, and again after seeing the flag and "
               "before accessing the data; if another thread of the block sets the flag, put a "
               "__syncthreads() between the first fence and the flag");
  if (r.are_updates)
    return "; both update the element, and one of two concurrent updates is lost: use the atomic "
           "function of the update, such as atomicAdd() or atomicMax(), or a loop with atomicCAS()";
  if (r.of_block)
    return "; an atomic function of the block's scope, as atomicAdd_block(), is indivisible for "
           "one "
           "block only: use the one of the device, as atomicAdd()";
  if (r.same_value && are_several)
    return "; several elements are written twice, with the same value: two threads have the same "
           "index, so look at its type and at the sizes that it is computed from";
  if (r.same_value)
    return "; both write the same value, so the order does not matter here, but CUDA does not "
           "promise the result of such a race: let one thread write it, or use atomicExch()";
  if (in_warp && r.by_volatile) return volatile_advice;
  if (in_block)
    return say(
        "; nothing orders the two accesses, so either may come first: add a __syncthreads() "
        "between them",
        in_warp ? ", or a __syncwarp() if only lanes of one warp are involved" : "");
  return "; nothing orders the two blocks, so either may come first: split the kernel into two "
         "launches, or publish the data with a flag and fences";
}

}  // namespace upsweep::sim

/// Shared memory of resident blocks, and atomics.
#include <upsweep/sim/runner.hpp>

#include <upsweep/sim/engine.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace upsweep::sim {

namespace {

/// Every shared array starts at a bank and at a 128-byte line of its own, so that counts do not
/// depend on the order of first use.
constexpr std::size_t line = 128;
constexpr unsigned dynamic_slot = 0;
/// What unwritten memory holds: a quiet NaN for floats, a large negative number for integers.
constexpr unsigned char poison = 0xff;

std::atomic<int> keys{0};

/// Far from each other, so that identity plus offset names a place.
constexpr std::uint64_t identity_of_array(std::uint64_t number) {
  return (number + (std::uint64_t{1} << 32)) * 0x9e3779b97f4a7c15;
}

int number_of(emulated::shared_key& key) {
  int number = key.id.load(std::memory_order_relaxed);
  if (number == 0) {
    int const fresh = 1 + keys.fetch_add(1, std::memory_order_relaxed);
    if (key.id.compare_exchange_strong(number, fresh, std::memory_order_relaxed)) number = fresh;
  }
  return number;
}

}  // namespace

void runner::clear_arrays(block& b) {
  b.arrays.resize(most_arrays);
  b.by_slot.assign(most_arrays, nullptr);
  b.clocks_of_atomics.clear();
}

memory* runner::new_array(block& b, unsigned slot, std::size_t bytes, unsigned granule) {
  if (b.arrays[slot] == nullptr) b.arrays[slot] = std::make_unique<array_memory>();
  array_memory& array = *b.arrays[slot];
  if (array.storage.size() < bytes + line) array.storage.resize(bytes + line);
  memory& m = array.m;
  m.data = array.storage.data();
  m.data += (line - reinterpret_cast<std::uintptr_t>(m.data) % line) % line;
  m.bytes = bytes;
  m.tag = std::uint64_t{shared_flag | slot} << 48;
  m.slot = slot;
  m.owner = &b;
  std::memset(m.data, poison, bytes);
  if (options_.check) {
    m.set_element(granule);
    m.identity = identity_of_array(++arrays_made_);
    array.shadows.assign(bytes / granule + 1, shadow{});
    m.shadows = array.shadows.data();
    array.earlier_reads.resize(array.shadows.size());
    m.earlier_reads = array.earlier_reads.data();
  }
  b.by_slot[slot] = &m;
  return &m;
}

memory* runner::array_of(block& b, emulated::shared_key& key) {
  auto const number = static_cast<unsigned>(number_of(key));
  if (slots_.size() <= number) {
    slots_.resize(number + 1, no_slot);
    here.slots = slots_.data();
    here.known_keys = static_cast<unsigned>(slots_.size());
  }
  unsigned char& slot = slots_[number];
  if (slot == no_slot) {
    if (array_infos_.size() + 1 >= no_slot)
      fail(finding_kind::out_of_bounds,
           say("'", launch_.shape.name, "' declares more than ", array_infos_.size(),
               " shared arrays"),
           key.declared);
    slot = static_cast<unsigned char>(array_infos_.size() + 1);
    array_infos_.push_back({key.declared, key.element & 0xffffu, key.bytes});
    check_shared_bytes(key);
  }
  if (b.by_slot[slot] != nullptr) return b.by_slot[slot];
  return new_array(b, slot, key.bytes, key.element & 0xffffu);
}

/// With its last declared array, `key`.
void runner::check_shared_bytes(emulated::shared_key const& key) {
  std::size_t declared = 0;
  for (array_info const& a : array_infos_) declared += a.bytes;
  std::size_t const all = declared + launch_.shape.shared_bytes;
  here.failing = declared > most_declared_bytes || all > most_shared_bytes;
  if (declared > most_declared_bytes)
    fail(finding_kind::out_of_bounds,
         say("'", launch_.shape.name, "' declares ", declared,
             " bytes of shared memory with the array at ", short_name(key.declared),
             ", and a block has ", most_declared_bytes,
             " for declared arrays: use dynamic_shared<T>(), or smaller tiles"),
         key.declared);
  if (all > most_shared_bytes)
    fail(finding_kind::out_of_bounds,
         say("'", launch_.shape.name, "' needs ", all,
             " bytes of shared memory, declared and dynamic, with the array at ",
             short_name(key.declared), ", and a block has ", most_shared_bytes,
             ": use smaller tiles"),
         key.declared);
}

memory* runner::dynamic_array(block& b, emulated::layout element, position at) {
  if (b.by_slot[dynamic_slot] != nullptr) return b.by_slot[dynamic_slot];
  if (dynamic_info_.element_bytes == 0)
    dynamic_info_ = {at, element & 0xffffu, launch_.shape.shared_bytes};
  // Arrays of several types may be cut out of it, so it is watched in words, or finer if its first
  // use is finer.
  return new_array(b, dynamic_slot, launch_.shape.shared_bytes, std::min(4u, element & 0xffffu));
}

memory* runner::remote_array(emulated::shared_key& key, unsigned rank, position at) {
  return array_of(block_of_cluster(rank, at), key);
}

memory* runner::remote_array(memory& m, unsigned rank, position at) {
  block& b = block_of_cluster(rank, at);
  if (b.by_slot[m.slot] != nullptr) return b.by_slot[m.slot];
  return new_array(b, m.slot, m.bytes, m.element_bytes);
}

block& runner::block_of_cluster(unsigned rank, position at) {
  cluster const& c = *self().of->of->of;
  if (rank >= c.blocks.size())
    fail(finding_kind::out_of_bounds,
         say(name_of(self()), " maps shared memory of rank ", rank, " at ", short_name(at),
             ", but its cluster has ", c.blocks.size(), " blocks"),
         at);
  block& b = *c.blocks[rank];
  if (b.alive == 0)
    fail(finding_kind::out_of_bounds,
         say(name_of(self()), " maps shared memory of ", name_of(b), " at ", short_name(at),
             ", which has ended already: end with a cluster barrier, so that no block leaves while "
             "others read it"),
         at);
  return b;
}

void runner::atomic(memory& m, std::ptrdiff_t byte, emulated::atomic_call const& call,
                    position at) {
  lane& l = self();
  l.of->of->is_rare = true;
  if (launch_.shape.independent_blocks && m.owner == nullptr)
    break_promise("updates global memory atomically", at);
  if (update(m, static_cast<std::uint64_t>(byte), call, l, at)) {
    ++progress_;
    if (call.kind != emulated::atomic_kind::load) read_work_ = 0;
    l.poll_where = 0;
    return;
  }
  // Found once more what it had found before: it waits for somebody.
  std::uint64_t value = 0;
  std::memcpy(&value, call.old, std::min<std::size_t>(call.type & 0xffffu, sizeof value));
  std::uint64_t const where = m.tag + static_cast<std::uint64_t>(byte) + 1;
  bool const again = l.poll_where == where && l.poll_value == value;
  l.poll_where = where;
  l.poll_value = value;
  if (again && here.logs) forget_poll(l);
  l.poll_end = emulated::running.control;
  l.poll_segment = l.segment;
  if (again) yield(true);
}

/// The access itself; returns whether it changed anything.
bool runner::update(memory& m, std::uint64_t offset, emulated::atomic_call const& call, lane& l,
                    position at) {
  at_work const busy;
  std::byte* const place = m.data + offset;
  if (here.checks != nullptr) checker_.atomic(m, offset, call, l, at);
  bool const changed = call.update(place, call.operand, call.old);
  if (here.checks != nullptr) checker_.published(m, offset, call, l, changed);
  if (options_
          .count) {  // whoever finds what a lane has written comes after that lane's applications
    auto& clocks = m.owner == nullptr ? clocks_of_atomics_ : m.owner->clocks_of_atomics;
    std::uint64_t& clock = clocks[m.tag + offset];
    l.clock = std::max(l.clock, l.of->of->floor);
    if (call.kind != emulated::atomic_kind::store) l.clock = std::max(l.clock, clock);
    if (changed) clock = std::max(clock, l.clock);
  }
  if (here.traces)
    std::memcpy(value_slot(l, emulated::running.data - 1)->bytes, place,
                std::min<std::size_t>(call.type & 0xffffu, 16));
  return changed;
}

/// Waiting shall leave no trace in the log but the first look: where nothing but branches lies
/// between two looks, both are one.
void runner::forget_poll(lane& l) {
  emulated::context& c = emulated::running;
  if (l.poll_segment == l.segment && l.poll_end > l.control_begin && l.poll_end < c.control &&
      *(l.poll_end - 1) == *(c.control - 1) &&
      std::none_of(l.poll_end, c.control - 1, [](log_word w) { return is_event(w); })) {
    c.control = l.poll_end;
    --c.data;
    ++l.of->of->counts.polls;
  } else {
    (c.data - 1)->where |= is_poll;
  }
}

/// A buffer by its name, a shared array by its declaration.
std::string runner::name_of_array(memory const& m) const {
  if (m.owner == nullptr) return say("buffer '", *m.name, "'");
  if (m.slot == dynamic_slot) return say("the dynamic shared memory (", m.bytes, " bytes)");
  return say("the shared array declared at ", short_name(array_infos_[m.slot - 1].declared));
}

/// The element at `place` as the logs name it: the memory's tag plus the offset.
std::string runner::name_of_element(block const& b, std::uint64_t place) const {
  auto const number = static_cast<unsigned>(place >> 48);
  memory const& m =
      (number & shared_flag) != 0 ? *b.by_slot[number & ~shared_flag] : engine_.buffer(number);
  return say("element ", m.element_of(place & offset_mask), " of ", name_of_array(m));
}

void runner::out_of_bounds(step_kind kind, memory const* m, std::ptrdiff_t byte,
                           emulated::layout type, position at) {
  here.failing = true;
  std::string const verb = kind == step_kind::load    ? " reads "
                           : kind == step_kind::store ? " writes "
                                                      : " updates ";
  if (m == nullptr)
    fail(finding_kind::out_of_bounds,
         say(name_of(self()), verb, "through a null pointer at ", short_name(at)), at);
  auto const size = static_cast<std::ptrdiff_t>(type & 0xffffu);
  std::ptrdiff_t const index = (byte - (byte < 0 ? size - 1 : 0)) / size;
  fail(finding_kind::out_of_bounds,
       say(name_of(self()), verb, "element ", index, " of ", name_of_array(*m), " at ",
           short_name(at), ", which has ", m->bytes / static_cast<std::size_t>(size), " elements"),
       at);
}

void runner::misaligned(step_kind kind, memory const& m, std::ptrdiff_t byte, emulated::layout type,
                        position at) {
  here.failing = true;
  fail(finding_kind::misaligned,
       say(name_of(self()), kind == step_kind::load ? " reads " : " writes ", type & 0xffffu,
           " bytes at byte ", byte, " of ", name_of_array(m), " at ", short_name(at),
           ": an access of this type has to start at a multiple of ", (type >> 16) + 1, " bytes"),
       at);
}

void runner::break_promise(char const* what, position at) {
  here.failing = true;
  fail(finding_kind::broken_promise,
       say("'", launch_.shape.name, "' was launched with .independent_blocks = true, but ",
           name_of(self()), " ", what, " at ", short_name(at),
           ": leave the promise out, so that blocks may speak to each other"),
       at);
}

void runner::fence(bool device_wide, std::memory_order order) {
  if (here.checks != nullptr) checker_.fence(self(), device_wide, order);
}

}  // namespace upsweep::sim

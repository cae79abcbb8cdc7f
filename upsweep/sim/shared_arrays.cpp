/// Slots of declared arrays, their memory in each block, and the limits of a GPU.
#include <upsweep/sim/runner.hpp>

#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim {

namespace {

/// Shared arrays of a launch, including the dynamic part.
constexpr unsigned most_arrays = 63;

/// Far apart, so that identity plus offset is unique.
constexpr std::uint64_t identity_of_array(std::uint64_t number) {
  return (number + (std::uint64_t{1} << 32)) * 0x9e3779b97f4a7c15;
}

/// The cell of its block's window in which an array begins.
std::size_t cell_of(memory const& m) {
  return static_cast<std::size_t>(m.data - m.owner->window->begin()) / cell_bytes;
}

/// Makes an array, or null, that of its cells.
void set_cells(block& b, memory const& m, memory* value) {
  for (std::size_t c = 0; c * cell_bytes < std::max<std::size_t>(m.bytes, 1); ++c)
    b.by_cell[cell_of(m) + c] = value;
}

}  // namespace

shared_arrays::shared_arrays(launch_state const& launch) : launch_(launch), infos_(1) {}

void shared_arrays::clear(block& b) {
  b.arrays.resize(most_arrays);
  if (b.window == nullptr) b.window = std::make_unique<window_lease>();
  b.by_cell.resize(cell_count);
  for (memory const* m : b.by_slot)
    if (m != nullptr) set_cells(b, *m, nullptr);
  b.by_slot.assign(most_arrays, nullptr);
  b.clocks_of_atomics.clear();
}

void shared_arrays::enter(block const& b) {
  here.window = b.window->begin();
  here.cells = b.by_cell.data();
}

/// `cell`: in the block's window.
memory* shared_arrays::new_array(block& b, unsigned slot, std::size_t bytes, unsigned granule,
                                 std::size_t cell) {
  if (b.arrays[slot] == nullptr) b.arrays[slot] = std::make_unique<array_memory>();
  array_memory& array = *b.arrays[slot];
  memory& m = array.m;
  m.bytes = bytes;
  m.owner = &b;
  b.window->open(cell, std::max<std::size_t>(bytes, 1));
  m.data = b.window->begin() + cell * cell_bytes;
  set_cells(b, m, &m);
  m.is_divisible = true;
  m.name = infos_[slot].name;
  m.tag = std::uint64_t{shared_flag | slot} << 48;
  m.slot = slot;
  std::memset(m.data, poison, bytes);
  if (launch_.checks != nullptr) {
    m.set_element(granule);
    m.identity = identity_of_array(++arrays_made_);
    array.shadows.assign(m.shadows_of(granule), shadow{});
    m.shadows = array.shadows.data();
    array.histories.assign(array.shadows.size(), 0);
    m.histories = array.histories.data();
  }
  b.by_slot[slot] = &m;
  return &m;
}

/// Its number in this launch.
unsigned shared_arrays::slot_of(module_array const& array) {
  auto const known = std::ranges::find(infos_, &array.name, &array_info::name);
  if (known != infos_.end()) return static_cast<unsigned>(known - infos_.begin());
  if (infos_.size() >= most_arrays)
    launch_.found.fail(
        finding_kind::out_of_bounds,
        say("'", launch_.shape.name, "' declares more than ", infos_.size() - 1, " shared arrays"),
        last_place(launch_.shape, running_lane()));
  infos_.push_back({largest_granule, array.bytes, &array.name});
  check_shared_bytes(infos_.back());
  return static_cast<unsigned>(infos_.size() - 1);
}

memory* shared_arrays::array_in_cell(block& b, std::size_t cell) {
  if (cell <= first_cell - 1) {
    if (b.by_slot[dynamic_slot] != nullptr) return b.by_slot[dynamic_slot];
    std::string const& name = launch_.code->dynamic_name;
    if (infos_[dynamic_slot].element_bytes == 0)
      infos_[dynamic_slot] = {largest_granule, launch_.shape.shared_bytes,
                              name.empty() ? nullptr : &name};
    return new_array(b, dynamic_slot, launch_.shape.shared_bytes,
                     infos_[dynamic_slot].element_bytes, dynamic_cell);
  }
  module_array* const array = launch_.code->array_at((cell - first_cell) * cell_bytes);
  unsigned const slot = slot_of(*array);
  if (b.by_slot[slot] != nullptr) return b.by_slot[slot];
  return new_array(b, slot, array->bytes, infos_[slot].element_bytes,
                   first_cell + array->offset / cell_bytes);
}

memory* shared_arrays::nearest(block const& b, std::byte const* place) {
  memory* best = nullptr;
  std::ptrdiff_t distance = 0;
  for (memory* m : b.by_slot) {
    if (m == nullptr) continue;
    std::byte const* const end = m->data + m->bytes;
    std::ptrdiff_t const d = place < m->data ? m->data - place : place < end ? 0 : place - end + 1;
    if (best == nullptr || d < distance) {
      best = m;
      distance = d;
    }
  }
  return best;
}

void shared_arrays::split(memory& m, unsigned size) {
  array_memory& array = *m.owner->arrays[m.slot];
  std::vector<shadow> const old = std::move(array.shadows);
  std::vector<std::uint32_t> const old_histories = std::move(array.histories);
  unsigned const coarse = m.element_bytes;
  m.set_element(size);
  infos_[m.slot].element_bytes = size;
  array.shadows.resize(m.shadows_of(size));
  array.histories.resize(m.shadows_of(size));
  m.shadows = array.shadows.data();
  m.histories = array.histories.data();
  m.copy_shadows(old.data(), old_histories.data(), coarse);
}

std::size_t shared_arrays::declared_bytes() const {
  std::size_t bytes = 0;
  for (std::size_t slot = dynamic_slot + 1; slot < infos_.size(); ++slot)
    bytes += infos_[slot].bytes;
  return bytes;
}

/// Checks the block's shared memory after its newest array.
void shared_arrays::check_shared_bytes(array_info const& last) {
  std::string const which = say("the array '", *last.name, "'");
  position const at = last_place(launch_.shape, running_lane());
  std::size_t const declared = declared_bytes(), all = declared + launch_.shape.shared_bytes;
  if (declared > most_declared_bytes)
    launch_.found.fail(
        finding_kind::out_of_bounds,
        say("'", launch_.shape.name, "' declares ", declared, " bytes of shared memory with ",
            which, ", but a block has ", most_declared_bytes,
            " for declared arrays: use extern __shared__, or smaller tiles"),
        at);
  if (all > most_shared_bytes)
    launch_.found.fail(finding_kind::out_of_bounds,
                       say("'", launch_.shape.name, "' needs ", all,
                           " bytes of shared memory, declared and dynamic, with ", which,
                           ", but a block has ", most_shared_bytes, ": use smaller tiles"),
                       at);
}

memory* shared_arrays::remote_array(memory const& m, unsigned rank, position at) {
  block& b = block_of_cluster(rank, at);
  if (b.by_slot[m.slot] != nullptr) return b.by_slot[m.slot];
  return new_array(b, m.slot, m.bytes, m.element_bytes, cell_of(m));
}

block& shared_arrays::block_of_cluster(unsigned rank, position at) {
  lane const& l = running_lane();
  cluster const& c = *l.of->of->of;
  if (rank >= c.blocks.size())
    launch_.found.fail(finding_kind::out_of_bounds,
                       say(name_of(l), " maps shared memory of rank ", rank, " at ", short_name(at),
                           ", but its cluster has ", c.blocks.size(), " blocks"),
                       at);
  block& b = *c.blocks[rank];
  if (b.alive == 0)
    launch_.found.fail(
        finding_kind::out_of_bounds,
        say(name_of(l), " maps shared memory of ", name_of(b), " at ", short_name(at),
            ", which has already exited: end the kernel with a cluster barrier, so that no "
            "block exits while others read its shared memory"),
        at);
  return b;
}

}  // namespace upsweep::sim

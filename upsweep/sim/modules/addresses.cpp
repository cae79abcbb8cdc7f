/// Shared arrays are created, and variables adopted, when they are first addressed.
#include <upsweep/sim/modules/addresses.hpp>

#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/sentences.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace upsweep::sim {

namespace {

char const* verb_of(step_kind kind) {
  return kind == step_kind::load ? " reads " : kind == step_kind::store ? " writes " : " updates ";
}

[[noreturn]] void fail_at(std::byte const* p, step_kind kind, position at) {
  lane const& l = running_lane();
  bool const is_null = p < reinterpret_cast<std::byte*>(cell_bytes);
  here.by->launch().found.fail(
      is_null ? finding_kind::out_of_bounds : finding_kind::wrong_memory,
      say(name_of(l), verb_of(kind),
          is_null           ? "through a null pointer"
          : is_in_window(p) ? "shared memory of another block"
                            : "memory of the host, or unallocated memory",
          " at ", short_name(at),
          is_null           ? ""
          : is_in_window(p) ? ": a block sees the shared memory of its own cluster only"
                            : ": pass pointers from cudaMalloc() to the kernel, and use them only "
                              "until cudaFree()"),
      at);
}

/// Clang reports reads of threadIdx and its like.
bool is_index(std::byte const* p) {
  lane_view const& l = *running.lane;
  auto const is_in = [p](auto const& object) {
    return static_cast<std::size_t>(p - reinterpret_cast<std::byte const*>(&object)) <
           sizeof object;
  };
  return is_in(l.thread) || is_in(l.block->index) || is_in(l.block->threads) ||
         is_in(l.block->blocks);
}

/// The array of a block of the cluster.
memory* array_of_cluster(std::byte const* p) {
  for (block* b : running_lane().of->of->of->blocks) {
    auto const offset = static_cast<std::size_t>(p - b->window->begin());
    if (offset >= window_bytes) continue;
    memory* const m = b->by_cell[offset / cell_bytes];
    return m != nullptr ? m : shared_arrays::nearest(*b, p);
  }
  return nullptr;
}

/// The buffer or array before whose begin an unsigned index of 32 bits points: `t - 1` of a `t`
/// that is 0 is 4294967295, which is that many elements after it. Null if there is none.
memory* wrapped_around(std::byte*& p) {
  if constexpr (!has_wide_addresses) return nullptr;
  for (std::size_t const bytes : {4u, 8u, 1u, 2u, 16u}) {
    std::byte* const before = p - (std::uint64_t{bytes} << 32);
    bool const in_window = static_cast<std::size_t>(before - here.window) < window_bytes;
    memory* const m =
        in_window ? shared_arrays::nearest(*running_lane().of->of, before) : buffer_at(before);
    bool const fits = m != nullptr && (in_window || m->element_bytes == bytes);
    if (!fits || before >= m->data || m->data - before > std::ptrdiff_t{1} << 20) continue;
    p = before;
    return m;
  }
  return nullptr;
}

/// The buffer from which an index of 32 bits leads here, as one that has overflowed does; null if
/// there is none. A load rather reads what has been written.
memory* far_buffer(std::byte const* p, step_kind kind, std::ptrdiff_t& index) {
  global_memory const& all = here.by->launch().buffers;
  memory* found = nullptr;
  for (std::size_t i = 0; i < all.count(); ++i) {
    memory& m = all.buffer(i);
    auto const size = static_cast<std::ptrdiff_t>(m.element_bytes);
    if (m.is_released || m.data == nullptr || m.bytes == 0) continue;
    std::int64_t const bytes = distance_to(m, p), at = bytes / size;
    bool const fits = bytes % size == 0 && at >= std::numeric_limits<int>::min() &&
                      at <= std::numeric_limits<int>::max();
    if (!fits) continue;
    bool const is_better = found == nullptr || kind != step_kind::load;
    if (!is_better) continue;
    found = &m;
    index = static_cast<std::ptrdiff_t>(at);
  }
  return found;
}

/// The piece of the device's heap that holds `p` or is nearest to it; null outside the heap, and
/// without a program, which alone has one.
memory* piece_of_heap(std::byte const* p) {
  machine_engine* const machine = current_machine();
  return machine == nullptr ? nullptr : machine->heap().at(p);
}

/// The host uses managed or pinned memory before it has waited for the work that uses it.
void note_early_access(machine_engine& machine, memory const& m, std::uint64_t offset,
                       unsigned bytes, step_kind kind, std::uint64_t pc) {
  if (!machine.may_be_in_use(m, offset, bytes, kind != step_kind::load)) return;
  position const at = position::of_call(pc);
  machine.found().note(finding_kind::misuse, at, {}, [&] {
    return say("the host", verb_of(kind), "element ", m.element_of(offset), " of ", name_of(m),
               " at ", short_name(at),
               ", while a launch or an asynchronous copy that uses it may still be running: call "
               "cudaDeviceSynchronize() or cudaStreamSynchronize() before");
  });
}

}  // namespace

memory* memory_elsewhere(std::byte* p, step_kind kind, position at) {
  fiber const& f = *running_lane().on;
  if (static_cast<std::size_t>(p - f.stack) < f.stack_bytes || here.failing) return nullptr;
  if (is_index(p)) return nullptr;
  if (memory* const far = memory_far_from(p); far != nullptr) return far;
  if (is_in_window(p)) {
    if (memory* const m = array_of_cluster(p); m != nullptr) return m;
  } else if (memory* const m = piece_of_heap(p); m != nullptr) {
    return m;
  } else {
    loaded_code const& code = *here.by->launch().code;
    busy_scope const busy;
    if (module_variable const* const v = code.variable_near(p); v != nullptr)
      return here.by->launch().buffers.adopt(*v);
    if (code.contains(p)) return nullptr;  // a constant without a name
  }
  without_throwing([&] {
    std::byte* place = p;
    if (memory const* const m = wrapped_around(place); m != nullptr)
      out_of_bounds(here.by->launch().found, kind, *m, place - m->data,
                    m->owner != nullptr ? 4u : m->element_bytes, at);
    std::ptrdiff_t index = 0;
    bool const is_near_null = p < reinterpret_cast<std::byte*>(cell_bytes);
    bool const is_far = !is_near_null && !is_in_window(p) && may_be_far(p);
    if (memory const* const m = is_far ? far_buffer(p, kind, index) : nullptr)
      here.by->launch().found.fail(
          finding_kind::out_of_bounds,
          say(name_of(running_lane()), verb_of(kind), "element ", index, " of ", name_of(*m),
              ", or something as far from another buffer, at ", short_name(at),
              ": has an int index overflowed? Compute it in std::size_t"),
          at);
    fail_at(p, kind, at);
  });
  __builtin_unreachable();
}

template <step_kind counted>
void atomic_access(memory& m, std::byte* p, atomic_call const& call, std::uint64_t pc) {
  position const at = position::of_call(pc);
  std::ptrdiff_t const byte = p - m.data;
  access<counted, false>(&m, byte, call.type, at, pc);
  if (here.checks != nullptr && m.is_divisible)
    static_cast<void>(here.by->splits(m, static_cast<std::uint64_t>(byte), call.type & 0xffffu));
  without_throwing([&] { here.by->atomics().access(m, byte, call, at); });
}

template void atomic_access<step_kind::atomic>(memory&, std::byte*, atomic_call const&,
                                               std::uint64_t);
template void atomic_access<step_kind::load>(memory&, std::byte*, atomic_call const&,
                                             std::uint64_t);
template void atomic_access<step_kind::store>(memory&, std::byte*, atomic_call const&,
                                              std::uint64_t);

void note_host_access(std::byte const* p, unsigned bytes, step_kind kind, std::uint64_t pc) {
  machine_engine* const machine = current_machine();
  memory* const m = buffer_at(p);
  bool const is_heap = machine != nullptr && m == nullptr && machine->heap().contains(p);
  bool const is_shared = first_buffer != nullptr && is_in_window(p);
  if (machine == nullptr || (m == nullptr && !is_heap && !is_shared)) return;
  bool const writes = kind != step_kind::load;
  if (m != nullptr && m->is_managed) {
    std::ptrdiff_t const byte = p - m->data;
    if (byte < 0 || static_cast<std::size_t>(byte) + bytes > m->bytes) return;
    note_early_access(*machine, *m, static_cast<std::uint64_t>(byte), bytes, kind, pc);
    if (writes) static_cast<void>(machine->buffers().host_access(m, byte, bytes, true));
    return;
  }
  position const at = position::of_call(pc);
  machine->found().note(finding_kind::wrong_memory, at, {}, [&] {
    return say("the host", verb_of(kind),
               is_heap        ? "the heap of the device"
               : m == nullptr ? "shared memory"
                              : name_of(*m),
               " at ", short_name(at),
               is_heap        ? ": only kernels can use what they take from it"
               : m == nullptr ? ": only kernels have shared memory"
                              : ": use cudaMemcpy()");
  });
}

}  // namespace upsweep::sim

/// Names of threads, blocks, memory and positions in messages.
#include <upsweep/sim/sentences.hpp>

#include <atomic>
#include <cstdint>
#include <source_location>
#include <vector>

namespace upsweep::sim {

namespace {

std::string coordinates(index3 i, index3 extent) {
  if (extent.y == 1 && extent.z == 1) return say(i.x);
  return extent.z == 1 ? say("(", i.x, ",", i.y, ")") : say("(", i.x, ",", i.y, ",", i.z, ")");
}

}  // namespace

constinit std::atomic<line_finder> line_of_call = nullptr;

source_position readable(position at) {
  if ((at.word() & position::code_bit) != 0) {
    line_finder const find = line_of_call.load();
    return find == nullptr ? source_position{} : find(at.word() & ~position::code_bit);
  }
  auto const pointer = static_cast<std::uintptr_t>(at.word());
  auto const place = __builtin_bit_cast(std::source_location, pointer);
  return {place.file_name(), place.line(), place.column()};
}

constinit std::atomic<calls_finder> lines_of_calls = nullptr;

std::vector<source_position> readable_calls(position at) {
  calls_finder const find = lines_of_calls.load();
  if ((at.word() & position::code_bit) == 0 || find == nullptr) return {readable(at)};
  return find(at.word() & ~position::code_bit);
}

std::string short_name(position at) {
  source_position const place = readable(at);
  if (place.line == 0) return "an unknown position";
  return say(place.file.substr(place.file.find_last_of('/') + 1), ":", place.line);
}

std::string name_of(block const& b) {
  return say("block ", coordinates(b.view.index, b.view.blocks));
}
std::string name_of(lane const& l) {
  return say("thread ", coordinates(l.thread, l.block->threads), " of ", name_of(*l.of->of));
}

std::string name_of_thread(simt::launch_shape const& shape, std::uint64_t number, unsigned thread) {
  block b;
  b.view = view_of(shape, number);
  warp w;
  w.of = &b;
  lane l;
  l.thread = coordinates_of(thread, shape.threads);
  l.block = &b.view;
  l.of = &w;
  return name_of(l);
}

std::string name_of(memory const& m) {
  if (m.owner == nullptr) return say("buffer '", *m.name, "'");
  if (m.name != nullptr)
    return say(m.slot == dynamic_slot ? "the dynamic shared array '" : "the shared array '",
               *m.name, "'");
  return say("the dynamic shared memory (", m.bytes, " bytes)");
}

position last_place(simt::launch_shape const& shape, lane const& l) {
  return l.last_at.is_known() ? l.last_at : l.waits_at.is_known() ? l.waits_at : shape.at;
}

std::string since_last_place(simt::launch_shape const& shape, lane const& l) {
  bool const has_started = l.last_at.is_known() || l.waits_at.is_known();
  return say(" of '", shape.name, has_started ? "' after " : "', launched at ",
             short_name(last_place(shape, l)));
}

std::string needs_more_stack(simt::launch_shape const& shape, lane const& l) {
  return say(name_of(l), since_last_place(shape, l),
             ": it needs more than 64 KiB of stack, by recursion or by large local arrays");
}

char const* name_of(finding_kind kind) {
  switch (kind) {
    case finding_kind::race_in_block:
      return "race in a block";
    case finding_kind::race_between_blocks:
      return "race between blocks";
    case finding_kind::missing_fence:
      return "missing fence";
    case finding_kind::out_of_bounds:
      return "out of bounds";
    case finding_kind::misaligned:
      return "misaligned access";
    case finding_kind::wrong_memory:
      return "wrong memory";
    case finding_kind::uninitialized_read:
      return "uninitialized read";
    case finding_kind::barrier_divergence:
      return "divergent barrier";
    case finding_kind::left_before_barrier:
      return "thread gone before a barrier";
    case finding_kind::missing_lane:
      return "missing lane";
    case finding_kind::deadlock:
      return "deadlock";
    case finding_kind::no_progress:
      return "no progress";
    case finding_kind::broken_promise:
      return "broken promise";
    case finding_kind::trap:
      return "trap";
    case finding_kind::misuse:
      return "undefined use";
    case finding_kind::refused_call:
      return "refused call";
    case finding_kind::stack_overflow:
      return "stack overflow";
  }
  return "finding";
}

char const* name_of(step_kind kind) {
  switch (kind) {
    case step_kind::load:
      return "load";
    case step_kind::store:
      return "store";
    case step_kind::atomic:
      return "atomic";
    case step_kind::apply:
      return "apply";
    case step_kind::barrier:
      return "barrier";
    case step_kind::cluster_barrier:
      return "cluster barrier";
    case step_kind::warp_sync:
      return "warp sync";
    case step_kind::shuffle:
      return "shuffle";
    case step_kind::vote:
      return "vote";
    case step_kind::fence:
      return "fence";
  }
  return "step";
}

}  // namespace upsweep::sim

/// The message of a deadlock: where each waiting lane is, and what it waits for.
#include <upsweep/sim/deadlock.hpp>

#include <upsweep/sim/sentences.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace upsweep::sim {

namespace {

[[nodiscard]] std::string waits_for(launch_state const& launch, lane const& l);

/// The first lane that the warp operation of `l` waits for and that is elsewhere, and what it does.
std::string missing_lanes(launch_state const& launch, lane const& l) {
  warp const& w = *l.of;
  std::uint32_t const missing = l.call->mask & w.exists & ~w.gone & ~w.at_operation;
  if (missing == 0) return ", but they are at other operations or name other masks";
  lane const& first = w.lanes[std::countr_zero(missing)];
  int const others = std::popcount(missing) - 1;
  return say(", but ", name_of(first), others == 0 ? "" : say(" and ", others, " other lanes"),
             others == 0 ? " does" : " do", " not arrive: it ", waits_for(launch, first));
}

/// The element at `place`, which is the memory's tag plus the offset, as in the logs.
std::string name_of_element(global_memory const& buffers, block const& b, std::uint64_t place) {
  auto const number = static_cast<unsigned>(place >> 48);
  memory const& m =
      (number & shared_flag) != 0 ? *b.by_slot[number & ~shared_flag] : buffers.buffer(number);
  return say("element ", m.element_of(place & offset_mask), " of ", name_of(m));
}

/// What a suspended lane waits for, and where; empty if it has returned.
std::string waits_for(launch_state const& launch, lane const& l) {
  warp const& w = *l.of;
  if ((w.at_barrier & l.bit()) != 0)
    return say("waits at __syncthreads() at ", short_name(l.waits_at));
  if ((w.at_cluster & l.bit()) != 0)
    return say("waits at the cluster barrier at ", short_name(l.waits_at));
  if ((w.at_operation & l.bit()) != 0)
    return say("waits for the lanes of its mask at ", short_name(l.waits_at),
               missing_lanes(launch, l));
  if ((w.polling & l.bit()) == 0) return "";
  std::uint64_t const place = l.last_access != 0 ? l.last_access : l.access_before;
  if (place == 0) return say("polls at ", short_name(l.last_at));
  return say("polls ", name_of_element(launch.buffers, *w.of, (place - 1) & ~store_bit), " at ",
             short_name(l.last_at), " without seeing a change");
}

}  // namespace

void fail_with_waiting_lanes(launch_state const& launch,
                             std::vector<std::unique_ptr<cluster>> const& resident,
                             std::uint64_t not_started, bool somebody_polls) {
  std::string who;
  position at{};
  std::size_t waiting = 0;
  bool lane_missing = false;
  enum {
    polls,
    misses_lanes,
    waits
  };  // in this order: polling lanes are those that others wait for
  for (auto const reason : {polls, misses_lanes, waits})
    for (auto const& c : resident)
      for (block* b : c->blocks)
        for (lane& l : b->lanes) {
          auto const is = (l.of->polling & l.bit()) != 0        ? polls
                          : (l.of->at_operation & l.bit()) != 0 ? misses_lanes
                                                                : waits;
          if (is != reason || waits_for(launch, l).empty()) continue;
          lane_missing = lane_missing || is == misses_lanes;
          if (waiting++ < 3)
            who += say(who.empty() ? "" : "; ", name_of(l), " ", waits_for(launch, l));
          if (!at.is_known()) at = is == polls ? l.last_at : l.waits_at;
        }
  if (waiting > 3) who += say("; and ", waiting - 3, " more");
  std::string sentence = say("no thread can make progress in '", launch.shape.name, "': ", who);
  if (not_started > 0)
    sentence += say("; ", not_started,
                    " blocks have not started and cannot start before a resident block ends: a "
                    "block must not wait "
                    "for one that may start after it (take tile numbers from an atomic counter)");
  auto const kind = somebody_polls ? finding_kind::no_progress
                    : lane_missing ? finding_kind::missing_lane
                                   : finding_kind::deadlock;
  launch.found.fail(kind, sentence, at);
}

}  // namespace upsweep::sim

/// Distinguishes lanes that wait from lanes that work, and limits both.
#include <upsweep/sim/scheduler.hpp>

#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace upsweep::sim {

namespace {

constexpr std::uint64_t reads_forgiven = 64;  // times the step limit
constexpr std::uint64_t most_work_between_polls =
    256;  // basic blocks; a turn of round_robin has 16

/// With random turns a round may bring no progress by chance, but not this many in a row. With
/// short turns a round is one turn of one thread per block, and it takes this many until every
/// thread that does not wait has worked longer than between two polls.
std::uint64_t rounds_of_patience(schedule how, bool interrupts, std::uint64_t threads) {
  return (how == schedule::random ? 2000 : 100) +
         (interrupts ? most_work_between_polls / 4 * threads : 0);
}

/// A loop may wait for one of several elements; the end of a turn shows one of them.
bool has_loaded_before(lane& l, std::uint64_t access) {
  if ((access & store_bit) != 0) return false;
  if (std::ranges::find(l.loads_before, access) != std::end(l.loads_before)) return true;
  l.loads_before[l.oldest_load++ % std::size(l.loads_before)] = access;
  return false;
}

}  // namespace

progress_watch::progress_watch(launch_state const& launch, bool interrupts)
    : shape_(launch.shape),
      how_(launch.how),
      countdown_(launch.countdown),
      patience_(rounds_of_patience(how_.how, interrupts, shape_.threads.count())) {}

void progress_watch::warp_operation(unsigned count, bool stored) {
  // The logs of lanes that synchronize never run full, so their work in between is estimated.
  constexpr unsigned blocks_between = 8;
  read_work_ = stored ? 0 : read_work_ + blocks_between * count;
}

progress_watch::observation progress_watch::observe(lane& l, std::uint64_t work) {
  std::uint64_t const last = std::exchange(l.last_access, 0);
  bool const same_lane = &l == observed_;
  observed_ = &l;
  // Several countdowns may end in one iteration of a loop; a lane that works without any access
  // ends them all.
  looks_without_access_ = last == 0 && same_lane ? looks_without_access_ + 1 : 0;
  bool const is_silent = last == 0 && looks_without_access_ >= countdown_;
  bool const looks_again = last != 0 && (last == l.access_before || has_loaded_before(l, last));
  // An access that a lane of an earlier block left here does not count as spinning.
  bool const spins = looks_again && (countdown_ == 0 || same_lane);
  if (last != 0) l.access_before = last;
  if (!looks_again && last != 0) {
    ++changes_;
    idle_work_ = 0;
  }
  bool polls = false;
  if (countdown_ == 0) {
    l.of->of->is_rare = true;
    l.work_since_poll = last == 0 ? l.work_since_poll + work : 0;
    // A lane that polls an atomic waits, even if its turn ends between two polls.
    polls =
        l.poll_where != 0 && (last == l.poll_where || l.work_since_poll < most_work_between_polls);
    l.work_since_pause += work;
    polls = polls || l.work_since_pause < most_work_between_polls;
  }
  if (is_silent && !polls) may_compute_ = true;
  idle_work_ += work;
  read_work_ = (last & store_bit) != 0 ? 0 : read_work_ + work;
  return {is_silent, spins, polls};
}

void progress_watch::paused(lane& l) {
  l.work_since_pause = 0;
  l.of->of->is_rare = true;
}

bool progress_watch::has_only_read() const {
  return read_work_ / reads_forgiven > how_.step_limit;
}

std::string progress_watch::endless(lane const& l, bool only_reads) const {
  return say(
      name_of(l), " has run ", only_reads ? read_work_ : idle_work_, " basic blocks",
      since_last_place(shape_, l),
      only_reads ? " without anything being written" : " without reading or writing anything new",
      "; does its loop end?");
}

void progress_watch::reset_patience() {
  rounds_in_vain_ = idle_work_ = 0;
  may_compute_ = false;
}

bool progress_watch::is_stuck() {
  if (changes_ != changes_before_) {
    reset_patience();
    return false;
  }
  if (++rounds_in_vain_ <= patience_) return false;
  // A thread whose turn ended before its first access looked as if it computed; one that does is
  // seen again in as many rounds.
  rounds_in_vain_ = 0;
  return !std::exchange(may_compute_, false) || idle_work_ > how_.step_limit;
}

}  // namespace upsweep::sim

/// The life of a block: it comes, its threads take turns until all have returned, it goes.
#include <upsweep/sim/runner.hpp>

#include <upsweep/sim/engine.hpp>
#include <upsweep/sim/loop_watch.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace upsweep::sim {

constinit thread_local hook_state here;
constinit thread_local int tallies[tally_count] = {};

namespace {

constexpr std::uint32_t mask_of(unsigned lanes) {
  return lanes >= 32 ? 0xffffffffu : (1u << lanes) - 1;
}

emulated::index3 coordinates(std::uint64_t i, simt::extent3 const& e) {
  return {static_cast<unsigned>(i % e.x), static_cast<unsigned>(i / e.x % e.y),
          static_cast<unsigned>(i / e.x / e.y)};
}

}  // namespace

worker::worker() : fibers(&runner::run_lanes) {}

void worker::settle_on_this_thread() {
  if (on == std::this_thread::get_id()) return;
  fibers.reset();
  on = std::this_thread::get_id();
}

runner::runner(engine& owner, launch_call const& launch, worker& at)
    : engine_(owner),
      launch_(launch),
      options_(owner.how()),
      recorder_(owner.how(), at.paths, at.alignments),
      checker_(owner, *this, launch.first_serial),
      worker_(at),
      fibers_(at.fibers),
      random_(options_.seed) {
  variant_ = options_.how == schedule::adversarial ? static_cast<unsigned>(options_.seed % 4) : 4;
  pre_empts_ = options_.how == schedule::random || options_.how == schedule::round_robin;
  eager_ = pre_empts_ || variant_ == 0 || variant_ == 2 || variant_ == 3;
}

runner::~runner() {
  if (resident_.empty()) return;
  // The launch has been given up: first its lanes go, then their stacks.
  for (auto const& c : resident_)
    for (block* b : c->blocks) spare_blocks_.emplace_back(b);
  spare_blocks_.clear();
  fibers_.reset();
}

warp::warp() = default;
warp::~warp() = default;
warp::warp(warp&&) noexcept = default;

/// The number of the cluster that comes in this turn.
std::uint64_t runner::dispatched(std::uint64_t turn) const {
  return variant_ == 0 || variant_ == 3
             ? launch_.shape.blocks.count() / launch_.shape.cluster - 1 - turn
             : turn;
}

bool runner::has_room() const {
  std::size_t const limit =
      variant_ == 1 ? 1 : std::max(1u, options_.resident_blocks / launch_.shape.cluster);
  return resident_.size() < limit;
}

void runner::admit() {
  std::uint64_t const number = dispatched(next_++);
  spinner_ = nullptr;
  auto group = std::make_unique<cluster>();
  unsigned const threads = static_cast<unsigned>(launch_.shape.threads.count());
  auto const view = [](simt::extent3 const& e) { return emulated::index3{e.x, e.y, e.z}; };
  for (unsigned rank = 0; rank < launch_.shape.cluster; ++rank) {
    if (spare_blocks_.empty()) spare_blocks_.push_back(std::make_unique<block>());
    block& b = *spare_blocks_.back().release();
    spare_blocks_.pop_back();
    b.number = number * launch_.shape.cluster + rank;
    b.view = {coordinates(b.number, launch_.shape.blocks), view(launch_.shape.threads),
              view(launch_.shape.blocks)};
    b.threads = b.alive = threads;
    b.of = group.get();
    b.rank = rank;
    b.barrier = {};
    b.floor = 0;
    b.counts = {};
    b.current_warp = b.current_bit = 0;
    b.warps.clear();
    b.warps.resize((threads + 31) / 32);
    b.ready_warps = mask_of(static_cast<unsigned>(b.warps.size()));
    if (b.lanes.size() != threads) {
      b.places = std::vector<lane>(threads + lanes_ahead);
      b.lanes = {b.places.data(), threads};
    }
    for (unsigned i = 0; i < threads; ++i) {
      lane& l = b.lanes[i];
      l.thread = coordinates(i, launch_.shape.threads);
      l.block = &b.view;
      l.of = &b.warps[i / 32];
      l.index = i;
      l.clock = l.segment = l.last_access = 0;
      l.last_at = l.waits_at = {};
      l.on = nullptr;
      l.slab = nullptr;
      if (b.is_rare) static_cast<rare_lane_state&>(l) = {};
    }
    b.is_rare = false;
    for (unsigned i = 0; i < b.warps.size(); ++i) {
      warp& w = b.warps[i];
      w.of = &b;
      w.index = i;
      w.exists = w.unstarted = mask_of(threads - 32 * i);
      w.lanes = &b.lanes[32 * i];
    }
    clear_arrays(b);
    if (options_.check) checker_.started(b);
    group->blocks.push_back(&b);
    group->alive += threads;
  }
  resident_.push_back(std::move(group));
}

void runner::retire(std::size_t which) {
  for (block* b : resident_[which]->blocks) {
    b->counts.span = b->floor;
    for (lane const& l : b->lanes) b->counts.span = std::max(b->counts.span, l.clock);
    counts_of_blocks_.emplace_back(b->number, b->counts);
    spare_blocks_.emplace_back(b);
  }
  resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(which));
}

void runner::visit(block& b) {
  for (warp& w : b.warps)
    if (w.polling != 0) {
      w.ready |= w.polling;
      w.polling = 0;
      b.ready_warps |= 1u << w.index;
    }
  lane* const next = b.alive == 0 ? nullptr : pick(b);
  if (next == nullptr) return;
  ++entered_;
  here.arrays = b.by_slot.data();
  here.recent_key = nullptr;
  start_with(hub_, hub_.idle, *next);
  if (failure_) std::rethrow_exception(failure_);
}

bool runner::is_stuck(bool progressed) {
  if (progressed) {
    idle_rounds_ = idle_work_ = 0;
    works_ = false;
    return false;
  }
  ++idle_rounds_;
  // A round may be unlucky where turns are drawn by lot, never so many in a row. Where turns are
  // short, a round is one turn of one thread in each block, and it takes that many until every
  // thread that does not wait has worked for longer than between looks.
  std::uint64_t const unlucky = options_.how == schedule::random ? 2000 : 100;
  std::uint64_t const patience =
      unlucky + (pre_empts_ ? most_work_between_polls / 4 * launch_.shape.threads.count() : 0);
  return idle_rounds_ > patience && (!works_ || idle_work_ > options_.step_limit);
}

void runner::run(std::uint64_t first, std::uint64_t last) {
  next_ = first;
  last_ = last;
  adopt_thread_stack(hub_);
  worker_.settle_on_this_thread();
  struct restore {  // an operator may launch kernels on a machine of its own
    hook_state state = here;
    emulated::context context = emulated::running;
    ~restore() {
      here = state;
      emulated::running = context;
      std::ranges::fill(tallies, here.tallied);
    }
  } const at_the_end;
  here = {.by = this,
          .checks = options_.check ? &checker_ : nullptr,
          .slots = slots_.data(),
          .known_keys = static_cast<unsigned>(slots_.size()),
          .tallied = recorder_.on() || pre_empts_ ? 0 : 256,
          .watches = recorder_.on() || options_.check,
          .logs = recorder_.on(),
          .traces = recorder_.tracing(),
          .in_line = !pre_empts_ && variant_ != 3,
          .pre_empts = pre_empts_};
  std::ranges::fill(tallies, here.tallied);
  use_scratch();
  loop_watch const watch;
  while (!resident_.empty() || next_ < last_) {
    while (next_ < last_ && (resident_.empty() || (eager_ && has_room()))) admit();
    std::uint64_t const progress = progress_, entered = entered_;
    if (options_.how == schedule::random) std::shuffle(resident_.begin(), resident_.end(), random_);
    bool const backwards = variant_ == 2 || variant_ == 3;
    bool retired = false;
    for (std::size_t turn = 0, count = resident_.size(); turn < count && !retired; ++turn) {
      std::size_t const i = backwards ? count - 1 - turn : turn;
      for (block* b : resident_[i]->blocks) visit(*b);
      if (resident_[i]->alive == 0) {
        retire(i);
        retired = true;
      }
    }
    if (retired) {
      static_cast<void>(is_stuck(true));
    } else if (!eager_ && next_ < last_ && has_room()) {
      admit();
    } else if (entered_ == entered || is_stuck(progress_ != progress)) {
      give_up(entered_ != entered);
    }
  }
}

void runner::run_lanes(fiber& f) {
  for (;;) here.by->run_lane(f);  // a fiber outlives the runner
}

void runner::run_lane(fiber& f) {
  lane* next = nullptr;
  try {
    launch_.invoke(launch_.call);
    next = finish(*f.job);
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (failure_) {
    switch_to_hub(f, f.idle);  // for good
  } else if (next != nullptr && next->on == nullptr) {
    next->on = &f;
    f.job = next;
    resume(*next);
  } else {
    fibers_.give(&f);
    if (next == nullptr)
      switch_to_hub(f, f.idle);
    else
      start_with(f, f.idle, *next);
  }
}

std::string runner::name_of_thread(std::uint64_t number, unsigned thread) const {
  auto const view = [](simt::extent3 const& e) { return emulated::index3{e.x, e.y, e.z}; };
  block b;
  b.view = {coordinates(number, launch_.shape.blocks), view(launch_.shape.threads),
            view(launch_.shape.blocks)};
  warp w;
  w.of = &b;
  lane l;
  l.thread = coordinates(thread, launch_.shape.threads);
  l.block = &b.view;
  l.of = &w;
  return name_of(l);
}

void runner::report_to(launch_report& into, traced_launch* traced) {
  for (auto const& [number, counts] : counts_of_blocks_) {
    into.blocks[number] = counts;
    add_beside(into.total, counts);
  }
  launch_counts& counted = recorder_.counted();
  auto const add_elements = [&](std::string const& name, element_counts const& e) {
    if (e.loads + e.stores + e.atomics == 0) return;
    element_counts& sum = into.buffers[name];
    sum.loads += e.loads;
    sum.stores += e.stores;
    sum.atomics += e.atomics;
  };
  for (std::size_t i = 0; i < counted.buffers.size(); ++i)
    add_elements(*engine_.buffer(i).name, counted.buffers[i]);
  for (std::size_t i = 0; i < counted.arrays.size(); ++i)
    add_elements(say("shared:", (i == 0 ? dynamic_info_ : array_infos_[i - 1]).declared.line()),
                 counted.arrays[i]);
  for (std::size_t i = 0; i < counted.sites.size(); ++i) {
    if (counted.sites[i] == counters{}) continue;
    source_position line = readable(recorder_.paths().sites()[i]->at);
    line.column = 0;
    auto const same = std::ranges::find(into.lines, line, &line_counts::line);
    if (same == into.lines.end())
      into.lines.push_back({line, counted.sites[i]});
    else
      add_beside(same->counts, counted.sites[i]);
  }
  std::ranges::sort(into.lines, {}, &line_counts::line);
  if (traced != nullptr) trace_to(*traced);
}

/// Moves the steps into the trace; buffers that were accessed get numbers of their own there.
void runner::trace_to(traced_launch& into) {
  launch_counts const& counted = recorder_.counted();
  std::vector<int> number_of_buffer(counted.buffers.size(), -1),
      number_of_array(counted.arrays.size(), -1);
  auto const is_used = [](element_counts const& e) { return e.loads + e.stores + e.atomics > 0; };
  for (std::size_t i = 0; i < counted.buffers.size(); ++i)
    if (is_used(counted.buffers[i])) {
      number_of_buffer[i] = static_cast<int>(into.buffers.size());
      memory const& m = engine_.buffer(i);
      into.buffers.push_back(
          {*m.name, memory_space::global, m.element_bytes, m.bytes / m.element_bytes, 0});
    }
  for (std::size_t i = 0; i < counted.arrays.size(); ++i)
    if (is_used(counted.arrays[i])) {
      number_of_array[i] = static_cast<int>(into.buffers.size());
      array_info const& a = i == 0 ? dynamic_info_ : array_infos_[i - 1];
      into.buffers.push_back({say("shared:", a.declared.line()), memory_space::shared,
                              a.element_bytes, a.bytes / a.element_bytes, a.declared.line()});
    }
  for (auto const& s : recorder_.paths().sites()) into.sites.push_back(readable(s->at));
  into.steps = std::move(recorder_.steps());
  for (step& s : into.steps)
    for (lane_event& e : s.lanes)
      if (e.buffer >= 0) {
        auto const number = static_cast<unsigned>(e.buffer);
        e.buffer = (number & shared_flag) != 0 ? number_of_array[number & ~shared_flag]
                                               : number_of_buffer[number];
      }
}

/// The running lane has returned. Returns who goes on.
lane* runner::finish(lane& l) {
  warp& w = *l.of;
  block& b = *w.of;
  suspend(l);
  if (fiber_pool::overflown(*l.on))
    fail(finding_kind::stack_overflow,
         say("a thread of '", launch_.shape.name, "' needs more than 64 KiB of stack"), l.last_at);
  l.on = nullptr;
  w.gone |= l.bit();
  w.left_at[l.index % 32] = static_cast<std::uint16_t>(w.synchronised);
  ++progress_;
  read_work_ = 0;
  if (--b.alive == 0 && options_.check) checker_.ended(b);
  cluster& c = *b.of;
  --c.alive;
  std::uint32_t const waiting = w.at_barrier | w.at_cluster;
  if ((waiting | w.gone) == w.exists && w.at_operation == 0) {
    if (w.at_barrier != 0 && w.at_cluster == 0)
      close_segment(w, step_kind::barrier, w.lanes[std::countr_zero(w.at_barrier)].waits_at);
    else if (w.at_cluster != 0 && w.at_barrier == 0)
      close_segment(w, step_kind::cluster_barrier,
                    w.lanes[std::countr_zero(w.at_cluster)].waits_at);
    else if (waiting == 0)
      recorder_.close(w);
  }
  if (w.at_operation != 0) settle_operations(w);
  if (b.barrier.arrived > 0 && b.barrier.arrived == b.alive) complete_barrier(b);
  if (c.arrived > 0 && c.arrived == c.alive) complete_cluster_barrier(c);
  return pick(b);
}

}  // namespace upsweep::sim

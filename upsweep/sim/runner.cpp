/// Connects the parts, and converts counts to a report.
#include <upsweep/sim/runner.hpp>

#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/sentences.hpp>
#include <upsweep/sim/watches.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim {

namespace {

std::string name_of(shared_arrays::array_info const& a) {
  return say("shared:", a.name == nullptr ? "dynamic" : *a.name);
}

}  // namespace

host_thread::host_thread() : fibers(&runner::run_lanes) {}

void host_thread::settle() {
  if (on == this_host_thread()) return;
  fibers.reset();
  on = this_host_thread();
}

runner::runner(options const& how, launch_call const& call, global_memory& buffers, findings& found,
               host_thread& on)
    : call_(call),
      on_(on),
      turn_order_(how, call.shape),
      recorder_(how, on.paths, on.alignments),
      checker_(how.check
                   ? std::optional<checker>(std::in_place, found, call.shape, call.first_serial,
                                            !call.shape.independent_blocks || how.threads == 1)
                   : std::nullopt),
      launch_{.shape = call.shape,
              .how = how,
              .buffers = buffers,
              .found = found,
              .record = recorder_,
              .checks = checker_ ? &*checker_ : nullptr,
              .countdown = recorder_.on() || turn_order_.interrupts() ? 0 : 256,
              .code = call.code},
      progress_(launch_, turn_order_.interrupts()),
      scheduler_(launch_, turn_order_, progress_, on.fibers),
      shared_arrays_(launch_),
      atomics_(launch_, scheduler_, progress_),
      barriers_(launch_, scheduler_, progress_),
      warp_operations_(launch_, scheduler_, progress_),
      block_life_(launch_, turn_order_, scheduler_, progress_, shared_arrays_, barriers_,
                  warp_operations_) {}

/// Abandons unfinished lanes together with their stacks.
runner::~runner() {
  if (block_life_.is_unfinished()) on_.fibers.reset();
}

void runner::run(std::uint64_t first, std::uint64_t last) {
  on_.settle();
  struct restore {  // an operator may launch kernels on their own machine
    hook_state state = here;
    context logs = running;
    ~restore() {
      here = state;
      running = logs;
      std::ranges::fill(countdowns, here.countdown);
    }
  } const at_the_end;
  here = {.by = this,
          .checks = launch_.checks,
          .tls_module = launch_.code->tls_module == 0 ? ~std::size_t{0} : launch_.code->tls_module,
          .countdown = launch_.countdown,
          .watches = recorder_.on() || launch_.checks != nullptr,
          .logs = recorder_.on(),
          .traces = recorder_.tracing(),
          .interrupts = turn_order_.interrupts()};
  std::ranges::fill(countdowns, here.countdown);
  scheduler_.begin();
  loop_watch const loops([] { here.by->scheduler_.leave_empty_loop(); });
  watch_traps();
  stack_watch const stacks([] { here.by->scheduler_.leave_overflown_stack(); });
  try {
    block_life_.run(first, last);
    if (checker_) checker_->finish();
  } catch (...) {
    if (running.lane != nullptr) scheduler::left_by_exception();
    if (checker_) checker_->finish();
    if (recorder_.tracing()) block_life_.close_logs();
    throw;
  }
}

void runner::run_lanes(fiber& f) {
  for (;;) here.by->run_lane(f);  // a fiber outlives the runner
}

#if UPSWEEP_SIM_USES_ASYNCIFY
// An exception passes through to enter_fibers(): functions that Asyncify has changed cannot catch.
void runner::run_lane(fiber& f) {
  call_.invoke(call_.call);
  scheduler_.hand_over(f, block_life_.lane_returned(*f.job));
}
#else
void runner::run_lane(fiber& f) {
  lane* next = nullptr;
  try {
    call_.invoke(call_.call);
    next = block_life_.lane_returned(*f.job);
  } catch (...) {
    scheduler::suspend(running_lane());
    scheduler_.remember(std::current_exception());
  }
  scheduler_.hand_over(f, next);
}
#endif

bool runner::splits(memory& m, std::uint64_t offset, unsigned size) {
  auto const units = static_cast<unsigned>(offset) | size | m.element_bytes;
  unsigned const unit = units & (0 - units);
  if (unit == m.element_bytes) return true;
  if (m.owner == nullptr && launch_.shape.independent_blocks) return false;
  busy_scope const busy;
  if (m.owner != nullptr)
    shared_arrays_.split(m, unit);
  else
    launch_.buffers.split(m, unit);
  return true;
}

void runner::report_to(launch_report& into, traced_launch* traced) {
  into.declared_shared_bytes =
      std::max(into.declared_shared_bytes, shared_arrays_.declared_bytes());
  for (auto const& [number, counts] : block_life_.counts()) {
    into.blocks[number] = counts;
    add_beside(into.total, counts);
  }
  into.longest_warp = std::max(into.longest_warp, block_life_.longest_warp());
  into.exposed_copy_bytes += exposed_copy_bytes_;
  launch_counts& counted = recorder_.counted();
  auto const add_elements = [&](std::string const& name, element_counts const& e) {
    if (e.loads + e.stores + e.atomics == 0) return;
    element_counts& sum = into.buffers[name];
    sum.loads += e.loads;
    sum.stores += e.stores;
    sum.atomics += e.atomics;
  };
  for (std::size_t i = 0; i < counted.buffers.size(); ++i)
    add_elements(*launch_.buffers.buffer(i).name, counted.buffers[i]);
  for (std::size_t i = 0; i < counted.arrays.size(); ++i)
    add_elements(name_of(shared_arrays_.info(i)), counted.arrays[i]);
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

element_layout runner::elements_of(memory const& m) const {
  if (launch_.code->types == nullptr) return {};
  return m.element_pointer != nullptr ? launch_.code->types->of_pointer(m.element_pointer)
                                      : launch_.code->types->of_variable(m.data);
}
element_layout runner::elements_of(shared_arrays::array_info const& a) const {
  if (launch_.code->types == nullptr) return {};
  for (module_array const& array : launch_.code->arrays)
    if (&array.name == a.name) return launch_.code->types->of_array(array);
  return launch_.code->types->of_dynamic_array();
}
element_layout runner::elements_at(position at) const {
  if (launch_.code->types == nullptr) return {};
  auto const found = launch_.code->shuffled.find(at.word());
  return found == launch_.code->shuffled.end() ? element_layout{}
                                               : launch_.code->types->of_pointer(found->second);
}

/// Moves the steps into the trace, in which the accessed buffers are renumbered.
void runner::trace_to(traced_launch& into) {
  launch_counts const& counted = recorder_.counted();
  std::vector<int> number_of_buffer(counted.buffers.size(), -1),
      number_of_array(counted.arrays.size(), -1);
  auto const is_used = [](element_counts const& e) { return e.loads + e.stores + e.atomics > 0; };
  for (std::size_t i = 0; i < counted.buffers.size(); ++i)
    if (is_used(counted.buffers[i])) {
      number_of_buffer[i] = static_cast<int>(into.buffers.size());
      memory const& m = launch_.buffers.buffer(i);
      into.buffers.push_back({*m.name, memory_space::global, m.element_bytes,
                              m.bytes / m.element_bytes, elements_of(m)});
    }
  for (std::size_t i = 0; i < counted.arrays.size(); ++i)
    if (is_used(counted.arrays[i])) {
      number_of_array[i] = static_cast<int>(into.buffers.size());
      auto const& a = shared_arrays_.info(i);
      into.buffers.push_back({name_of(a), memory_space::shared, a.element_bytes,
                              a.bytes / a.element_bytes, elements_of(a)});
    }
  for (auto const& s : recorder_.paths().sites()) {
    into.sites.push_back(readable(s->at));
    into.site_elements.push_back(elements_at(s->at));
  }
  into.steps = std::move(recorder_.steps());
  for (step& s : into.steps)
    for (lane_event& e : s.lanes)
      if (e.buffer >= 0) {
        auto const number = static_cast<unsigned>(e.buffer);
        e.buffer = (number & shared_flag) != 0 ? number_of_array[number & ~shared_flag]
                                               : number_of_buffer[number];
      }
}

std::optional<kernel_position> current_kernel_position() {
  if (here.by == nullptr || running.lane == nullptr) return std::nullopt;
  lane const& l = running_lane();
  simt::launch_shape const& shape = here.by->launch().shape;
  return kernel_position{say(name_of(l), " of '", shape.name, "'"), readable(last_place(shape, l))};
}

}  // namespace upsweep::sim

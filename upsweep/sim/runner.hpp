/// Runs the blocks of a launch, or a share of them, on one thread of the host: who is resident, who
/// runs next, who waits for whom.
#pragma once

#include <upsweep/sim/checker.hpp>
#include <upsweep/sim/options.hpp>
#include <upsweep/sim/recorder.hpp>
#include <upsweep/sim/report.hpp>
#include <upsweep/sim/state.hpp>

#include <exception>
#include <memory>
#include <random>
#include <thread>

namespace upsweep::sim {

class engine;

/// What all threads of the host know of a launch.
struct launch_call {
  simt::launch_shape shape;
  void (*invoke)(void const*);
  void const* call;
  std::uint64_t first_serial;  ///< serial number of block 0, unique in the machine
};

/// What a thread of the host keeps from launch to launch: stacks, and what it has learnt about
/// kernels.
struct worker {
  worker();
  /// Fibers stay with the thread that ran them first: what they keep in registers belongs to it.
  void settle_on_this_thread();

  fiber_pool fibers;
  std::thread::id on{};
  path_table paths;
  alignment_table alignments;
};

class runner {
 public:
  runner(engine& owner, launch_call const& launch, worker& at);
  ~runner();
  runner(runner const&) = delete;
  runner& operator=(runner const&) = delete;

  /// Runs the clusters [first, last) to their end; throws what a thread threw, and kernel_failure.
  void run(std::uint64_t first, std::uint64_t last);

  // What lanes ask for, through the hooks. Those that wait switch to other lanes.
  void barrier(position at);
  int barrier(emulated::barrier_kind kind, int predicate, position at);
  void cluster_barrier(position at);
  void warp_operation(emulated::warp_call const& call, std::uint64_t pc, position at);
  void atomic(memory& m, std::ptrdiff_t byte, emulated::atomic_call const& call, position at);
  void fence(bool device_wide, std::memory_order order);
  void pause();
  /// The running lane has filled its log, or its share of time is over.
  void out_of_log();
  /// The running lane is in a loop that nothing can be seen of.
  void leave_empty_loop();
  /// The array that `key` means in block b; made when it is met for the first time.
  [[nodiscard]] memory* array_of(block& b, emulated::shared_key& key);
  [[nodiscard]] memory* remote_array(emulated::shared_key& key, unsigned rank, position at);
  [[nodiscard]] memory* remote_array(memory& m, unsigned rank, position at);
  [[nodiscard]] memory* dynamic_array(block& b, emulated::layout element, position at);
  [[noreturn]] void out_of_bounds(step_kind kind, memory const* m, std::ptrdiff_t byte,
                                  emulated::layout type, position at);
  [[noreturn]] void misaligned(step_kind kind, memory const& m, std::ptrdiff_t byte,
                               emulated::layout type, position at);
  void remember_failure(finding_kind kind, std::string const& sentence, position at);
  [[noreturn]] void fail(finding_kind kind, std::string const& sentence, position at);

  [[nodiscard]] std::string name_of_array(memory const& m) const;
  [[nodiscard]] std::string name_of_element(block const& b, std::uint64_t place) const;
  [[nodiscard]] std::string waits_for(lane const& l) const;
  [[nodiscard]] std::string missing_lanes(lane const& l) const;
  [[nodiscard]] bool has_only_read() const;
  [[nodiscard]] std::string endless(lane const& l, bool only_reads) const;
  [[nodiscard]] position last_place(lane const& l) const;
  [[nodiscard]] std::string since_last_place(lane const& l) const;
  [[nodiscard]] std::string name_of_thread(std::uint64_t block, unsigned thread) const;
  /// The running lane.
  [[nodiscard]] static lane& self() { return *static_cast<lane*>(emulated::running.lane); }
  [[nodiscard]] sim::recorder& recorder() { return recorder_; }
  [[nodiscard]] sim::checker& checker() { return checker_; }
  [[nodiscard]] engine& owner() { return engine_; }
  [[nodiscard]] launch_call const& launch() const { return launch_; }
  /// What a fiber does all its life: lane after lane.
  static void run_lanes(fiber& f);
  /// Adds what has been counted to the report of the launch.
  void report_to(launch_report& into, traced_launch* traced);

 private:
  void run_lane(fiber& f);
  [[nodiscard]] lane* finish(lane& l);
  void trace_to(traced_launch& into);

  void admit();
  void retire(std::size_t which);
  void visit(block& b);
  [[nodiscard]] bool has_room() const;
  [[nodiscard]] bool is_stuck(bool progressed);
  [[nodiscard]] std::uint64_t dispatched(std::uint64_t turn) const;

  [[nodiscard]] lane* pick(block& b);
  [[nodiscard]] lane* pick_at_random(block& b);
  [[nodiscard]] std::uint32_t first_of(std::uint32_t mask) const;
  [[nodiscard]] lane* take(warp& w, std::uint32_t bit);
  void switch_to(fiber& from, switch_point& here_point, lane& next);
  void start_with(fiber& from, switch_point& here_point, lane& next);
  void switch_to_hub(fiber& from, switch_point& here_point);
  void go_on(lane& l, lane* next);
  void resume(lane& l);
  static void suspend(lane& l);
  static void use_scratch();
  void shorten_turn();
  void barrier_with_logs(position at);
  void go_on_in_line(lane& l, warp& w, block& b);
  void yield(bool polling);
  void wait_for_room(lane& l);
  void make_room(warp& w);
  [[nodiscard]] std::uint64_t quantum();

  void close_segment(warp& w, step_kind kind, position at);
  void compare_barriers(lane& l, position at);
  void complete_barrier(block& b);
  void complete_cluster_barrier(cluster& c);
  void settle_operations(warp& w);
  void complete_operation(warp& w, std::uint32_t lanes);
  void exchange(warp& w, std::uint32_t lanes);
  void record_operation(warp& w, std::uint32_t lanes);
  [[nodiscard]] bool update(memory& m, std::uint64_t offset, emulated::atomic_call const& call,
                            lane& l, position at);
  void forget_poll(lane& l);
  void clear_arrays(block& b);
  [[nodiscard]] block& block_of_cluster(unsigned rank, position at);
  void check_shared_bytes(emulated::shared_key const& key);
  [[nodiscard]] memory* new_array(block& b, unsigned slot, std::size_t bytes, unsigned granule);
  [[noreturn]] void break_promise(char const* what, position at);
  [[noreturn]] void give_up(bool somebody_polls);

  engine& engine_;
  launch_call const& launch_;
  options const& options_;
  sim::recorder recorder_;
  sim::checker checker_;
  std::uint64_t next_ = 0, last_ = 0;
  fiber hub_;
  worker& worker_;
  fiber_pool& fibers_;
  std::vector<std::unique_ptr<cluster>> resident_;
  std::vector<std::unique_ptr<block>> spare_blocks_;
  std::vector<unsigned char> slots_;  // of shared arrays, by the number of their key
  struct array_info {
    position declared{};
    unsigned element_bytes = 0;
    std::size_t bytes = 0;
  };
  std::vector<array_info> array_infos_;  // of slots 1, 2, ...
  array_info dynamic_info_;
  std::uint64_t arrays_made_ = 0;
  std::vector<std::pair<std::uint64_t, counters>> counts_of_blocks_;  // of those that have ended
  std::unordered_map<std::uint64_t, std::uint64_t>
      clocks_of_atomics_;  // by place in buffers: of the lanes that have written there
  std::exception_ptr failure_;
  std::mt19937_64 random_;
  unsigned variant_ = 0;  // of the adversarial schedule
  bool eager_ = false;    // blocks come as soon as there is room
  bool pre_empts_ = false;
  bool works_ = false;  ///< since the last progress a lane has polled by plain loads or computed;
                        ///< the step limit says when that is too long
  lane const* spinner_ = nullptr;  ///< whose tally ran out last
  int silences_ = 0;               ///< how often in a row it ran out without an access in between
  std::uint64_t entered_ = 0;      // how often a lane was entered from the hub
  std::uint64_t progress_ = 0;     // changes that somebody may have waited for
  std::uint64_t idle_rounds_ = 0;
  std::uint64_t idle_work_ = 0;  // basic blocks since the last progress
  // Basic blocks since anything was written or anybody met anybody: whoever reads on and on may
  // still be waiting, for several flags.
  std::uint64_t read_work_ = 0;
  static constexpr std::uint64_t reads_forgiven = 64;  // times the step limit
  static constexpr std::uint64_t most_work_between_polls =
      256;  // basic blocks; a turn of round_robin has 16
};

/// What the hooks of every access need: the runner whose lanes this thread of the host is running,
/// and where it has the answers.
struct hook_state {
  runner* by = nullptr;
  checker* checks = nullptr;             ///< null without checks
  memory* const* arrays = nullptr;       ///< of the running block, by slot
  unsigned char const* slots = nullptr;  ///< by number of the key
  unsigned known_keys = 0;
  simt::emulated::shared_key const* recent_key =
      nullptr;  ///< of the array that the running block used last
  memory* recent_array = nullptr;
  int tallied = 0;       ///< how often a basic block is met before the emulator has a look, where
                         ///< neither logs nor turns are kept
  bool watches = false;  ///< accesses are logged or checked
  bool logs = false;
  bool traces = false;
  bool in_line = false;    ///< lanes take turns in order
  bool pre_empts = false;  ///< lanes are interrupted
  /// The emulator is at work for the running lane, or an exception is on its way. Functions of the
  /// standard library that it calls may have been compiled like kernels by a translation unit of
  /// kernels; then their basic blocks are neither logged nor a reason to switch.
  bool busy = false;
  bool failing = false;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local hook_state here;

/// Where no log is kept a basic block counts down a number that it shares with few others: counting
/// all in one place would make each block of a kernel wait for the one before it.
inline constexpr std::size_t tally_count = 256;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local int tallies[tally_count];
[[nodiscard]] constexpr std::size_t tally_of(std::uint64_t pc) {
  return pc & (tally_count - 1);
}

/// Makes the emulator busy while it serves a lane that goes on at once.
class at_work {
 public:
  at_work() : control_(emulated::running.control) { here.busy = true; }
  ~at_work() {
    emulated::running.control = control_;
    here.busy = false;
  }
  at_work(at_work const&) = delete;
  at_work& operator=(at_work const&) = delete;

 private:
  std::uint64_t* control_;
};

/// The running lane keeps its place in its logs; the emulator is busy until a lane is resumed.
inline void runner::suspend(lane& l) {
  here.busy = true;
  if (!here.logs) return;
  l.control = emulated::running.control;
  l.data = emulated::running.data;
}

/// Makes `l` the running lane. Lanes that keep no logs share a scratch log.
inline void runner::resume(lane& l) {
  emulated::context& c = emulated::running;
  c.lane = &l;
  here.busy = false;
  if (here.logs) {
    if (l.segment != l.of->segment) recorder_.open(l);
    c.control = l.control;
    c.control_limit = l.control_end;
    c.data = l.data;
  }
  if (pre_empts_) [[unlikely]]
    shorten_turn();
}

/// Shared memory of a block on a GPU of compute capability 9.0: what may be declared, and with
/// dynamic shared memory that the host asks for.
inline constexpr std::size_t most_declared_bytes = 48 * 1024, most_shared_bytes = 227 * 1024;

/// Shared arrays of a launch, the dynamic part included. The last slot stays empty: keys that have
/// none yet point to it.
inline constexpr unsigned most_arrays = 64;
inline constexpr unsigned char no_slot = most_arrays - 1;

}  // namespace upsweep::sim

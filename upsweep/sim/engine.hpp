/// What a machine owns: its memory, its report, and its host threads with their caches.
#pragma once

#include <upsweep/sim/device_heap.hpp>
#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/global_memory.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/simt/machine.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace upsweep::sim {

/// The launches of one kernel with one shape.
struct repeated_launch {
  std::size_t launches = 0;  ///< that ran
  std::size_t report = 0;    ///< the number of the last one that was measured
  double seconds = 0;        ///< that it took
  bool is_clean = false;     ///< it found nothing
  /// The last one would do the same again on the memory that it left, and did nothing else; its
  /// arguments, and a number for the memory.
  bool is_fixed = false;
  std::vector<std::byte> call;
  std::uint64_t memory = 0;

  [[nodiscard]] bool repeats(std::span<std::byte const> arguments, std::uint64_t now) const {
    return is_fixed && memory == now && call.size() == arguments.size() &&
           std::equal(call.begin(), call.end(), arguments.begin());
  }
};

/// What is known of launches that a program repeats: which need not be measured, or need not run.
class repeated_launches {
 public:
  [[nodiscard]] repeated_launch& of(void const* kernel, simt::launch_shape const& s) {
    return all_[{reinterpret_cast<std::uintptr_t>(kernel), s.blocks.x, s.blocks.y, s.blocks.z,
                 s.threads.x, s.threads.y, s.threads.z, s.cluster.count(), s.shared_bytes}];
  }
  void clear() { all_.clear(); }

 private:
  std::map<std::array<std::uint64_t, 9>, repeated_launch> all_;
};

class machine_engine {
 public:
  explicit machine_engine(options const& how)
      : options_(how),
        buffers_(how.check),
        heap_(buffers_, how.check),
        findings_(report_.findings) {}
  machine_engine(machine_engine const&) = delete;
  machine_engine& operator=(machine_engine const&) = delete;

  /// `kernel`: an address in the module of the kernel, if it is part of one.
  /// `call_bytes`: of the arguments at `call`, if they are known; launches that repeat others may
  /// then be left out, as options::measured_launches says.
  void launch(simt::launch_shape const& shape, void (*invoke)(void const*), void const* call,
              void const* kernel, std::size_t call_bytes = 0);

  [[nodiscard]] options const& how() const { return options_; }
  [[nodiscard]] global_memory& buffers() { return buffers_; }
  [[nodiscard]] device_heap& heap() { return heap_; }
  [[nodiscard]] findings& found() { return findings_; }
  [[nodiscard]] report const& result() const { return report_; }
  void forget_result();
  /// The host has waited for all launches and copies.
  void synchronize() { synchronized_ = next_serial_; }
  /// An asynchronous copy has written or read these bytes.
  void note_async_copy(memory& m, std::uint64_t offset, std::size_t bytes, bool writes);
  /// Whether a launch or copy that the host has not waited for has written these bytes, or has read
  /// them and the host `writes`.
  [[nodiscard]] bool may_be_in_use(memory const& m, std::uint64_t offset, std::size_t bytes,
                                   bool writes) const;

 private:
  [[nodiscard]] std::uint64_t take_serials(std::uint64_t blocks);
  [[nodiscard]] std::size_t shares_of(simt::launch_shape const& shape) const;
  void run(launch_call const& launched, options const& how);
  void run_or_repeat(launch_call const& launched, options how, void const* kernel,
                     std::size_t call_bytes);
  [[nodiscard]] std::uint64_t fingerprint(loaded_code const& code) const;
  /// Numbers for the contents of a module's variables and of each buffer.
  struct memory_numbers {
    std::uint64_t variables = 0;
    std::vector<std::uint64_t> buffers;
  };
  [[nodiscard]] memory_numbers numbers_of(loaded_code const& code) const;
  [[nodiscard]] bool has_kept_input(std::size_t number, memory_numbers const& at_start,
                                    loaded_code const& code) const;
  [[nodiscard]] std::uint64_t occurrences() const;
  void add_copy(std::size_t of, simt::launch_shape const& shape, launch_source source);
  void collect(runner& r, launch_report& into, options const& how);

  options options_;
  report report_;
  global_memory buffers_;
  device_heap heap_;
  findings findings_;
  repeated_launches repeated_;
  std::deque<std::string> names_;  // of launches
  std::vector<std::unique_ptr<host_thread>> threads_;
  std::uint64_t next_serial_ = 1, synchronized_ = 1;
};

}  // namespace upsweep::sim

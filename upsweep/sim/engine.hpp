/// What a machine owns: its memory, its report, and its host threads with their caches.
#pragma once

#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/global_memory.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/runner.hpp>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace upsweep::sim {

class machine_engine {
 public:
  explicit machine_engine(options const& how)
      : options_(how), buffers_(how.check), findings_(report_.findings) {}
  machine_engine(machine_engine const&) = delete;
  machine_engine& operator=(machine_engine const&) = delete;

  /// `kernel`: an address in the module of the kernel, if it is part of one.
  void launch(simt::launch_shape const& shape, void (*invoke)(void const*), void const* call,
              void const* kernel);

  [[nodiscard]] options const& how() const { return options_; }
  [[nodiscard]] global_memory& buffers() { return buffers_; }
  [[nodiscard]] findings& found() { return findings_; }
  [[nodiscard]] report const& result() const { return report_; }
  void forget_result();

 private:
  [[nodiscard]] std::uint64_t take_serials(std::uint64_t blocks);
  [[nodiscard]] std::size_t shares_of(simt::launch_shape const& shape) const;
  void collect(runner& r, launch_report& into, options const& how);

  options options_;
  report report_;
  global_memory buffers_;
  findings findings_;
  std::deque<std::string> names_;  // of launches
  std::vector<std::unique_ptr<host_thread>> threads_;
  std::uint64_t next_serial_ = 1;
};

}  // namespace upsweep::sim

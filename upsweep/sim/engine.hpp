/// What a machine owns: buffers, the report, and what it has learnt about its kernels.
#pragma once

#include <upsweep/sim/align.hpp>
#include <upsweep/sim/checker.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/state.hpp>

#include <array>
#include <cstdlib>
#include <deque>
#include <mutex>

namespace upsweep::sim {

class engine {
 public:
  explicit engine(options const& how) : options_(how) {}
  ~engine();
  engine(engine const&) = delete;
  engine& operator=(engine const&) = delete;

  [[nodiscard]] memory* allocate(std::size_t count, emulated::layout element, char const* name);
  [[nodiscard]] void* host_access(memory* m, std::ptrdiff_t byte, std::size_t bytes, bool write);
  void launch(simt::launch_shape const& shape, void (*invoke)(void const*), void const* call);

  /// Records a finding, or one more occurrence of it; `sentence()` is asked only for the first.
  template <class Sentence>
  void note(finding_kind kind, position first, position second, Sentence const& sentence) {
    at_work const busy;
    std::lock_guard const lock(findings_);
    if (!is_known(kind, first, second)) add(kind, sentence(), first, second);
  }

  [[nodiscard]] options const& how() const { return options_; }
  [[nodiscard]] sim::report& result() { return report_; }
  void forget_result();
  [[nodiscard]] memory& buffer(std::uint64_t number) { return *buffers_[number]; }

 private:
  [[nodiscard]] bool is_known(finding_kind kind, position first, position second);
  void add(finding_kind kind, std::string sentence, position first, position second);
  void renew_serials();
  void collect(runner& r, launch_report& into);

  options options_;
  sim::report report_;
  std::vector<std::unique_ptr<memory>> buffers_;
  std::vector<std::unique_ptr<shadow[]>> shadows_;
  struct release {
    void operator()(void* p) const { std::free(p); }
  };
  std::vector<std::unique_ptr<stamp[], release>>
      earlier_reads_;  // from calloc: most pages of it are never touched
  std::deque<std::string> names_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::uint64_t next_serial_ = 1;
  std::mutex findings_;
  std::map<std::array<std::uint64_t, 3>, std::size_t>
      known_findings_;  // kind and positions -> index
};

}  // namespace upsweep::sim

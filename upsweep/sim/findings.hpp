/// What is wrong with the kernels of a machine: every part of the emulator notes it here.
#pragma once

#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/report.hpp>

#include <array>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace upsweep::sim {

/// The findings of a report, each kept once. Threads of the host may note at the same time.
class findings {
 public:
  explicit findings(std::vector<finding>& list) : list_(list) {}

  /// Notes a finding, or one more occurrence of it; `sentence()` is asked only for the first.
  template <class Sentence>
  void note(finding_kind kind, position first, position second, Sentence const& sentence) {
    at_work const busy;
    std::lock_guard const lock(mutex_);
    if (!is_known(kind, first, second)) add(kind, sentence(), first, second);
  }
  /// Notes what leaves a launch nothing to go on with, and throws kernel_failure.
  [[noreturn]] void fail(finding_kind kind, std::string const& sentence, position at);
  void clear();

 private:
  [[nodiscard]] bool is_known(finding_kind kind, position first, position second);
  void add(finding_kind kind, std::string sentence, position first, position second);

  std::vector<finding>& list_;
  std::mutex mutex_;
  std::map<std::array<std::uint64_t, 3>, std::size_t> known_;  // kind and positions -> index
};

}  // namespace upsweep::sim

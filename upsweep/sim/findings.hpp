/// The findings about a machine's kernels, collected from every part of the emulator.
#pragma once

#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/host_threads.hpp>
#include <upsweep/sim/report.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::sim {

/// The findings of a report, each kept once. Host threads may add concurrently.
class findings {
 public:
  explicit findings(std::vector<finding>& list) : list_(list) {}

  /// The findings that follow are of this launch; finding::no_launch: of none.
  void set_launch(std::size_t number) { launch_ = number; }
  /// Adds a finding, or one more occurrence of it; `sentence()` is called only for the first.
  /// `earlier` and `later`: the threads of the accesses at `first` and `second`, if there are two;
  /// a single one is of the running thread.
  template <class Sentence>
  void note(finding_kind kind, position first, position second, Sentence const& sentence,
            std::optional<thread_number> earlier = {}, std::optional<thread_number> later = {},
            std::string const& group = {}) {
    busy_scope const busy;
    host_lock const lock(mutex_);
    if (is_known(kind, first, second)) return;
    add(kind, sentence(), first, second, earlier, later);
    list_.back().group = group;
  }
  /// Adds a finding after which the launch cannot continue, and throws kernel_failure.
  [[noreturn]] void fail(finding_kind kind, std::string const& sentence, position at);
  void clear();

 private:
  [[nodiscard]] bool is_known(finding_kind kind, position first, position second);
  void add(finding_kind kind, std::string sentence, position first, position second,
           std::optional<thread_number> earlier, std::optional<thread_number> later);

  std::vector<finding>& list_;
  std::size_t launch_ = finding::no_launch;
  host_mutex mutex_;
  std::map<std::array<std::uint64_t, 3>, std::size_t> known_;  // kind and positions -> index
};

}  // namespace upsweep::sim

/// Some counters are sums of the emulator's.
#include <lab/grading/counter_names.hpp>

#include <string_view>
#include <utility>

namespace upsweep::lab::grading {

namespace {

using value_of = std::uint64_t (*)(sim::counters const&);

template <std::uint64_t sim::counters::* member>
std::uint64_t one(sim::counters const& c) {
  return c.*member;
}

struct named_counter {
  char const* name;
  value_of value;
};
constexpr named_counter table[] = {
    {"applications", one<&sim::counters::applications>},
    {"span", one<&sim::counters::span>},
    {"steps", one<&sim::counters::steps>},
    {"divergent_steps", one<&sim::counters::divergent_steps>},
    {"barriers", one<&sim::counters::barriers>},
    {"warp_syncs", one<&sim::counters::warp_syncs>},
    {"shuffles", one<&sim::counters::shuffles>},
    {"votes", one<&sim::counters::votes>},
    {"shared_loads", one<&sim::counters::shared_loads>},
    {"shared_stores", one<&sim::counters::shared_stores>},
    {"shared_accesses", [](auto const& c) { return c.shared_loads + c.shared_stores; }},
    {"shared_wavefronts", one<&sim::counters::shared_wavefronts>},
    {"shared_conflicts", one<&sim::counters::shared_conflicts>},
    {"global_loads", one<&sim::counters::global_loads>},
    {"global_stores", one<&sim::counters::global_stores>},
    {"global_accesses", [](auto const& c) { return c.global_loads + c.global_stores; }},
    {"global_bytes", [](auto const& c) { return 32 * (c.sectors_loaded + c.sectors_stored); }},
    {"global_requests", one<&sim::counters::global_requests>},
    {"sectors_loaded", one<&sim::counters::sectors_loaded>},
    {"sectors_stored", one<&sim::counters::sectors_stored>},
    {"atomics", one<&sim::counters::atomics>},
    {"atomic_requests", one<&sim::counters::atomic_requests>},
    {"atomic_rounds", one<&sim::counters::atomic_rounds>},
    {"fences", one<&sim::counters::fences>},
};
constexpr char const *launches_counter = "launches", *global_atomics_counter = "global_atomics",
                     *longest_warp_counter = "longest_warp",
                     *exposed_copy_bytes_counter = "exposed_copy_bytes";

/// Of all buffers, but not of shared arrays, whose names begin otherwise.
std::uint64_t global_atomics(sim::launch_report const& launch) {
  std::uint64_t all = 0;
  for (auto const& [name, counts] : launch.buffers)
    if (!name.starts_with("shared:")) all += counts.atomics;
  return all;
}

}  // namespace

std::vector<std::string> const& counter_names() {
  static std::vector<std::string> const names = [] {
    std::vector<std::string> all{launches_counter, global_atomics_counter, longest_warp_counter,
                                 exposed_copy_bytes_counter};
    for (auto const& c : table) all.emplace_back(c.name);
    return all;
  }();
  return names;
}

std::string about_counter(std::string const& name) {
  static constexpr std::pair<std::string_view, std::string_view> sentences[] = {
      {"applications",
       "Applications are the work: how often op is called, by all threads together."},
      {"span",
       "The span is the longest chain of applications of which each needs the result of the one "
       "before: the steps of the algorithm, however many threads there are. A tree over n elements "
       "has log2 n, a loop of one thread n - 1."},
      {"steps",
       "A warp executes an instruction for all of its lanes in one step; what one thread does "
       "alone "
       "takes as many steps as what 32 do together."},
      {"longest_warp",
       "These are the steps of the warp with the most: the time that a GPU needs which has room "
       "for "
       "all warps. It grows where one warp, or one block, works while the others wait."},
      {"exposed_copy_bytes",
       "A thread that waits for an asynchronous copy right after it has started it waits as long "
       "as "
       "for a plain load. These are the bytes of such copies: their threads have accessed no "
       "memory "
       "in between."},
      {"barriers", "A barrier is a __syncthreads() of a whole block."},
      {"shuffles", "A shuffle is counted once for each warp."},
      {"shared_conflicts",
       "Lanes that access different words of one bank of shared memory take turns: one conflict "
       "for "
       "each further turn."},
      {"global_bytes",
       "Global memory is accessed in sectors of 32 bytes; each that a warp touches counts whole."},
      {"global_requests", "A warp's load or store is one request, for one lane as for 32 of them."},
      {"global_loads", "Each element that a thread loads from global memory is counted."},
      {"atomics", "Each thread's atomic function is counted."},
      {"global_atomics", "Each thread's atomic function on global memory is counted."},
  };
  for (auto const& [counter, sentence] : sentences)
    if (name == counter) return std::string(sentence);
  return {};
}

std::uint64_t counted(std::string const& name, std::span<sim::launch_report const> launches) {
  if (name == launches_counter) return launches.size();
  if (name == global_atomics_counter) {
    std::uint64_t all = 0;
    for (auto const& launch : launches) all += global_atomics(launch);
    return all;
  }
  if (name == longest_warp_counter || name == exposed_copy_bytes_counter) {
    auto const member = name == longest_warp_counter ? &sim::launch_report::longest_warp
                                                     : &sim::launch_report::exposed_copy_bytes;
    std::uint64_t all = 0;
    for (auto const& launch : launches) all += launch.*member;
    return all;
  }
  sim::counters sum;
  for (auto const& launch : launches) add_after(sum, launch.total);
  for (auto const& c : table)
    if (name == c.name) return c.value(sum);
  return 0;
}

}  // namespace upsweep::lab::grading

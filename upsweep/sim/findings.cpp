/// Merges findings of the same kind at the same positions.
#include <upsweep/sim/findings.hpp>

#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::sim {

std::vector<finding> grouped(report const& all) {
  auto const kernel_of = [&](finding const& f) {
    return f.launch < all.launches.size() ? std::string_view(all.launches[f.launch].name)
                                          : std::string_view();
  };
  std::vector<finding> some;
  for (finding const& f : all.findings) {
    auto const same = std::ranges::find_if(some, [&](finding const& g) {
      return !f.group.empty() && g.group == f.group && g.kind == f.kind &&
             kernel_of(g) == kernel_of(f);
    });
    if (same == some.end()) {
      some.push_back(f);
      continue;
    }
    same->occurrences += f.occurrences;
    ++same->others;
  }
  return some;
}

void findings::fail(finding_kind kind, std::string const& sentence, position at) {
  here.failing = true;
  note(kind, at, {}, [&] { return sentence; });
  throw kernel_failure(kind, sentence);
}

void findings::clear() {
  list_.clear();
  known_.clear();
}

bool findings::is_known(finding_kind kind, position first, position second) {
  std::array const key{static_cast<std::uint64_t>(kind), first.word(), second.word()};
  auto const [entry, is_new] = known_.try_emplace(key, list_.size());
  if (!is_new) {
    ++list_[entry->second].occurrences;
    return true;
  }
  // Instances of a template have distinct positions that print alike.
  source_position const a = readable(first), b = readable(second);
  auto const same = std::ranges::find_if(
      list_, [&](finding const& f) { return f.kind == kind && f.first == a && f.second == b; });
  if (same == list_.end()) return false;
  entry->second = static_cast<std::size_t>(same - list_.begin());
  ++same->occurrences;
  return true;
}

void findings::add(finding_kind kind, std::string sentence, position first, position second,
                   std::optional<thread_number> earlier, std::optional<thread_number> later) {
  std::optional<thread_number> now = later;
  if (!now && running.lane != nullptr) now = {running_lane().of->of->number, running_lane().index};
  bool const is_pair = second.is_known();
  list_.push_back({kind, std::move(sentence), readable(first), readable(second), 1, launch_,
                   is_pair ? earlier : now, is_pair ? now : std::nullopt});
}

}  // namespace upsweep::sim

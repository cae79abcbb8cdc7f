/// Upsweep and the limits, and how functions are timed.
#include <bench/baselines/limits.hpp>
#include <bench/harness/clock.hpp>
#include <bench/verbs/ours.hpp>
#include <bench/verbs/participants.hpp>

#include <utility>

namespace upsweep::bench {
namespace {

verb_participant limit_of(char const* name, char const* title,
                          std::function<void(void const*, void*, std::size_t)> copy) {
  return {name, title, role::limit, false,
          [copy = std::move(copy)](verb_row const&, std::size_t, verb_memory& memory) {
            return verb_attempt{[&memory, copy](std::size_t repeats) {
                                  return host_seconds([&] {
                                    for (std::size_t r = 0; r < repeats; ++r) {
                                      auto const [from, to] = memory.next_copy();
                                      copy(from, to, memory.copy_bytes());
                                    }
                                  });
                                },
                                {}};
          }};
}

/// The time of `repeats` calls. Calls in place are timed one by one, because their elements are put
/// back in between.
double time_of_calls(verb_function run, verb_memory& memory, bool in_place, int threads,
                     std::size_t repeats) {
  auto const prepared = [&] {
    verb_call c = memory.next();
    if (threads > 0) c.threads = threads;
    return c;
  };
  double seconds = 0;
  if (in_place) {
    for (std::size_t r = 0; r < repeats; ++r) {
      verb_call c = prepared();
      seconds += host_seconds([&] { run(c); });
    }
    return seconds;
  }
  return host_seconds([&] {
    for (std::size_t r = 0; r < repeats; ++r) {
      verb_call c = prepared();
      touch(c.in);
      run(c);
      touch(c.out);
    }
  });
}

}  // namespace

verb_entry const* entry_for(verb_entries all, verb_row const& row, std::size_t n) {
  std::string const key = row.key();
  for (auto const& entry : all)
    if (key == entry.key &&
        static_cast<double>(n) * row.number <= static_cast<double>(entry.most_work))
      return &entry;
  return nullptr;
}

verb_participant participant_of(std::string name, std::string title, role r, verb_entries entries,
                                bool spins, int threads) {
  return {std::move(name), std::move(title), r, spins,
          [=](verb_row const& row, std::size_t n, verb_memory& memory) -> verb_attempt {
            auto const* const entry = entry_for(entries, row, n);
            if (!entry) return {};
            auto const run = entry->run;
            bool const in_place = row.is_in_place();
            return {[=, &memory](std::size_t repeats) {
                      return time_of_calls(run, memory, in_place, threads, repeats);
                    },
                    [=, &memory] {
                      verb_call c = memory.clean();
                      if (threads > 0) c.threads = threads;
                      run(c);
                      return c;
                    }};
          }};
}

std::vector<verb_participant> our_participants() {
  return {
      participant_of("upsweep", "Upsweep", role::upsweep, our_verbs()),
      participant_of("upsweep-serial", "Upsweep, 1 thread", role::upsweep, our_verbs(), false, 1)};
}

std::vector<verb_participant> copying_participants(team& t) {
  return {
      limit_of("copy", "memcpy, 1 thread",
               [](void const* in, void* out, std::size_t n) { cached_copy(in, out, n); }),
      limit_of("stream", "non-temporal copy, 1 thread",
               [](void const* in, void* out, std::size_t n) { streaming_copy(in, out, n); }),
      limit_of("copy-all", "memcpy",
               [&t](void const* in, void* out, std::size_t n) { cached_copy(t, in, out, n); }),
      limit_of("stream-all", "non-temporal copy",
               [&t](void const* in, void* out, std::size_t n) { streaming_copy(t, in, out, n); })};
}

}  // namespace upsweep::bench

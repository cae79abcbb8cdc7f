/// What a thread knows of others: the search with tables against one without, and a search that
/// takes long.
#include <upsweep/sim/order.hpp>

#include "modules.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace upsweep;
using sim::happens_before;
using sim::known_part;
using sim::snapshot;

/// The definition: a snapshot knows its own parts and what the snapshots know that it comes from.
struct plain_graph {
  struct node {
    std::vector<known_part> parts;
    std::vector<snapshot> from;
  };
  std::vector<node> nodes{1};

  [[nodiscard]] bool knows(snapshot s, sim::epoch access) const {
    std::set<snapshot> seen{0};
    for (std::vector<snapshot> rest{s}; !rest.empty();) {
      snapshot const now = rest.back();
      rest.pop_back();
      if (!seen.insert(now).second) continue;
      for (auto const& part : nodes[now].parts)
        if (part.covers(access)) return true;
      rest.insert(rest.end(), nodes[now].from.begin(), nodes[now].from.end());
    }
    return false;
  }
};

/// A small world, in which parts overlap: 5 blocks of 3 warps.
class random_world {
 public:
  explicit random_world(unsigned seed) : random_(seed) {}

  unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
  known_part part() {
    unsigned const kind = below(3);
    return {1 + below(5),
            kind == 0   ? known_part::whole
            : kind == 1 ? known_part::warps + below(3)
                        : below(96),
            1 + below(40)};
  }
  sim::epoch access() {
    return sim::epoch_at(1 + below(5), below(45)) | sim::epoch{below(96)} << 14;
  }

 private:
  std::mt19937 random_;
};

TEST(happens_before, knows_what_the_definition_says) {
  unsigned known = 0, unknown = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    random_world world(seed);
    happens_before order;
    plain_graph wanted;
    std::size_t const hubs = 2 + world.below(60);  // snapshots that many others come from
    // A union is a new snapshot, or an earlier one that knows the same.
    auto const check_union = [&](snapshot made, std::vector<snapshot> const& of) {
      if (made == wanted.nodes.size()) return wanted.nodes.push_back({{}, of});
      for (int question = 0; question < 10; ++question) {
        sim::epoch const access = world.access();
        auto const knows = [&](snapshot s) { return wanted.knows(s, access); };
        EXPECT_EQ(knows(made), std::ranges::any_of(of, knows)) << "seed " << seed;
      }
    };
    for (int step = 0; step < 400; ++step) {
      auto const parent = [&] {
        std::size_t const all = wanted.nodes.size();
        return world.below(world.below(2) == 0 ? all : std::min(all, hubs));
      };
      snapshot const a = parent(), b = parent(), c = world.below(4) == 0 ? parent() : 0;
      if (world.below(2) == 0) {
        std::vector<known_part> parts(1 + world.below(2));
        for (auto& p : parts) p = world.part();
        EXPECT_EQ(order.make(parts, a, b, c), wanted.nodes.size());
        wanted.nodes.push_back({parts, {a, b, c}});
      } else if (world.below(4) != 0) {
        check_union(order.join(a, b), {a, b});
      } else {  // a barrier of a block whose accesses no question is about
        std::vector<snapshot> const all{a, b, parent(), parent(), parent(), parent()};
        check_union(order.join(all, 99), all);
      }
      for (int question = 0; question < 10; ++question) {
        snapshot const s = world.below(wanted.nodes.size());
        sim::epoch const access = world.access();
        bool const is_known = wanted.knows(s, access);
        ++(is_known ? known : unknown);
        ASSERT_EQ(order.knows(s, access), is_known) << "seed " << seed << ", step " << step;
      }
    }
  }
  EXPECT_GT(known, 10'000U);
  EXPECT_GT(unknown, 10'000U);
}

char const* signals_in = nullptr;  // a part of a function's mangled name
unsigned signals = 0;

/// Whether the function `signals_in` has called, directly or not. What is known of an address is
/// kept: to find its function takes some microseconds.
bool is_called_by_it() {
  static struct {
    void const* at;
    char const* function;
    bool is_it;
  } kept[4096];
  void* frames[12];
  int const count = ::backtrace(frames, 12);
  for (int i = 0; i < count; ++i) {
    auto& each = kept[reinterpret_cast<std::uintptr_t>(frames[i]) % std::size(kept)];
    if (each.at != frames[i] || each.function != signals_in) {
      Dl_info info{};
      bool const is_named = ::dladdr(frames[i], &info) != 0 && info.dli_sname != nullptr;
      each = {frames[i], signals_in,
              is_named && std::strstr(info.dli_sname, signals_in) != nullptr};
    }
    if (each.is_it) return true;
  }
  return false;
}

}  // namespace

/// Where it is armed, the timer of loop_watch expires twice when that function allocates.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (signals_in != nullptr && is_called_by_it()) {
    signals += 2;
    std::raise(SIGRTMIN + 7);
    std::raise(SIGRTMIN + 7);
  }
  if (void* const place = std::malloc(bytes == 0 ? 1 : bytes)) return place;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* place) noexcept {
  std::free(place);
}
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept {
  std::free(place);
}

namespace {

/// Runs kernels that are right while the timer expires in a function of the emulator.
void expect_no_empty_loop(char const* function) {
  sim::module const module(UPSWEEP_MODULE_group_words);
  signals = 0;
  for (char const* const name : {"flags_between_blocks", "pipeline_of_a_block", "grid_barrier"}) {
    sim::machine m;
    sim::runtime const runtime(m);
    auto* const test = module.function<bool()>(name);
    signals_in = function;
    bool const is_right = test();
    signals_in = nullptr;
    EXPECT_TRUE(is_right) << name;
    for (auto const& f : m.result().findings) ADD_FAILURE() << name << ": " << f.sentence;
  }
  EXPECT_GT(signals, 0U);
}

/// A search among 270 000 threads took longer than an empty loop may.
TEST(happens_before, a_search_that_takes_long_is_no_empty_loop) {
  expect_no_empty_loop("happens_before5knows");
}

/// A lane that ran when the timer last expired gets its next turn, and a stack, which is allocated
/// on the stack of the turn before.
TEST(loop_watch, a_turn_that_begins_is_no_empty_loop) {
  expect_no_empty_loop("fiber_pool4grow");
}

}  // namespace

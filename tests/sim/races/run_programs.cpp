/// Runs programs from the standard input under several schedules, and prints for each launch what
/// its threads have done and what the checker has found.
#include "interpreter.hpp"

#include <upsweep/sim/modules/module.hpp>
#include <upsweep/sim/modules/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace upsweep;
using namespace upsweep::sim_test;

struct named_schedule {
  char const* name;
  sim::schedule how;
  std::uint64_t seed;
};
constexpr named_schedule schedules[]{
    {"in_order", sim::schedule::in_order, 0},       {"lockstep", sim::schedule::lockstep, 0},
    {"round_robin", sim::schedule::round_robin, 0}, {"last_block", sim::schedule::adversarial, 0},
    {"last_first", sim::schedule::adversarial, 3},  {"random_1", sim::schedule::random, 1},
    {"random_2", sim::schedule::random, 2},         {"random_3", sim::schedule::random, 3}};

struct launch_of_program {
  unsigned blocks = 0, threads = 0;
  std::vector<std::vector<instruction>> code;
};

/// "LAUNCH blocks threads", and a line for each thread: the number of its words, and the words.
std::vector<launch_of_program> read_program(std::istream& in, unsigned launches) {
  std::vector<launch_of_program> program(launches);
  for (launch_of_program& l : program) {
    in >> l.blocks >> l.threads;
    l.code.resize(std::size_t{l.blocks} * l.threads);
    for (auto& words : l.code) {
      std::size_t count = 0;
      in >> count;
      words.resize(count);
      for (instruction& w : words) in >> w.what >> w.element >> w.value >> w.mask;
    }
  }
  return program;
}

void print(run_state const& state, std::vector<sim::finding> const& findings) {
  for (std::size_t i = 0; i < state.count; ++i)
    std::cout << "event " << state.events[i].thread << ' ' << state.events[i].index << ' '
              << state.events[i].old << '\n';
  for (auto const& f : findings)
    std::cout << "finding " << name_of(f.kind) << '|' << f.first.line << '|' << f.second.line << '|'
              << f.sentence << '\n';
}

}  // namespace

int main() {
  sim::module const module(UPSWEEP_INTERPRETER);
  auto* const run =
      module.function<void(run_state*, unsigned, unsigned, unsigned*)>("run_programs");
  auto const state = std::make_unique<run_state>();
  std::string number;
  unsigned launches = 0;
  while (std::cin >> number >> launches) {
    auto const program = read_program(std::cin, launches);
    for (auto const& [name, how, seed] : schedules) {
      sim::machine machine{{.how = how, .seed = seed}};
      sim::runtime const runtime(machine);
      auto* const global = machine.allocate<unsigned>(global_elements, "global");
      machine.fill(global, global_elements, 0u);
      for (std::size_t i = 0; i < program.size(); ++i) {
        launch_of_program const& l = program[i];
        for (std::size_t t = 0; t < l.code.size(); ++t)
          std::copy(l.code[t].begin(), l.code[t].end(), state->code[t]);
        state->count = 0;
        machine.clear_result();
        run(state.get(), l.blocks, l.threads, global);
        std::cout << "run " << number << ' ' << i << ' ' << name << '\n';
        print(*state, machine.result().findings);
      }
    }
  }
  return 0;
}

/// The program around a kernel to be graded: runs a list of jobs and writes their results to a
/// file.
#pragma once

#include <upsweep/sim/kernel_position.hpp>
#include <upsweep/sim/machine.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "elements.hpp"

namespace upsweep::grading {

/// One line of the list: "run i32 sum 1000 1 random 7 4 1".
struct job {
  char what[16], type[16], op[16], schedule[16];
  unsigned long long n, seed, schedule_seed;
  unsigned resident, count;

  [[nodiscard]] bool read(std::FILE* from) {
    return std::fscanf(from, "%15s %15s %15s %llu %llu %15s %llu %u %u", what, type, op, &n, &seed,
                       schedule, &schedule_seed, &resident, &count) == 9;
  }
  [[nodiscard]] sim::options options() const {
    std::string_view const name = schedule;
    sim::options o;
    o.count = count != 0;
    o.how = name == "random"        ? sim::schedule::random
            : name == "round-robin" ? sim::schedule::round_robin
            : name == "adversarial" ? sim::schedule::adversarial
                                    : sim::schedule::in_order;
    o.seed = schedule_seed;
    o.resident_blocks = resident;
    return o;
  }
};

struct named_counter {
  char const* name;
  std::uint64_t sim::counters::* value;
};
inline constexpr named_counter counters[] = {
    {"applications", &sim::counters::applications},
    {"span", &sim::counters::span},
    {"steps", &sim::counters::steps},
    {"divergent_steps", &sim::counters::divergent_steps},
    {"barriers", &sim::counters::barriers},
    {"warp_syncs", &sim::counters::warp_syncs},
    {"shuffles", &sim::counters::shuffles},
    {"votes", &sim::counters::votes},
    {"shared_loads", &sim::counters::shared_loads},
    {"shared_stores", &sim::counters::shared_stores},
    {"shared_wavefronts", &sim::counters::shared_wavefronts},
    {"shared_conflicts", &sim::counters::shared_conflicts},
    {"global_loads", &sim::counters::global_loads},
    {"global_stores", &sim::counters::global_stores},
    {"global_requests", &sim::counters::global_requests},
    {"sectors_loaded", &sim::counters::sectors_loaded},
    {"sectors_stored", &sim::counters::sectors_stored},
    {"atomics", &sim::counters::atomics},
    {"fences", &sim::counters::fences},
};

/// The tool expects one line with tab-separated fields.
inline std::string one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

inline void write_report(std::FILE* to, sim::report const& report) {
  for (auto const& f : report.findings)
    std::fprintf(to, "finding\t%s\t%s\t%u\t%s\t%u\t%s\n", sim::name_of(f.kind),
                 one_line(f.first.file).c_str(), static_cast<unsigned>(f.first.line),
                 one_line(f.second.file).c_str(), static_cast<unsigned>(f.second.line),
                 one_line(f.sentence).c_str());
  sim::counters const total = report.total();
  for (auto const& c : counters)
    std::fprintf(to, "counter\t%s\t%llu\n", c.name,
                 static_cast<unsigned long long>(total.*c.value));
  std::fprintf(to, "counter\tlaunches\t%zu\n", report.launches.size());
}

inline std::FILE* report_of_crash = nullptr;

/// Signal handler: reports the kernel's last position before the signal ends the program.
inline void tell_crash(int signal) {
  std::signal(signal, SIG_DFL);
  if (auto const where = sim::current_kernel_position()) {
    auto const& file = where->last.file;
    std::fprintf(report_of_crash,
                 "finding\tcrash\t%s\t%u\t\t0\t%s was killed by signal %d after %s:%u: it "
                 "dereferences an invalid pointer\ndone\n",
                 one_line(file).c_str(), static_cast<unsigned>(where->last.line),
                 where->thread.c_str(), signal, file.substr(file.find_last_of('/') + 1).c_str(),
                 static_cast<unsigned>(where->last.line));
    std::fflush(report_of_crash);
  }
  std::raise(signal);
}

/// Runs the plan once; returns false if it is known to be wrong. Results are written as bytes: only
/// the tool knows the expected ones.
template <class Plan, bool scan, class T, class Op>
bool run_plan(std::FILE* to, job const& asked, Op const& op) {
  std::vector<T> const x = elements<T>(asked.op, asked.n, asked.seed);
  std::size_t const results = scan ? x.size() : 1;
  sim::machine machine(asked.options());
  simt::global<T> const in = machine.template allocate<T>(std::max<std::size_t>(x.size(), 1), "in");
  simt::global<T> const out =
      machine.template allocate<T>(std::max<std::size_t>(results, 1), "out");
  if (!x.empty()) machine.to_device(in, std::span<T const>(x));
  bool ended = false;
  try {
    Plan::run(machine, simt::global<T const>(in), out, x.size(), sim::operation<T>(op));
    std::vector<T> const got = machine.to_host(out, results);
    std::fprintf(to, "values\t%zu\n", got.size() * sizeof(T));
    std::fwrite(got.data(), sizeof(T), got.size(), to);
    ended = true;
  } catch (sim::kernel_failure const& e) {
    std::fprintf(to, "failure\t%s\t%s\n", sim::name_of(e.kind()), one_line(e.what()).c_str());
  } catch (std::exception const& e) {
    std::fprintf(to, "exception\t%s\n", one_line(e.what()).c_str());
  }
  write_report(to, machine.result());
  return ended && machine.result().findings.empty();
}

inline std::string text_of(map_element x) {
  return "(" + std::to_string(x.a) + "x+" + std::to_string(x.b) + ")";
}
template <class T>
std::string text_of(T x) {
  return std::to_string(x);
}

/// Searches samples for a counterexample to associativity, and for one to the identity.
template <class T, class Op>
void check_laws(std::FILE* to, job const& asked, Op const& op) {
  std::vector<T> const x = elements<T>(asked.op, 12, asked.seed);
  T const identity = op.template identity<T>();
  for (T const a : x) {
    if (op(identity, a) == a && op(a, identity) == a) continue;
    std::fprintf(to,
                 "law\thas a wrong identity: %s changes x = %s, for identity op x is %s, and x op "
                 "identity is %s\n",
                 text_of(identity).c_str(), text_of(a).c_str(), text_of(op(identity, a)).c_str(),
                 text_of(op(a, identity)).c_str());
    break;
  }
  for (T const a : x)
    for (T const b : x)
      for (T const c : x) {
        T const left = op(op(a, b), c), right = op(a, op(b, c));
        if (left == right) continue;
        std::fprintf(to,
                     "law\tis not associative: with a = %s, b = %s, c = %s, (a op b) op c is %s, "
                     "and a op (b op c) is %s\n",
                     text_of(a).c_str(), text_of(b).c_str(), text_of(c).c_str(),
                     text_of(left).c_str(), text_of(right).c_str());
        return;
      }
}

/// Runs `asked` if its element type is T; returns false if the result is known to be wrong.
template <class Plan, bool scan, class Own, class T>
bool serve_type(std::FILE* to, job const& asked) {
  if (name_of_type<T> != asked.type) return true;
  if constexpr (!std::is_void_v<Own>) {
    Own const op{};
    if (std::string_view(asked.what) != "law") return run_plan<Plan, scan, T>(to, asked, op);
    check_laws<T>(to, asked, op);
    return true;
  } else {
    return with_operator<T>(asked.op,
                            [&](auto const& op) { return run_plan<Plan, scan, T>(to, asked, op); });
  }
}

/// The whole program: runs the jobs up to the first that is known to be wrong. `Own` is the
/// operator in the kernel's file, or void.
template <class Plan, bool scan, class Own, class... Types>
int serve(int argc, char** argv) {
  std::FILE* const from = argc == 3 ? std::fopen(argv[1], "r") : nullptr;
  std::FILE* const to = argc == 3 ? std::fopen(argv[2], "wb") : nullptr;
  if (from == nullptr || to == nullptr) {
    std::fprintf(stderr, "usage: %s JOBS RESULTS\n", argv[0]);
    return 2;
  }
  report_of_crash = to;
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE}) std::signal(signal, tell_crash);
  for (job asked{}; asked.read(from);) {
    bool const right = (serve_type<Plan, scan, Own, Types>(to, asked) && ...);
    std::fprintf(to, "done\n");
    std::fflush(to);  // finished jobs count even if a later one never ends
    if (!right) break;
  }
  return std::fclose(to) == 0 ? 0 : 2;
}

}  // namespace upsweep::grading

/// The rows of docs/generated/performance_apps.md, and the functions that print them.
#pragma once

#include <bench/timing.hpp>

#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdio>
#include <string>

namespace upsweep::bench {

void text_rows();
void numeric_rows();
void structure_rows();

/// What the numbers of a table are.
enum class speed { ns_per_element, gigabytes_per_second };

inline void table(char const* title, speed of) {
  bool const rate = of == speed::gigabytes_per_second;
  std::printf("\n## %s\n\n%s.\n\n", title,
              rate ? "GB of input a second, higher is better" : "ns an element, lower is better");
  std::printf("| application | input | one thread | all threads | instead |\n");
  std::printf("| --- | --- | --- | --- | --- |\n");
}

/// What a user would pick instead: its name and a call.
template <class Call>
struct alternative {
  char const* name;
  Call call;
};
template <class Call>
alternative(char const*, Call) -> alternative<Call>;

/// A row: `ours(executor)` on one thread and on all, and the alternatives. `n` counts elements, or
/// bytes where the table has GB/s. `prepare` comes before each call and is not timed. What runs on
/// one thread is timed by the CPU's clock, so that a busy machine tells the same.
template <class Prepare, class Ours, class... Instead>
void row(char const* application, char const* input, speed of, std::size_t n,
         Prepare const& prepare, Ours const& ours, alternative<Instead> const&... instead) {
  auto const text = [&](auto const& call, auto const& clock) {
    double const ns = time_of(n, prepare, call, clock);
    return cell(of == speed::ns_per_element ? ns : 1 / ns);
  };
  std::string const one = text([&] { ours(serial{}); }, processor_time{}),
                    all = text([&] { ours(cpu{}); }, wall_time{});
  std::string others;
  ((others += (others.empty() ? "" : ", ") + std::string(instead.name) + " " +
              text(instead.call, processor_time{})),
   ...);
  std::printf("| %s | %s | %s | %s | %s |\n", application, input, one.c_str(), all.c_str(),
              others.empty() ? "–" : others.c_str());
  std::fflush(stdout);
}

}  // namespace upsweep::bench

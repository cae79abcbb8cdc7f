/// Chooses sizes and schedules, reads the checker's lines, and compares counts with floors and
/// budgets.
#include <lab/grading/judge.hpp>

#include <lab/grading/exercise.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace upsweep::lab::grading {

namespace {

using sizes = std::vector<std::uint64_t>;

/// Sorted, each once, within the exercise's limits.
sizes permitted(exercise const& e, sizes all) {
  std::erase_if(
      all, [&](std::uint64_t n) { return n < e.smallest || (e.largest != 0 && n > e.largest); });
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Every schedule of the emulator, with one tile and with many.
check schedules_check(exercise const& e, std::uint64_t seed) {
  check c{"other schedules", e.points_schedules, {}, nullptr};
  auto const many = 9 * e.tile + 7;
  auto const chosen = permitted(e, {e.tile, e.largest == 0 ? many : std::min(many, e.largest)});
  for (auto const& which : e.cases) {
    auto const add = [&](sim::schedule how, std::uint64_t s, unsigned resident) {
      c.processes.push_back({which, chosen, seed, how, s, resident, false});
    };
    add(sim::schedule::round_robin, 1, 4);
    for (std::uint64_t variant = 0; variant < 4; ++variant)
      add(sim::schedule::adversarial, variant, 3);
    for (std::uint64_t s = 0; s < 4; ++s)
      add(sim::schedule::random, seed * 4 + s, 2 + 4 * static_cast<unsigned>(s));
    add(sim::schedule::in_order, 0, 1);
  }
  return c;
}

}  // namespace

std::vector<std::uint64_t> hidden_sizes(exercise const& e, std::uint64_t seed) {
  auto const t = e.tile;
  sizes all{0, 1, 2, 31, 32, 33, t - 1, t, t + 1, 2 * t, 2 * t + 1, 7 * t + 3};
  std::mt19937_64 random(seed);
  std::uint64_t const most = e.largest == 0 ? 12 * t : e.largest;
  for (int i = 0; i < 3; ++i) all.push_back(e.smallest + 3 + random() % most);
  all.insert(all.end(), e.more_sizes.begin(), e.more_sizes.end());
  return permitted(e, all);
}

std::vector<check> checks_of(exercise const& e, std::uint64_t seed) {
  std::vector<check> all;
  for (auto const& which : e.cases)
    all.push_back({which + ", sizes of the task",
                   e.points_sizes,
                   {{.which = which, .sizes = e.sizes, .seed = seed, .count = true}},
                   nullptr});
  for (auto const& which : e.cases)
    all.push_back({which + ", hidden sizes",
                   e.points_hidden,
                   {{.which = which, .sizes = hidden_sizes(e, seed), .seed = seed}},
                   nullptr});
  all.push_back(schedules_check(e, seed));
  for (auto const& b : e.budgets)
    all.push_back(
        {b.title, b.points, {{.which = b.which, .sizes = {b.n}, .seed = seed, .count = true}}, &b});
  return all;
}

namespace {

using enum sim::finding_kind;

struct row {
  sim::finding_kind kind;
  char const* advice;
};
constexpr row rows[] = {
    {race_in_block,
     "Nothing orders these two accesses. __syncthreads() would order them for the whole block, "
     "__syncwarp() for one warp, at a point that all their threads reach."},
    {race_between_blocks,
     "Blocks run in any order. Only a flag together with fences, or a separate launch, orders "
     "their accesses."},
    {missing_fence,
     "Seeing a flag says nothing about other memory: the writer needs a __threadfence() before it "
     "sets the flag, and the reader one after it has seen it."},
    {out_of_bounds,
     "Which index does the first thread compute, and which the last? What if n is not a multiple "
     "of the tile?"},
    {wrong_memory,
     "A kernel reaches device memory only: what cudaMalloc gave, __device__ variables and "
     "__shared__ arrays. A static array is the host's."},
    {uninitialized_read,
     "An element is read before it is written: is a barrier missing, or a value for the threads "
     "beyond n?"},
    {barrier_divergence,
     "All threads of a block must reach the same __syncthreads(): it must not be in a branch that "
     "only some take."},
    {left_before_barrier,
     "All threads of a block must reach every __syncthreads(): none may return before it, and it "
     "must not be in a branch that only some take. Put the work into the branch, and the barrier "
     "after it."},
    {missing_lane,
     "The mask names the lanes that take part. All of them must reach the operation, and a lane "
     "may read only from them."},
    {deadlock,
     "All threads wait for one that cannot arrive. Which thread sets the flag, and is its block "
     "guaranteed to have started?"},
    {no_progress,
     "A thread polls in a loop for a change that never happens, or the loop has no end. Which "
     "thread makes the change, and is its block guaranteed to have started?"},
    {misaligned, "A vector access needs an address that is a multiple of its size."},
    {refused_call, "A GPU refuses this launch or call: compare its numbers with the limits."},
    {stack_overflow, "How deep does the function call itself, and how large are its arrays?"},
};

}  // namespace

std::string advice_on(sim::finding const& f) {
  if (f.sentence.find("atomicAdd()") != std::string::npos)
    return "An update reads, computes and writes: between its read and its write another thread "
           "may do the same. An atomic function does all three indivisibly.";
  for (auto const& r : rows)
    if (f.kind == r.kind) return r.advice;
  return {};
}

namespace {

/// What the checker said about one run.
struct run_outcome {
  std::size_t first_launch = 0, last_launch = 0;
  bool ended = false, is_wrong = false;
  std::uint64_t first_wrong = 0, elements = 0;  ///< of an array with a wrong element
  std::string sentence{}, advice{};
};

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t const end = std::min(line.find('\t', at), line.size());
    fields.emplace_back(line.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

std::uint64_t number(std::string const& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The lines are run, wrong, end: upsweep/simt/check/upsweep_check.h writes them.
std::vector<run_outcome> runs_of(program_outcome const& got) {
  std::vector<run_outcome> all;
  for (auto const& note : got.notes) {
    auto field = fields_of(note.text);
    field.resize(std::max<std::size_t>(field.size(), 5));
    if (field[0] == "run") all.push_back({note.launches, got.report.launches.size()});
    if (all.empty()) continue;
    auto& now = all.back();
    if (field[0] == "wrong" && !now.is_wrong) {
      now.is_wrong = true;
      now.first_wrong = number(field[1]);
      now.elements = number(field[2]);
      now.sentence = field[3];
      now.advice = field[4];
    } else if (field[0] == "end") {
      now.ended = true;
      now.last_launch = note.launches;
    }
  }
  return all;
}

std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string describe(process_request const& r, std::uint64_t n) {
  static constexpr char const* names[] = {"in order", "round-robin", "random", "adversarial"};
  auto const how = static_cast<std::size_t>(r.how);
  return fmt::format(
      "n = {}, {}, {}{}", n, r.which,
      r.how == sim::schedule::in_order ? std::string(names[how])
                                       : fmt::format("{} schedule {}", names[how], r.schedule_seed),
      r.resident == 16
          ? ""
          : fmt::format(", {} block{} at a time", r.resident, r.resident == 1 ? "" : "s"));
}

/// The program ended in a run.
verdict untimely(program_outcome const& got, double seconds) {
  verdict v;
  if (got.stopped_by_limit) {
    bool const late = got.failure.find("time limit") != std::string::npos;
    v.kind = late ? "time limit" : "memory limit";
    v.sentence = late ? fmt::format("the program was stopped after {} s, its time limit", seconds)
                      : "the program was stopped: it used too much memory";
    v.advice = late ? "Does every loop end, in the kernel and in the host's code?"
                    : "How large are the arrays that the host's code allocates?";
  } else {
    v.kind = "crash";
    v.sentence = got.failure.empty()
                     ? "the program ended with status 0 before the checker had finished"
                     : got.failure;
    v.advice =
        v.sentence.starts_with("thread ")
            ? "Is there a division by zero, or a call through a null pointer?"
            : "The emulator checks the kernel's memory, so look at the host's code: vectors, "
              "pointers, recursion.";
  }
  std::string printed = got.printed;
  while (printed.ends_with('\n')) printed.pop_back();
  if (!printed.empty()) v.sentence += fmt::format("; it printed: {}", printed);
  return v;
}

/// The checker's advice, or the last block, if only elements of a last, partial tile are wrong.
std::string advice_on_values(exercise const& e, run_outcome const& run, std::uint64_t n) {
  if (!run.advice.empty() || n % e.tile == 0 || n < e.tile) return run.advice;
  bool const is_of_last = (run.elements == n && run.first_wrong >= n - n % e.tile) ||
                          (run.elements == n / e.tile + 1 && run.first_wrong == n / e.tile);
  if (!is_of_last) return {};
  return fmt::format(
      "{} is not a multiple of the {} elements of a block: what happens in the last, partial "
      "block?",
      n, e.tile);
}

verdict too_little(std::string const& counter, std::uint64_t spent, std::uint64_t least,
                   std::string const& why) {
  return {"too little work",
          fmt::format("{}: {}, but at least {} are needed{}{}", in_words(counter), spent, least,
                      why.empty() ? "" : ": ", why),
          "Does the kernel compute all results, from the input in global memory?",
          {},
          {}};
}

verdict judge_costs(exercise const& e, check const& c, process_request const& asked,
                    std::uint64_t n, std::span<sim::launch_report const> launches) {
  if (n >= e.tile && launches.empty())
    return too_little("launches", 0, 1, "a kernel must compute the results");
  if (asked.count && n >= e.tile)
    for (auto const& f : e.floors)
      if (auto const spent = counted(f.counter, launches); spent < f.at_least.at(n))
        return too_little(f.counter, spent, f.at_least.at(n), f.why);
  if (c.limit == nullptr) return {};
  auto const spent = counted(c.limit->counter, launches);
  if (spent < c.limit->at_least.at(n))
    return too_little(c.limit->counter, spent, c.limit->at_least.at(n), {});
  if (spent <= c.limit->at_most.at(n)) return {};
  return {"budget",
          fmt::format("{}: {}, but at most {} are allowed", in_words(c.limit->counter), spent,
                      c.limit->at_most.at(n)),
          about_counter(c.limit->counter),
          {},
          {}};
}

}  // namespace

verdict judge(exercise const& e, check const& c, process_request const& asked,
              program_outcome const& got, double seconds) {
  auto const runs = runs_of(got);
  auto const& launches = got.report.launches;
  for (std::size_t i = 0; i < asked.sizes.size(); ++i) {
    std::uint64_t const n = asked.sizes[i];
    verdict v;
    bool const is_last = i + 1 >= runs.size();
    if (is_last && !got.report.findings.empty()) {
      auto const& f = got.report.findings.front();
      v = {sim::name_of(f.kind), f.sentence, advice_on(f), {f.first, f.second}, {}};
    } else if (i >= runs.size() || !runs[i].ended) {
      v = untimely(got, seconds);
    } else if (runs[i].is_wrong) {
      v = {"wrong result", runs[i].sentence, advice_on_values(e, runs[i], n), {}, {}};
    } else {
      auto const begin = std::min(runs[i].first_launch, launches.size()),
                 end = std::min(runs[i].last_launch, launches.size());
      v = judge_costs(e, c, asked, n, std::span(launches).subspan(begin, end - begin));
    }
    if (v.passed()) continue;
    v.run = describe(asked, n);
    return v;
  }
  return {};
}

}  // namespace upsweep::lab::grading

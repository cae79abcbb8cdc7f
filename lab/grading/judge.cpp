/// Reads the checker's lines, and compares counts with floors and budgets.
#include <lab/grading/judge.hpp>

#include <lab/grading/counter_names.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace upsweep::lab::grading {

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

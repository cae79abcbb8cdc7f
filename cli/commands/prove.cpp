/// `upsweep prove`: runs kernels over the monoid of intervals, which shows that they are right for
/// every associative operator, or for which n they are not.
#include <cli/lab/lab_flags.hpp>
#include <cli/lab/program_flags.hpp>
#include <cli/output/progress.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <lab/proof/proof.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct prove_flags {
  std::vector<std::string> names;
  bool json = false;
  lab::proof_effort much;
  lab::file_to_prove file;
  std::string result = "inclusive";
};

/// Shows "3 of 36, kogge_stone: 120 of 700", ten times a second at most.
lab::proof_progress progress_of_proof(std::size_t number, std::size_t all,
                                      std::string const& what) {
  using clock = std::chrono::steady_clock;
  return [begin = fmt::format("{} of {}, {}", number, all, io::printable(what)),
          next = clock::time_point()](std::size_t done, std::size_t of) mutable {
    auto const now = clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(100);
    show_status(fmt::format("{}: {} of {}", begin, done, of));
  };
}

std::string text_of(std::vector<lab::tried_sizes> const& tried) {
  std::vector<std::string> all;
  for (auto const& t : tried)
    all.push_back(lab::text_of(t.sizes) +
                  (t.threads == 0 ? "" : fmt::format(" in blocks of {} threads", t.threads)));
  return fmt::format("{}", fmt::join(all, "; "));
}

char const* name_of(lab::operators_covered covers) {
  switch (covers) {
    case lab::operators_covered::associative:
      return "associative";
    case lab::operators_covered::commutative:
      return "associative and commutative";
    case lab::operators_covered::none:
      break;
  }
  return "none";
}

void print_json(lab::proof const& p) {
  nlohmann::ordered_json object{{"what", p.what},
                                {"proved", p.is_proved()},
                                {"operators", name_of(p.covers)},
                                {"why", p.why},
                                {"runs", p.runs},
                                {"sizes", nlohmann::ordered_json::array()},
                                {"schedules", p.schedules}};
  for (auto const& t : p.tried) {
    if (p.is_refuted()) break;  // not all of them were run
    nlohmann::ordered_json sizes{{"n", lab::text_of(t.sizes)}};
    if (t.threads != 0) sizes["block"] = t.threads;
    object["sizes"].push_back(sizes);
  }
  if (p.is_refuted()) {
    object["n"] = p.n;
    object["failure"] = p.failure;
    object["again"] = p.again;
  }
  fmt::print("{}\n", object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print(prove_flags const& flags, lab::proof const& p) {
  if (flags.json) {
    print_json(p);
  } else {
    fmt::print("{:<22} {:>5} runs  {}\n", io::printable(p.what), p.runs,
               io::printable(lab::sentence_of(p)));
    if (!p.again.empty()) fmt::print("{:<22} repeat with: {}\n", "", p.again);
  }
  std::fflush(stdout);
}

/// What was run, once for all proofs that have it in common.
void print_tried(bool all_sizes, std::vector<lab::proof> const& all) {
  std::vector<std::string> texts;
  for (auto const& p : all) {
    if (!p.is_proved()) continue;
    auto text =
        fmt::format("sizes: {}\nschedules: {}{}\n", text_of(p.tried), fmt::join(p.schedules, ", "),
                    all_sizes ? "; one of them for each size that --all-sizes adds" : "");
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(std::move(text));
  }
  for (auto const& text : texts) fmt::print("\n{}", text);
}

/// The command line that repeats the proof of a file for one size.
std::string command_line(prove_flags const& flags, CLI::App const& command, lab::proof const& p) {
  std::string text = fmt::format("upsweep prove {} --sizes {} --seeds {}", shell_word(p.what), p.n,
                                 flags.much.seeds);
  if (flags.much.block != 0) text += fmt::format(" --block {}", flags.much.block);
  for (auto const* option : command.get_options())
    if (option->get_group() == file_group)
      for (auto const& value : option->results())
        text += option->get_name() == "--whole"
                    ? std::string(" --whole")
                    : fmt::format(" {} {}", option->get_name(), shell_word(value));
  return text;
}

lab::proof proof_of(prove_flags const& flags, CLI::App const& command, std::string const& name,
                    lab::source::module_cache& cache, lab::proof_progress const& tell) {
  if (!is_file(name)) return lab::prove(name, flags.much, tell);
  auto file = flags.file;
  file.path = name;
  file.result = flags.result == "reduce"      ? lab::kernel_result::reduction
                : flags.result == "exclusive" ? lab::kernel_result::exclusive
                                              : lab::kernel_result::inclusive;
  if (flags.much.block != 0) file.threads = static_cast<unsigned>(flags.much.block);
  auto p = lab::prove_file(file, flags.much, cache, tell);
  if (p.is_refuted()) p.again = command_line(flags, command, p);
  return p;
}

/// The stems of `all`, and what is named; refuses options of files for kernels of the textbook.
std::vector<std::string> names_of(prove_flags const& flags, CLI::App const& command) {
  if (flags.names.empty())
    throw io::usage_error(
        "prove: nothing to prove is given; name kernels of the textbook, CUDA files, or all");
  std::vector<std::string> names;
  for (auto const& name : flags.names) {
    if (name == "all")
      for (auto const& row : textbook::algorithms) names.emplace_back(row.stem);
    else
      names.push_back(name);
  }
  for (auto const& name : names)
    if (!is_file(name)) {
      (void)lab::find_kernel(name);
      for (auto const* option : command.get_options())
        if (option->count() > 0 && option->get_group() == file_group)
          throw io::usage_error(
              "prove: {} is for CUDA files, but '{}' is the name of a kernel of the textbook",
              option->get_name(), name);
    }
  return names;
}

int run(prove_flags const& flags, CLI::App const& command) {
  auto const names = names_of(flags, command);
  lab::source::module_cache cache;
  std::vector<lab::proof> all;
  int status = 0;
  for (auto const& name : names) {
    all.push_back(proof_of(flags, command, name, cache,
                           progress_of_proof(all.size() + 1, names.size(), name)));
    show_status("");
    auto const& p = all.back();
    bool const is_named = std::ranges::find(flags.names, name) != flags.names.end();
    if (is_named && p.covers == lab::operators_covered::none)
      throw io::usage_error("prove: {} cannot be proved: {}", name, p.why);
    print(flags, p);
    if (p.is_refuted()) status = 1;
  }
  if (!flags.json) print_tried(flags.much.all_sizes, all);
  return status;
}

void add_file_options(options const& add, prove_flags& flags) {
  option_group const group(add.command, file_group);
  add("--kernel NAME", flags.file.kernel,
      "Kernel of the file; with template arguments, T and Op are the types of its elements and of "
      "its operator: 'scan<T, 256, Op>'");
  add("--result WHAT", flags.result,
      "What the kernel computes: inclusive (a scan; default), exclusive, or reduce",
      one_of({"inclusive", "exclusive", "reduce"}));
  add("--tile N", flags.file.tile, "Elements of a block (default: one for each thread)",
      at_least_one);
  add("--whole", flags.file.whole,
      "All blocks compute one result (default: each block computes the result of its tile)");
  add("--exercise EXERCISE", flags.file.exercise,
      "The exercise that the file solves: a name, a number, or a folder with your exercise");
  add("--compiler PROGRAM", flags.file.compiler,
      "g++ 12 or Clang 16, or newer (default: $CXX, g++, c++)");
  add("-I FOLDER", flags.file.include_folders,
      "Folder of headers that the file includes; may be repeated", repeated);
}

}  // namespace

void add_prove_command(registry& tool) {
  auto const [add, flags] = add_command<prove_flags>(tool, "prove");
  add("STEM", flags.names, "Algorithms or all, CUDA files, or folders of exercises",
      a_stem({"all"}));
  add("--all-sizes", flags.much.all_sizes, "Run every n up to 4096");
  add("--sizes LIST", flags.much.sizes, "Run only these sizes: 1,31,1000", comma_list,
      excludes({"--all-sizes"}));
  add("--block T", flags.much.block, "Threads per block (default: 64 and 256; of a file 128)",
      in_range(1, 1024));
  add("--seeds N", flags.much.seeds, "Number of random schedules per size (default: 3)",
      in_range(0, 1000));
  add("--json", flags.json, "Write one JSON object per kernel");
  add_file_options(add, flags);
}

}  // namespace upsweep::cli

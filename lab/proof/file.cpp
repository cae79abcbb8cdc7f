/// Makes a checker of a kernel's declaration, or takes that of an exercise.
#include <lab/proof/proof.hpp>

#include <io/error.hpp>
#include <io/small_file.hpp>
#include <lab/grading/exercise.hpp>
#include <lab/grading/grade.hpp>
#include <lab/grading/submission.hpp>
#include <lab/program/program.hpp>
#include <lab/source/rewrite.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace upsweep::lab {

namespace {

namespace fs = std::filesystem;
using source::kernel_declaration, source::kernel_parameter;

/// What runs: a module, the case of its checker, and the elements of a block.
struct compiled_checker {
  fs::path module;
  std::string which;
  std::uint64_t tile = 0, smallest = 0, largest = 0;
};

// ---- Exercises.

/// Whether a checker makes elements of an operator's type.
bool takes_operator(std::string_view checker) {
  return checker.find("run.elements(") != checker.npos ||
         checker.find("check::expect_tiles(") != checker.npos;
}

compiled_checker checker_of_exercise(grading::submission const& what, std::string const& compiler,
                                     source::module_cache& cache) {
  auto const& e = what.task;
  if (!takes_operator(e.checker))
    throw io::usage_error(fmt::format(
        "prove: exercise {} takes no operator, so there is nothing to prove for every operator; "
        "'upsweep grade' checks it",
        e.name));
  auto const made = grading::compile(what, compiler, cache, {"UPSWEEP_CHECK_INTERVALS"});
  if (!made.good()) throw io::data_error(made.error);
  return {made.module, e.cases.front(), e.tile, e.smallest, e.largest};
}

// ---- A kernel of any file.

enum class role { input, output, size, operation };

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) {
    auto const is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    std::size_t const end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

role role_of(kernel_parameter const& p) {
  if (p.text.find('*') != p.text.npos)
    return has_word(p.text.substr(0, p.text.find('*')), "const") ? role::input : role::output;
  for (std::string_view const integer :
       {"int", "unsigned", "long", "size_t", "int32_t", "uint32_t", "int64_t", "uint64_t"})
    if (has_word(p.text, integer)) return role::size;
  return role::operation;
}

/// "in.data(), out.data(), n, op" for the parameters in their order. Throws usage_error.
std::string arguments_for(kernel_declaration const& kernel) {
  std::vector<std::string> words, texts;
  std::size_t counts[4] = {};
  for (auto const& p : kernel.parameters) {
    role const r = role_of(p);
    ++counts[static_cast<std::size_t>(r)];
    words.emplace_back(r == role::input    ? "in.data()"
                       : r == role::output ? "out.data()"
                       : r == role::size   ? "n"
                                           : "Op{}");
    texts.push_back(p.text);
  }
  bool const fits =
      kernel.is_template && counts[0] == 1 && counts[1] == 1 && counts[2] <= 1 && counts[3] == 1;
  if (!fits)
    throw io::usage_error(fmt::format(
        "prove: kernel '{}'{} has the parameters {}, but a kernel is proved as a template of its "
        "elements' type T and its operator's type Op, with the parameters T const* in, T* out, int "
        "n, Op op in any order; for anything else write a check.cu (docs/exercises.md)",
        kernel.name, kernel.is_template ? "" : ", which is not a template,",
        fmt::join(texts, ", ")));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string text_of_file(std::string const& path) {
  auto text = io::small_file(path);
  if (!text) throw io::io_error(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  return *std::move(text);
}

/// The kernel that is asked for, or the only one.
kernel_declaration declaration_in(file_to_prove const& what) {
  auto const kernels = source::kernels_in(text_of_file(what.path));
  std::string const name = what.kernel.substr(0, what.kernel.find('<'));
  if (name.empty() && kernels.size() == 1) return kernels.front();
  auto const found = std::ranges::find(kernels, name, &kernel_declaration::name);
  if (found != kernels.end()) return *found;
  std::vector<std::string> names;
  for (auto const& k : kernels) names.push_back(k.name);
  throw io::usage_error(
      kernels.empty()
          ? fmt::format("prove: '{}' has no kernel, a function with __global__", what.path)
          : fmt::format("prove: '{}' has the kernels {}; name one with --kernel", what.path,
                        fmt::join(names, ", ")));
}

/// The kernel's results against plain loops.
std::string checker_text(file_to_prove const& what, std::uint64_t tile) {
  auto const kernel = declaration_in(what);
  bool const reduces = what.result == kernel_result::reduction;
  char const* const wanted = reduces                                   ? "reductions"
                             : what.result == kernel_result::exclusive ? "exclusive_scan"
                                                                       : "inclusive_scan";
  return fmt::format(
      R"(#include <upsweep_check.h>

#define main upsweep_main_of_the_file
#include "{0}"
#undef main

void check_run(check::run& run) {{
  using T = check::composition::element;
  using Op = check::composition;
  auto const x = run.elements(run.n, Op{{}});
  auto const wanted = check::{1}(x, Op{{}}{2});
  check::device const in("in", x);
  check::device<T> const out("out", wanted.size());
  auto const n = static_cast<int>(run.n);
  static_cast<void>(n);
  {3}<<<check::blocks_for(run.n, {4}), {5}>>>({6});
  run.expect("out", out, wanted);
}}
)",
      fs::path(what.path).filename().string(), wanted,
      what.whole ? std::string() : fmt::format(", {}", tile),
      what.kernel.empty() ? kernel.name : what.kernel, tile, what.threads, arguments_for(kernel));
}

compiled_checker checker_of_kernel(file_to_prove const& what, source::module_cache& cache) {
  std::uint64_t const tile = what.tile == 0 ? what.threads : what.tile;
  std::vector<fs::path> const folders(what.include_folders.begin(), what.include_folders.end());
  auto const module = grading::compile_checker(
      fs::path(what.path).parent_path() / "check.cu", checker_text(what, tile),
      {what.compiler, {"UPSWEEP_CHECK_INTERVALS"}, folders}, cache);
  return {module, "intervals", tile, 0, 0};
}

// ---- Runs.

/// The checker's lines: run, wrong, end (upsweep_check.h).
void read_notes(program_outcome const& got, proof& p) {
  bool ended = false;
  std::string wrong;
  for (auto const& note : got.notes) {
    std::string_view const line = note.text;
    if (line.starts_with("run\t")) {
      ++p.runs;
      p.n = std::stoull(std::string(line.substr(4)));
      ended = false;
    } else if (line.starts_with("end")) {
      ended = true;
    } else if (line.starts_with("wrong\t") && wrong.empty()) {
      std::size_t at = 0;
      for (int field = 0; field < 3; ++field) at = line.find('\t', at) + 1;
      wrong = line.substr(at, line.find('\t', at) - at);
    }
  }
  auto const& findings = got.report.findings;
  if (!findings.empty())
    p.failure =
        fmt::format("{}: {}", sim::name_of(findings.front().kind), findings.front().sentence);
  else if (!wrong.empty())
    p.failure = wrong;
  else if (!ended)
    p.failure = got.failure.empty() ? "the program ended before its checker" : got.failure;
}

std::vector<std::uint64_t> sizes_for(compiled_checker const& checker, proof_effort const& much) {
  auto all = sizes_of_proofs(std::min<std::uint64_t>(2 * checker.tile + 1, 520), much);
  if (!much.sizes.empty()) return all;
  for (std::uint64_t k = 1; k * checker.tile < largest_proved; k *= 2)
    for (std::uint64_t n = k * checker.tile - 1; n <= k * checker.tile + 1; ++n) all.push_back(n);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  std::erase_if(all, [&](std::uint64_t n) {
    return n < checker.smallest || (checker.largest != 0 && n > checker.largest);
  });
  return all;
}

bool is_of_an_exercise(file_to_prove const& what) {
  if (!what.exercise.empty()) return true;
  if (!what.path.ends_with(".cu")) return true;
  if (!what.kernel.empty()) return false;
  std::error_code none;
  fs::path const folder = fs::absolute(what.path, none).lexically_normal().parent_path();
  return fs::exists(folder / "exercise.json", none) ||
         grading::find_exercise(folder.filename().string()) != nullptr;
}

}  // namespace

proof prove_file(file_to_prove const& what, proof_effort const& much, source::module_cache& cache,
                 proof_progress const& tell) {
  auto const checker = is_of_an_exercise(what)
                           ? checker_of_exercise(grading::find_submission(what.path, what.exercise),
                                                 what.compiler, cache)
                           : checker_of_kernel(what, cache);
  proof p{.what = what.path};
  auto const sizes = sizes_for(checker, much);
  p.tried.push_back({0, sizes});
  program_request asked{.module = checker.module,
                        .arguments = {what.path, checker.which, "0"},
                        .memory = std::uint64_t{4} << 30,
                        .printed = program_request::output::checked};
  for (auto const n : sizes) asked.arguments.push_back(fmt::format("{}", n));
  auto const schedules = schedules_of_proofs(much.seeds);
  for (auto const& how : schedules) p.schedules.push_back(how.name);
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    if (tell) tell(i, schedules.size());
    asked.machine = schedules[i].machine;
    asked.machine.step_limit = 1u << 20;
    read_notes(run_program(asked), p);
    if (p.failure.empty()) continue;
    p.failure += fmt::format(" (schedule: {})", schedules[i].name);
    break;
  }
  return p;
}

}  // namespace upsweep::lab

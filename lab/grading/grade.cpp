/// Compiles a student's file with its checker into a module, and uses one process per case and
/// schedule.
#include <lab/grading/grade.hpp>

#include <io/error.hpp>
#include <io/small_file.hpp>
#include <lab/compiler/toolchain.hpp>
#include <lab/program/program.hpp>
#include <lab/source/build.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab::grading {

grade grade_submission(submission const& what, grading_options const& how,
                       source::module_cache& cache) {
  auto const begin = std::chrono::steady_clock::now();
  grading_steps steps(what, compile(what, how.compiler, cache), how);
  while (auto const* const next = steps.next())
    steps.take(run_program({.module = steps.result().compiled.module,
                            .arguments = arguments_of(*next, what.file),
                            .machine = machine_of(*next),
                            .seconds = steps.seconds(),
                            .memory = std::uint64_t{4} << 30,
                            .printed = program_request::output::checked}));
  auto& done = steps.result();
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return std::move(done);
}

namespace {

namespace fs = std::filesystem;

std::string text_of(std::string const& file) {
  auto text = io::small_file(file);
  if (!text) throw io::io_error(fmt::format("cannot read '{}': {}", file, std::strerror(errno)));
  return *std::move(text);
}

/// The standard headers that checkers include with their own one.
std::vector<std::string> headers_of_checkers(fs::path const& header) {
  constexpr std::string_view begin = "#include <";
  std::vector<std::string> all;
  std::istringstream lines(text_of(header.string()));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(begin) && line.ends_with('>'))
      all.push_back(line.substr(begin.size(), line.size() - begin.size() - 1));
  return all;
}

}  // namespace

fs::path compile_checker(fs::path const& file, std::string const& text, checker_build const& how,
                         source::module_cache& cache) {
  auto const headers = find_toolchain(how.compiler).include / "upsweep/simt/check";
  std::vector<fs::path> folders{headers};
  folders.insert(folders.end(), how.include_folders.begin(), how.include_folders.end());
  auto const made =
      source::build({.file = file,
                     .text = text,
                     .compiler = how.compiler,
                     .include_folders = folders,
                     .definitions = how.definitions,
                     .first_headers = headers_of_checkers(headers / "upsweep_check.h")},
                    cache);
  return made.file;
}

compilation compile(submission const& what, std::string const& compiler,
                    source::module_cache& cache, std::vector<std::string> const& definitions) {
  fs::path const file = what.file;
  std::string const name = file.filename().string(), text = text_of(what.file);
  compilation done = inspect(what.task, text, name);
  if (!done.good()) return done;
  try {
    done.module =
        compile_checker(file.parent_path() / "check.cu", checker_including(what.task, name),
                        {.compiler = compiler, .definitions = definitions}, cache)
            .string();
  } catch (io::data_error const& e) {
    // "'check.cu' does not compile", then the compiler's error with its source line.
    std::string_view said = e.what();
    if (auto const end = said.find('\n'); end != said.npos) said.remove_prefix(end + 1);
    done.error = fmt::format("{}\n", said);
    if (auto const folder = (file.parent_path() / "").string(); !folder.empty())
      for (std::size_t at = 0; (at = done.error.find(folder, at)) != done.error.npos;)
        done.error.erase(at, folder.size());
    if (done.error.starts_with("check.cu:"))
      done.error +=
          "check.cu uses what the given kernel.cu declares: keep its names, parameters and "
          "template parameters\n";
  }
  return done;
}

}  // namespace upsweep::lab::grading

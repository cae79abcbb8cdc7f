/// Writes the program around a kernel, and calls the compiler.
#include <lab/grading/compile.hpp>

#include <io/error.hpp>
#include <lab/compiler/process.hpp>
#include <lab/grading/embedded.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

namespace upsweep::lab::grading {

namespace {

namespace fs = std::filesystem;

void write_file(fs::path const& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw io::io_error(fmt::format("Cannot write '{}'.", file.string()));
}

/// The kernel is included without its folder: the compiler runs there, which keeps messages short.
std::string program_around(exercise const& e) {
  std::string types;
  for (auto const& w : e.operators) {
    std::string_view const type = w.type == "i32"   ? "std::int32_t"
                                  : w.type == "i64" ? "std::int64_t"
                                  : w.type == "f64" ? "double"
                                                    : "upsweep::grading::map_element";
    if (types.find(type) == std::string::npos) types += fmt::format(", {}", type);
  }
  return fmt::format(
      "/// Runs the plan of kernel.hpp for the exercise {0}.\n"
      "#include \"kernel.hpp\"\n\n"
      "#include \"harness.hpp\"\n\n"
      "int main(int argc, char** argv) {{\n"
      "  return upsweep::grading::serve<upsweep::exercise::{1}<{2}>, {3}, {4}{5}>(argc, argv);\n"
      "}}\n",
      e.name, e.plan, e.threads, e.scan,
      e.own_operator.empty() ? "void" : "upsweep::exercise::" + e.own_operator, types);
}

/// A hint on an error that the compiler cannot explain: plain arrays are not shared memory on the
/// emulator.
std::string_view hint_on(std::string_view text) {
  if (text.find("__shared__") == std::string_view::npos ||
      text.find("shared<") != std::string_view::npos)
    return {};
  return "shared memory is declared as `__shared__ shared<float, 64> x;`, a single value as "
         "`shared<float, 1>`; dynamic shared memory\n"
         "is `dynamic_shared<float>()`: a plain array would be shared by all blocks, "
         "without counts and checks\n";
}

}  // namespace

compilation compile(toolchain const& tools, submission const& what, fs::path const& into) {
  for (auto const& file : embedded_harness()) write_file(into / file.name, file.text);
  write_file(into / "main.cpp", program_around(what.task));
  std::string const log = (into / "compiler.log").string();
  // The flags are those of upsweep_emulated_kernels in upsweep/sim/CMakeLists.txt.
  bool const clang = version_of(tools.compiler, log).clang;
  std::vector<std::string> words{
      tools.compiler, "-std=gnu++20", "-Og", "-DUPSWEEP_SIMT_HANDLES",
      clang ? "-fsanitize-coverage=trace-pc,no-prune" : "-fsanitize-coverage=trace-pc",
      "-fno-strict-aliasing", "-ffp-contract=off", "-fdiagnostics-color=never",
      "-Wfatal-errors",  // only one is shown, and g++ may need half a minute to print
                         // all that follow
      "-iquote", "."};
  if (clang) words.emplace_back("-fno-finite-loops");
  words.insert(words.end(), tools.options.begin(), tools.options.end());
  words.insert(words.end(), {"-o", (into / "graded").string(), (into / "main.cpp").string()});
  words.insert(words.end(), tools.libraries.begin(), tools.libraries.end());
  constexpr double most_seconds = 300;
  auto const end = run_process(words, what.folder, log, {.seconds = most_seconds});
  compilation done;
  done.good = end.status == 0;
  done.timed_out = end.timed_out;
  done.seconds = end.seconds;
  done.command = fmt::format("{}", fmt::join(words, " "));
  if (!done.good) {
    done.first_error =
        end.timed_out ? fmt::format("the compiler was stopped after {} seconds\n", most_seconds)
                      : first_error(log, [](auto line) { return line.starts_with("kernel.hpp:"); });
    done.first_error += hint_on(done.first_error);
  }
  return done;
}

}  // namespace upsweep::lab::grading

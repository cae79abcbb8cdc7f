/// Finds headers and libraries beside the tool, writes the program around a kernel, and calls the
/// compiler.
#include <lab/grading/toolchain.hpp>

#include <io/error.hpp>
#include <lab/grading/embedded.hpp>
#include <lab/grading/process.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace upsweep::lab::grading {

namespace {

namespace fs = std::filesystem;

bool is_program(fs::path const& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0;
}

bool can_run(std::string const& name) {
  if (name.find('/') != std::string::npos) return is_program(name);
  char const* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (is_program(fs::path(folder.empty() ? "." : folder) / name)) return true;
  return false;
}

std::string find_compiler(std::string const& asked) {
  if (!asked.empty()) {
    if (can_run(asked))
      return asked.find('/') == std::string::npos ? asked : fs::absolute(asked).string();
    throw io::unavailable_error(fmt::format(
        "there is no compiler '{}'; --compiler names one that compiles C++20, such as g++", asked));
  }
  if (char const* const cxx = std::getenv("CXX"); cxx != nullptr && can_run(cxx)) return cxx;
  for (char const* const name : {"g++", "c++"})
    if (can_run(name)) return name;
  throw io::unavailable_error(
      "no C++ compiler was found, but kernels must be compiled: install g++, or name one with "
      "--compiler");
}

/// Parses the file that the build and the installation write; its relative paths are relative to
/// its folder.
toolchain read_paths(fs::path const& file) {
  toolchain t;
  std::ifstream lines(file);
  for (std::string key, value; lines >> key && std::getline(lines >> std::ws, value);) {
    fs::path const path = (file.parent_path() / value).lexically_normal();
    if (key == "include") {
      if (!fs::exists(path / "upsweep/sim/machine.hpp"))
        throw io::unavailable_error(
            fmt::format("the headers of the emulator are not in '{}', the folder named in '{}'; "
                        "reinstall Upsweep",
                        path.string(), file.string()));
      t.options.insert(t.options.end(), {"-I", path.string()});
    } else if (key == "library") {
      if (!fs::exists(path))
        throw io::unavailable_error(fmt::format(
            "there is no library '{}', which '{}' names; build or install all of Upsweep",
            path.string(), file.string()));
      t.libraries.push_back(path.string());
      if (path.filename().string().find(".so") != std::string::npos)
        t.libraries.push_back("-Wl,-rpath," + path.parent_path().string());
    } else if (key == "link") {
      t.libraries.push_back(value);
    } else if (key == "option") {
      t.options.push_back(value);
      if (value.starts_with("-fsanitize=")) t.limit_memory = false;
    }
  }
  return t;
}

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

/// Whether the compiler is Clang, which has other names for two of our flags. Its version goes to
/// `log`.
bool is_clang(std::string const& compiler, std::string const& log) {
  (void)run_process({compiler, "--version"}, ".", log, {.seconds = 60});
  std::ostringstream printed;
  printed << std::ifstream(log).rdbuf();
  return printed.str().find("clang") != std::string::npos;
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

/// The first error in the compiler's output with its source lines; for an error in a header also
/// the line of the kernel.
std::string first_error(fs::path const& log) {
  std::ifstream lines(log);
  std::string text, in_kernel;
  int shown = 0;
  for (std::string line; shown < 4 && std::getline(lines, line);) {
    bool const is_error = line.find(": error: ") != std::string::npos ||
                          line.find(": fatal error: ") != std::string::npos ||
                          line.find("undefined reference") != std::string::npos;
    if (line.starts_with("./")) line.erase(0, 2);
    if (line.find(": In instantiation of") != std::string::npos) in_kernel.clear();
    if (in_kernel.empty() && line.starts_with("kernel.hpp:") &&
        line.find("required from") != std::string::npos)
      in_kernel = line + '\n';
    if (shown == 0 && !is_error) continue;
    if (shown > 0 && !line.starts_with(' ')) break;
    if (shown == 0 && !line.starts_with("kernel.hpp:")) text = in_kernel;
    text += line + '\n';
    ++shown;
  }
  text += hint_on(text);
  if (!text.empty()) return text;
  lines.clear();
  lines.seekg(0);
  std::getline(lines, text);
  return text.empty() ? "the compiler failed without a message\n" : text + '\n';
}

}  // namespace

toolchain find_toolchain(std::string const& compiler) {
  std::error_code none;
  fs::path const tool = fs::canonical("/proc/self/exe", none);
  std::string const program = find_compiler(compiler);
  for (char const* const file : {"../upsweep-grading.txt", "../share/upsweep/grading.txt"}) {
    fs::path const paths = (tool.parent_path() / file).lexically_normal();
    if (!fs::exists(paths, none)) continue;
    toolchain found = read_paths(paths);
    found.compiler = program;
    return found;
  }
  throw io::unavailable_error(fmt::format(
      "kernels are compiled with headers and a library that should be installed beside the "
      "tool, but '{}' has none: use the tool of a build tree, or install Upsweep",
      tool.parent_path().parent_path().string()));
}

compilation compile(toolchain const& tools, submission const& what, fs::path const& into) {
  for (auto const& file : embedded_harness()) write_file(into / file.name, file.text);
  write_file(into / "main.cpp", program_around(what.task));
  std::string const log = (into / "compiler.log").string();
  bool const clang = is_clang(
      tools.compiler,
      log);  // the flags are those of upsweep_emulated_kernels in upsweep/sim/CMakeLists.txt
  std::vector<std::string> words{
      tools.compiler, "-std=gnu++20", "-Og",
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
  if (!done.good)
    done.first_error =
        end.timed_out ? fmt::format("the compiler was stopped after {} seconds\n", most_seconds)
                      : first_error(log);
  return done;
}

}  // namespace upsweep::lab::grading

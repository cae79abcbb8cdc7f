/// Finds the compiler, and headers beside the tool; reads the compiler's errors.
#include <lab/compiler/toolchain.hpp>

#include <io/error.hpp>
#include <lab/compiler/process.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <istream>
#include <sstream>
#include <system_error>

namespace upsweep::lab {

namespace {

namespace fs = std::filesystem;

bool is_program(fs::path const& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && ::access(file.c_str(), X_OK) == 0;
}

/// The absolute path of a program, found as a shell does; empty if there is none. What is checked
/// is then what runs, whatever the folder in which it runs.
std::string program_file(std::string const& name) {
  if (name.find('/') != std::string::npos)
    return is_program(name) ? fs::absolute(name).string() : "";
  char const* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (auto const file = fs::path(folder.empty() ? "." : folder) / name; is_program(file))
      return fs::absolute(file).string();
  return {};
}

std::string find_compiler(std::string const& asked) {
  if (!asked.empty()) {
    if (auto file = program_file(asked); !file.empty()) return file;
    throw io::unavailable_error(fmt::format(
        "there is no compiler '{}'; --compiler names one that compiles C++20, such as g++", asked));
  }
  char const* const cxx = std::getenv("CXX");
  for (char const* const name : {cxx, "g++", "c++"})
    if (auto file = program_file(name == nullptr ? "" : name); !file.empty()) return file;
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
      t.include = path;
    }
  }
  return t;
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
  throw io::unavailable_error(
      fmt::format("kernels are compiled with headers that should be installed beside the tool, "
                  " but '{}' has none: use the tool of a build tree, or install Upsweep",
                  tool.parent_path().parent_path().string()));
}

compiler_version version_of(std::string const& compiler, std::string const& log) {
  (void)run_process({compiler, "--version"}, ".", log, {.seconds = 60});
  compiler_version v;
  std::ifstream printed(log);
  std::getline(printed, v.text);
  v.clang = v.text.find("clang") != std::string::npos;
  auto const before = v.clang ? v.text.find("version ") : v.text.rfind(' ');
  if (before != std::string::npos) v.major = std::atoi(v.text.c_str() + before + (v.clang ? 8 : 1));
  return v;
}

std::string first_error(fs::path const& log,
                        std::function<bool(std::string_view)> const& is_users) {
  std::ifstream lines(log);
  std::string text, in_kernel;
  int shown = 0;
  for (std::string line; shown < 4 && std::getline(lines, line);) {
    bool const is_error = line.find(": error: ") != std::string::npos ||
                          line.find(": fatal error: ") != std::string::npos ||
                          line.find("undefined reference") != std::string::npos;
    if (line.starts_with("./")) line.erase(0, 2);
    if (line.find(": In instantiation of") != std::string::npos) in_kernel.clear();
    if (in_kernel.empty() && is_users(line) && line.find("required from") != std::string::npos)
      in_kernel = line + '\n';
    if (shown == 0 && !is_error) continue;
    if (shown > 0 && !line.starts_with(' ')) break;
    if (shown == 0 && !is_users(line)) text = in_kernel;
    text += line + '\n';
    ++shown;
  }
  if (!text.empty()) return text;
  lines.clear();
  lines.seekg(0);
  std::getline(lines, text);
  return text.empty() ? "the compiler failed without a message\n" : text + '\n';
}

}  // namespace upsweep::lab

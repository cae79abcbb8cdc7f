/// The compiler's flags, the key of a module, and the call of the compiler.
#include <lab/source/build.hpp>

#include <io/error.hpp>
#include <lab/compiler/process.hpp>
#include <lab/compiler/toolchain.hpp>
#include <lab/source/compiler_messages.hpp>
#include <lab/source/content_hash.hpp>
#include <lab/source/source_tree.hpp>
#include <upsweep/core/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace upsweep::lab::source {

namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

constexpr int format_of_modules = 1;  // counts changes of the flags and of the rewriting
constexpr double most_seconds = 300;
constexpr std::string_view as_calls = "-DUPSWEEP_EMULATED_CALLS";

/// Why each flag: docs/design/0003-laboratory.md. With them the compiler reports every access to
/// memory once, in the source's order, and every basic block.
words flags_of(bool clang) {
  words flags{"-x",
              "c++",
              "-std=gnu++20",
              "-g",
              "-fPIC",
              "-w",
              "-fsanitize=thread",
              "-ftls-model=global-dynamic",
              "-fno-strict-aliasing",
              "-ffp-contract=off",
              "-Wfatal-errors",
              "-fdiagnostics-color=never",
              "-fno-diagnostics-show-caret"};
  words const own = clang ? words{"-O0",
                                  "-fsanitize-coverage=trace-pc,no-prune",
                                  "-fno-finite-loops",
                                  "-mllvm",
                                  "-tsan-instrument-func-entry-exit=0",
                                  "-mllvm",
                                  "-tsan-instrument-read-before-write=1",
                                  "-mllvm",
                                  "-tsan-distinguish-volatile=1"}
                          : words{"-Og",
                                  "-fno-tree-fre",
                                  "-fsanitize-coverage=trace-pc",
                                  "-fno-extern-tls-init",
                                  "-fno-semantic-interposition",
                                  "-fno-plt",
                                  "-fpermissive",
                                  "-fdiagnostics-column-unit=byte",
                                  "--param",
                                  "tsan-instrument-func-entry-exit=0",
                                  "--param",
                                  "tsan-distinguish-volatile=1"};
  flags.insert(flags.end(), own.begin(), own.end());
  return flags;
}

void check_version(std::string const& compiler, compiler_version const& v) {
  int const least = v.clang ? 16 : 12;
  if (v.major == 0 || v.major >= least) return;
  throw io::unavailable_error(
      fmt::format("{} is {} {}, but CUDA files need g++ 12 or Clang 16, or newer ones; name one "
                  "with --compiler",
                  compiler, v.clang ? "Clang" : "g++", v.major));
}

/// The compiler's file, found in PATH as execvp does.
fs::path program_file(std::string const& compiler) {
  if (compiler.find('/') != std::string::npos) return compiler;
  char const* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  std::error_code none;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (fs::path const file = fs::path(folder) / compiler; fs::exists(file, none)) return file;
  return compiler;
}

/// What decides about the compiled text: sources, headers, options and the compiler.
std::string key_of(source_tree const& tree, build_request const& asked, toolchain const& tools,
                   fs::path const& headers) {
  content_hash hash;
  hash.add(fmt::format("{} {}", version, format_of_modules));
  fs::path const program = program_file(tools.compiler);
  std::error_code none;
  fs::path const real = fs::canonical(program, none);
  hash.add(fmt::format("{} {} {}", real.string(), fs::file_size(real, none),
                       fs::last_write_time(real, none).time_since_epoch().count()));
  for (auto const& folder : asked.include_folders) hash.add(fs::absolute(folder).string());
  hash.add("definitions");
  for (auto const& definition : asked.definitions) hash.add(definition);
  std::vector<fs::path> ours;
  for (auto const& f : fs::recursive_directory_iterator(headers, none))
    if (f.is_regular_file(none)) ours.push_back(f.path());
  std::sort(ours.begin(), ours.end());
  for (auto const& header : ours) {
    hash.add(header.string());
    hash.add(hash_of(header));
  }
  for (auto const& f : tree.files) {
    hash.add(f.path.native());
    hash.add(f.done.text);
  }
  return hash.text();
}

/// The files of a make rule that are neither rewritten copies nor our headers.
std::vector<fs::path> other_files(fs::path const& rule, fs::path const& work,
                                  fs::path const& headers) {
  std::vector<fs::path> all;
  std::ifstream in(rule);
  for (std::string word; in >> word;) {
    if (word == "\\" || word.ends_with(':')) continue;
    fs::path const file = fs::path(word).lexically_normal();
    if (!file.native().starts_with(work.native()) && !file.native().starts_with(headers.native()))
      all.push_back(file);
  }
  return all;
}

class compilation {
 public:
  compilation(source_tree const& tree, build_request const& asked, toolchain const& tools,
              fs::path const& headers, fs::path work)
      : tree_(tree), tools_(tools), work_(std::move(work)), log_((work_ / "log").string()) {
    auto const version = version_of(tools.compiler, log_);
    check_version(tools.compiler, version);
    fs::path const copies = work_ / "sources", main = write_sources(tree, copies);
    command_ = {tools.compiler};
    auto const flags = flags_of(version.clang);
    command_.insert(command_.end(), flags.begin(), flags.end());
    for (auto const& definition : asked.definitions) command_.push_back("-D" + definition);
    command_.insert(command_.end(), {"-I", headers.string(), "-include", "cuda_runtime.h"});
    for (auto const& folder : asked.include_folders) {
      fs::path const full = fs::absolute(folder).lexically_normal();
      command_.insert(command_.end(),
                      {"-I", (copies / full.relative_path()).string(), "-I", full.string()});
    }
    // For headers that only the compiler finds, since their names are made by macros.
    command_.insert(command_.end(), {"-iquote", tree.files.front().path.parent_path().string(),
                                     "-MMD", "-MF", (work_ / "rule").string(), "-c", main.string(),
                                     "-o", (work_ / "module.o").string()});
  }

  /// The shared object. Throws data_error.
  fs::path run(module_record& record) {
    if (!succeeds(command_)) {
      if (!log_has("always_inline")) refuse();
      words calls = command_;
      calls.emplace_back(as_calls);
      if (!succeeds(calls)) refuse();
      record.notes.emplace_back(
          "a __device__ function calls itself, so device functions are not inlined; with g++, "
          "what they store by returning a struct is then neither counted nor checked");
    }
    fs::path const module = work_ / "module.so";
    if (!succeeds({tools_.compiler, "-shared", "-Wl,-Bsymbolic", "-o", module.string(),
                   (work_ / "module.o").string()}))
      refuse();
    return module;
  }

 private:
  bool succeeds(words const& command) {
    auto const end = run_process(command, work_.string(), log_, {.seconds = most_seconds});
    if (end.timed_out)
      throw io::data_error(fmt::format("{}: the compiler was stopped after {} s",
                                       shown(tree_.files.front().path), most_seconds));
    return end.status == 0;
  }
  [[nodiscard]] bool log_has(std::string_view what) const {
    std::ostringstream text;
    text << std::ifstream(log_).rdbuf();
    return text.view().find(what) != std::string_view::npos;
  }
  [[noreturn]] void refuse() const {
    throw io::data_error(fmt::format("'{}' does not compile\n{}", shown(tree_.files.front().path),
                                     users_error(log_, tree_)));
  }

  source_tree const& tree_;
  toolchain const& tools_;
  fs::path work_;
  std::string log_;
  words command_;
};

}  // namespace

built_module build(build_request const& asked, module_cache& cache) {
  auto const tree = read_sources(asked.file, asked.include_folders);
  auto const tools = find_toolchain(asked.compiler);
  fs::path const headers = tools.include / "upsweep/simt/cuda";
  built_module made;
  made.has_main = tree.has_main();
  if (!cache.complaint().empty()) made.notes.push_back(cache.complaint());
  for (auto const& f : tree.files)
    for (auto const& finding : f.done.findings)
      made.notes.push_back(fmt::format("{}:{}: {}; a thread that executes it ends the launch",
                                       shown(f.path), finding.line, finding.sentence));
  std::string const key = key_of(tree, asked, tools, headers);
  module_record record;
  made.file = cache.find(key, record);
  made.from_cache = !made.file.empty();
  if (!made.from_cache) {
    held_signals const held;  // until the folder is removed
    fs::path const work = cache.new_folder();
    fs::path const module = compilation(tree, asked, tools, headers, work).run(record);
    record.depends_on = other_files(work / "rule", work, headers);
    made.file = cache.keep(key, module, record);
    std::error_code none;
    fs::remove_all(work, none);
  }
  made.notes.insert(made.notes.end(), record.notes.begin(), record.notes.end());
  return made;
}

}  // namespace upsweep::lab::source

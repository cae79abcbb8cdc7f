/// The compiler's flags, the key of a module, and the call of the compiler.
#include <lab/source/build.hpp>

#include <io/error.hpp>
#include <lab/compiler/private_folder.hpp>
#include <lab/compiler/process.hpp>
#include <lab/compiler/toolchain.hpp>
#include <lab/source/module_cache.hpp>
#include <lab/source/source_tree.hpp>
#include <text/nearest.hpp>
#include <upsweep/core/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace upsweep::lab::source {

namespace {

namespace fs = std::filesystem;
using words = std::vector<std::string>;

constexpr int format_of_modules = 5;  // counts changes of the flags and of the rewriting
constexpr double most_seconds = 300;
constexpr std::string_view whole_header = "upsweep_cuda.h";  // includes all that nvcc includes
constexpr std::string_view as_calls = "-DUPSWEEP_EMULATED_CALLS";

/// The emulator has these for kernels: upsweep/sim/modules/heap_calls.cpp.
constexpr std::string_view wrapped_functions[] = {"printf",
                                                  "puts",
                                                  "putchar",
                                                  "malloc",
                                                  "free",
                                                  "_Znwm",
                                                  "_Znam",
                                                  "_ZnwmRKSt9nothrow_t",
                                                  "_ZnamRKSt9nothrow_t",
                                                  "_ZnwmSt11align_val_t",
                                                  "_ZnamSt11align_val_t",
                                                  "_ZdlPv",
                                                  "_ZdaPv",
                                                  "_ZdlPvm",
                                                  "_ZdaPvm",
                                                  "_ZdlPvSt11align_val_t",
                                                  "_ZdaPvSt11align_val_t",
                                                  "_ZdlPvmSt11align_val_t",
                                                  "_ZdaPvmSt11align_val_t"};

/// Why each flag: docs/design/0003-laboratory.md. With them the compiler reports every access to
/// memory once, in the source's order, and every basic block.
words flags_of(bool clang) {
  words flags{"-x", "c++", "-std=gnu++20", "-g", "-fPIC",
              // A local variable without a value has one that no kernel expects.
              "-ftrivial-auto-var-init=pattern", "-Wuninitialized", "-fsanitize=thread",
              "-fsanitize=shift-exponent,float-cast-overflow", "-ftls-model=global-dynamic",
              "-fno-strict-aliasing", "-fstack-clash-protection", "-ffp-contract=off",
              "-Wfatal-errors", "-fdiagnostics-color=never"};
  words const own = clang ? words{"-O0",
                                  "-Wno-everything",
                                  "-Wuninitialized",
                                  "-Wsometimes-uninitialized",
                                  "-fno-caret-diagnostics",
                                  "-fsanitize-coverage=trace-pc,no-prune",
                                  "-fno-finite-loops",
                                  "-mllvm",
                                  "-tsan-instrument-func-entry-exit=0",
                                  "-mllvm",
                                  "-tsan-instrument-read-before-write=1",
                                  "-mllvm",
                                  "-tsan-distinguish-volatile=1"}
                          : words{"-Og",
                                  "-Wno-attributes",
                                  "-Wmaybe-uninitialized",
                                  "-fno-tree-fre",
                                  "-fsanitize-coverage=trace-pc",
                                  "-fno-extern-tls-init",
                                  "-fno-semantic-interposition",
                                  "-fno-plt",
                                  "-fno-gnu-unique",
                                  "-fcheck-new",
                                  "-fpermissive",
                                  "-fdiagnostics-column-unit=byte",
                                  "-fno-diagnostics-show-caret",
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

/// What decides about compiled headers: their text, the compiler and the device.
std::string key_of_headers(toolchain const& tools, fs::path const& headers,
                           build_request const& asked) {
  content_hash hash;
  hash.add(fmt::format("{} {} {}", version, format_of_modules, asked.capability));
  for (auto const& header : asked.first_headers) hash.add(header);
  std::error_code none;
  fs::path const real = fs::canonical(tools.compiler, none);
  hash.add(fmt::format("{} {} {}", real.string(), fs::file_size(real, none),
                       fs::last_write_time(real, none).time_since_epoch().count()));
  std::vector<fs::path> ours;
  for (auto const& f : fs::recursive_directory_iterator(headers, none))
    if (f.is_regular_file(none)) ours.push_back(f.path());
  std::sort(ours.begin(), ours.end());
  for (auto const& header : ours) {
    hash.add(header.string());
    hash.add(hash_of(header));
  }
  return hash.text();
}

/// What decides about a module: the headers' key, the sources and the options.
std::string key_of(source_tree const& tree, build_request const& asked,
                   std::string const& key_of_headers) {
  content_hash hash;
  hash.add(key_of_headers);
  for (auto const& folder : asked.include_folders) hash.add(fs::absolute(folder).string());
  for (auto const& unit : tree.units) hash.add(unit.string());
  hash.add(asked.uses_openmp ? "openmp" : "definitions");
  for (auto const& definition : asked.definitions) hash.add(definition);
  for (auto const& f : tree.files) {
    hash.add(f.path.native());
    hash.add(f.done.text);
  }
  return hash.text();
}

/// The words of a make rule, in which the compiler has escaped blanks, # and $.
words words_of_rule(std::string const& rule) {
  words all(1);
  for (std::size_t i = 0; i < rule.size(); ++i) {
    char const c = rule[i], next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    bool const escapes = (c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$');
    if (escapes)
      all.back() += rule[++i];
    else if (c == ' ' || c == '\n' || (c == '\\' && next == '\n'))
      all.emplace_back();
    else
      all.back() += c;
  }
  std::erase(all, "");
  return all;
}

/// The files of a make rule that are neither rewritten copies nor our headers.
std::vector<fs::path> other_files(fs::path const& rule, fs::path const& work,
                                  fs::path const& headers) {
  std::vector<fs::path> all;
  auto const found = words_of_rule(text_of_own_file(rule));
  if (found.empty()) throw io::io_error(fmt::format("cannot read '{}'", rule.string()));
  for (auto const& word : found) {
    if (word.ends_with(':')) continue;
    fs::path const file = fs::path(word).lexically_normal();
    if (!file.native().starts_with(work.native()) && !file.native().starts_with(headers.native()) &&
        file.filename() != whole_header)
      all.push_back(file);
  }
  return all;
}

std::vector<kernel_declaration> kernels_of(source_tree const& tree) {
  std::vector<kernel_declaration> all;
  for (auto const& f : tree.files)
    for (auto& k : kernels_in(f.original))
      if (std::ranges::find(all, k.name, &kernel_declaration::name) == all.end())
        all.push_back(std::move(k));
  return all;
}

/// The name of a kernel that a macro makes is not known here: the compiler decides about it.
void check_kernel(build_request const& asked, std::vector<kernel_declaration> const& kernels) {
  std::string const file = shown(asked.file);
  if (kernels.empty())
    throw io::usage_error(fmt::format("'{}' has no kernel, a function with __global__", file));
  std::string const plain = asked.kernel.substr(0, asked.kernel.find('<'));
  std::string const name =
      plain.find("::") == plain.npos ? plain : plain.substr(plain.rfind("::") + 2);
  auto const found = std::ranges::find(kernels, name, &kernel_declaration::name);
  if (found == kernels.end()) {
    words names;
    for (auto const& k : kernels) names.push_back(k.name);
    throw io::usage_error(fmt::format("'{}' has the kernels {}, and no '{}'{}", file,
                                      fmt::join(names, ", "), name,
                                      text::did_you_mean(name, names)));
  }
  if (found->is_template && asked.kernel.find('<') == asked.kernel.npos)
    throw io::usage_error(fmt::format(
        "'{0}' is a template ({1}:{2}): name its arguments, as in --kernel '{0}<float, 256>'", name,
        file, found->line));
}

class compilation {
 public:
  compilation(source_tree const& tree, build_request const& asked, toolchain const& tools,
              fs::path const& headers, fs::path work)
      : tree_(tree), tools_(tools), work_(std::move(work)), log_((work_ / "log").string()) {
    auto const version = version_of(tools.compiler, log_);
    check_version(tools.compiler, version);
    fs::path const copies = work_ / "sources";
    write_sources(tree, copies);
    fs::path const absent = work_ / "absent";
    write_absent_headers(tree, absent);
    for (std::size_t i = 0; i < tree.units.size(); ++i) {
      fs::path const object = work_ / fmt::format("{}.o", i);
      fs::path const assembly = fs::path(object).replace_extension("s");
      // For headers that only the compiler finds, since their names are made by macros.
      units_.push_back({"-iquote", tree.units[i].parent_path().string(), "-MMD", "-MF",
                        fs::path(object).replace_extension("rule").string(),
                        version.clang ? "-c" : "-S",
                        (copies / tree.units[i].relative_path()).string(), "-o",
                        (version.clang ? object : assembly).string()});
      objects_.push_back(object.string());
    }
    for (auto const& header : asked.first_headers)
      header_text_ += fmt::format("#include <{}>\n", header);
    if (asked.uses_openmp) openmp_ = {"-fopenmp"};
    is_clang_ = version.clang;
    command_ = {tools.compiler};
    auto const flags = flags_of(version.clang);
    command_.insert(command_.end(), flags.begin(), flags.end());
    command_.insert(
        command_.end(),
        {"-I", headers.string(), fmt::format("-DUPSWEEP_EMULATED_ARCH={}", asked.capability * 10)});
    header_command_ = command_;
    for (auto const& definition : asked.definitions) command_.push_back("-D" + definition);
    command_.insert(command_.end(), {"-include", std::string(whole_header)});
    for (auto const& folder : asked.include_folders) {
      fs::path const full = fs::absolute(folder).lexically_normal();
      command_.insert(command_.end(),
                      {"-I", (copies / full.relative_path()).string(), "-I", full.string()});
    }
    command_.insert(command_.end(), {"-I", absent.string()});
    command_.insert(command_.end(), openmp_.begin(), openmp_.end());
  }

  /// Compiles our headers once for all modules: a small file then takes a third of the time.
  /// In a temporary cache they are compiled with the module.
  void use_headers(module_cache& cache, std::string const& key) {
    fs::path const made = work_ / "headers", header = made / whole_header;
    fs::path const compiled = cache.headers(key);
    fs::create_directory(made);
    fs::permissions(made, fs::perms::owner_all);
    write_own_file(header, header_text_);
    bool const pays = !compiled.empty() && !is_clang_;
    if (pays && !cache.has_headers(key)) {
      words command = header_command_;
      command[2] = "c++-header";
      command.insert(command.end(), {header.string(), "-o", header.string() + ".gch"});
      if (succeeds(command)) cache.keep_headers(key, made);
    }
    bool const is_there = pays && cache.has_headers(key);
    std::error_code none;
    if (is_there)
      fs::last_write_time(compiled, fs::file_time_type::clock::now(), none);  // it was used
    command_.insert(command_.end(), {"-I", (is_there ? compiled : made).string()});
  }

  /// The shared object. Throws data_error.
  fs::path run(module_record& record) {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      compile(units_[i], record);
      if (!is_clang_) assemble(units_[i].back(), objects_[i]);
    }
    fs::path const module = work_ / "module.so";
    words link{tools_.compiler, "-shared", "-Wl,-Bsymbolic", "-Wl,--exclude-libs,libstdc++.a"};
    for (std::string_view const function : wrapped_functions)
      link.push_back(fmt::format("-Wl,--wrap={}", function));
    link.insert(link.end(), openmp_.begin(), openmp_.end());
    link.insert(link.end(), objects_.begin(), objects_.end());
    link.insert(link.end(), {"-o", module.string()});
    if (!succeeds(link)) refuse();
    return module;
  }

 private:
  void compile(words const& unit, module_record& record) {
    words command = command_;
    command.insert(command.end(), unit.begin(), unit.end());
    bool const is_done = succeeds(command);
    if (is_done)
      for (auto& note : unset_variables(log_, tree_)) record.notes.push_back(std::move(note));
    if (is_done) return;
    if (!log_has("always_inline")) refuse();
    command.emplace_back(as_calls);
    if (!succeeds(command)) refuse();
    record.notes.emplace_back(
        "a __device__ function calls itself, so device functions are not inlined; with g++, "
        "what they store by returning a struct is then neither counted nor checked");
  }
  void assemble(fs::path const& compiled, std::string const& object) {
    std::ostringstream text;
    text << std::ifstream(compiled).rdbuf();
    fs::path const assembly = fs::path(object).replace_extension("once.s");
    write_own_file(assembly, without_repeated_reads(text.str()));
    if (!succeeds({tools_.compiler, "-c", assembly.string(), "-o", object})) refuse();
  }
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
  bool is_clang_ = false;
  std::string header_text_ = "#include <cuda_runtime.h>\n";
  words header_command_, command_, openmp_;
  std::vector<words> units_;  // the end of each command; its last word is what it writes
  words objects_;
};

}  // namespace

built_module build(build_request const& asked, module_cache& cache) {
  auto tree =
      read_sources({asked.file, asked.others, asked.include_folders, asked.text, asked.settings});
  auto const kernels = kernels_of(tree);
  if (!asked.kernel.empty()) {
    check_kernel(asked, kernels);
    tree.files.front().done.text += fmt::format(
        "\n#line 1 \"--kernel {}\"\n#include \"words/entry.h\"\nUPSWEEP_EMULATED_ENTRY({})\n",
        asked.kernel, asked.kernel);
  }
  auto const tools = find_toolchain(asked.compiler);
  fs::path const headers = tools.include / "upsweep/simt/cuda";
  built_module made;
  made.has_main = tree.has_main();
  made.kernels = kernels;
  if (!cache.complaint().empty()) made.notes.push_back(cache.complaint());
  for (auto const& f : tree.files)
    for (auto const& finding : f.done.findings)
      made.notes.push_back(fmt::format("{}:{}: {}", shown(f.path), finding.line, note_of(finding)));
  std::string const headers_key = key_of_headers(tools, headers, asked);
  std::string const key = key_of(tree, asked, headers_key);
  module_record record;
  made.file = cache.find(key, record);
  made.from_cache = !made.file.empty();
  if (!made.from_cache) {
    held_signals const held;  // until the folder is removed
    fs::path const work = cache.new_folder();
    compilation compiling(tree, asked, tools, headers, work);
    compiling.use_headers(cache, headers_key);
    fs::path const module = compiling.run(record);
    for (std::size_t i = 0; i < tree.units.size(); ++i)
      for (auto& f : other_files(work / fmt::format("{}.rule", i), work, headers))
        record.depends_on.push_back(std::move(f));
    made.file = cache.keep(key, module, record);
    std::error_code none;
    fs::remove_all(work, none);
  }
  made.notes.insert(made.notes.end(), record.notes.begin(), record.notes.end());
  return made;
}

}  // namespace upsweep::lab::source

/// `upsweep lab-site`: puts the laboratory on a static site, to run in browsers.
#include <cli/lab/site_files.hpp>
#include <cli/registry.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <lab/grading/exercise.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace fs = std::filesystem;

namespace upsweep::cli {

namespace {

struct lab_site_flags {
  std::string folder, from;
  std::vector<std::string> exercises;
  bool with_compiler = false, force = false;
};

bool is_packed(fs::path const& folder) {
  std::error_code none;
  return fs::is_regular_file(folder / "kernels.json", none);
}

/// The folder that lab/wasm/pack_site.py wrote: installed with the tool, or in the tree in whose
/// build folder the tool is.
fs::path packed_folder(std::string const& given) {
  if (!given.empty()) {
    if (is_packed(given)) return given;
    throw io::usage_error(
        fmt::format("'{}' has no kernels.json, so it is not the folder lab-site of make lab-editor "
                    "or of a release",
                    given));
  }
  std::error_code none;
  auto const beside = fs::canonical("/proc/self/exe", none).parent_path();
  for (auto const* const folder : {"../share/upsweep/lab-site", "../../build-lab-wasm/lab-site"})
    if (auto const path = (beside / folder).lexically_normal(); is_packed(path)) return path;
  throw io::unavailable_error(
      "the laboratory for browsers is not installed with this tool; build it with 'make "
      "lab-editor' in the sources of Upsweep, or unpack upsweep-VERSION-lab-site.tar.gz of the "
      "release, and name the folder lab-site with --from");
}

int run(lab_site_flags const& flags) {
  bool const none = flags.exercises == std::vector<std::string>{"none"};
  if (!flags.with_compiler && !flags.exercises.empty() && !none)
    throw io::usage_error(
        "--exercises needs --with-compiler, because the browser compiles students' kernels");
  site_parts parts{packed_folder(flags.from), flags.exercises, flags.with_compiler};
  if (parts.exercises.empty()) parts.exercises = {flags.with_compiler ? "all" : "none"};
  std::error_code missing;
  if (flags.with_compiler && !fs::exists(parts.packed / "compiler" / "clang.wasm.gz", missing))
    throw io::unavailable_error(fmt::format("'{}' has no compiler; build it with 'make lab-editor'",
                                            parts.packed.string()));
  auto const files = make_site(parts);
  auto const written = write_site(flags.folder, files, flags.force);
  double size = 0;
  for (auto const& [name, bytes] : files) size += static_cast<double>(bytes.size());
  fmt::print("{}: {} files, {:.1f} MB; {} of them are new\n", io::printable(flags.folder),
             files.size(), size / 1e6, written);
  return 0;
}

}  // namespace

void add_lab_site_command(registry& tool) {
  CLI::App* const command = add_command(tool, "lab-site");
  auto const flags = std::make_shared<lab_site_flags>();
  command->add_option("DIR", flags->folder, "The folder of the site, created if necessary")
      ->required();
  auto* const exercises =
      comma_list(command->add_option("--exercises", flags->exercises,
                                     "Numbers, names and folders of exercises, all or none "
                                     "(default: all)"))
          ->type_name("LIST");
  tool.choices[exercises] = {"all", "none"};
  for (auto const& e : lab::grading::known_exercises()) tool.choices[exercises].push_back(e.name);
  command->add_flag("--with-compiler", flags->with_compiler,
                    "Add the editor, in which students write kernels and solve exercises");
  command
      ->add_option("--from", flags->from,
                   "The folder lab-site of make lab-editor or of a release (default: the one "
                   "installed with the tool)")
      ->type_name("FOLDER");
  command->add_flag("--force", flags->force, "Replace files that have other contents");
  command->callback([flags, &tool] { tool.status = run(*flags); });
}

}  // namespace upsweep::cli

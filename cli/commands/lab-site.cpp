/// `upsweep lab-site`: puts the laboratory on a static site, to run in browsers.
#include <cli/lab/site.hpp>
#include <cli/registry.hpp>
#include <io/error.hpp>
#include <io/shown.hpp>
#include <lab/grading/exercise.hpp>

#include <fmt/format.h>

#include <stdlib.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(std::string_view what, fs::path const& path, int reason) {
  throw io::io_error("Cannot {} '{}': {}.", what, path.string(),
                     std::strerror(reason == 0 ? EIO : reason));
}

std::optional<std::string> contents(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  return file.bad() ? std::nullopt : std::optional(std::move(bytes));
}

void make_folder(fs::path const& path) {
  std::error_code wrong;
  fs::create_directories(path, wrong);
  if (wrong) fail("create the folder", path, wrong.value());
}

void move_file(fs::path const& from, fs::path const& to) {
  make_folder(to.parent_path());
  std::error_code wrong;
  fs::rename(from, to, wrong);
  if (wrong) fail("write", to, wrong.value());
}

/// A folder inside of another, removed with all that is left in it. The outer one is removed, too,
/// if it is empty then and did not exist before.
class staging_folder {
 public:
  explicit staging_folder(fs::path const& outer) : outer_(outer), existed_(fs::exists(outer)) {
    make_folder(outer);
    std::string name = (outer / ".upsweep-lab-site.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      int const reason = errno;
      remove_outer();
      fail("write into the folder", outer, reason);
    }
    path_ = name;
  }
  ~staging_folder() {
    std::error_code none;
    fs::remove_all(path_, none);
    remove_outer();
  }
  staging_folder(staging_folder const&) = delete;
  staging_folder& operator=(staging_folder const&) = delete;

  [[nodiscard]] fs::path const& path() const { return path_; }

 private:
  void remove_outer() const {
    std::error_code none;
    if (!existed_) fs::remove(outer_, none);
  }

  fs::path outer_, path_;
  bool existed_;
};

/// Writes `files` into `folder`, which is created if necessary, and returns how many were new or
/// changed. All are written to a folder in it, then renamed, index.html last: what fails before
/// leaves `folder` as it was. Files with other contents are replaced only with `force`.
std::size_t write_site(fs::path const& folder, site_files const& files, bool force) {
  std::error_code none;
  if (fs::exists(folder, none) && !fs::is_directory(folder, none))
    throw io::usage_error("'{}' is a file; name a folder", folder.string());
  std::vector<std::string> changed, others;
  for (auto const& [name, bytes] : files) {
    if (contents(folder / name) == bytes) continue;
    changed.push_back(name);
    if (fs::exists(folder / name, none)) others.push_back(name);
  }
  if (!others.empty() && !force)
    throw io::io_error(
        "'{}' has {} of the files with other contents, such as {}; name another folder, or replace "
        "them with --force",
        folder.string(), others.size(), others[0]);
  if (changed.empty()) return 0;
  staging_folder const staging(folder);
  for (auto const& name : changed) {
    auto const path = staging.path() / name;
    make_folder(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << files.at(name) << std::flush;
    if (!file) fail("write", folder / name, errno);
  }
  // The first page is the last, so a site that was interrupted has none.
  constexpr char const* first = "index.html";
  for (auto const& name : changed)
    if (name != first) move_file(staging.path() / name, folder / name);
  if (fs::exists(staging.path() / first)) move_file(staging.path() / first, folder / first);
  return changed.size();
}

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
        "'{}' has no kernels.json, so it is not the folder lab-site of make lab-editor or of a "
        "release",
        given);
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

void run(lab_site_flags const& flags) {
  bool const none = flags.exercises == std::vector<std::string>{"none"};
  if (!flags.with_compiler && !flags.exercises.empty() && !none)
    throw io::usage_error(
        "--exercises needs --with-compiler, because the browser compiles students' kernels");
  site_parts parts{packed_folder(flags.from), flags.exercises, flags.with_compiler};
  if (parts.exercises.empty()) parts.exercises = {flags.with_compiler ? "all" : "none"};
  std::error_code missing;
  if (flags.with_compiler && !fs::exists(parts.packed / "compiler" / "clang.wasm.gz", missing))
    throw io::unavailable_error("'{}' has no compiler; build it with 'make lab-editor'",
                                parts.packed.string());
  auto const files = make_site(parts);
  auto const written = write_site(flags.folder, files, flags.force);
  double size = 0;
  for (auto const& [name, bytes] : files) size += static_cast<double>(bytes.size());
  fmt::print("{}: {} files, {:.1f} MB; {} of them are new\n", io::printable(flags.folder),
             files.size(), size / 1e6, written);
}

}  // namespace

site_files files_below(fs::path const& folder, std::string const& under) {
  site_files files;
  std::error_code wrong;
  for (fs::recursive_directory_iterator at(folder, wrong), end; !wrong && at != end;
       at.increment(wrong)) {
    if (!at->is_regular_file()) continue;
    auto bytes = contents(at->path());
    if (!bytes) fail("read", at->path(), errno);
    files.emplace(under + '/' + at->path().lexically_relative(folder).generic_string(),
                  std::move(*bytes));
  }
  if (wrong) fail("read the folder", folder, wrong.value());
  return files;
}

void add_lab_site_command(registry& tool) {
  auto const [add, flags] = add_command<lab_site_flags>(tool, "lab-site");
  add("DIR", flags.folder, "The folder of the site, created if necessary", required);
  std::vector<std::string> exercises{"all", "none"};
  for (auto const& e : lab::grading::known_exercises()) exercises.push_back(e.name);
  add("--exercises LIST", flags.exercises,
      "Numbers, names and folders of exercises, all or none (default: all)", comma_list,
      completed_by(exercises));
  add("--with-compiler", flags.with_compiler,
      "Add the editor, in which students write kernels and solve exercises");
  add("--from FOLDER", flags.from,
      "The folder lab-site of make lab-editor or of a release (default: the one installed with the "
      "tool)");
  add("--force", flags.force, "Replace files that have other contents");
}

}  // namespace upsweep::cli

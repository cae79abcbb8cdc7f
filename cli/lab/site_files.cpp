/// Reads the packed parts of the laboratory's site, and writes the site.
#include <cli/lab/site_files.hpp>
#include <io/error.hpp>

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

namespace fs = std::filesystem;

namespace upsweep::cli {

namespace {

[[noreturn]] void fail(std::string_view what, fs::path const& path, int reason) {
  throw io::io_error(fmt::format("Cannot {} '{}': {}.", what, path.string(),
                                 std::strerror(reason == 0 ? EIO : reason)));
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

std::size_t write_site(fs::path const& folder, site_files const& files, bool force) {
  std::error_code none;
  if (fs::exists(folder, none) && !fs::is_directory(folder, none))
    throw io::usage_error(fmt::format("'{}' is a file; name a folder", folder.string()));
  std::vector<std::string> changed, others;
  for (auto const& [name, bytes] : files) {
    if (contents(folder / name) == bytes) continue;
    changed.push_back(name);
    if (fs::exists(folder / name, none)) others.push_back(name);
  }
  if (!others.empty() && !force)
    throw io::io_error(
        fmt::format("'{}' has {} of the files with other contents, such as {}; name another "
                    "folder, or replace them with --force",
                    folder.string(), others.size(), others[0]));
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

}  // namespace upsweep::cli

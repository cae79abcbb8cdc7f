/// An entry is KEY.so and KEY.txt; the text is renamed into place first, the object makes it count.
#include <lab/source/module_cache.hpp>

#include <io/error.hpp>
#include <lab/source/content_hash.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace upsweep::lab::source {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

fs::path users_folder() {
  if (char const* const xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && xdg[0] == '/')
    return fs::path(xdg) / "upsweep";
  if (char const* const home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return fs::path(home) / ".cache" / "upsweep";
  return {};
}

/// A new folder in `in`; empty if none can be made.
fs::path make_folder(fs::path const& in) {
  std::string name = (in / "work-XXXXXX").string();
  return ::mkdtemp(name.data()) == nullptr ? fs::path{} : fs::path(name);
}

void write(fs::path const& file, std::string const& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw io::io_error(fmt::format("cannot write '{}'", file.string()));
}

}  // namespace

std::string hash_of(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  std::ostringstream text;
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  content_hash hash;
  hash.add(text.view());
  return hash.text();
}

module_cache::module_cache(std::uint64_t most_bytes)
    : most_bytes_(most_bytes), folder_(users_folder()) {
  std::error_code failed;
  if (!folder_.empty()) fs::create_directories(folder_, failed);
  if (!folder_.empty() && !failed && ::access(folder_.c_str(), W_OK) == 0) return;
  complaint_ = folder_.empty()
                   ? "there is no cache folder, so the file is compiled again each time; set HOME "
                     "or XDG_CACHE_HOME"
                   : fmt::format(
                         "the cache folder '{}' cannot be written, so the file is compiled "
                         "again each time",
                         folder_.string());
  is_temporary_ = true;
  folder_ = make_folder(fs::temp_directory_path());
  if (folder_.empty())
    throw io::io_error(fmt::format("cannot create a folder in '{}' to compile in",
                                   fs::temp_directory_path().string()));
}

module_cache::~module_cache() {
  std::error_code none;
  for (auto const& folder : work_) fs::remove_all(folder, none);
  if (is_temporary_) fs::remove_all(folder_, none);
}

fs::path module_cache::find(std::string const& key, module_record& record) const {
  fs::path const module = folder_ / (key + ".so");
  std::error_code none;
  if (!fs::is_regular_file(module, none)) return {};
  std::ifstream lines(folder_ / (key + ".txt"));
  module_record found;
  for (std::string kind, rest; lines >> kind && std::getline(lines >> std::ws, rest);) {
    if (kind == "note") {
      found.notes.push_back(rest);
    } else {
      if (hash_of(rest) != kind) return {};
      found.depends_on.emplace_back(rest);
    }
  }
  record = std::move(found);
  fs::last_write_time(module, fs::file_time_type::clock::now(), none);  // it was used
  return module;
}

fs::path module_cache::headers(std::string const& key) const {
  return is_temporary_ ? fs::path{} : folder_ / ("headers-" + key);
}

void module_cache::keep_headers(std::string const& key, fs::path const& made) const {
  std::error_code already_there;
  fs::rename(made, headers(key), already_there);
}

fs::path module_cache::new_folder() {
  fs::path const made = make_folder(folder_);
  if (made.empty())
    throw io::io_error(fmt::format("cannot create a folder in '{}'", folder_.string()));
  return work_.emplace_back(made);
}

fs::path module_cache::keep(std::string const& key, fs::path const& module,
                            module_record const& record) {
  std::string text;
  for (auto const& file : record.depends_on)
    text += fmt::format("{} {}\n", hash_of(file), file.string());
  for (auto const& note : record.notes) text += fmt::format("note {}\n", note);
  fs::path const beside = fs::path(module).replace_extension(".txt");
  write(beside, text);
  fs::path const place = folder_ / (key + ".so");
  fs::rename(beside, folder_ / (key + ".txt"));
  fs::rename(module, place);
  remove_oldest(place);
  return place;
}

/// What was used in the last ten minutes stays: another process may be about to load it.
void module_cache::remove_oldest(fs::path const& kept) const {
  struct entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<entry> entries;
  std::error_code none;
  auto const now = fs::file_time_type::clock::now();
  std::uint64_t bytes = 0;
  for (auto const& f : fs::directory_iterator(folder_, none)) {
    auto const used = f.last_write_time(none);
    std::string const name = f.path().filename().string();
    if (name.starts_with("work-")) {
      if (now - used > 24h) fs::remove_all(f.path(), none);  // of a run that was killed
    } else if (name.starts_with("headers-")) {
      entries.push_back({used, fs::file_size(f.path() / "upsweep_cuda.h.gch", none), f.path()});
      bytes += entries.back().bytes;
    } else if (f.path().extension() == ".so") {
      entries.push_back({used, f.file_size(none), f.path()});
      bytes += entries.back().bytes;
    }
  }
  std::sort(entries.begin(), entries.end(),
            [](entry const& a, entry const& b) { return a.used < b.used; });
  for (auto const& e : entries) {
    if (bytes <= most_bytes_ || now - e.used < 10min) break;
    if (e.path == kept) continue;
    fs::remove_all(e.path, none);
    fs::remove(fs::path(e.path).replace_extension(".txt"), none);
    bytes -= e.bytes;
  }
}

}  // namespace upsweep::lab::source

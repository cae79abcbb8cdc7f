/// An entry is KEY.so and KEY.txt; the text is renamed into place first, the object makes it count.
/// The text is complete only with its first and last lines, and it has the object's size.
#include <lab/source/module_cache.hpp>

#include <io/error.hpp>
#include <lab/compiler/private_folder.hpp>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

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

constexpr std::string_view compiled_header = "upsweep_cuda.h.gch";

std::uint64_t bytes_of(int file) {
  struct stat s{};
  return ::fstat(file, &s) == 0 ? static_cast<std::uint64_t>(s.st_size) : 0;
}

/// "upsweep module 123456", the object's bytes; then "HASH FILE" or "note SENTENCE"; then "end".
std::string text_of(module_record const& record, std::uint64_t module_bytes) {
  std::string text = fmt::format("upsweep module {}\n", module_bytes);
  for (auto const& file : record.depends_on)
    text += fmt::format("{} {}\n", hash_of(file), file.string());
  for (auto const& note : record.notes) text += fmt::format("note {}\n", note);
  return text + "end\n";
}

bool is_hash(std::string_view word) {
  return word.size() == 32 && word.find_first_not_of("0123456789abcdef") == word.npos;
}

/// False if the text is not whole, is of another object, or a file has changed.
bool read_record(std::string const& text, std::uint64_t module_bytes, module_record& record) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != fmt::format("upsweep module {}", module_bytes))
    return false;
  while (std::getline(lines, line) && line != "end") {
    auto const space = std::min(line.find(' '), line.size());
    std::string const kind = line.substr(0, space);
    if (space + 1 >= line.size()) return false;
    std::string const rest = line.substr(space + 1);
    if (kind == "note")
      record.notes.push_back(rest);
    else if (is_hash(kind) && hash_of(rest) == kind)
      record.depends_on.emplace_back(rest);
    else
      return false;
  }
  return line == "end" && text.ends_with("\nend\n");
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
  std::string const exposed = folder_.empty() ? "" : exposure_of_own(folder_);
  if (!folder_.empty() && exposed.empty() && ::access(folder_.c_str(), W_OK) == 0) return;
  complaint_ =
      folder_.empty()
          ? "there is no cache folder, so the file is compiled again each time; set HOME or "
            "XDG_CACHE_HOME"
      : exposed.empty()
          ? fmt::format(
                "the cache folder '{}' cannot be written, so the file is compiled again "
                "each time",
                folder_.string())
          : fmt::format(
                "the cache folder '{}' is not used, since {}: the file is compiled again "
                "each time; set XDG_CACHE_HOME to a folder that only you can write",
                folder_.string(), exposed);
  is_temporary_ = true;
  folder_ = new_temporary_folder();
}

module_cache::~module_cache() {
  for (int const descriptor : descriptors_) ::close(descriptor);
  std::error_code none;
  for (auto const& folder : work_) fs::remove_all(folder, none);
  if (is_temporary_) fs::remove_all(folder_, none);
}

fs::path module_cache::held(int descriptor) {
  descriptors_.push_back(descriptor);
  return fmt::format("/proc/self/fd/{}", descriptor);
}

fs::path module_cache::find(std::string const& key, module_record& record) {
  int const module = open_own_file(folder_ / (key + ".so"));
  if (module < 0) return {};
  fs::path const place = held(module);
  module_record found;
  if (!read_record(text_of_own_file(folder_ / (key + ".txt")), bytes_of(module), found)) return {};
  record = std::move(found);
  ::futimens(module, nullptr);  // it was used
  return place;
}

fs::path module_cache::headers(std::string const& key) const {
  return is_temporary_ ? fs::path{} : folder_ / ("headers-" + key);
}

bool module_cache::has_headers(std::string const& key) const {
  if (is_temporary_) return false;
  for (std::string_view const file : {compiled_header, compiled_header.substr(0, 14)}) {
    int const opened = open_own_file(headers(key) / file);
    if (opened < 0) return false;
    ::close(opened);
  }
  return true;
}

void module_cache::keep_headers(std::string const& key, fs::path const& made) const {
  std::error_code already_there, none;
  fs::rename(made, headers(key), already_there);
  if (!already_there || has_headers(key)) return;
  fs::remove_all(headers(key), none);
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
  int const made = open_own_file(module);
  if (made < 0) throw io::io_error(fmt::format("cannot read '{}'", module.string()));
  fs::path const opened = held(made);
  fs::path const beside = fs::path(module).replace_extension(".txt");
  write_own_file(beside, text_of(record, bytes_of(made)));
  fs::path const place = folder_ / (key + ".so");
  fs::rename(beside, folder_ / (key + ".txt"));
  fs::rename(module, place);
  remove_oldest(place);
  return opened;
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
      auto const size = fs::file_size(f.path() / compiled_header, none);
      entries.push_back({used, none ? 0 : size, f.path()});
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

/// Follows includes, and says what is wrong with a file.
#include <lab/source/source_tree.hpp>

#include <io/error.hpp>
#include <io/small_file.hpp>
#include <lab/source/edits.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

namespace upsweep::lab::source {

namespace {

namespace fs = std::filesystem;

std::string text_of(fs::path const& file) {
  std::error_code none;
  std::string const name = shown(file);
  if (!fs::exists(file, none)) throw io::io_error(fmt::format("there is no file '{}'", name));
  if (fs::is_directory(file, none))
    throw io::data_error(
        fmt::format("'{}' is a folder; name a .cu file with kernels and main", name));
  auto text = io::small_file(file.string(), io::file_kind::any);
  if (text) return *std::move(text);
  if (errno == EFBIG)
    throw io::data_error(fmt::format("'{}' has more than 16 MiB; that is not a source file", name));
  throw io::io_error(fmt::format("cannot read '{}': {}", name, std::strerror(errno)));
}

void check(rewritten_file const& f) {
  std::string const name = shown(f.path);
  bool const is_binary = std::any_of(f.original.begin(), f.original.end(), [](char c) {
    return static_cast<unsigned char>(c) < 8 || c == 0x7f;
  });
  if (is_binary)
    throw io::data_error(fmt::format("'{}' is a binary file; name the source, a .cu file", name));
  for (auto const& finding : f.done.findings)
    if (finding.refuses)
      throw io::data_error(fmt::format("{}:{}: {}", name, finding.line, finding.sentence));
}

/// Of "N=1024". Throws usage_error.
settings_of_run settings_in(std::vector<std::string> const& words) {
  settings_of_run made;
  for (auto const& word : words) {
    auto const equals = word.find('=');
    if (equals == 0 || equals == word.npos || equals + 1 == word.size())
      throw io::usage_error(fmt::format("--set {}: write NAME=VALUE, as in --set N=1024", word));
    made.all.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return made;
}

void check(settings_of_run const& settings) {
  for (auto const& one : settings.all)
    if (one.places == 0)
      throw io::usage_error(
          fmt::format("--set {}: the source has no constant of that name with a value, no "
                      "variable of main, and no macro without parameters{}",
                      one.name, text::did_you_mean(one.name, settings.names)));
}

}  // namespace

std::string literal(std::string const& text) {
  std::string literal;
  for (char const c : text)
    literal += c == '\n'               ? std::string("\\n")
               : c == '"' || c == '\\' ? std::string{'\\', c}
                                       : std::string(1, c);
  return literal;
}

std::string shown(fs::path const& path) {
  std::error_code none;
  auto const relative = path.lexically_relative(fs::current_path(none));
  return relative.empty() || relative.native().starts_with("..") ? path.string()
                                                                 : relative.string();
}

bool source_tree::has_kernel() const {
  return std::any_of(files.begin(), files.end(), [](auto const& f) { return f.done.has_kernel; });
}
bool source_tree::has_main() const {
  return std::any_of(files.begin(), files.end(), [](auto const& f) { return f.done.has_main; });
}
rewritten_file const* source_tree::find(fs::path const& path) const {
  auto const f =
      std::find_if(files.begin(), files.end(), [&](auto const& one) { return one.path == path; });
  return f == files.end() ? nullptr : &*f;
}

source_tree read_sources(source_request const& asked) {
  source_tree tree;
  settings_of_run settings = settings_in(asked.settings);
  tree.units.push_back(fs::absolute(asked.file).lexically_normal());
  for (auto const& other : asked.others)
    tree.units.push_back(fs::absolute(other).lexically_normal());
  std::vector<fs::path> left(tree.units.rbegin(), tree.units.rend());
  while (!left.empty()) {
    fs::path const path = left.back();
    left.pop_back();
    if (tree.find(path) != nullptr) continue;
    bool const is_given = tree.files.empty() && !asked.text.empty();
    rewritten_file f{path, is_given ? asked.text : text_of(path), {}};
    f.done = rewrite(f.original, &settings);
    check(f);
    for (auto const& include : includes(f.original)) {
      if (!include.is_quoted) continue;
      std::vector<fs::path> folders{path.parent_path()};
      folders.insert(folders.end(), asked.include_folders.begin(), asked.include_folders.end());
      for (auto const& folder : folders) {
        std::error_code none;
        fs::path const header = fs::absolute(folder / include.name).lexically_normal();
        if (!fs::is_regular_file(header, none)) continue;
        left.push_back(header);
        break;
      }
    }
    tree.files.push_back(std::move(f));
  }
  rewritten_file const& first = tree.files.front();
  bool const is_blank = std::all_of(first.original.begin(), first.original.end(), [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
  });
  if (is_blank) throw io::data_error(fmt::format("'{}' is empty", shown(first.path)));
  if (!tree.has_kernel() && !tree.has_main())
    throw io::data_error(fmt::format(
        "'{}' is no CUDA program: it has neither a kernel (__global__) nor a function main",
        shown(first.path)));
  check(settings);
  return tree;
}

void write_sources(source_tree const& tree, fs::path const& folder) {
  for (auto const& f : tree.files) {
    fs::path const to = folder / f.path.relative_path();
    fs::create_directories(to.parent_path());
    std::ofstream out(to, std::ios::binary);
    out << "#line 1 \"" << literal(f.path.string()) << "\"\n" << f.done.text;
    if (!out.flush()) throw io::io_error(fmt::format("cannot write '{}'", to.string()));
  }
}

}  // namespace upsweep::lab::source

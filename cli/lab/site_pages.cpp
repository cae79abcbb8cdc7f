/// The pages of the laboratory's site: kernels to run, findings, and exercises to solve.
#include <cli/lab/site.hpp>
#include <io/error.hpp>
#include <io/small_file.hpp>
#include <lab/grading/exercise.hpp>
#include <lab/source/module_cache.hpp>
#include <text/markup.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace upsweep::cli {

namespace {

using nlohmann::ordered_json;
using text::escaped;

std::string read(fs::path const& path) {
  auto text = io::small_file(path.string(), io::file_kind::regular);
  if (!text) throw io::io_error("Cannot read '{}': {}.", path.string(), std::strerror(errno));
  return std::move(*text);
}

/// A whole page; `root` leads to the site's first page.
std::string page(std::string_view title, std::string_view body, std::string_view root = {},
                 std::string_view script = {}) {
  return fmt::format(R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0} · Upsweep</title>
<link rel="stylesheet" href="{1}_static/page.css">
<link rel="icon" href="data:,">
</head>
<body>
<main>
{2}
</main>
{3}</body>
</html>
)",
                     escaped(title), root, body, script);
}

constexpr std::string_view to_first_page = "<p><a href=\"../index.html\">The laboratory</a></p>\n";

// ---- Links

/// The pages that a site has.
struct offer {
  std::set<std::string> kernels, exercises;
  bool editor = false;
};

/// The word between `before` and `after` if `path` has nothing else.
std::optional<std::string> word_in(std::string_view path, std::string_view before,
                                   std::string_view after) {
  if (!path.starts_with(before) || !path.ends_with(after)) return {};
  path.remove_prefix(before.size());
  path.remove_suffix(std::min(after.size(), path.size()));
  bool const is_word = !path.empty() && path.find_first_of("/.#") == path.npos;
  return is_word ? std::optional<std::string>(path) : std::nullopt;
}

/// The address, from a page one folder below the first, of a link in a file of the tree.
std::optional<std::string> address_of(std::string_view to, offer const& has) {
  auto path = to;
  while (path.starts_with("../")) path.remove_prefix(3);
  if (auto const name = word_in(path, "exercises/", ""); name && has.exercises.contains(*name))
    return "../editor/index.html#exercise=" + *name;
  if (auto const name = word_in(path, "examples/findings/", ".cu"); name && has.editor)
    return "../editor/index.html#example=" + *name;
  if (path.starts_with("docs/")) path.remove_prefix(5);
  if (auto const name = word_in(path, "algorithms/", ".md"); name && has.kernels.contains(*name))
    return fmt::format("../algorithms/{}.html", *name);
  if (auto const name = word_in(path, "findings/", ".md"))
    return fmt::format("../findings/{}.html", *name);
  return to.starts_with("https://") ? std::optional<std::string>(to) : std::nullopt;
}

// ---- Exercises

std::vector<std::string> names_in(fs::path const& folder) {
  std::vector<std::string> names;
  for (auto const& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The folder for "2", "02", "02-missing-barrier" or a path.
fs::path exercise_folder(std::string const& word, fs::path const& given) {
  auto const names = names_in(given);
  bool const number = !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  for (auto const& name : names)
    if (name == word || (number && name.starts_with(fmt::format("{:0>2}-", word))))
      return given / name;
  std::error_code none;
  if (!fs::is_directory(word, none))
    throw io::usage_error(
        "there is no exercise '{}'{}; give numbers or names, which 'upsweep list exercises' lists, "
        "or folders with your exercises",
        word, text::did_you_mean(word, names));
  for (auto const* const needed : {"exercise.json", "check.cu", "kernel.cu"})
    if (!fs::is_regular_file(fs::path(word) / needed, none))
      throw io::usage_error("the exercise '{}' has no {}; docs/exercises.md describes an exercise",
                            word, needed);
  return word;
}

/// The button of the page grades, not the command.
std::string without_command(std::string text) {
  constexpr std::string_view command = "\n    upsweep grade ";
  for (std::size_t at = 0; (at = text.find(command, at)) != text.npos;) {
    auto const end = text.find('\n', at + 1);
    text.erase(at, (end == text.npos ? text.size() : end) - at);
  }
  return text;
}

/// What the editor has to know.
ordered_json exercise(fs::path const& folder, offer const& has) {
  auto const rules_file = folder / "exercise.json", checker_file = folder / "check.cu";
  auto const rules = read(rules_file), checker = read(checker_file);
  auto const known = lab::grading::parse_exercise(rules, rules_file.string());
  constexpr std::string_view needed = "#include \"kernel.cu\"";
  if (checker.find(needed) == checker.npos)
    throw io::data_error("'{}' lacks the line {}", checker_file.string(), needed);
  auto const readme = folder / "README.md";
  auto const task = fs::exists(readme) ? read(readme) : fmt::format("# {}\n", known.title);
  auto const address = [&](std::string_view to) { return address_of(to, {has.kernels, {}, {}}); };
  auto const number = known.name.substr(0, known.name.find('-'));
  return {{"name", known.name},
          {"title", fmt::format("{} {}", number, known.title)},
          {"task", html_of(without_command(task), address, 2)},
          {"text", read(folder / "kernel.cu")},
          {"rules", rules},
          {"checker", checker}};
}

ordered_json chosen(site_parts const& parts, offer const& has) {
  auto const given = parts.packed / "exercises";
  auto words = parts.exercises;
  if (words == std::vector<std::string>{"all"}) words = names_in(given);
  if (words == std::vector<std::string>{"none"}) words.clear();
  auto all = ordered_json::array();
  std::set<std::string> names;
  for (auto const& word : words) {
    all.push_back(exercise(exercise_folder(word, given), has));
    auto const name = all.back()["name"].get<std::string>();
    if (!names.insert(name).second) throw io::usage_error("--exercises has '{}' twice", name);
  }
  return all;
}

// ---- Pages

/// Throws data_error for text that is not UTF-8.
std::string json_text(ordered_json const& value) {
  try {
    return value.dump();
  } catch (nlohmann::json::type_error const&) {
    throw io::data_error("a file of an exercise is not UTF-8; convert it with iconv");
  }
}

void add_kernel_pages(site_files& files, ordered_json const& kernels) {
  for (auto const& k : kernels) {
    auto const word = [&](char const* key) { return k.at(key).get<std::string>(); };
    auto const none = [](std::string_view) { return std::optional<std::string>(); };
    auto const title = word("title"), stem = word("stem");
    files[fmt::format("algorithms/{}.html", stem)] =
        page(title,
             fmt::format("{}<h1>{}</h1>\n{}\n<div class=\"lab-panel\" data-stem=\"{}\" "
                         "data-forms=\"{}\" data-order=\"{}\"></div>",
                         to_first_page, escaped(title), html_of(word("text"), none), stem,
                         word("forms"), word("order")),
             "../", "<script defer src=\"../_static/lab_panel.js\"></script>\n");
  }
}

using titles = std::vector<std::pair<std::string, std::string>>;  // addresses and their labels

titles add_finding_pages(site_files& files, fs::path const& folder, offer const& has) {
  titles all;
  for (auto const& name : names_in(folder)) {
    auto const stem = name.substr(0, name.find('.'));
    auto const text = read(folder / name);
    auto const address = [&](std::string_view to) {
      auto const near = word_in(to, "", ".md");
      return near && fs::exists(folder / (*near + ".md")) ? std::optional(*near + ".html")
                                                          : address_of(to, has);
    };
    auto const title = text.substr(0, text.find('\n'));
    auto const path = fmt::format("findings/{}.html", stem);
    files[path] = page(title.substr(title.find_first_not_of("# ")),
                       to_first_page.data() + html_of(text, address), "../");
    if (stem == "index") continue;
    auto label = stem;
    std::replace(label.begin(), label.end(), '_', ' ');
    label[0] = static_cast<char>(label[0] - 'a' + 'A');
    all.emplace_back(path, label);
  }
  return all;
}

std::string hashed(site_files const& files) {
  lab::source::content_hash all;
  for (auto const& [name, bytes] : files) {
    all.add(name);
    all.add(bytes);
  }
  return all.text().substr(0, 16);
}

/// The service worker knows every file of the editor, and changes with each.
void add_editor(site_files& files, fs::path const& packed, ordered_json const& exercises) {
  auto editor = files_below(packed / "editor", "editor");
  auto const compiler = files_below(packed / "compiler", "editor/compiler");
  editor["editor/exercises.json"] = json_text(exercises);
  std::string const worker_file = "editor/sw.js";
  auto names = ordered_json::array({"./"});
  for (auto const& [name, bytes] : editor)
    if (name != worker_file) names.push_back(name.substr(std::strlen("editor/")));
  ordered_json const known{
      {"page", hashed(editor)}, {"files", names}, {"compiler", hashed(compiler)}};
  auto& worker = editor[worker_file];
  auto const at = worker.find("const site = ");
  if (at == worker.npos)
    throw io::data_error("'{}' is not whole; run make lab-editor again",
                         (packed / worker_file).string());
  worker.replace(at, worker.find('\n', at) - at, fmt::format("const site = {};", known.dump()));
  files.merge(editor);
  files.insert(compiler.begin(), compiler.end());
}

std::string list_of(std::string_view heading, titles const& links) {
  if (links.empty()) return {};
  std::string items;
  for (auto const& [to, title] : links)
    items += fmt::format("<li><a href=\"{}\">{}</a></li>\n", escaped(to), escaped(title));
  return fmt::format("\n<h2>{}</h2>\n<ul class=\"columns\">\n{}</ul>", heading, items);
}

std::string first_page(ordered_json const& kernels, ordered_json const& exercises,
                       titles const& findings, bool has_editor) {
  std::string body =
      "<h1>The laboratory</h1>\n<p>It runs GPU kernels in this browser, on an emulator: it finds "
      "races, missing barriers and wrong indices, and counts what a GPU would do. Nothing is "
      "installed, and nothing is sent to anybody.</p>";
  if (has_editor)
    body +=
        "\n<p class=\"first\"><a href=\"editor/index.html\">Write your own kernel</a></p>\n"
        "<p>The first example has a race. Press <b>Run</b>: the first finding names both threads, "
        "their lines, and what to add.</p>";
  titles of_exercises, of_kernels;
  for (auto const& e : exercises)
    of_exercises.emplace_back("editor/index.html#exercise=" + e["name"].get<std::string>(),
                              e["title"]);
  for (auto const& k : kernels)
    of_kernels.emplace_back(fmt::format("algorithms/{}.html", k["stem"].get<std::string>()),
                            k["title"]);
  return page("The laboratory", body + list_of("Exercises", of_exercises) +
                                    list_of("Kernels", of_kernels) + list_of("Findings", findings));
}

}  // namespace

site_files make_site(site_parts const& parts) {
  auto const kernels = ordered_json::parse(read(parts.packed / "kernels.json"));
  offer has{{}, {}, parts.with_compiler};
  for (auto const& k : kernels) has.kernels.insert(k.at("stem").get<std::string>());
  auto const exercises = chosen(parts, has);
  for (auto const& e : exercises) has.exercises.insert(e["name"].get<std::string>());
  auto files = files_below(parts.packed / "_static", "_static");
  add_kernel_pages(files, kernels);
  auto const findings = add_finding_pages(files, parts.packed / "findings", has);
  if (parts.with_compiler) add_editor(files, parts.packed, exercises);
  files["index.html"] = first_page(kernels, exercises, findings, parts.with_compiler);
  return files;
}

}  // namespace upsweep::cli

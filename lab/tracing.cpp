/// Chooses a block size, runs with tracing, and collects the text of the page.
#include <lab/tracing.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::lab {

namespace {

constexpr std::uint64_t most_traced_elements = 1024;  // larger pictures are unreadable
constexpr std::size_t most_cells = 60'000;            // what a browser draws without delay

std::size_t cells_of(picture const& p) {
  std::size_t count = 0;
  for (auto const& row : p.rows)
    for (auto const& s : row) count += s.cells.size();
  return count;
}

caption words_of(request const& asked, outcome const& out) {
  auto const& row = catalog_row(asked.stem);
  auto const& kernel = find_kernel(asked.stem);
  caption c;
  c.stem = row.stem;
  c.sentence = row.sentence;
  c.cost = fmt::format("applications: {}; steps: {}", row.applications, row.steps);
  c.source = row.source;
  std::string const form = row.what == textbook::kind::reduce ? "reduction"
                           : asked.exclusive                  ? "exclusive scan"
                                                              : "inclusive scan";
  c.facts = {fmt::format("{} of {} elements", form, asked.n),
             fmt::format("{} of {}", name_of(asked.op), name_of(asked.type)),
             fmt::format("{} threads per block", asked.threads)};
  c.file = kernel.file;
  c.verdict = verdict(asked, out);
  for (auto const& f : out.report.findings) c.findings.push_back(f.sentence);
  c.correct = out.clean();
  return c;
}

}  // namespace

drawing traced(request const& asked) {
  if (asked.n > most_traced_elements)
    throw io::usage_error(fmt::format(
        "{} elements are too many for a picture, which shows at most {}; -n 16 shows the idea",
        asked.n, most_traced_elements));
  request drawn = asked;
  drawn.machine.trace = drawn.machine.count = drawn.machine.check = true;
  auto const out = run(drawn);
  drawing d{lay_out(out.report.trace, asked.type), words_of(asked, out)};
  if (auto const cells = cells_of(d.shape); cells > most_cells)
    throw io::usage_error(
        fmt::format("{} on {} elements takes {} lane steps, too many for a page; give a smaller -n",
                    asked.stem, asked.n, cells));
  if (asked.n > most_in_sets_64) {
    d.words.no_tree =
        fmt::format("The combining tree is drawn for at most {} elements.", most_in_sets_64);
  } else if (asked.n > 0) {
    drawn.sets = true;
    drawn.values.clear();
    drawn.type = asked.n <= most_in_sets_32 ? element_type::i32 : element_type::i64;
    drawn.by_addition = asked.op == operation_name::sum;
    drawn.op = operation_name::bit_or;
    if (objection(drawn).empty())
      add_tree(d.shape, lay_out(run(drawn).report.trace, drawn.type), asked.n,
               catalog_row(asked.stem).what == textbook::kind::scan);
  }
  if (d.shape.nodes.empty() && d.words.no_tree.empty())
    d.words.no_tree = "The combining tree of this run cannot be drawn.";
  return d;
}

namespace {

std::string extent_text(simt::extent3 const& e) {
  return e.z != 1   ? fmt::format("{} x {} x {}", e.x, e.y, e.z)
         : e.y != 1 ? fmt::format("{} x {}", e.x, e.y)
                    : fmt::format("{}", e.x);
}

}  // namespace

void check_size(sim::launch_report const& launch) {
  constexpr std::size_t most_threads = 1024;
  std::size_t const threads = launch.shape.blocks.count() * launch.shape.threads.count();
  if (threads > most_threads)
    throw io::usage_error(fmt::format(
        "the launch of '{}' has {} threads, too many for a picture, which shows at most {}; trace "
        "a smaller launch",
        launch.name, threads, most_threads));
  if (launch.total.active_lanes > most_cells)
    throw io::usage_error(
        fmt::format("the launch of '{}' takes {} lane steps, too many for a page, which shows at "
                    "most {}; trace a smaller launch",
                    launch.name, launch.total.active_lanes, most_cells));
}

drawing drawn_launch(sim::report const& report, std::size_t number) {
  auto const& launch = report.launches.at(number);
  drawing d{lay_out(report.trace), {}};
  caption& c = d.words;
  c.stem = launch.name;
  std::string const file = launch.at.file.substr(launch.at.file.rfind('/') + 1);
  if (launch.at.line != 0 && !file.starts_with("--"))
    c.sentence =
        fmt::format("Launch {} of the program, at {}:{}.", number + 1, file, launch.at.line);
  c.facts = {fmt::format("grid {}", extent_text(launch.shape.blocks)),
             fmt::format("block {}", extent_text(launch.shape.threads))};
  for (auto const& b : d.shape.buffers)
    if (b.is_guess)
      c.facts.push_back(
          fmt::format("the type of {} is unknown, so its words are shown as integers", b.name));
  c.first_row = mark_findings(d.shape, report.findings, number);
  for (auto const& f : report.findings)
    if (f.launch == number) c.findings.push_back(f.sentence);
  c.correct = c.findings.empty();
  c.verdict =
      c.correct ? "No mistake was found in this launch." : "A mistake was found in this launch.";
  if (c.first_row < 0)
    c.first_row = c.correct ? 0 : std::max(0, static_cast<int>(d.shape.rows.size()) - 1);
  return d;
}

int picture_block(request const& asked) {
  bool const whole_array = catalog_row(asked.stem).where == textbook::scope::device;
  int best = 32;
  std::size_t fewest = 0;
  for (int const block : {8, 16, 32, 64}) {
    request tried = asked;
    tried.threads = block;
    tried.machine.trace = tried.machine.count = tried.machine.check = false;
    if (!objection(tried).empty()) continue;
    if (whole_array) return block;
    std::size_t const launches = run(tried).report.launches.size();
    if (fewest == 0 || launches < fewest) {
      fewest = launches;
      best = block;
    }
  }
  return best;
}

std::uint64_t picture_size(std::string const& stem) {
  if (catalog_row(stem).where != textbook::scope::device) return 16;
  request asked;
  asked.stem = stem;
  asked.threads = 8;
  return objection(settled(asked)).empty()
             ? 24
             : 40;  // blocks of 8 or of 32 threads, which take one or two elements each
}

std::string idea_of(std::string_view page) {
  constexpr std::string_view heading = "## The idea\n";
  std::string idea;
  std::size_t at = page.find(heading);
  bool const has_heading = at != std::string_view::npos;
  if (has_heading) at += heading.size();
  std::size_t const end = has_heading ? page.find("\n## ", at) : page.find("\n![");
  if (end == std::string_view::npos) return idea;
  std::string_view rest = page.substr(has_heading ? at : 0, end - (has_heading ? at : 0));
  while (!rest.empty()) {
    auto const line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    bool const about = line.starts_with('#') || line.starts_with('`') ||
                       line.starts_with("![");  // title, facts, picture
    if (about || (line.empty() && idea.empty())) continue;
    idea += std::string(line) + "\n";
  }
  while (idea.ends_with('\n')) idea.pop_back();
  return idea;
}

}  // namespace upsweep::lab

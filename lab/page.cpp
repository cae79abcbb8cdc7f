/// Assembles page, style, script and trace, and writes the trace as JSON for the script.
#include <lab/picture.hpp>

#include <nlohmann/json.hpp>

#include <blocks_js.hpp>
#include <maps_js.hpp>
#include <memory_js.hpp>
#include <page_css.hpp>
#include <page_html.hpp>
#include <page_js.hpp>
#include <picture_js.hpp>
#include <words_js.hpp>
#include <zoom_js.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab {

namespace {

using json = nlohmann::ordered_json;

std::string joined(std::span<std::string_view const> pieces) {
  std::string text;
  for (auto const piece : pieces) text += piece;
  return text;
}

/// JSON inside a script element must not contain "</script", which would close the element.
std::string safe_in_script(std::string const& text) {
  std::string safe;
  safe.reserve(text.size());
  for (char const c : text) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

void put(std::string& text, std::string_view mark, std::string const& value) {
  if (auto const at = text.find(mark); at != std::string::npos)
    text.replace(at, mark.size(), value);
}

/// The cells in the order of execution, so that the last one decides what an element holds.
std::vector<picture_cell> in_order(std::vector<picture_cell> cells) {
  std::ranges::stable_sort(cells, {}, &picture_cell::when);
  return cells;
}

/// [lane, index, value, buffer], and [row, column] of the value's origin if known.
json cell_json(picture_cell const& c) {
  json cell{c.lane, c.index, c.value, c.buffer};
  if (c.from_row >= 0) {
    cell.push_back(c.from_row);
    cell.push_back(c.from_column);
  }
  return cell;
}

json step_json(picture_step const& s) {
  json step{{"kind", name_of(s.what)}, {"launch", s.launch},  {"block", s.block},
            {"warp", s.warp},          {"line", s.line},      {"file", s.file},
            {"lanes", s.lanes},        {"buffers", s.buffers}};
  if (s.wavefronts) step["wavefronts"] = s.wavefronts;
  if (s.sectors) step["sectors"] = s.sectors;
  if (s.times > 1) step["times"] = s.times;
  if (s.failures > 0) step["failures"] = s.failures;
  for (auto const& c : s.cells) {
    if (c.finding >= 0) step["found"].push_back(c.lane);
    if (c.unwritten) step["unwritten"].push_back(c.lane);
    if (c.failed) step["failed"].push_back(c.lane);
    if (c.buffer >= 0 && c.block != s.block) step["remote"].push_back({c.lane, c.block});
  }
  step["cells"] = json::array();
  for (auto const& c : in_order(s.cells)) step["cells"].push_back(cell_json(c));
  return step;
}

json trace_json(picture const& p, caption const& c) {
  json trace{{"stem", c.stem},     {"sentence", c.sentence}, {"cost", c.cost},
             {"source", c.source}, {"facts", c.facts},       {"first", c.first_row},
             {"ok", c.correct},    {"verdict", c.verdict},   {"findings", c.findings},
             {"file", c.file},     {"no_tree", c.no_tree}};
  trace["buffers"] = trace["launches"] = trace["rows"] = trace["nodes"] = trace["files"] =
      json::array();
  for (auto const& f : p.files) trace["files"].push_back({{"name", f.name}, {"code", f.text}});
  for (auto const& b : p.buffers)
    trace["buffers"].push_back({{"name", b.name},
                                {"space", b.shared ? "shared" : "global"},
                                {"bytes", b.bytes},
                                {"count", b.count},
                                {"offset", b.offset}});
  for (auto const& l : p.launches)
    trace["launches"].push_back({{"name", l.name}, {"blocks", l.blocks}, {"threads", l.threads}});
  for (auto const& row : p.rows) {
    json steps = json::array();
    for (auto const& s : row) steps.push_back(step_json(s));
    trace["rows"].push_back(std::move(steps));
  }
  for (auto const& n : p.nodes)
    trace["nodes"].push_back({{"column", n.column},
                              {"level", n.level},
                              {"value", n.value},
                              {"covers", n.covers},
                              {"left", n.left},
                              {"right", n.right},
                              {"row", n.row},
                              {"result", n.result}});
  trace["results"] = p.results;
  for (auto const& pair : p.pairs)
    trace["pairs"].push_back({{"what", pair.what},
                              {"sentence", pair.sentence},
                              {"from", {pair.from.row, pair.from.column}},
                              {"to", {pair.to.row, pair.to.column}}});
  return trace;
}

}  // namespace

std::string page(picture const& p, caption const& c) {
  std::string text = joined(page_html);
  put(text, "{stem}", c.stem);
  put(text, "/*{page.css}*/", joined(page_css));
  put(text, "/*{page.js}*/",
      joined(picture_js) + joined(zoom_js) + joined(maps_js) + joined(words_js) +
          joined(memory_js) + joined(blocks_js) + joined(page_js));
  put(text, "{trace}",
      safe_in_script(trace_json(p, c).dump(
          -1, ' ', false,
          json::error_handler_t::replace)));  // last, because it may contain any placeholder
  return text;
}

}  // namespace upsweep::lab

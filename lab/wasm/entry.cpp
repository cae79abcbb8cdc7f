/// What the pages of the textbook ask: runs and traces of its kernels.
#include <io/error.hpp>
#include <lab/reports.hpp>
#include <lab/run.hpp>
#include <lab/tracing.hpp>
#include <lab/wasm/answers.hpp>
#include <lab/wasm/linked_kernels.hpp>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace upsweep::lab {

// The textbook's kernels, which are linked into the program.

compiled_kernel const& compiled_kernel_of(kernel const& k) {
  for (linked_kernel const& l : linked_kernels())
    if (l.stem == k.stem) {
      sim::use_module(*l.module);
      return *l.compiled();
    }
  throw io::unavailable_error(std::string(k.stem) + " is not in this module of the laboratory");
}

namespace {

using object = nlohmann::ordered_json;

/// The options of `upsweep run` by their names.
request request_of(object const& o) {
  request asked;
  asked.stem = o.at("stem").get<std::string>();
  asked.op = parse_operation(o.value("op", "sum"));
  std::string const type = o.value("dtype", "");
  asked.type = !type.empty()                        ? parse_element(type)
               : asked.op == operation_name::affine ? element_type::affine
                                                    : element_type::i32;
  asked.n = o.value("n", std::uint64_t{1000});
  asked.threads = o.value("block", 256);
  asked.exclusive = o.value("exclusive", false);
  asked.values = o.value("values", "");
  if (!asked.values.empty())
    asked.n = static_cast<std::uint64_t>(std::ranges::count(asked.values, ',')) + 1;
  asked.machine.how = schedule_named(o.value("schedule", "in-order"));
  asked.machine.seed = o.value("seed", std::uint64_t{0});
  asked.machine.resident_blocks = o.value("resident", 16u);
  asked.machine.threads = 0;
  asked = settled(asked);
  check(asked);
  return asked;
}

/// Adds what a page shows beside what `upsweep run --json` writes.
object answer_run(request const& asked) {
  auto const out = run(asked);
  object answer = json_of(asked, out);
  answer["verdict"] = verdict(asked, out);
  answer["command"] = command_line(asked);
  answer["rows"] = object::array();
  auto const total = out.report.total();
  for (auto const& row : counter_rows())
    if ((row.of(total) != 0 || row.always) && has_counter(asked.stem, row))
      answer["rows"].push_back({row.title, text_of(row, total)});
  return answer;
}

/// As `upsweep trace` does without a size: a tile, or somewhat more than two.
object answer_trace(object const& wanted) {
  object o = wanted;
  std::string const stem = o.at("stem").get<std::string>();
  if (!o.contains("n")) o["n"] = picture_size(stem);
  request asked = request_of(o);
  if (!o.contains("block")) asked.threads = picture_block(asked);
  drawing const drawn = traced(asked);
  object answer{{"n", asked.n},
                {"block", asked.threads},
                {"correct", drawn.words.correct},
                {"verdict", drawn.words.verdict},
                {"findings", drawn.words.findings}};
  if (o.value("text", false))
    answer["text"] = terminal_steps(drawn.shape, drawn.words) + terminal_tree(drawn.shape);
  else
    answer["page"] = page(drawn.shape, drawn.words);
  return answer;
}

}  // namespace

object answer_to(object const& wanted) {
  std::string const verb = wanted.value("verb", "run");
  if (verb == "list") {
    object stems = object::array(), rows = object::array();
    for (auto const& k : kernels()) {
      auto const& row = catalog_row(k.stem);
      stems.push_back(k.stem);
      rows.push_back({{"stem", k.stem},
                      {"keeps_order", row.keeps_order},
                      {"inclusive", row.inclusive},
                      {"exclusive", row.exclusive}});
    }
    return {{"stems", stems}, {"rows", rows}, {"blocks", block_sizes}};
  }
  return verb == "trace" ? answer_trace(wanted) : answer_run(request_of(wanted));
}

}  // namespace upsweep::lab

/// `upsweep explain`: describes a textbook algorithm with its cost and a picture.
#include <cli/lab/lab_flags.hpp>
#include <io/error.hpp>
#include <lab/reports.hpp>
#include <lab/tracing.hpp>
#include <text/nearest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::cli {

namespace {

struct explain_flags {
  std::string stem;
  bool source = false, page = false;
  run_flags run;
};

/// Prints one line of the table of costs: "applications   n - 1".
void print_fact(std::string_view name, std::string_view text) {
  if (!text.empty()) fmt::print("  {:<14} {}\n", name, text);
}

/// The run that is drawn: of --values, or of a few elements.
lab::request example_of(explain_flags const& flags, CLI::App const& command) {
  run_flags how = flags.run;
  bool const is_wide = lab::catalog_row(flags.stem).where == textbook::scope::device;
  how.n = is_wide ? lab::picture_size(flags.stem) : 8;
  settle_values(command, how);
  how.block = "32";  // accepted by every algorithm
  auto example = how.of_emulated(flags.stem);
  example.threads = lab::picture_block(example);
  return example;
}

void print_tree(lab::request const& example) {
  auto const drawn = lab::traced(example);
  auto const& p = drawn.shape;
  if (p.nodes.empty()) {
    if (!example.values.empty()) fmt::print("\n{}\n", drawn.words.no_tree);
    return;
  }
  fmt::print(
      "\nThe elements that each combination covers, for n = {} and {} threads per block; results "
      "in brackets:\n\n{}",
      example.n, example.threads, lab::terminal_tree(p));
  if (!example.values.empty())
    fmt::print("\nTheir values:\n\n{}", lab::terminal_tree(p, lab::tree_text::values));
}

void run(explain_flags const& flags, CLI::App const& command) {
  if (auto const page = lab::text_of_page(flags.stem); !page.empty()) {
    fmt::print("{}", page);
    return;
  }
  if (std::ranges::find(lab::kernels(), flags.stem, &lab::kernel::stem) == lab::kernels().end()) {
    std::vector<std::string> names(lab::pages_of_findings());
    for (auto const& k : lab::kernels()) names.emplace_back(k.stem);
    throw io::usage_error(fmt::format(
        "'{}' is neither an algorithm of the textbook nor a diagnostic of upsweep run; 'upsweep "
        "list reduce' and 'upsweep list scan' list the algorithms, docs/findings the diagnostics{}",
        flags.stem, text::did_you_mean(flags.stem, names)));
  }
  auto const& kernel = lab::find_kernel(flags.stem);
  auto const& row = lab::catalog_row(flags.stem);
  if (flags.page) {
    fmt::print("{}", kernel.page);
    return;
  }
  fmt::print("{}\n\n{}\n", row.stem, row.sentence);
  if (auto const idea = lab::idea_of(kernel.page); !idea.empty()) fmt::print("\n{}\n", idea);
  fmt::print("\n");
  print_fact("applications", row.applications);
  print_fact("steps", row.steps);
  print_fact("and", row.traffic);
  print_fact("order", row.keeps_order ? "kept: any associative operator"
                                      : "not kept: the operator must commute");
  if (row.what == textbook::kind::scan)
    print_fact("forms", row.inclusive && row.exclusive ? "inclusive and exclusive"
                        : row.inclusive                ? "inclusive"
                                                       : "exclusive");
  print_fact("improves on", row.improves_on);
  print_fact("improved by", row.improved_by);
  print_fact("from", row.source);
  print_fact("source", kernel.file);
  if (row.emulator_only) print_fact("runs", "on the emulator only");
  print_tree(example_of(flags, command));
  if (flags.source) fmt::print("\n{}", lab::text_of_file(kernel.file));
}

}  // namespace

void add_explain_command(registry& tool) {
  auto const [add, flags] = add_command<explain_flags>(tool, "explain");
  add("STEM", flags.stem, "Algorithm, see upsweep list reduce and upsweep list scan; or a finding",
      required, a_stem(lab::pages_of_findings()));
  add("--source", flags.source, "Also print the source of the kernel and its plan");
  add("--page", flags.page, "Print the algorithm's documentation page, in Markdown");
  add_values_option(add, flags.run);
  add_element_options(add, flags.run);
}

}  // namespace upsweep::cli

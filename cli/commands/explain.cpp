/// `upsweep explain`: describes a textbook algorithm with its cost and a picture.
#include <cli/lab_flags.hpp>
#include <lab/tracing.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace upsweep::cli {

namespace {

struct explain_flags {
  std::string stem;
  bool source = false, page = false;
};

/// Prints one line of the table of costs: "applications   n - 1".
void print_fact(std::string_view name, std::string_view text) {
  if (!text.empty()) fmt::print("  {:<14} {}\n", name, text);
}

void run(explain_flags const& flags) {
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
  lab::request example;
  example.stem = flags.stem;
  example.n = row.where == textbook::scope::device ? lab::picture_size(flags.stem) : 8;
  example = lab::settled(example);
  example.threads = lab::picture_block(example);
  auto const p = lab::traced(example).shape;
  if (!p.nodes.empty())
    fmt::print(
        "\nThe elements that each combination covers, for n = {} and {} threads per block; results "
        "in brackets:\n\n{}",
        example.n, example.threads, lab::terminal_tree(p));
  if (flags.source) fmt::print("\n{}", lab::text_of_file(kernel.file));
}

}  // namespace

void add_explain_command(registry& tool) {
  CLI::App* const command = add_command(tool, "explain");
  auto const flags = std::make_shared<explain_flags>();
  stem_argument(tool, *command, flags->stem);
  command->add_flag("--source", flags->source, "Also print the source of the kernel and its plan");
  command->add_flag("--page", flags->page, "Print the algorithm's documentation page, in Markdown");
  command->callback([flags] { run(*flags); });
}

}  // namespace upsweep::cli

/// `upsweep trace`: writes a run as an interactive page or as an SVG picture.
#include <cli/lab_flags.hpp>
#include <io/error.hpp>
#include <io/output_file.hpp>
#include <lab/tracing.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

namespace upsweep::cli {

namespace {

struct trace_flags {
  std::string stem, path, view = "all";
  run_flags run;
  bool force = false;
};

int run(trace_flags flags, bool size_given, bool block_given) {
  if (!size_given) flags.run.n = lab::picture_size(flags.stem);
  bool const picture = flags.path.ends_with(".svg");
  if (!picture && flags.view != "all")
    throw io::usage_error(
        "trace: --view is for pictures, such as -o picture.svg; a page shows both views");
  auto asked = flags.run.of_emulated(flags.stem);
  if (!block_given) asked.threads = lab::picture_block(asked);
  auto const drawn = lab::traced(asked);
  io::output_file out(flags.path, flags.force);
  auto const what = flags.view == "tree"    ? lab::view::tree
                    : flags.view == "steps" ? lab::view::steps
                                            : lab::view::all;
  out.write(picture ? lab::svg(drawn.shape, drawn.words, what)
                    : lab::page(drawn.shape, drawn.words));
  out.commit();
  if (drawn.words.correct) return 0;
  fmt::print(stderr, "upsweep: {}\n", drawn.words.verdict);
  for (auto const& sentence : drawn.words.findings) fmt::print(stderr, "upsweep: {}\n", sentence);
  return 1;
}

}  // namespace

void add_trace_command(registry& tool) {
  CLI::App* const command = add_command(tool, "trace");
  auto const flags = std::make_shared<trace_flags>();
  stem_argument(tool, *command, flags->stem);
  command
      ->add_option(
          "-o,--output", flags->path,
          "File to write: a page, or a picture if the name ends in .svg; - is standard output")
      ->required()
      ->type_name("FILE");
  command->add_flag("--force", flags->force, "Replace a file that exists");
  one_of(tool,
         command->add_option("--view", flags->view, "Content of a picture: all, steps or tree"),
         {"all", "steps", "tree"})
      ->type_name("VIEW");
  add_run_options(tool, *command, flags->run);
  auto const *const size = command->get_option("--n"), *const block =
                                                           command->get_option("--block");
  command->callback([flags, size, block, &tool] {
    tool.status = run(*flags, size->count() > 0, block->count() > 0);
  });
}

}  // namespace upsweep::cli

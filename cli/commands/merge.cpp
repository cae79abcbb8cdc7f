/// `upsweep merge`: the results of a table from the partials of its pieces.
#include <cli/pieces/piece_merge.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

struct merge_flags {
  std::vector<std::string> paths;
  std::string partial;
  std::optional<std::string> initial;
  output_flags out;
};

void run(merge_flags const& flags) try {
  std::vector<part_file> pieces;
  for (auto const& path : flags.paths)
    for (auto& part : read_part_file(path)) pieces.push_back(std::move(part));
  piece_merge const all(std::move(pieces));
  if (!flags.partial.empty())
    return write_part_file({{all.joined()}}, flags.partial, flags.out.force);
  all.print(flags.out,
            flags.paths.size() == 1 ? flags.paths[0] : fmt::format("{} parts", flags.paths.size()),
            flags.initial);
} catch (std::logic_error const&) {  // of a library, in its words
  throw io::data_error(
      fmt::format("{}: the header of a file of partials does not agree with what follows it; write "
                  "it again with "
                  "upsweep reduce --partial.",
                  fmt::join(flags.paths, ", ")));
}

}  // namespace

void add_merge_command(registry& tool) {
  CLI::App* const command = add_command(tool, "merge");
  auto const flags = std::make_shared<merge_flags>();
  expect_name(*add_option(*command, "PARTIAL", flags->paths,
                          "Files of 'upsweep reduce --partial', in any order")
                   ->required());
  auto* const partial =
      add_option(*command, "--partial FILE", flags->partial,
                 "Write, instead of the results, the joined part of pieces without gaps");
  expect_name(*partial);
  partial->excludes(
      add_option(*command, "--init VALUE", flags->initial,
                 "Initial value, before all others; write --init=-5 for a negative one"));
  add_output_options(tool, *command, flags->out);
  for (auto const* name : {"--output", "--to", "--json", "--number-format"})
    partial->excludes(command->get_option(name));
  command->callback([flags] { run(*flags); });
}

}  // namespace upsweep::cli

/// `upsweep merge`: the results of a table from the partials of its pieces.
#include <cli/pieces/piece_merge.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

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
      "{}: the header of a file of partials does not agree with what follows it; write it again "
      "with upsweep reduce --partial.",
      fmt::join(flags.paths, ", "));
}

}  // namespace

void add_merge_command(registry& tool) {
  auto const [add, flags] = add_command<merge_flags>(tool, "merge");
  add("PARTIAL", flags.paths, "Files of 'upsweep reduce --partial', in any order", expect_name,
      required);
  auto* const partial =
      add("--partial FILE", flags.partial,
          "Write, instead of the results, the joined part of pieces without gaps", expect_name);
  add("--init VALUE", flags.initial,
      "Initial value, before all others; write --init=-5 for a negative one");
  add_output_options(add, flags.out);
  excludes({"--init", "--output", "--to", "--json", "--number-format"})(tool, *partial);
}

}  // namespace upsweep::cli

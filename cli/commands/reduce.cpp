/// `upsweep reduce`: any operators over any columns in one pass, with one result per column, per
/// group, or per line of an array.
#include <cli/aggregation/along_axis.hpp>
#include <cli/commands/table_reduction.hpp>
#include <cli/cuda/gpu.hpp>
#include <cli/pieces/growing_file.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// The lines of a piece of an array along its first dimension.
part_file read_lines(reduce_flags const& flags, std::uint64_t from_row,
                     std::optional<io::file_part> part) {
  auto const uses = parse_operators(flags.engine.op);
  auto from = open_array(flags.in, uses, *flags.axis, part);
  if (from.axis != 0)
    throw io::usage_error(
        "--axis {}: pieces are cut along axis 0, so each slice along another axis is in one piece; "
        "reduce each piece without --partial, and concatenate the results.",
        *flags.axis);
  auto settings = flags.engine.settings();
  settings.initial.reset();  // it belongs to the whole
  settings.of_piece = flags.of_piece();
  settings.rows_before = from_row;
  table_columns const columns{from.in->columns, {}, false};
  part_file of{from.in->name(), {}};
  of.about.begin = from_row;
  of.about.end = from_row + from.shape[0];
  of.about.request = request_of(flags);
  of.about.plan = from.plan;
  of.about.table = columns;
  of.about.kind = settings.of_piece;
  of.about.has_values = {from.shape[0] > 0};
  of.about.format = written_as::of(from.in);
  of.about.lines.emplace(from.shape.begin() + 1, from.shape.end());
  of.parts = parts_of_lines(
      from, {[&] { return std::make_unique<aggregation>(from.plan, columns, settings); }},
      settings);
  return of;
}

part_file read_piece(reduce_flags const& flags, std::uint64_t from_row,
                     std::optional<io::file_part> part = {}, part_file const* front = nullptr) {
  return flags.axis ? read_lines(flags, from_row, part)
                    : table_reduction(flags, from_row, part, front).read_piece();
}

void reduce_piece(reduce_flags const& flags) {
  std::optional<part_file> front;
  if (!flags.after.empty()) front = part_before(flags.after);
  auto const made =
      front ? read_piece(flags, front->about.end, {}, &*front) : read_piece(flags, flags.from_row);
  write_part_file({{made}}, flags.partial, flags.out.force);
}

/// The part before the new rows of growing files, if these rows need their positions in the input.
class growing_front {
 public:
  explicit growing_front(reduce_flags const& flags)
      : is_needed_(flags.counts_values() && flags.of_piece() == piece::in_place) {}

  void append(part_file const& more) {
    if (is_needed_) all_ = all_ ? piece_merge({*std::move(all_), more}).joined() : more;
  }
  [[nodiscard]] part_file const* get() const { return all_ ? &*all_ : nullptr; }

 private:
  bool is_needed_;
  std::optional<part_file> all_;
};

/// Reduces what is new in files that grow, and prints the results of all of them.
void reduce_growing_files(reduce_flags const& flags) {
  auto const files = growing_files(flags.in.paths, flags.in.options(), flags.resume);
  reduce_flags own = flags;
  auto const* const moved = first_moved(files);
  own.rows_move = moved != nullptr;
  growing_front front(own);
  std::vector<part_file> whole;
  for (auto const& file : files) {
    std::uint64_t const row = whole.empty() ? 0 : whole.back().about.end;
    own.in.paths = {file.path};
    std::vector<part_file> parts;
    if (auto const& before = file.before) {
      expect_request(*before, request_of(flags), "this command");
      parts.push_back(moved != nullptr ? moved_to(row, *before, moved->path) : *before);
      auto& about = parts[0].about;
      if (about.empty()) about.begin = about.end = row;
      front.append(parts[0]);
    }
    auto const unread = file.unread;
    if (parts.empty() || unread.begin < unread.end) {
      std::uint64_t const begin = parts.empty() ? row : parts[0].about.end;
      parts.push_back(read_piece(own, begin, unread, front.get()));
      front.append(parts.back());
    }
    whole.push_back(parts.size() == 1 ? std::move(parts[0])
                                      : piece_merge(parts).joined(own.of_piece()));
    whole.back().name = file.path;
    whole.back().about.source = file.read;
  }
  std::size_t const more = whole.size() - 1;
  auto const& first = whole[0].name;
  piece_merge(whole).print(
      flags.out,
      more == 0 ? first : fmt::format("{} and {} more file{}", first, more, more == 1 ? "" : "s"),
      flags.engine.initial);
  write_part_file(whole, flags.resume, true);
}

void reduce_along_axis(reduce_flags const& flags) {
  auto const uses = parse_operators(flags.engine.op);
  auto from = open_array(flags.in, uses, *flags.axis);
  auto const settings = flags.engine.settings();
  table_columns const columns{from.in->columns, {}, false};
  line_operators const operators{
      [&] { return std::make_unique<aggregation>(from.plan, columns, settings); }};
  auto const results = reduce_lines(from, operators, settings);
  from.shape.erase(from.shape.begin() + static_cast<std::ptrdiff_t>(from.axis));
  write_columns(flags.out, options_of_lines(flags.out, results.size(), from.shape),
                operators.make()->columns(), results);
}

/// Below 2^63, so that no later row has a number beyond 2^64.
void is_row_number(registry& /*tool*/, CLI::Option& option) {
  option.check([](std::string const& word) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return std::cmp_less_equal(std::strtoull(word.c_str(), nullptr, 0), most)
               ? std::string()
               : fmt::format("'{}' is too large; give at most {}", word, most);
  });
}

void add_piece_options(options const& add, reduce_flags& flags) {
  option_group const group(add.command, "Pieces");
  add("--partial FILE", flags.partial,
      "Write, instead of the results, what 'upsweep merge' needs to join them with those of other "
      "pieces",
      expect_name,
      excludes({"--sorted", "--allow-repeats", "--output", "--to", "--json", "--number-format"}));
  add("--from-row N", flags.from_row, "Number of rows of the whole before this piece (default: 0)",
      not_negative, needs({"--partial"}), is_row_number);
  add("--after PARTIAL", flags.after,
      "Instead of --from-row: this part has all rows before the piece", expect_name,
      needs({"--partial"}), excludes({"--from-row"}));
  add("--resume STATE", flags.resume,
      "Read only what is new in each FILE since this state was written, print the results of all, "
      "and update the state",
      expect_name, excludes({"--partial", "--sorted", "--allow-repeats"}));
}

/// Why these options cannot be of a piece.
void expect_no_piece(reduce_flags const& flags) {
  if (flags.of_piece() == piece::none) return;
  if (flags.engine.settings().on_gpu != nullptr)
    throw io::usage_error("--on cuda: pieces are reduced on the CPU; omit --on.");
  if (flags.engine.initial && !flags.partial.empty())
    throw io::usage_error(
        "--init: an initial value comes before all pieces; give it to upsweep merge.");
}

}  // namespace

void run(reduce_flags const& flags) {
  expect_no_piece(flags);
  if (!flags.partial.empty()) return reduce_piece(flags);
  if (!flags.resume.empty()) return reduce_growing_files(flags);
  if (flags.axis) return reduce_along_axis(flags);
  table_reduction(flags).run();
}

void add_reduce_command(registry& tool) {
  auto const [add, flags] = add_command<reduce_flags>(tool, "reduce");
  add_engine_options(add, flags.engine, gpu::streams());
  add("--by COLUMN,...", flags.by, "Group by these columns: one row of results per group",
      comma_list);
  add_sorted_options(add, flags,
                     "Rows are sorted by key: results appear as groups end, in constant memory");
  add("--axis K", flags.axis,
      "Reduce a .npy array along this dimension; negative numbers count from the last",
      excludes({"--by"}));
  add_input_options(add, flags.in);
  add_output_options(add, flags.out);
  add_piece_options(add, flags);
}

}  // namespace upsweep::cli

/// A run as a picture: a grid of lanes and steps with values and data flow, and the combining tree.
/// Drawn as a self-contained page (page.cpp), an SVG picture for slides (svg.cpp), or lines of text
/// (terminal.cpp).
#pragma once

#include <lab/values.hpp>
#include <upsweep/sim/report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab {

/// What a warp does in one step; page/picture.js uses the same names.
enum class action {
  load,
  store,
  apply,
  shuffle,
  vote,
  atomic,
  atomic_read,  ///< an atomic that changes nothing
  fence,
  barrier,
  cluster_barrier,
  warp_sync
};
[[nodiscard]] char const* name_of(action what);
/// True for steps without values, drawn as a line across the lanes.
[[nodiscard]] constexpr bool is_line(action what) {
  return what >= action::fence;
}

struct picture_cell {
  unsigned lane = 0;
  int buffer = -1;     ///< -1: a register
  unsigned block = 0;  ///< the block whose array it is, if that is shared
  std::uint64_t index = 0;
  std::string value;
  int from_row = -1,
      from_column = -1;    ///< where the value was written or held before, if in this run
  int finding = -1;        ///< the number of the finding that this access is a part of
  std::uint64_t when = 0;  ///< of an access: its number in the order of execution
  bool unwritten = false;  ///< read before anything was written there: its value is "?"
  bool failed = false;     ///< a compare-and-swap that found another value, which is `value`
};

struct picture_step {
  unsigned launch = 0, block = 0, warp = 0, line = 0;
  int file = -1;  ///< in picture::files
  action what = action::load;
  unsigned wavefronts = 0, sectors = 0, lanes = 0;
  unsigned times = 1;     ///< how often lanes read the same values: repeated polls are one step
  unsigned failures = 0;  ///< compare-and-swaps that failed, repeated ones included
  std::vector<int> buffers;
  std::vector<picture_cell> cells;
};

/// A combination of elements: those that it covers, and its two operands.
struct picture_node {
  int column = 0, level = 0, left = -1, right = -1, row = 0;
  std::string value, covers;
  bool result = false;
};

struct picture_launch {
  std::string name;
  unsigned blocks = 1, threads = 1;
};
struct picture_buffer {
  std::string name;
  bool shared = false;
  unsigned bytes = 4;
  std::uint64_t count = 0, offset = 0;
  bool is_guess = false;  ///< its type is unknown, and it is shown as integers
};
struct picture_file {
  std::string name, text;
};

/// A cell: its row, and its column.
struct picture_place {
  int row = 0, column = 0;
};
/// Two accesses that a finding is about.
struct picture_pair {
  std::string what;        ///< "race in a block"
  std::string sentence;    ///< the finding's
  picture_place from, to;  ///< in the order of the finding
};

struct picture {
  std::vector<picture_launch> launches;
  std::vector<picture_buffer> buffers;
  std::vector<picture_file> files;  ///< of the kernels; the textbook's as source_files() names them
  /// A row is a moment in time, shared by warps that do not wait for each other.
  std::vector<std::vector<picture_step>> rows;
  std::vector<picture_node> nodes;
  std::vector<picture_pair> pairs;
  /// Of an exclusive scan: the node that each result is, -1 for the identity.
  std::vector<int> results;

  [[nodiscard]] int column_of(picture_step const& s, unsigned lane) const {
    return static_cast<int>(s.block * launches[s.launch].threads + s.warp * 32 + lane);
  }
};

/// The symbol and the word of a step: "↓", "read".
[[nodiscard]] std::pair<std::string_view, std::string_view> step_words(action what);
/// "↓ read tile": what a step does, for the margin of a picture.
[[nodiscard]] std::string step_label(picture const& p, picture_step const& s);
/// The same for all warps of a row; only the symbols if they do different things.
[[nodiscard]] std::string row_label(picture const& p, std::vector<picture_step> const& row);

/// Lays out a trace. Buffers hold elements of `type`; without it, those that the trace says, or
/// integers as long as the accesses where it says none.
[[nodiscard]] picture lay_out(sim::trace const& t, std::optional<element_type> type = {});

/// Marks the accesses that findings of the launch are about: the nearest pair of a race, else the
/// last access of the thread on that line, and adds the pairs to `p`. Returns the row of the first
/// one that is marked, or -1.
int mark_findings(picture& p, std::vector<sim::finding> const& findings, std::size_t launch);

/// Element i as a set is the bit i + free_bits, so that a kernel's counters and flags are not
/// mistaken for sets.
inline constexpr unsigned free_bits = 4;
/// How many elements sets of 32 and 64 bits can hold, without the sign bit.
inline constexpr std::uint64_t most_in_sets_32 = 31 - free_bits, most_in_sets_64 = 63 - free_bits;

/// Adds the combining tree to `p`. `sets` is the picture of a second run on the same schedule, in
/// which element i is the set {i} and the operator is the union. Does nothing if the two runs did
/// not take the same steps.
void add_tree(picture& p, picture const& sets, std::uint64_t n, bool scan);

/// The value of `e` as text: as an element if it can be one, else as an integer. A flag or counter
/// read as a float would be tiny, and no kernel here has elements below 1e-30.
[[nodiscard]] std::string text_of(sim::lane_event const& e, std::optional<element_type> known);

/// The value that a lane receives over the crossbar: an element followed by a valid bit.
[[nodiscard]] std::string text_received(sim::lane_event const& e,
                                        std::optional<element_type> known);

/// The text around the picture.
struct caption {
  std::string stem, sentence, cost, source, file, verdict;
  std::vector<std::string> facts;  ///< "16 elements", "sum of i32"
  std::vector<std::string> findings;
  std::string no_tree;  ///< why there is no combining tree; empty if there is one
  int first_row = 0;    ///< in which a page begins
  bool correct = true;
};

/// A self-contained HTML file with the picture, its script and its data.
[[nodiscard]] std::string page(picture const& p, caption const& c);

/// Which parts of a picture an SVG shows.
enum class view { all, steps, tree };
[[nodiscard]] std::string svg(picture const& p, caption const& c, view what);

/// The combining tree as text, one line per level: the elements that each combination covers, or
/// the values that it has.
enum class tree_text { covered, values };
[[nodiscard]] std::string terminal_tree(picture const& p, tree_text what = tree_text::covered);

/// The steps as text: a line for each moment, a column for each thread, the values that the threads
/// read, write and combine. Accesses of findings are marked, and findings listed below. Of a launch
/// that is wider than the line, the threads around the first finding are shown.
[[nodiscard]] std::string terminal_steps(picture const& p, caption const& c);

}  // namespace upsweep::lab

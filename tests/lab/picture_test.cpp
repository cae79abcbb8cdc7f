/// Pictures agree with the run: the combining tree, the data flow, and which steps share a row.
#include <gtest/gtest.h>
#include <lab/tracing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::lab {
namespace {

drawing drawn(std::string const& stem, std::uint64_t n, int threads,
              operation_name op = operation_name::sum) {
  request asked;
  asked.stem = stem;
  asked.n = n;
  asked.threads = threads;
  asked.op = op;
  return traced(settled(asked));
}

/// The sum of the elements that a node covers, for contiguous ranges "a–b".
int covered_sum(std::string const& covers, std::vector<std::int32_t> const& x) {
  auto const dash = covers.find("–");
  int const first = std::stoi(covers),
            last = dash == std::string::npos
                       ? first
                       : std::stoi(covers.substr(dash + std::string("–").size()));
  int sum = 0;
  for (int i = first; i <= last; ++i) sum += x[static_cast<std::size_t>(i)];
  return sum;
}

TEST(combining_tree, holds_the_sum_of_what_it_covers_in_every_node) {
  for (auto const* stem : {"kogge_stone", "kogge_stone_double", "brent_kung", "blelloch",
                           "hillis_steele", "warp_shuffle_scan", "interleaved"}) {
    auto const d = drawn(stem, 16, 32);
    auto const x = input<std::int32_t>(operation_name::sum, 16, 0);
    ASSERT_FALSE(d.shape.nodes.empty()) << stem;
    for (auto const& n : d.shape.nodes)
      EXPECT_EQ(n.value, std::to_string(covered_sum(n.covers, x))) << stem << " " << n.covers;
  }
}

TEST(combining_tree, has_as_many_applications_as_the_literature_says) {
  auto const joins = [](drawing const& d) {
    return std::count_if(d.shape.nodes.begin(), d.shape.nodes.end(),
                         [](auto const& n) { return n.left >= 0; });
  };
  EXPECT_EQ(joins(drawn("kogge_stone", 32, 32)), 32 * 5 - 31);
  EXPECT_EQ(joins(drawn("interleaved_index", 32, 32)), 31);
  EXPECT_EQ(joins(drawn("serial_scan", 20, 32)), 19);
}

TEST(combining_tree, has_operands_only_on_higher_levels) {
  auto const d = drawn("brent_kung", 27, 32);
  std::set<std::pair<int, int>> places;
  for (auto const& n : d.shape.nodes) {
    EXPECT_TRUE(places.insert({n.column, n.level}).second);
    if (n.left < 0) continue;
    EXPECT_LT(d.shape.nodes[static_cast<std::size_t>(n.left)].level, n.level);
    EXPECT_LT(d.shape.nodes[static_cast<std::size_t>(n.right)].level, n.level);
    EXPECT_LE(d.shape.nodes[static_cast<std::size_t>(n.left)].row, n.row);
  }
  EXPECT_EQ(std::count_if(d.shape.nodes.begin(), d.shape.nodes.end(),
                          [](auto const& n) { return n.result; }),
            27);
}

TEST(rows, place_a_read_below_the_write_that_it_sees) {
  auto const d = drawn("kogge_stone", 100, 128);
  std::size_t arrows = 0;
  for (std::size_t r = 0; r < d.shape.rows.size(); ++r)
    for (auto const& s : d.shape.rows[r])
      for (auto const& c : s.cells) {
        if (c.from_row < 0 || s.what != action::load) continue;
        ++arrows;
        ASSERT_LT(c.from_row, static_cast<int>(r));
        auto const& writers = d.shape.rows[static_cast<std::size_t>(c.from_row)];
        EXPECT_TRUE(std::any_of(writers.begin(), writers.end(), [&](auto const& w) {
          return std::any_of(w.cells.begin(), w.cells.end(), [&](auto const& from) {
            return w.what == action::store && from.buffer == c.buffer && from.index == c.index &&
                   from.value == c.value;
          });
        }));
      }
  EXPECT_GT(arrows, 400u);
}

TEST(rows, place_a_poll_above_the_write_that_it_does_not_see) {
  std::size_t early = 0, late = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    request asked;
    asked.stem = "chained_scan";
    asked.n = 100;
    asked.threads = 32;
    asked.machine.how = sim::schedule::random;
    asked.machine.seed = seed;
    auto const d = traced(settled(asked));
    std::map<std::uint64_t, std::size_t> written;  // flag -> row
    auto const each_flag = [&](auto const& f) {
      for (std::size_t r = 0; r < d.shape.rows.size(); ++r)
        for (auto const& s : d.shape.rows[r])
          for (auto const& c : s.cells)
            if (c.buffer >= 0 &&
                d.shape.buffers[static_cast<std::size_t>(c.buffer)].name == "flags")
              f(r, s, c);
    };
    each_flag([&](std::size_t r, picture_step const& s, picture_cell const& c) {
      if (s.what == action::atomic) written[c.index] = r;
    });
    each_flag([&](std::size_t r, picture_step const& s, picture_cell const& c) {
      if (s.what != action::atomic_read) return;
      if (c.value == "0") {
        ++early;
        EXPECT_LT(r, written.at(c.index)) << "seed " << seed;
      } else {
        ++late;
        EXPECT_EQ(c.from_row, static_cast<int>(written.at(c.index))) << "seed " << seed;
        EXPECT_GT(r, written.at(c.index)) << "seed " << seed;
      }
    });
  }
  EXPECT_GT(early, 0u);
  EXPECT_GT(late, 0u);
}

TEST(combining_tree, says_where_the_results_of_an_exclusive_scan_land) {
  auto const d = drawn("blelloch", 8, 32);
  ASSERT_EQ(d.shape.results.size(), 8u);
  EXPECT_EQ(d.shape.results[0], -1);
  auto const x = input<std::int32_t>(operation_name::sum, 8, 0);
  std::int32_t sum = x[0];
  for (std::size_t i = 1; i < 8; sum += x[i++])
    EXPECT_EQ(d.shape.nodes[static_cast<std::size_t>(d.shape.results[i])].value,
              std::to_string(sum));
  EXPECT_TRUE(drawn("brent_kung", 8, 32).shape.results.empty());
}

TEST(rows, show_the_warps_of_a_block_side_by_side) {
  auto const d = drawn("kogge_stone", 128, 128);
  for (auto const& row : d.shape.rows) {
    std::set<unsigned> warps;
    for (auto const& s : row)
      EXPECT_TRUE(warps.insert(s.warp).second) << "a warp takes one step at a time";
  }
  EXPECT_GT(std::count_if(d.shape.rows.begin(), d.shape.rows.end(),
                          [](auto const& row) { return row.size() == 4; }),
            20);
}

TEST(rows, name_shared_arrays_and_source_lines) {
  auto const d = drawn("kogge_stone", 32, 32);
  EXPECT_TRUE(std::any_of(d.shape.buffers.begin(), d.shape.buffers.end(),
                          [](auto const& b) { return b.shared && b.name == "tile"; }));
  std::string_view const text = text_of_file(find_kernel("kogge_stone").file);
  auto const lines = std::count(text.begin(), text.end(), '\n');
  for (auto const& row : d.shape.rows)
    for (auto const& s : row) {
      EXPECT_GT(s.line, 0u);
      EXPECT_LE(s.line, lines);
    }
}

TEST(idea, is_the_paragraph_before_the_picture_or_below_its_heading) {
  EXPECT_EQ(idea_of("# T\n\n`t` · inclusive\n\nOne.\nTwo.\n\n![p](p.svg)\n\n## Cost\n"),
            "One.\nTwo.");
  EXPECT_EQ(idea_of("# t\n\nShort.\n\n![p](p.svg)\n\n## The idea\n\nLong.\n\n## Cost\n"), "Long.");
  EXPECT_EQ(idea_of(""), "");
}

TEST(every_algorithm, is_compiled_and_in_the_catalog) {
  std::set<std::string_view> compiled, listed;
  for (auto const& k : kernels()) compiled.insert(k.stem);
  for (auto const& row : textbook::algorithms) listed.insert(row.stem);
  EXPECT_EQ(compiled, listed);
}

TEST(every_algorithm, runs_all_forms_in_its_catalog_row) {
  for (auto const& row : textbook::algorithms)
    for (bool const exclusive : {false, true}) {
      if (row.what != textbook::kind::scan || !(exclusive ? row.exclusive : row.inclusive))
        continue;
      request asked;
      asked.stem = row.stem;
      asked.n = 300;
      asked.threads = 128;
      asked.exclusive = exclusive;
      EXPECT_TRUE(run(asked).clean()) << row.stem << (exclusive ? ", exclusive" : ", inclusive");
    }
}

}  // namespace
}  // namespace upsweep::lab

/// "Did you mean", and the progress line.
#include <gtest/gtest.h>

#include <cli/output/progress.hpp>
#include <string>
#include <text/nearest.hpp>
#include <vector>

namespace upsweep::cli {

TEST(typing_distance, counts_insertions_deletions_replacements_and_swaps) {
  EXPECT_EQ(text::typing_distance("", "abc"), 3);
  EXPECT_EQ(text::typing_distance("reduce", "reduce"), 0);
  EXPECT_EQ(text::typing_distance("redcue", "reduce"), 1);
  EXPECT_EQ(text::typing_distance("reduc", "reduce"), 1);
  EXPECT_EQ(text::typing_distance("reducee", "reduce"), 1);
  EXPECT_EQ(text::typing_distance("REDUCE", "reduce"), 0);
  EXPECT_EQ(text::typing_distance("kitten", "sitting"), 3);
}

TEST(did_you_mean, proposes_the_nearest_word_and_nothing_far_away) {
  std::vector<std::string> const words{"sum", "min", "max", "exact-sum"};
  EXPECT_EQ(text::nearest("summ", words), "sum");
  EXPECT_EQ(text::nearest("exact_sum", words), "exact-sum");
  EXPECT_EQ(text::nearest("median", words), "");
  EXPECT_EQ(text::nearest("xyz", words), "");
  EXPECT_EQ(text::did_you_mean("mim", words), "; did you mean 'min'?");
  EXPECT_EQ(text::did_you_mean("frobnicate", words), "");
}

TEST(progress_line, shows_share_rate_and_time_left_of_a_file) {
  EXPECT_EQ(progress_line(500'000'000, 2'000'000'000, 2.0),
            "25 %  500 MB of 2.0 GB  250 MB/s  6 s left");
  EXPECT_EQ(progress_line(1'000'000, 1'000'000'000'000, 1.0),
            "0 %  1.0 MB of 1.0 TB  1.0 MB/s  16667 min left");
}

TEST(progress_line, shows_amount_and_rate_of_a_stream) {
  EXPECT_EQ(progress_line(1'500'000'000, 0, 1.0), "1.5 GB  1.5 GB/s");
  EXPECT_EQ(progress_line(999, 0, 1.0), "999 B  999 B/s");
}

}  // namespace upsweep::cli

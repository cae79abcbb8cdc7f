/// Arrays that are cut in pieces, and what the ranks of loopback store of the results.
#pragma once

#include <upsweep/ranks/loopback.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace upsweep::test {

/// Calls f(cuts) for all ways to cut [0, n) in `size` pieces, some of them empty.
template <class F>
void for_all_cuts(std::size_t n, std::size_t size, F const& f,
                  std::vector<std::size_t> cuts = {0}) {
  if (cuts.size() == size) {
    cuts.push_back(n);
    return f(cuts);
  }
  for (std::size_t cut = cuts.back(); cut <= n; ++cut) {
    auto more = cuts;
    more.push_back(cut);
    for_all_cuts(n, size, f, more);
  }
}

/// Runs f(ranks, begin, end) on a rank a piece.
template <class F>
void on_pieces(std::vector<std::size_t> const& cuts, F const& f) {
  loopback::run(static_cast<int>(cuts.size()) - 1, [&](loopback const& c) {
    auto const r = static_cast<std::size_t>(c.rank());
    f(ranks(c, serial{}), cuts[r], cuts[r + 1]);
  });
}

/// The results of all ranks, each of which stores those at `where` in `out`.
template <class T>
void expect_the_results(std::vector<T> const& want, result_piece const& where,
                        std::vector<T> const& out) {
  ASSERT_EQ(want.size(), where.total);
  ASSERT_LE(where.begin + where.count, want.size());
  for (std::size_t i = 0; i < where.count; ++i) EXPECT_EQ(want[where.begin + i], out[i]) << i;
}

}  // namespace upsweep::test

/// Scans by tickets in which a thread loses its processor with a tile in hand.
#include <upsweep/host/schedule.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace upsweep::test {
namespace {

constexpr std::size_t late_tile = 3;
constexpr int tile_log2 = 4;

struct shared_scan {
  std::vector<int> const& x;
  std::vector<int>& out;
  std::atomic<bool> is_held{false}, is_free{false}, others_run{false}, later_tile_is_done{false};
  std::atomic<int> totals_of_late_tile{0};
};

/// The first thread that computes the total of the late tile goes on only when a later tile has
/// its results: without help that is never.
class engine {
 public:
  static constexpr bool repeats_totals = true;
  explicit engine(shared_scan* const& s) noexcept : s_(*s) {}

  int up(std::size_t position, int k) {
    std::size_t const tile = position >> tile_log2;
    if (tile == late_tile) ++s_.totals_of_late_tile;
    if (tile > late_tile && s_.is_held && !s_.is_free) s_.others_run = true;
    if (tile == late_tile && !s_.is_held.exchange(true)) {
      auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (!s_.later_tile_is_done && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
      s_.is_free = true;
    }
    int total = 0;
    for (std::size_t i = position; i < position + (std::size_t{1} << k); ++i) total += s_.x[i];
    return total;
  }
  void down(std::size_t position, int k, int const* before, int const& after) {
    int running = before == nullptr ? 0 : *before;
    for (std::size_t i = position; i < position + (std::size_t{1} << k); ++i)
      s_.out[i] = running += s_.x[i];
    EXPECT_EQ(running, after);
    if (position >> tile_log2 > late_tile) s_.later_tile_is_done = true;
  }

 private:
  shared_scan& s_;
};

TEST(late_tile, does_not_stop_the_other_threads) {
  std::size_t const n = std::size_t{40} << tile_log2;
  std::vector<int> x(n), out(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<int>(i % 7);
    expected[i] = x[i] + (i == 0 ? 0 : expected[i - 1]);
  }
  shared_scan s{x, out};
  carry<int> left;
  host::plan const p{.threads = 4, .tile_log2 = tile_log2};
  shared_scan* const scan = &s;
  plus const add;
  host::operation_as<int, plus> const operation(add);
  host::scan_as<int, engine, shared_scan*> const all(scan, operation);
  host::scan_by_tickets<int>(all, n, p, left);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(*left.prefix(), expected.back());
  if (!s.others_run) GTEST_SKIP() << "the system has started no other thread";
  EXPECT_EQ(s.totals_of_late_tile, 2);
}

}  // namespace
}  // namespace upsweep::test

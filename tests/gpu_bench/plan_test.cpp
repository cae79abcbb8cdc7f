/// The cells that upsweep_gpu_bench plans, and its memory layout; needs no GPU.
#include <gtest/gtest.h>

#include <bench/gpu/bench.hpp>
#include <cstddef>
#include <vector>

namespace upsweep::bench {
namespace {

element_kind kind(operation op, element type) {
  element_kind k;
  k.op = op;
  k.type = type;
  return k;
}

TEST(gpu_plan, puts_the_sizes_of_the_goals_before_all_others_and_keeps_to_the_largest) {
  std::vector<element_kind> const kinds{kind(operation::sum, element::f32),
                                        kind(operation::exact_sum, element::f64)};
  auto const cells = plan_cells(kinds, {false, "", 16});
  ASSERT_EQ(cells.size(), (2u + 1 + 1 + 2) * 6) << "four rounds of sizes, six works";
  EXPECT_EQ(title_of(cells[0].what.work), "inclusive_scan sum f32");
  EXPECT_EQ(cells[0].what.n, 1u << 10);
  EXPECT_EQ(cells[1].what.n, 1u << 16);
  EXPECT_EQ(title_of(cells[11].what.work), "reduce exact_sum f64");
  EXPECT_EQ(cells[12].what.n, 1u << 14);
  EXPECT_EQ(cells.back().what.n, 1u << 12);
}

TEST(gpu_plan, takes_what_has_every_word_that_is_asked_for) {
  work const w{verb::inclusive_scan, operation::sum, element::u8};
  for (char const* only : {"", "u8", "inclusive_scan u8", "scan sum"})
    EXPECT_TRUE(is_selected(w, only)) << only;
  for (char const* only : {"reduce", "inclusive_scan f32", "u8 max"})
    EXPECT_FALSE(is_selected(w, only)) << only;
}

TEST(gpu_layout, has_aligned_slots_that_cover_the_rotation_and_never_overlap) {
  gpu_layout const layout(1000, 4, 10000);
  EXPECT_EQ(layout.count, 8u) << "1024 + 256 bytes each";
  std::vector<std::byte> memory(layout.bytes());
  slots const all = layout.at(memory.data());
  for (std::size_t i = 0; i < all.count; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all.in(i)-memory.data()) % gpu_layout::alignment, 0u);
    EXPECT_GE(all.in(i), i == 0 ? memory.data() : all.in(i - 1) + 1000);
    EXPECT_GE(all.out(i), i == 0 ? all.in(all.count - 1) + 1000 : all.out(i - 1) + 4);
  }
  EXPECT_LE(all.out(all.count - 1) + 4, memory.data() + memory.size());
  EXPECT_EQ(gpu_layout(1u << 20, 4, 100).count, 1u);
  EXPECT_EQ(gpu_layout(0, 0, std::size_t{1} << 40).count, gpu_layout::most_slots);
}

}  // namespace
}  // namespace upsweep::bench

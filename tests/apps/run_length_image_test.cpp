/// Run-length coding of images, against loops over pixels.
#include <apps/support.hpp>

#include <upsweep/apps/run_length_image.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

apps::gray_image random_image(std::size_t width, std::size_t height, std::uint64_t often) {
  random_bits next(test_seed() + width * 31 + height + often);
  apps::gray_image image{width, height, {}};
  std::uint8_t value = 0;
  while (image.pixels.size() < width * height) {
    if (next.below(often) == 0) value = static_cast<std::uint8_t>(next.below(3));
    image.pixels.push_back(value);
  }
  return image;
}

apps::run_length_image serial_runs(apps::gray_image const& image) {
  apps::run_length_image runs{image.width, image.height, {}, {}, {0}};
  for (std::size_t r = 0; r < image.height; ++r) {
    for (std::size_t i = 0; i < image.width; ++i) {
      auto const pixel = image.pixels[r * image.width + i];
      if (i == 0 || pixel != runs.values.back()) {
        runs.values.push_back(pixel);
        runs.lengths.push_back(0);
      }
      ++runs.lengths.back();
    }
    runs.rows.push_back(runs.values.size());
  }
  return runs;
}

void expect_image(apps::gray_image const& image) {
  auto const expected = serial_runs(image);
  std::vector<std::size_t> ones(image.height);
  for (std::size_t k = 0; k < image.pixels.size(); ++k)
    ones[k / image.width] += image.pixels[k] == 1;
  on_each_executor([&](auto const& on) {
    auto const runs = apps::encode(image, on);
    ASSERT_EQ(runs, expected) << image.width << " x " << image.height << ' ' << seed_note();
    ASSERT_EQ(apps::decode(runs, on), image);
    ASSERT_EQ(apps::count_in_rows(runs, 1, on), ones);
  });
}

TEST(run_length_image, encodes_decodes_and_counts_images_of_all_shapes) {
  for (auto const& [width, height] : std::vector<std::pair<std::size_t, std::size_t>>{{0, 0},
                                                                                      {0, 3},
                                                                                      {3, 0},
                                                                                      {1, 1},
                                                                                      {1, 1000},
                                                                                      {1000, 1},
                                                                                      {7, 9},
                                                                                      {64, 64},
                                                                                      {65, 63},
                                                                                      {256, 200},
                                                                                      {300, 333},
                                                                                      {100'003, 2},
                                                                                      {2, 30'000}})
    for (std::uint64_t const often : {1u, 5u, 1000u})
      expect_image(random_image(width, height, often));
}

TEST(run_length_image, refuses_runs_and_pixels_that_make_no_image) {
  EXPECT_EQ(message_of([] { (void)apps::encode({3, 2, {1, 2, 3}}); }),
            "encode: the image has 3 pixels, but width times height is 6");
  EXPECT_EQ(message_of([] { (void)apps::decode({2, 2, {0, 1}, {2, 3}, {0, 1, 2}}); }),
            "decode: the runs have 5 pixels, but the image has 4");
}

TEST(run_length_image, reads_both_forms_of_pbm) {
  apps::gray_image const expected{3, 2, {1, 0, 1, 0, 1, 1}};
  EXPECT_EQ(apps::read_pbm("P1\n# a comment\n3 2\n1 0 1\n011\n"), expected);
  EXPECT_EQ(apps::read_pbm(std::string("P4\n3 2\n\xa0\x60", 9)), expected);
  apps::gray_image wide{10, 1, {1, 0, 0, 0, 0, 0, 0, 1, 0, 1}};
  EXPECT_EQ(apps::read_pbm("P4 10 1 \x81\x40"), wide);
  for (char const* const bad : {"", "P5 1 1 x", "P1", "P1 2", "P1 2 2 101", "P4 9 1 a", "P1 1 1 2"})
    EXPECT_NE(message_of([&] { (void)apps::read_pbm(bad); }), "") << bad;
}

}  // namespace
}  // namespace upsweep::test

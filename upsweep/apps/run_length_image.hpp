/// Run-length coding of images: encode, decode, and results from the runs alone.
///
/// A run begins where a pixel differs from its left neighbor, and at the left border. The begins
/// are a selection of positions. The first runs of the rows are a scan of the counts of the rows.
/// Decoding is a scan of the lengths, which gives each run its position.
/// Cost: one read of the pixels and one byte per pixel in between; decoding writes each pixel once.
/// Source: the run lengths of facsimile (ITU-T T.4), found as ETH's lecture finds unique elements.
#pragma once

#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace upsweep {

namespace apps {

/// Pixels in rows from the top, each from the left; in a bilevel image 1 is black.
struct gray_image {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  friend bool operator==(gray_image const&, gray_image const&) = default;
};

/// The runs of an image in order; none reaches into the next row. Row r has the runs from `rows[r]`
/// up to `rows[r + 1]`.
struct run_length_image {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> values;    ///< one a run
  std::vector<std::uint32_t> lengths;  ///< one a run
  std::vector<std::size_t> rows;       ///< height + 1
  friend bool operator==(run_length_image const&, run_length_image const&) = default;
};

/// Encodes `image` as runs. Throws precondition_error unless it has width·height pixels, and for
/// rows of 2^32 pixels or more.
template <executor E = cpu>
[[nodiscard]] run_length_image encode(gray_image const& image, E const& on = {}) {
  auto const& pixels = image.pixels;
  std::size_t const width = image.width, height = image.height;
  detail::expects(width >> 32 == 0, "encode: a row may have at most 2^32 - 1 pixels");
  if (pixels.size() != width * height)
    detail::fail("encode: the image has %zu pixels, but width times height is %zu", pixels.size(),
                 width * height);
  std::vector<std::uint8_t> starts(pixels.size());
  on.for_each_line(width > 0 ? height : 0, width, [&](std::size_t r, auto const&) {
    std::uint8_t const* const row = pixels.data() + r * width;
    std::uint8_t* const start = starts.data() + r * width;
    start[0] = 1;
    for (std::size_t i = 1; i < width; ++i) start[i] = row[i] != row[i - 1];
  });
  run_length_image runs{width, height, {}, {}, std::vector<std::size_t>(height + 1)};
  std::size_t const count = upsweep::reduce(on, starts);
  std::vector<std::size_t> positions(count);
  upsweep::select_positions(on, starts, positions);
  runs.values.resize(count);
  upsweep::select(on, pixels, starts, runs.values);
  runs.lengths.resize(count);
  for (std::size_t k = 0; k < count; ++k)
    runs.lengths[k] = static_cast<std::uint32_t>(
        (k + 1 < count ? positions[k + 1] : pixels.size()) - positions[k]);
  if (width > 0) {
    on.for_each_line(height, width, [&](std::size_t r, auto const& here) {
      runs.rows[r] = upsweep::reduce(here, std::span(starts).subspan(r * width, width));
    });
    upsweep::exclusive_scan(on, runs.rows, runs.rows);
  }
  return runs;
}

/// Decodes the runs of an image. Throws precondition_error if the lengths of the runs do not add up
/// to width·height pixels.
template <executor E = cpu>
[[nodiscard]] gray_image decode(run_length_image const& runs, E const& on = {}) {
  std::size_t const count = runs.lengths.size();
  if (runs.values.size() != count)
    detail::fail("decode: there are %zu lengths, but %zu values", count, runs.values.size());
  std::vector<std::size_t> places(count + 1);
  upsweep::exclusive_scan(on, runs.lengths, std::span(places).first(count));
  places[count] = count == 0 ? 0 : places[count - 1] + runs.lengths[count - 1];
  if (places[count] != runs.width * runs.height)
    detail::fail("decode: the runs have %zu pixels, but the image has %zu", places[count],
                 runs.width * runs.height);
  gray_image image{runs.width, runs.height, std::vector<std::uint8_t>(places[count])};
  constexpr std::size_t block = 1024;
  on.for_each_line((count + block - 1) / block, 16 * block, [&](std::size_t b, auto const&) {
    for (std::size_t k = b * block; k < detail::at_most(count, (b + 1) * block); ++k)
      for (std::size_t i = places[k]; i < places[k + 1]; ++i) image.pixels[i] = runs.values[k];
  });
  return image;
}

/// totals[r] = the number of pixels of row r with the value, from the runs alone.
template <executor E = cpu>
[[nodiscard]] std::vector<std::size_t> count_in_rows(run_length_image const& runs,
                                                     std::uint8_t value, E const& on = {}) {
  std::vector<std::size_t> lengths(runs.lengths.size()), totals(runs.height);
  for (std::size_t k = 0; k < lengths.size(); ++k)
    lengths[k] = runs.values[k] == value ? runs.lengths[k] : 0;
  upsweep::reduce_segments(on, lengths, runs.rows, totals);
  return totals;
}

/// Reads a bilevel image in the format PBM, P1 (digits) or P4 (packed bits), with 1 for black.
/// Throws precondition_error for anything else, and for a file that is too short.
[[nodiscard]] inline gray_image read_pbm(std::string_view file) {
  using detail::expects;
  std::size_t i = 2;
  auto const skip = [&] {  // spaces and comments up to the end of their line
    while (i < file.size() && (file[i] == '#' || file[i] <= ' '))
      if (file[i++] == '#')
        while (i < file.size() && file[i] != '\n') ++i;
  };
  auto const number = [&] {
    skip();
    std::size_t value = 0, begin = i;
    for (; i < file.size() && file[i] >= '0' && file[i] <= '9' && value < 1u << 24; ++i)
      value = 10 * value + static_cast<std::size_t>(file[i] - '0');
    expects(i > begin, "read_pbm: the width or the height is missing");
    return value;
  };
  bool const packed = file.starts_with("P4");
  expects(packed || file.starts_with("P1"), "read_pbm: the file does not begin with P1 or P4");
  gray_image image;
  image.width = number();
  image.height = number();
  std::size_t const bytes = (image.width + 7) / 8;  // of a packed row
  expects(!packed || file.size() >= i + 1 + bytes * image.height,
          "read_pbm: the file ends before the last pixel");
  expects(packed || file.size() >= image.width * image.height,
          "read_pbm: the file ends before the last pixel");
  image.pixels.resize(image.width * image.height);
  for (std::size_t k = 0; k < image.pixels.size(); ++k) {
    std::size_t const row = packed ? k / image.width : 0, column = packed ? k % image.width : 0;
    if (!packed) skip();
    expects(packed || (i < file.size() && (file[i] | 1) == '1'),
            "read_pbm: a pixel is neither 0 nor 1");
    image.pixels[k] =
        packed ? file[i + 1 + row * bytes + column / 8] >> (7 - column % 8) & 1 : file[i++] == '1';
  }
  return image;
}

}  // namespace apps

}  // namespace upsweep

/// Gray images as text (PGM, "P2"), for the examples that read one, and their picture in letters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

struct gray_image {
  std::size_t rows = 0, columns = 0;
  std::vector<float> pixels;
};

/// The image that the program's argument names; ends the program if there is none.
inline gray_image read_pgm(int count, char** arguments) {
  std::ifstream file(count > 1 ? arguments[1] : "data/jacksboro.pgm");
  auto const word = [&] {
    std::string text;
    while (file >> text && text.front() == '#') std::getline(file, text);
    return text;
  };
  auto const number = [&] { return static_cast<std::size_t>(std::atol(word().c_str())); };
  gray_image image;
  if (word() != "P2") {
    std::fprintf(stderr, "give a gray image in text (PGM, P2), such as data/jacksboro.pgm\n");
    std::exit(3);
  }
  image.columns = number();
  image.rows = number();
  (void)number();  // the largest gray
  for (std::size_t i = 0; i < image.rows * image.columns; ++i)
    image.pixels.push_back(static_cast<float>(number()));
  return image;
}

/// Every third row and second column, about square in a terminal; darker is lower.
template <class T>
void print_image(std::vector<T> const& pixels, std::size_t rows, std::size_t columns) {
  auto const [low, high] = std::minmax_element(pixels.begin(), pixels.end());
  double const step = (static_cast<double>(*high) - static_cast<double>(*low)) / 9.999;
  for (std::size_t r = 1; r < rows; r += 3) {
    std::printf("  ");
    for (std::size_t c = 0; c < columns; c += 2)
      std::putchar(" .:-=+*#%@"[static_cast<std::size_t>(
          (static_cast<double>(pixels[r * columns + c]) - static_cast<double>(*low)) / step)]);
    std::printf("\n");
  }
}

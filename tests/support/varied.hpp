/// Elements of three kinds: narrow integers, maps that do not commute, and strings.
#pragma once

#include <upsweep/ops/affine.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {

struct varied_elements {
  std::vector<std::int16_t> small;
  std::vector<upsweep::affine_map<float>> maps;
  std::vector<std::string> words;

  explicit varied_elements(std::size_t n) : small(n), maps(n), words(n) {
    for (std::size_t i = 0; i < n; ++i) {
      small[i] = static_cast<std::int16_t>(i * 7919);
      maps[i] = {0.5f + static_cast<float>(i % 7) / 8, static_cast<float>(i % 5)};
      words[i] = std::string(1, static_cast<char>('a' + i % 26));
    }
  }
};

}  // namespace upsweep::test

/// Text files, for the examples that read one.
#pragma once

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

/// The content of a file; throws if there is none.
inline std::string text_of_file(std::string const& path) {
  std::ifstream file(path);
  std::string const text(std::istreambuf_iterator<char>(file), {});
  if (text.empty()) throw std::runtime_error(path + " is empty or cannot be read; name a file");
  return text;
}

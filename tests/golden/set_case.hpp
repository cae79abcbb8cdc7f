/// The cases of the golden set: recipe.txt, expanded as docs/spec/golden.md says.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <istream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::golden_set {

/// One call: a verb, and what it is called with.
struct call_case {
  std::string verb;
  std::vector<std::pair<std::string, std::string>> keys;

  /// The value of a key; without it, its default.
  [[nodiscard]] std::string get(std::string_view key, std::string_view otherwise = "") const {
    for (auto const& [name, value] : keys)
      if (name == key) return value;
    return std::string(otherwise);
  }
  [[nodiscard]] bool is(std::string_view key, std::string_view value) const {
    return get(key) == value;
  }
  [[nodiscard]] std::size_t number(std::string_view key) const {
    return std::strtoull(get(key).c_str(), nullptr, 10);
  }
  /// The case without its result.
  [[nodiscard]] std::string text() const {
    std::string line = verb;
    for (auto const& [name, value] : keys) line += " " + name + "=" + value;
    return line;
  }
  /// The number of elements, or of those of a shape.
  [[nodiscard]] std::size_t n() const {
    if (get("shape").empty()) return number("n");
    std::size_t product = 1;
    for (std::size_t const extent : shape()) product *= extent;
    return product;
  }
  [[nodiscard]] std::vector<std::size_t> shape() const {
    std::vector<std::size_t> extents;
    for (std::string const& word : split(get("shape"), 'x'))
      extents.push_back(std::strtoull(word.c_str(), nullptr, 10));
    return extents;
  }

  static std::vector<std::string> split(std::string const& text, char at) {
    std::vector<std::string> words;
    std::istringstream from(text);
    for (std::string word; std::getline(from, word, at);) words.push_back(word);
    return words;
  }
};

/// All cases of a recipe, in its order: of each line every combination of its lists, of which the
/// rightmost varies fastest.
inline std::vector<call_case> expand(std::istream& recipe) {
  std::map<std::string, std::vector<std::string>> lists;
  auto const values = [&](std::string const& text) {
    std::vector<std::string> all;
    for (std::string const& value : call_case::split(text, ',')) {
      if (value[0] == '@')
        all.insert(all.end(), lists[value.substr(1)].begin(), lists[value.substr(1)].end());
      else
        all.push_back(value);
    }
    return all;
  };
  std::vector<call_case> cases;
  for (std::string line; std::getline(recipe, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word, name;
    if (!(words >> word)) continue;
    if (word == "list") {
      words >> name >> word;
      lists[name] = values(word);
      continue;
    }
    std::vector<call_case> of_line;
    for (std::string const& verb : values(word)) of_line.push_back({verb, {}});
    while (words >> word) {
      std::size_t const equals = word.find('=');
      auto const choices = values(word.substr(equals + 1));
      std::vector<call_case> longer;
      for (call_case const& shorter : of_line)
        for (std::string const& choice : choices) {
          longer.push_back(shorter);
          longer.back().keys.emplace_back(word.substr(0, equals), choice);
        }
      of_line = std::move(longer);
    }
    cases.insert(cases.end(), of_line.begin(), of_line.end());
  }
  return cases;
}

}  // namespace upsweep::golden_set

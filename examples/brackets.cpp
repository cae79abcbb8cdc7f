/// The tree of an XML file from its tags as brackets: depths, and how many elements are below each.
#include <upsweep/apps/brackets.hpp>
#include <upsweep/apps/string_search.hpp>

#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// The kind of the tag at a '<': a number of its name, negative for </name>, 0 for <name/>,
/// comments and declarations.
int kind_of_tag(std::string_view text, std::size_t at) {
  bool const closes = text[at + 1] == '/';
  auto const tag = text.substr(at + 1 + closes, text.find('>', at) - at - 1 - closes);
  if (tag.front() == '!' || tag.front() == '?' || tag.back() == '/') return 0;
  auto const hash = std::hash<std::string_view>()(tag.substr(0, tag.find_first_of(" \t\n")));
  int const kind = 1 + static_cast<int>(hash % 1'000'000'007);
  return closes ? -kind : kind;
}

}  // namespace

int main(int count, char** arguments) {
  std::ifstream file(count > 1 ? arguments[1] : "docs/generated/performance_gpu.svg");
  std::string const text(std::istreambuf_iterator<char>(file), {});

  auto const tags = upsweep::apps::find_all(text, "<");
  upsweep::apps::bracket_tree tree;
  auto const fault = upsweep::apps::match_brackets(
      tags, [&](std::size_t at) { return kind_of_tag(text, at); }, tree);
  if (fault.what != fault.none) {
    std::printf("the tag at byte %zu has no partner\n", tags[fault.position]);
    return 1;
  }
  auto const below = upsweep::apps::subtree_sums(tree, std::vector<int>(tree.size(), 1));
  std::printf("%zu tags, %zu elements with content, deepest %u\n", tags.size(), tree.size() / 2,
              upsweep::reduce(tree.depths, upsweep::max{}, {.initial = 0u}));
  for (std::size_t k = 0, shown = 0; k < tree.size() && shown < 6; ++k)
    if (tree.opens(k)) {
      std::size_t const at = tags[tree.positions[k]];
      auto const name = std::string_view(text).substr(at, text.find_first_of(" >", at) - at);
      std::printf("%*s%.*s> with %lld elements\n", static_cast<int>(2 * tree.depths[k]), "",
                  static_cast<int>(name.size()), name.data(), static_cast<long long>(below[k]));
      ++shown;
    }
}

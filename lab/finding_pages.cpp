/// Looks a page up by its stem.
#include <lab/finding_pages.hpp>

#include <embedded_finding_pages.hpp>

#include <algorithm>

namespace upsweep::lab {

namespace {

std::string stem_of(std::string_view name) {
  std::string stem(name);
  std::ranges::replace_if(stem, [](char c) { return c == ' ' || c == '-'; }, '_');
  return stem;
}

}  // namespace

std::string page_of(sim::finding_kind kind) {
  return stem_of(sim::name_of(kind));
}

std::vector<std::string> pages_of_findings() {
  std::vector<std::string> all;
  for (auto const& page : finding_pages)
    if (page.stem != "index") all.emplace_back(page.stem);
  return all;
}

std::string text_of_page(std::string_view name) {
  std::string text;
  for (auto const& page : finding_pages)
    if (page.stem == stem_of(name))
      for (auto const piece : page.pieces) text += piece;
  return text;
}

}  // namespace upsweep::lab

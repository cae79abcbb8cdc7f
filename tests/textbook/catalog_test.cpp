/// The textbook's catalog is complete and agrees with its files.
#include <upsweep/textbook/catalog.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace upsweep::textbook {
namespace {

TEST(textbook_catalog, names_every_algorithm_once_and_finds_it) {
  std::set<std::string_view> seen;
  for (entry const& row : algorithms) {
    EXPECT_TRUE(seen.insert(row.stem).second) << row.stem;
    EXPECT_EQ(find(row.stem), &row);
  }
  EXPECT_EQ(find("kogge_stome"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(textbook_catalog, points_to_a_file_and_a_page_that_exist) {
  std::filesystem::path const root = UPSWEEP_SOURCE_DIR;
  for (entry const& row : algorithms) {
    EXPECT_TRUE(exists(root / "upsweep/textbook" / row.file)) << row.file;
    EXPECT_EQ(std::filesystem::path(row.file).stem(), row.stem);
    EXPECT_TRUE(exists((root / "docs/algorithms" / row.stem).replace_extension("md"))) << row.stem;
  }
}

TEST(textbook_catalog, lists_every_file_of_the_textbook) {
  std::filesystem::path const textbook =
      std::filesystem::path(UPSWEEP_SOURCE_DIR) / "upsweep/textbook";
  for (char const* const part : {"reduce", "scan"})
    for (auto const& file : std::filesystem::recursive_directory_iterator(textbook / part))
      EXPECT_TRUE(file.is_directory() || find(file.path().stem().string()) != nullptr)
          << file.path();
}

TEST(textbook_catalog, compares_algorithms_with_others_of_their_kind) {
  for (entry const& row : algorithms) {
    EXPECT_NE(row.stem, row.improves_on);
    for (std::string_view const other : {row.improves_on, row.improved_by}) {
      if (other.empty()) continue;
      ASSERT_NE(find(other), nullptr) << row.stem << " refers to " << other;
      EXPECT_EQ(find(other)->what, row.what) << row.stem << " and " << other;
    }
  }
}

TEST(textbook_catalog, states_the_forms_of_every_scan_and_leaves_no_field_blank) {
  for (entry const& row : algorithms) {
    EXPECT_EQ(row.what == kind::scan, row.inclusive || row.exclusive) << row.stem;
    for (std::string_view const text :
         {row.sentence, row.applications, row.steps, row.traffic, row.source})
      EXPECT_FALSE(text.empty()) << row.stem;
  }
}

}  // namespace
}  // namespace upsweep::textbook

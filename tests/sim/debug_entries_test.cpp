/// Debug data in every form of the DWARF standard, also those that this compiler does not write.
#include "sim/debug_data.hpp"

#include <upsweep/sim/modules/object_file.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim_test {
namespace {

// Numbers of the standard.
enum : unsigned { unit = 0x11, variable = 0x34, name = 0x03, byte_size = 0x0b, location = 0x02 };
enum : unsigned { upper_bound = 0x2f, count = 0x37, type = 0x49, unknown_attribute = 0x3fff };
enum : unsigned { string_offsets_base = 0x72, address_base = 0x73 };
enum : unsigned { in_place = 0x08, one_byte = 0x0b, section_offset = 0x17, expression = 0x18 };

struct read_entry {
  std::uint64_t at;
  sim::debug_entry entry;
  std::uint64_t parent;
};

class debug_entries : public testing::Test {
 protected:
  debug_entries() {
    data.strings = text("zero") + text("one");
    data.line_strings = text("a") + text("line");
    // After the headers of eight bytes: the second string and the first; of addresses: three.
    data.string_offsets = number(0, 8) + number(5, 4) + number(0, 4);
    data.addresses = number(~0ull, 8) + number(0x100, 8) + number(0x123456789a, 8) + number(0x9, 8);
  }
  ~debug_entries() override { std::filesystem::remove(file); }

  std::vector<read_entry> read() {
    data.write(file);
    std::vector<read_entry> all;
    sim::read_debug_entries(sim::elf_file(file),
                            [&](std::uint64_t at, sim::debug_entry made, std::uint64_t parent) {
                              all.push_back({at, std::move(made), parent});
                            });
    return all;
  }
  /// The entry that these attributes make, in a unit of its own; whatever they are, the entry
  /// after it is read.
  sim::debug_entry entry_of(std::vector<attribute> list) {
    data.info().clear();
    data.begin_unit();
    data.open(unit, {});
    data.add(variable, std::move(list));
    data.add(variable, {{name, in_place, text("next")}});
    data.close();
    data.end_unit();
    auto const all = read();
    EXPECT_EQ(all.size(), 3u);
    if (all.size() != 3) return {};
    EXPECT_EQ(all[2].entry.name, "next");
    return all[1].entry;
  }

  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("upsweep_debug_" + std::to_string(getpid()));
  debug_data data;
};

TEST_F(debug_entries, texts_are_read_in_every_form) {
  struct {
    unsigned form;
    std::string bytes, expected;
  } const all[]{
      {0x08, text("here"), "here"},
      {0x0e, number(5, 4), "one"},
      {0x1f, number(2, 4), "line"},
      {0x1a, leb(0), "one"},
      {0x1a, leb(1), "zero"},
      {0x25, number(1, 1), "zero"},
      {0x26, number(1, 2), "zero"},
      {0x27, number(1, 3), "zero"},
      {0x28, number(1, 4), "zero"},
      {0x25, number(0, 1), "one"},
      {0x16, leb(0x08) + text("x"), "x"},
      {0x16, leb(0x0e) + number(0, 4), "zero"},
  };
  for (auto const& [form, bytes, expected] : all)
    EXPECT_EQ(entry_of({{name, form, bytes}}).name, expected) << "form " << form;
}

TEST_F(debug_entries, numbers_are_read_in_every_form) {
  struct {
    unsigned form;
    std::string bytes;
    std::uint64_t expected;
  } const all[]{
      {0x0b, number(0xfe, 1), 0xfe},
      {0x0c, number(1, 1), 1},
      {0x05, number(0xfedc, 2), 0xfedc},
      {0x06, number(0xfedcba98, 4), 0xfedcba98},
      {0x07, number(0xfedcba9876543210, 8), 0xfedcba9876543210},
      {0x10, number(0x12345678, 4), 0x12345678},
      {0x17, number(0x12345678, 4), 0x12345678},
      {0x1c, number(0x12345678, 4), 0x12345678},
      {0x1d, number(0x12345678, 4), 0x12345678},
      {0x01, number(0x123456789abc, 8), 0x123456789abc},
      {0x20, number(0x123456789abc, 8), 0x123456789abc},
      {0x24, number(0x123456789abc, 8), 0x123456789abc},
      {0x0d, leb(0x7f), 0x7f},
      {0x0f, leb(0x80), 0x80},
      {0x0f, leb(0xfedcba9876543210), 0xfedcba9876543210},
      {0x0f, std::string(10, '\xff') + '\1', ~0ull},  // more bits than there is room for
      {0x22, leb(0x4001), 0x4001},
      {0x23, leb(0x4002), 0x4002},
      {0x1b, leb(1), 0x123456789a},
      {0x29, number(1, 1), 0x123456789a},
      {0x2a, number(1, 2), 0x123456789a},
      {0x2b, number(1, 3), 0x123456789a},
      {0x2c, number(1, 4), 0x123456789a},
      {0x2c, number(2, 4), 0x9},
      {0x19, "", 1},
  };
  for (auto const& [form, bytes, expected] : all)
    EXPECT_EQ(entry_of({{byte_size, form, bytes}}).bytes, expected) << "form " << form;
  EXPECT_EQ(entry_of({{byte_size, 0x21, "", leb(300)}, {count, one_byte, number(7, 1)}}).bytes,
            300u);
}

TEST_F(debug_entries, places_in_a_unit_count_from_its_begin) {
  data.begin_unit();  // whatever is in the first unit
  data.add(unit, {});
  data.end_unit();
  data.begin_unit();
  std::uint64_t const begin = data.unit();
  data.open(unit, {});
  std::pair<unsigned, std::string> const forms[]{
      {0x11, number(0x12, 1)}, {0x12, number(0x12, 2)}, {0x13, number(0x12, 4)},
      {0x14, number(0x12, 8)}, {0x15, leb(0x12)},
  };
  for (auto const& [form, bytes] : forms) data.add(variable, {{type, form, bytes}});
  data.close();
  data.end_unit();
  auto const all = read();
  ASSERT_EQ(all.size(), 2 + std::size(forms));
  ASSERT_GT(begin, 0u);
  for (std::size_t i = 2; i < all.size(); ++i)
    EXPECT_EQ(all[i].entry.type, begin + 0x12) << "form " << forms[i - 2].first;
}

TEST_F(debug_entries, blocks_are_skipped_in_every_form) {
  std::string const three = "abc";
  std::pair<unsigned, std::string> const forms[]{
      {0x03, number(3, 2) + three}, {0x04, number(3, 4) + three}, {0x09, leb(3) + three},
      {0x18, leb(3) + three},       {0x0a, number(3, 1) + three}, {0x1e, std::string(16, 'x')},
  };
  for (auto const& [form, bytes] : forms) {
    EXPECT_EQ(entry_of({{unknown_attribute, form, bytes}, {name, in_place, text("behind")}}).name,
              "behind")
        << "form " << form;
    // A bound that is computed is no number.
    EXPECT_FALSE(entry_of({{upper_bound, form, bytes}}).count) << "form " << form;
    EXPECT_FALSE(entry_of({{count, form, bytes}}).count) << "form " << form;
  }
}

TEST_F(debug_entries, attributes_have_their_members) {
  auto const small = [](unsigned attribute_number, std::uint64_t value) {
    return attribute{attribute_number, one_byte, number(value, 1)};
  };
  sim::debug_entry const e = entry_of({small(type, 1),
                                       small(0x3e, 2),
                                       small(0x38, 3),
                                       small(byte_size, 4),
                                       small(count, 5),
                                       {0x6e, in_place, text("_Z1v")},
                                       small(0x47, 6),
                                       {0x3c, 0x19, ""}});
  EXPECT_EQ(e.tag, variable);
  EXPECT_EQ(e.type, 1u);
  EXPECT_EQ(e.encoding, 2u);
  EXPECT_EQ(e.offset, 3u);
  EXPECT_EQ(e.bytes, 4u);
  EXPECT_EQ(e.count, 5u);
  EXPECT_EQ(e.symbol, "_Z1v");
  EXPECT_EQ(e.origin, 6u);
  EXPECT_TRUE(e.is_declaration);
  EXPECT_EQ(e.name, "");
  EXPECT_EQ(entry_of({small(0x31, 9)}).origin, 9u);
  EXPECT_EQ(entry_of({small(upper_bound, 9)}).count, 10u);
  EXPECT_FALSE(entry_of({small(byte_size, 4)}).is_declaration);
}

TEST_F(debug_entries, locations_are_addresses_or_thread_local) {
  auto const at = [this](std::string const& bytes, unsigned form = expression) {
    return entry_of({{location, form, form == expression ? leb(bytes.size()) + bytes : bytes}});
  };
  EXPECT_EQ(at('\x03' + number(0x123456789a, 8)).address, 0x123456789au);
  EXPECT_EQ(at('\xa1' + leb(1)).address, 0x123456789au);
  for (char const operation : {'\x9b', '\xe0'}) {
    EXPECT_EQ(at('\x0c' + number(0x1234, 4) + operation).in_thread, 0x1234u);
    EXPECT_EQ(at('\x0e' + number(0x123456789a, 8) + operation).in_thread, 0x123456789au);
    EXPECT_EQ(at('\xa2' + leb(2) + operation).in_thread, 9u);
  }
  for (std::string const& bytes : {'\x0c' + number(0x1234, 4), '\x0c' + number(0x1234, 4) + '\x9c',
                                   std::string("\x91\x10"), '\x30' + number(0, 8) + '\x9b'}) {
    EXPECT_FALSE(at(bytes).in_thread) << "operation " << static_cast<int>(bytes[0]);
    EXPECT_FALSE(at(bytes).address) << "operation " << static_cast<int>(bytes[0]);
  }
  EXPECT_FALSE(at(number(3, 4), section_offset).address);  // a list of positions
  EXPECT_FALSE(at(number(3, 4), section_offset).in_thread);
}

TEST_F(debug_entries, tables_of_texts_and_addresses_begin_where_the_unit_says) {
  data.begin_unit();
  data.open(unit, {{string_offsets_base, section_offset, number(12, 4)},
                   {address_base, section_offset, number(16, 4)}});
  data.add(variable, {{name, 0x1a, leb(0)}, {byte_size, 0x1b, leb(1)}});
  data.close();
  data.end_unit();
  auto const all = read();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].entry.name, "zero");
  EXPECT_EQ(all[1].entry.bytes, 9u);
}

TEST_F(debug_entries, entries_know_the_one_around_them) {
  data.begin_unit();
  std::uint64_t const all = data.open(unit, {});
  std::uint64_t const first = data.open(0x13, {});
  std::uint64_t const inner = data.add(0x0d, {});
  data.close();
  std::uint64_t const second = data.open(0x13, {});
  std::uint64_t const nested = data.open(0x13, {});
  std::uint64_t const deep = data.add(0x0d, {});
  data.close();
  std::uint64_t const behind = data.add(0x0d, {});
  data.close();
  data.close();
  data.close();  // one too many, as padding is
  std::uint64_t const last = data.add(variable, {});
  data.end_unit();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (auto const& e : read()) found.emplace_back(e.at, e.parent);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> const expected{
      {all, 0},         {first, all},   {inner, first},   {second, all},
      {nested, second}, {deep, nested}, {behind, second}, {last, 0}};
  EXPECT_EQ(found, expected);
}

TEST_F(debug_entries, units_of_other_versions_and_kinds_are_skipped) {
  struct {
    unsigned version, kind;
    bool is_read;
  } const units[]{{3, 1, false}, {4, 1, true}, {5, 1, true},  {6, 1, false},
                  {5, 2, false}, {5, 3, true}, {5, 4, false}, {4, 1, true}};
  std::vector<std::string> expected;
  for (auto const& [version, kind, is_read] : units) {
    std::string const its = std::to_string(version) + "." + std::to_string(kind);
    data.begin_unit(version, kind);
    data.add(variable, {{name, in_place, text(its)}});
    data.end_unit();
    if (is_read) expected.push_back(its);
  }
  std::vector<std::string> found;
  for (auto const& e : read()) found.push_back(e.entry.name);
  EXPECT_EQ(found, expected);
}

TEST_F(debug_entries, what_is_before_a_form_or_a_length_that_nobody_knows_is_kept) {
  auto const begin = [this] {
    data.info().clear();
    data.begin_unit();
    data.open(unit, {});
    data.add(variable, {{name, in_place, text("known")}});
  };
  begin();
  data.add(variable, {{name, 0x7f, ""}});
  data.close();
  data.end_unit();
  EXPECT_EQ(read().size(), 2u);
  begin();
  data.add(variable, {{byte_size, 0x07, number(1, 3)}});  // the section ends within the number
  data.end_unit();
  EXPECT_EQ(read().size(), 2u);
  begin();
  data.add(variable, {{byte_size, 0x07, number(1, 8)}});  // ... or with it
  data.end_unit();
  EXPECT_EQ(read().size(), 3u);
  begin();
  data.end_unit();
  data.info() += number(0xffffffff, 4) + number(5, 2) + std::string(20, '\1');  // of 64 bits
  EXPECT_EQ(read().size(), 2u);
  data.info().clear();
  EXPECT_TRUE(read().empty());
}

TEST_F(debug_entries, only_shared_objects_of_64_bits_are_read) {
  data.write(file);
  std::string good;
  {
    std::ifstream in(file, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(in), {});
  }
  auto const refuses = [this](std::string const& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
    try {
      sim::elf_file const object(file);
    } catch (std::runtime_error const& e) {
      EXPECT_EQ(e.what(), "'" + file.string() + "' is not a shared object");
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refuses(good));
  auto const with = [&](std::size_t at, char c) {
    std::string changed = good;
    changed[at] = c;
    return changed;
  };
  EXPECT_TRUE(refuses(""));
  EXPECT_TRUE(refuses(good.substr(0, sizeof(Elf64_Ehdr) - 1)));
  EXPECT_TRUE(refuses(with(3, 'f')));
  EXPECT_TRUE(refuses(with(EI_CLASS, ELFCLASS32)));
  EXPECT_TRUE(refuses(with(offsetof(Elf64_Ehdr, e_type), ET_EXEC)));
}

}  // namespace
}  // namespace upsweep::sim_test

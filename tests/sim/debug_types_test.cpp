/// The numbers of which types consist, from debug data that is written by hand.
#include "sim/debug_data.hpp"

#include <upsweep/sim/modules/object_file.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace upsweep::sim_test {
namespace {

// Tags and attributes of the standard.
enum : unsigned { array = 0x01, class_type = 0x02, enumeration = 0x04, member = 0x0d };
enum : unsigned { pointer = 0x0f, reference = 0x10, unit = 0x11, structure = 0x13, renamed = 0x16 };
enum : unsigned { union_type = 0x17, inheritance = 0x1c, subrange = 0x21, base = 0x24 };
enum : unsigned { constant = 0x26, variable = 0x34, is_volatile = 0x35, restricted = 0x37 };

attribute named(std::string const& name) {
  return {0x03, 0x08, text(name)};
}
attribute bytes(std::uint64_t size) {
  return {0x0b, 0x0b, number(size, 1)};
}
attribute of(std::uint64_t type) {
  return {0x49, 0x10, number(type, 4)};
}
attribute symbol(std::string const& name) {
  return {0x6e, 0x08, text(name)};
}
attribute at(unsigned offset) {
  return {0x38, 0x0b, number(offset, 1)};
}
attribute in_thread(std::uint64_t offset) {
  return {0x02, 0x18, leb(10) + '\x0e' + number(offset, 8) + '\xe0'};
}
attribute address(std::uint64_t place) {
  return {0x02, 0x18, leb(9) + '\x03' + number(place, 8)};
}
attribute original(std::uint64_t place) {
  return {0x47, 0x10, number(place, 4)};
}
attribute const declaration{0x3c, 0x19, ""};

/// "int 4: i0.4" and, of an array, " [2][3]".
std::string shown(sim::element_layout const& l) {
  std::string all = l.name + " " + std::to_string(l.bytes) + ":";
  for (auto const& f : l.fields)
    all += std::string(" ") + static_cast<char>(f.kind) + std::to_string(f.offset) + "." +
           std::to_string(f.bytes);
  for (auto const n : l.extents) all += (all.ends_with(']') ? "[" : " [") + std::to_string(n) + "]";
  return all;
}

class types : public testing::Test {
 protected:
  types() {
    data.begin_unit();
    data.open(unit, {});
    integer = number_type("int", 5, 4);
    real = number_type("double", 4, 8);
  }
  ~types() override { std::filesystem::remove(file); }

  std::uint64_t number_type(char const* name, unsigned encoding, unsigned size) {
    return data.add(base, {named(name), {0x3e, 0x0b, number(encoding, 1)}, bytes(size)});
  }
  std::uint64_t array_of(std::uint64_t type, std::vector<unsigned> const& counts) {
    std::uint64_t const place = data.open(array, {of(type)});
    for (unsigned const n : counts) data.add(subrange, {{0x37, 0x0b, number(n, 1)}});
    data.close();
    return place;
  }
  void variable_of(std::uint64_t type, char const* name) {
    data.add(variable, {named(name), of(type)});
  }
  sim::debug_types read() {
    data.close();
    data.end_unit();
    data.write(file);
    return sim::debug_types(file);
  }

  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("upsweep_types_" + std::to_string(getpid()));
  debug_data data;
  std::uint64_t integer = 0, real = 0;
};

TEST_F(types, numbers_have_their_kind) {
  struct {
    char const* name;
    unsigned encoding, size;
    char const* expected;
  } const all[]{
      {"int", 5, 4, "int 4: i0.4"},
      {"signed char", 6, 1, "signed char 1: i0.1"},
      {"unsigned char", 8, 1, "unsigned char 1: u0.1"},
      {"unsigned long", 7, 8, "unsigned long 8: u0.8"},
      {"float", 4, 4, "float 4: f0.4"},
      {"bool", 2, 1, "bool 1: b0.1"},
      {"char", 6, 1, "char 1: c0.1"},
  };
  for (auto const& [name, encoding, size, expected] : all)
    variable_of(number_type(name, encoding, size), expected);
  auto const t = read();
  for (auto const& e : all) EXPECT_EQ(shown(t.of(e.expected)), e.expected);
}

TEST_F(types, names_and_qualifiers_are_followed) {
  std::uint64_t type = integer;
  for (unsigned const tag :
       {unsigned{renamed}, unsigned{constant}, unsigned{is_volatile}, unsigned{restricted}}) {
    type = data.add(tag, {named("other"), of(type)});
    variable_of(type, std::to_string(tag).c_str());
  }
  variable_of(data.add(pointer, {of(type), bytes(8)}), "p");
  variable_of(data.add(constant, {of(data.add(pointer, {of(real), bytes(8)}))}), "to_real");
  variable_of(data.add(reference, {of(integer), bytes(8)}), "r");
  variable_of(data.add(enumeration, {named("color"), bytes(2)}), "e");
  variable_of(data.add(0x42, {named("rvalue"), bytes(8)}), "unknown");
  auto const t = read();
  for (unsigned const tag :
       {unsigned{renamed}, unsigned{constant}, unsigned{is_volatile}, unsigned{restricted}})
    EXPECT_EQ(shown(t.of(std::to_string(tag))), "int 4: i0.4") << tag;
  EXPECT_EQ(shown(t.of("p")), "pointer 8: p0.8");
  EXPECT_EQ(shown(t.of("r")), " 8: p0.8");
  EXPECT_EQ(shown(t.of("e")), "color 2: i0.2");
  EXPECT_EQ(shown(t.of("unknown")), "rvalue 8:");
  EXPECT_EQ(shown(t.pointed_to_by("p")), "int 4: i0.4");
  EXPECT_EQ(shown(t.pointed_to_by("to_real")), "double 8: f0.8");
  EXPECT_EQ(shown(t.pointed_to_by("r")), " 0:");
  EXPECT_EQ(shown(t.pointed_to_by("e")), " 0:");
  EXPECT_EQ(shown(t.pointed_to_by("nothing")), " 0:");
  EXPECT_EQ(shown(t.of("nothing")), " 0:");
}

TEST_F(types, arrays_have_extents_and_the_type_of_their_elements) {
  variable_of(array_of(integer, {3}), "a");
  variable_of(array_of(data.add(renamed, {of(array_of(real, {2, 3}))}), {4}), "b");
  std::uint64_t const open = data.open(array, {of(integer)});
  data.add(subrange, {});
  data.add(member, {declaration});
  data.close();
  variable_of(open, "c");
  auto const t = read();
  EXPECT_EQ(shown(t.of("a")), "int 4: i0.4 [3]");
  EXPECT_EQ(shown(t.of("b")), "double 8: f0.8 [4][2][3]");
  EXPECT_EQ(shown(t.of("c")), "int 4: i0.4 [0]");
}

TEST_F(types, structures_have_the_numbers_of_their_parts) {
  std::uint64_t const origin = data.open(structure, {named("origin"), bytes(4)});
  data.add(member, {of(integer), at(0)});
  data.close();
  std::uint64_t const whole = data.open(class_type, {named("whole"), bytes(64)});
  data.add(inheritance, {of(origin), at(4)});
  data.add(member, {of(real), at(8)});
  data.add(member, {of(integer), at(0), declaration});  // static
  data.add(member, {of(array_of(integer, {2, 2})), at(16)});
  data.add(member, {of(array_of(origin, {2})), at(40)});
  data.add(variable, {named("no_part"), of(integer)});
  data.close();
  variable_of(whole, "w");
  std::uint64_t const either = data.open(union_type, {named("either"), bytes(8)});
  data.add(member, {of(real)});
  data.add(member, {of(integer)});
  data.close();
  variable_of(either, "u");
  variable_of(array_of(whole, {5}), "several");
  auto const t = read();
  EXPECT_EQ(shown(t.of("w")), "whole 64: i4.4 f8.8 i16.4 i20.4 i24.4 i28.4 i40.4 i44.4");
  EXPECT_EQ(shown(t.of("u")), "either 8: f0.8");
  EXPECT_EQ(shown(t.of("several")), "whole 64: i4.4 f8.8 i16.4 i20.4 i24.4 i28.4 i40.4 i44.4 [5]");
}

TEST_F(types, short_floats_of_cuda_are_numbers_and_few_numbers_are_listed) {
  for (char const* name : {"__half", "__nv_bfloat16", "__other"}) {
    std::uint64_t const s = data.open(structure, {named(name), bytes(2)});
    data.add(member, {of(number_type("unsigned short", 7, 2)), at(0)});
    data.close();
    variable_of(s, name);
  }
  std::uint64_t const many = data.open(structure, {named("many"), bytes(80)});
  data.add(member, {of(array_of(integer, {15})), at(0)});
  data.add(member, {of(array_of(integer, {4})), at(60)});
  data.add(member, {of(integer), at(76)});
  data.close();
  variable_of(many, "many");
  auto const t = read();
  EXPECT_EQ(shown(t.of("__half")), "__half 2: h0.2");
  EXPECT_EQ(shown(t.of("__nv_bfloat16")), "__nv_bfloat16 2: e0.2");
  EXPECT_EQ(shown(t.of("__other")), "__other 2: u0.2");
  auto const fields = t.of("many").fields;
  ASSERT_EQ(fields.size(), 16u);
  EXPECT_EQ(fields.back().offset, 60u);
}

TEST_F(types, variables_are_found_by_symbol_name_and_place) {
  data.add(variable, {named("plain"), symbol("_Z5plain"), of(real), address(0x40)});
  data.add(variable, {named("local"), of(integer), in_thread(0x20)});
  std::uint64_t const declared =
      data.add(variable, {named("later"), symbol("_Z5later"), of(real), declaration});
  data.add(variable, {original(declared), in_thread(0x30)});
  data.add(variable, {original(declared), of(integer), symbol("_Z5other"), address(0x50)});
  auto const t = read();
  EXPECT_EQ(shown(t.of("_Z5plain")), "double 8: f0.8");
  EXPECT_EQ(shown(t.of("plain")), " 0:");
  EXPECT_EQ(shown(t.of("local")), "int 4: i0.4");
  EXPECT_EQ(shown(t.at(0x40)), "double 8: f0.8");
  EXPECT_EQ(shown(t.at(0x50)), "int 4: i0.4");
  EXPECT_EQ(shown(t.at(0x20)), " 0:");
  EXPECT_EQ(shown(t.in_thread_locals(0x20)), "int 4: i0.4");
  EXPECT_EQ(shown(t.in_thread_locals(0x30)), "double 8: f0.8");
  EXPECT_EQ(shown(t.in_thread_locals(0x40)), " 0:");
  EXPECT_EQ(shown(t.of("_Z5later")), "double 8: f0.8");
  EXPECT_EQ(shown(t.of("_Z5other")), "int 4: i0.4");
}

}  // namespace
}  // namespace upsweep::sim_test

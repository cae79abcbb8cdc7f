/// Archives of arrays and arrays of records, assembled byte by byte from the specifications of zip
/// (PKWARE's APPNOTE) and of .npy (NEP 1).
#include <io/npy_header.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files.hpp"

namespace upsweep::io::test {
namespace {

std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xff);
  return text;
}
std::string npy(std::string const& dictionary, std::string const& data) {
  auto const text = dictionary + '\n';
  return "\x93NUMPY" + number(1, 2) + number(text.size(), 2) + text + data;
}
std::string npy_of(double value) {
  std::string data(sizeof value, '\0');
  std::memcpy(data.data(), &value, sizeof value);
  return npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", data);
}

struct member {
  std::string name, data;
  /// Which of the whole size, the packed size and the position are in the fields of 64 bits.
  bool large = false, packed = false, far = false;
  unsigned method = 0, flags = 0;
};
struct archive_form {
  bool zip64 = false;            ///< with a directory's end of 64 bits
  std::uint64_t count = 0xfade;  ///< as the end of 32 bits says; 0xfade: the members
  std::string_view locator = "PK\x06\x07", record = "PK\x06\x06", header = "PK\x03\x04";
  std::uint64_t more = 0;  ///< added to packed sizes
};
std::string zip(std::vector<member> const& members, archive_form const& form = {}) {
  std::string all, directory;
  constexpr std::uint64_t in_zip64 = 0xffffffff;
  for (member const& m : members) {
    auto const begin = all.size();
    auto const size = m.data.size() + form.more;
    all += std::string(form.header) + number(20, 2) + number(m.flags, 2) + number(m.method, 2) +
           number(0, 8) + number(size, 4) + number(size, 4) + number(m.name.size(), 2) +
           number(0, 2) + m.name + m.data;
    std::string wide;
    if (m.large) wide += number(size + 1, 8);  // need not be the packed size
    if (m.packed) wide += number(size, 8);
    if (m.far) wide += number(begin, 8);
    std::string extra = "UT" + number(5, 2) + "xxxxx";  // a time, as other tools write it
    if (!wide.empty()) extra += number(1, 2) + number(wide.size(), 2) + wide;
    directory += "PK\x01\x02" + number(20, 2) + number(20, 2) + number(m.flags, 2) +
                 number(m.method, 2) + number(0, 8) + number(m.packed ? in_zip64 : size, 4) +
                 number(m.large ? in_zip64 : size, 4) + number(m.name.size(), 2) +
                 number(extra.size(), 2) + number(0, 2) + number(0, 8) +
                 number(m.far ? in_zip64 : begin, 4) + m.name + extra;
  }
  auto const at = all.size();
  all += directory;
  if (form.zip64) {
    auto const record = all.size();
    all += std::string(form.record) + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
           number(members.size(), 8) + number(members.size(), 8) + number(directory.size(), 8) +
           number(at, 8);
    all += std::string(form.locator) + number(0, 4) + number(record, 8) + number(1, 4);
  }
  auto const count = form.count == 0xfade ? members.size() : form.count;
  return all + "PK\x05\x06" + number(0, 4) + number(count, 2) + number(count, 2) +
         number(directory.size(), 4) + number(form.zip64 ? in_zip64 : at, 4) + number(0, 2);
}

class archives : public ::testing::Test {
 protected:
  std::vector<double> read(std::string const& content, std::string const& name) {
    input from({.path = dir_.write("x.npz", content) + (name.empty() ? "" : ":" + name)});
    return values<double>(from);
  }
  scratch dir_;
};

TEST_F(archives, have_their_members_with_fields_of_32_and_of_64_bits) {
  for (bool const zip64 : {false, true})
    for (unsigned fields = 0; fields < 8; ++fields) {
      member one{"a.npy", npy_of(1.5)}, two{"b.npy", npy_of(2.5)};
      two.large = (fields & 1) != 0, two.packed = (fields & 2) != 0, two.far = (fields & 4) != 0;
      auto const content = zip({one, {"notes.txt", "no array"}, two}, {.zip64 = zip64});
      EXPECT_EQ(std::vector<double>{1.5}, read(content, "a")) << fields;
      EXPECT_EQ(std::vector<double>{2.5}, read(content, "b")) << fields;
      EXPECT_EQ(std::vector<double>{2.5}, read(content, "b.npy")) << fields;
      EXPECT_THROW(read(content, "c"), usage_error);
      EXPECT_THROW(read(content, ""), usage_error);
    }
  // The count alone may say that there is an end of 64 bits.
  EXPECT_EQ(std::vector<double>{1.5},
            read(zip({{"a.npy", npy_of(1.5)}}, {.zip64 = true, .count = 0xffff}), ""));
}
/// Such an archive may have its directory within 32 bits.
TEST_F(archives, of_more_members_than_16_bits_count_are_read) {
  auto many = zip({{"a.npy", npy_of(1.5)}}, {.zip64 = true, .count = 0xffff});
  many.replace(many.size() - 6, 4, number(many.rfind("PK\x01\x02"), 4));
  EXPECT_EQ(std::vector<double>{1.5}, read(many, "a"));
}
TEST_F(archives, arrive_byte_by_byte) {
  piped const bytes(zip({{"a.npy", npy_of(1.5)}}), 1);
  input from({.path = bytes.path()});
  EXPECT_EQ(std::vector<double>{1.5}, values<double>(from));
}
TEST_F(archives, that_are_damaged_or_of_another_kind_are_refused) {
  member const one{"a.npy", npy_of(1.5)};
  auto const whole = zip({one}), large = zip({one}, {.zip64 = true});
  for (std::string const& content :
       {whole.substr(0, whole.size() - 20), whole.substr(0, whole.size() - 30),
        zip({one}, {.count = 2}), zip({one}, {.zip64 = true, .locator = "PK\x06\x08"}),
        zip({one}, {.zip64 = true, .record = "PK\x06\x08"}), zip({one}, {.more = 1000}),
        "PK\x03\x04"
        "PK\x05\x06" +
            std::string(12, '\0') + number(0xffffffff, 4) + number(0, 2) + number(5, 2) +
            number(0, 2) + "a.npy"})
    EXPECT_FAILURE(read(content, "a"), 3, "is missing or damaged; the file may be truncated");
  auto moved = whole;  // the directory's member is no longer there
  moved[whole.rfind("PK\x01\x02") + 42] = 1;
  EXPECT_FAILURE(read(moved, "a"), 3, "is missing or damaged");
  member other = one;
  other.method = 12;
  EXPECT_FAILURE(read(zip({other}), "a"), 3, "'a.npy' is compressed in another way than deflate");
  other.method = 0, other.flags = 1;
  EXPECT_FAILURE(read(zip({other}), "a"), 3, "'a.npy' is encrypted");
  EXPECT_NE(0, failure_of([&] { (void)read("PK\x03\x04 and text", ""); }).code);
  EXPECT_NE(0, failure_of([&] { (void)read("PK", ""); }).code);
}

/// An array of records of these fields, without elements.
std::string records_of(std::string const& fields) {
  return npy("{'descr': " + fields + ", 'fortran_order': False, 'shape': (0,), }", "");
}
TEST(npy_records, have_the_fields_of_their_type) {
  std::string several;  // without names, and not one in the other
  for (int i = 0; i < 20; ++i) several += "('', [('x', '<i2')]), ";
  for (auto const& [type, bytes] : std::vector<std::pair<std::string, std::size_t>>{
           {"[('a', '<f8'), ('b', '|i1')]", 9},
           {"[\r\t('a', '<M8[ns]') , ('b', '<U3',), ]", 20},
           {"[(('a title', 'a'), '<f8', (2, 3)), ('', '|V4'), ('b', '|S5')]", 57},
           {"[('a', [('x', '<i2'), ('y', '<i2')]), ('b', '<f4', (0,))]", 4},
           {"[" + several + "('a', '<f8'), ('b', '<f8')]", 56}}) {
    auto const header = parse_npy_header(records_of(type), std::nullopt, "f");
    EXPECT_EQ(bytes, header.element_bytes) << type;
    ASSERT_EQ(2u, header.fields.size()) << type;
    EXPECT_EQ("a", header.fields[0].name);
    EXPECT_EQ("b", header.fields[1].name);
  }
}
TEST(npy_records, that_no_array_has_are_refused) {
  std::string deep = "'<f8'", dimensions = "(1";
  for (int i = 0; i < 20; ++i) deep = "[('a', " + deep + ")]";
  for (int i = 0; i < 64; ++i) dimensions += ", 1";
  for (auto const& [type, words] : std::vector<std::pair<std::string, std::string>>{
           {"[('a', '<f8x')]", "'<f8x' is not the type of a field"},
           {"[('a', '<f')]", "'<f' is not the type of a field"},
           {"[('a', '<')]", "'<' is not the type of a field"},
           {"[('a', '<S9999999999')]", "is not the type of a field"},
           {"[('a', '<S99999999999999999999')]", "is not the type of a field"},
           {"[('a', ('|i1', {'x': 1}))]", "a field has a type with metadata"},
           {"[('a', ('|O', {'x': 1}))]", "Python objects in the field 'a'"},
           {"[('a', '<f8', (1073741824,))]", "a field is too large"},
           {"[('a', '|S1000000000'), ('b', '|S1000000000')]", "its records are too large"},
           {"[('a', '|S0')]", "its records are empty"},
           {"[('', '<f8')]", "its records are empty"},
           {"[]", "its records are empty"},
           {"[('a', '<f8') ('b', '<f8')]", "a ']' is missing"},
           {"[('a' '<f8')]", "a ',' is missing"},
           {"[('a', '<f8']", "a ')' is missing"},
           {"[('a', 8)]", "the type of a field is not a string"},
           {"[('a', '<f8', " + dimensions + "))]", "more than 64 dimensions"},
           {deep, "its records are too deep"}}) {
    auto const failed =
        failure_of([&] { (void)parse_npy_header(records_of(type), std::nullopt, "f"); });
    EXPECT_EQ(3, failed.code) << type;
    EXPECT_NE(std::string::npos, failed.sentence.find(words)) << type << ": " << failed.sentence;
  }
}
TEST(npy_headers, without_a_shape_or_of_other_types_are_refused) {
  auto const refusal = [](std::string const& dictionary) {
    return failure_of([&] { (void)parse_npy_header(npy(dictionary, ""), std::nullopt, "f"); })
        .sentence;
  };
  EXPECT_NE(std::string::npos, refusal("{'descr': '<f8', 'fortran_order': False}")
                                   .find("'descr', 'fortran_order' and 'shape' is missing"));
  for (auto const& [descr, reason] :
       std::vector<std::pair<std::string, std::string>>{{"", "not supported"},
                                                        {"<", "not supported"},
                                                        {"f8", "not supported"},
                                                        {"|S5", "strings"},
                                                        {"|a5", "strings"},
                                                        {"<m8[s]", "dates or times"}})
    EXPECT_NE(
        std::string::npos,
        refusal("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,)}").find(reason))
        << descr;
}
/// As numpy.dtype(...).str; those of ml_dtypes are raw bytes there.
TEST(npy_headers, have_the_types_of_numpy) {
  std::size_t const shape[] = {1};
  for (auto const& [type, written] :
       std::initializer_list<std::pair<dtype, std::string>>{{dtype::i8, "'|i1'"},
                                                            {dtype::u16, "'>u2'"},
                                                            {dtype::f16, "'>f2'"},
                                                            {dtype::bf16, "'>V2'"},
                                                            {dtype::f64, "'>f8'"},
                                                            {dtype::boolean, "'|b1'"}})
    EXPECT_NE(std::string::npos,
              format_npy_header(type, byte_order::big, shape, false).find(written))
        << written;
}
/// Version 2 has a length of four bytes.
TEST(npy_headers, beyond_64_kilobytes_have_version_2) {
  std::vector<std::size_t> const shape(30'000, 1);
  auto const header = format_npy_header(dtype::f64, byte_order::little, shape, false);
  EXPECT_EQ(std::string_view("\x93NUMPY\x02\x00", 8), header.substr(0, 8));
  EXPECT_EQ(number(header.size() - 12, 4), header.substr(8, 4));
  EXPECT_EQ(0u, header.size() % 64);
  EXPECT_EQ(header.size(), npy_header_bytes(header, "f"));
}

TEST_F(archives, of_records_have_their_texts_as_utf8) {
  std::string data;
  for (std::uint32_t const c : {0x41u, 0xe9u, 0x20acu, 0xe000u, 0x1f600u, 0xd800u, 0x110000u, 0u})
    data += number(c, 4);
  auto const type =
      "{'descr': [('t', '<U4'), ('n', '|b1'), ('s', '|a3')], 'fortran_order': False, "
      "'shape': (2,), }";
  auto const content =
      npy(type, data.substr(0, 16) + '\1' + "abc" + data.substr(16) + '\0' + std::string(3, '\0'));
  input from({.path = dir_.write("r.npy", content), .keys = {"t", "s"}, .keys_only = true});
  chunk rows;
  ASSERT_TRUE(from->next(rows));
  ASSERT_EQ(2u, rows.rows);
  EXPECT_EQ("A\u00e9\u20ac\ue000", rows.keys[0][0]);
  EXPECT_EQ("\U0001f600\ufffd\ufffd", rows.keys[0][1]);
  EXPECT_EQ("abc", rows.keys[1][0]);
  EXPECT_EQ("", rows.keys[1][1]);
  auto const of = [&](std::string const& changed) {
    return input_options{.path = dir_.write("r.npy", changed), .columns = {"n"}};
  };
  input truths(of(content));
  EXPECT_EQ((std::vector<bool>{true, false}), values<bool>(truths));
  auto bad = content;
  bad[content.size() - 4] = '\2';
  EXPECT_FAILURE(drain(of(bad)), 3, "Record 2 has 2 as 'n', but a boolean is 0 or 1");
  piped const late(content + "x");
  EXPECT_FAILURE(drain({.path = late.path(), .columns = {"n"}}), 3,
                 "continues after its last record");
  auto const big = npy("{'descr': [('t', '>U2')], 'fortran_order': False, 'shape': (1,), }",
                       std::string("\0\0\0A\0\0\x20\xac", 8));
  input swapped({.path = dir_.write("b.npy", big), .keys = {"t"}, .keys_only = true});
  EXPECT_EQ((std::vector<std::string>{"A\u20ac"}), texts(swapped));
  piped const early(content.substr(0, content.size() - 1));
  EXPECT_FAILURE(drain({.path = early.path(), .columns = {"n"}}), 3, "ends inside record 2 of 2");
}

/// Records of an integer, a text and a float.
class records : public archives {
 protected:
  input_options of(std::vector<std::string> const& texts, std::vector<std::string> columns,
                   std::vector<std::string> keys = {}) const {
    std::string data;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      double const half = static_cast<double>(i) + 0.5;
      char bytes[sizeof half];
      std::memcpy(bytes, &half, sizeof half);
      data += number(100 * (i + 1), 8) + texts[i] + std::string(4 - texts[i].size(), '\0') +
              std::string(bytes, sizeof bytes);
    }
    auto const type =
        "{'descr': [('n', '<i8'), ('t', '|S4'), ('f', '<f8')], 'fortran_order': "
        "False, 'shape': (" +
        std::to_string(texts.size()) + ",), }";
    return {.path = dir_.write("r.npy", npy(type, data)),
            .columns = std::move(columns),
            .keys = std::move(keys)};
  }
};
using doubles = std::vector<double>;
using integers = std::vector<std::int64_t>;
using strings = std::vector<std::string>;

TEST_F(records, have_numbers_and_texts_as_they_are_asked_for) {
  strings const words{"1.5", "2", "4"};
  input numbers(of(words, {"n"}));
  EXPECT_EQ((integers{100, 200, 300}), values<std::int64_t>(numbers));
  input parsed(of(words, {"t"}));
  EXPECT_EQ((doubles{1.5, 2, 4}), values<double>(parsed));
  input written(of(words, {"f"}, {"n"}));
  EXPECT_EQ((strings{"100", "200", "300"}), texts(written));
  auto options = of(words, {"n"});
  options.type = dtype::f32;
  input converted(options);
  EXPECT_EQ((std::vector<float>{100, 200, 300}), values<float>(converted));
  options.type = dtype::i8;
  EXPECT_FAILURE(drain(options), 3, "Row 2 of column 'n' is 200, which i8 cannot hold");
  EXPECT_FAILURE(drain(of({"1", "x"}, {"t"})), 3,
                 "Row 2 of column 't' is 'x', which is not of type f64");
  options = of(words, {"n"});
  options.delimiter = ';';
  EXPECT_FAILURE(drain(options), 2, "omit --delimiter, --decimal and --thousands");
  options.delimiter = 0, options.numbers.decimal = ',';
  EXPECT_FAILURE(drain(options), 2, "omit --delimiter, --decimal and --thousands");
}
TEST_F(records, without_a_value_are_skipped_or_marked_or_refused) {
  strings const gaps{"1.5", "", "NA", "4"};
  EXPECT_FAILURE(drain(of(gaps, {"t"})), 3, "Row 2 of column 't' has no value");
  auto options = of(gaps, {"t", "n", "f"}, {"n", "t"});
  options.skip_missing = true;
  input whole(options);
  chunk rows;
  ASSERT_TRUE(whole->next(rows));
  ASSERT_EQ(2u, rows.rows);
  EXPECT_EQ(4, rows.columns[0].as<double>()[1]);
  EXPECT_EQ(400, rows.columns[1].as<std::int64_t>()[1]);
  EXPECT_EQ(3.5, rows.columns[2].as<double>()[1]);
  EXPECT_EQ("400", rows.keys[0][1]);
  EXPECT_EQ("4", rows.keys[1][1]);
  EXPECT_EQ(3u, rows.numbers[1]);
  EXPECT_FALSE(whole->next(rows));
  EXPECT_EQ(2u, whole->skipped_rows);
  EXPECT_EQ(std::nullopt, whole->total_rows);
  options = of({"", "NA"}, {"t"});
  options.skip_missing = true;
  input none(options);
  EXPECT_EQ(doubles{}, values<double>(none));
  // The user's own words are compared with numbers as they are written.
  options = of(gaps, {"n"});
  options.missing = {"200", "x"};
  EXPECT_FAILURE(drain(options), 3, "Row 2 of column 'n' has no value");
  options.mark_missing = true;
  options.type = dtype::u8;
  EXPECT_FAILURE(drain(options), 3, "Row 3 of column 'n' is 300, which u8 cannot hold");
  options.missing = {"200", "300", "400"};
  input marked(options);
  ASSERT_TRUE(marked->next(rows));
  EXPECT_EQ(100, rows.columns[0].as<std::uint8_t>()[0]);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(i == 0, rows.present[0].as<bool>()[i]);
  options = of(gaps, {"f"});
  options.mark_missing = true;
  input all(options);
  ASSERT_TRUE(all->next(rows));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(rows.present[0].as<bool>()[i]);
}
TEST_F(records, may_be_text_where_a_column_may_be_either) {
  strings const words{"a", "b c"};
  auto options = of(words, {"t", "n"});
  options.may_be_text = true;
  input either(options);
  ASSERT_EQ(2u, either->where_chosen().size());
  EXPECT_TRUE(either->where_chosen()[0].is_text);
  EXPECT_FALSE(either->where_chosen()[1].is_text);
  EXPECT_EQ(words, texts(either));
  options.uses = {{.as_numbers = true}, {}};
  EXPECT_FAILURE(drain(options), 3, "is 'a', which is not of type f64");
  options.uses.clear();
  options.known = {{true, 0}, {true, 1}};
  input known(options);
  EXPECT_TRUE(known->where_chosen()[1].is_text);
  options = of(words, {"n", "t"});
  options.as_text = {true, true};
  input as_text(options);
  EXPECT_EQ((strings{"100", "200"}), texts(as_text));
}
TEST_F(records, have_keys_that_are_joined_with_or_without_quotes) {
  for (bool const quotes : {false, true}) {
    input from(of({"a,b", "c"}, {"f"}, {"n", "t"}));
    from->join_keys({2, ',', quotes});
    chunk rows;
    ASSERT_TRUE(from->next(rows));
    EXPECT_EQ(quotes ? "100,\"a,b\"" : "100,a,b", (*rows.joined)[0]);
    EXPECT_EQ("200,c", (*rows.joined)[1]);
  }
}

}  // namespace
}  // namespace upsweep::io::test

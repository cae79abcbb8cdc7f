/// Raw binary and .npy: byte orders, memory orders, shapes, conversions, and invalid files.
/// numpy_test.py compares with NumPy.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files.hpp"

namespace upsweep::io {
namespace {

using namespace test;

template <class T>
std::string bytes_of(std::vector<T> const& values, bool swapped = false) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    char element[sizeof(T)];
    T const value = values[i];
    std::memcpy(element, &value, sizeof(T));
    if (swapped) std::reverse(element, element + sizeof(T));
    std::memcpy(bytes.data() + i * sizeof(T), element, sizeof(T));
  }
  return bytes;
}

/// A .npy file assembled from the specification of the format (NEP 1).
std::string npy(std::string const& dictionary, std::string const& data, int version = 1) {
  auto text = dictionary;
  auto const prefix = version == 1 ? std::size_t{10} : std::size_t{12};
  while ((prefix + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(version);
  file += '\0';
  for (std::size_t i = 0; i < prefix - 8; ++i)
    file += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return file + text + data;
}

std::string described(std::string const& descr, std::string const& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

class arrays : public ::testing::Test {
 protected:
  std::string file(std::string_view content, std::string const& name = "a.npy") {
    return dir_.write(name, content);
  }
  template <class T>
  std::vector<T> read(input_options options, std::size_t column = 0) {
    input from(std::move(options));
    return values<T>(from, column);
  }
  scratch dir_;
};

using doubles = std::vector<double>;
using ints = std::vector<std::int32_t>;
using sizes = std::vector<std::size_t>;

TEST_F(arrays, npy_versions_1_to_3_are_read) {
  doubles const data{1, 2.5, -3};
  for (int version : {1, 2, 3}) {
    input from({.path = file(npy(described("<f8", "(3,)"), bytes_of(data), version))});
    EXPECT_EQ(from->format, container::npy);
    EXPECT_EQ(from->total_rows, 3u);
    EXPECT_EQ(from->shape, sizes{3});
    EXPECT_EQ(values<double>(from), data) << version;
  }
  EXPECT_FAILURE(drain({.path = file(npy(described("<f8", "(3,)"), bytes_of(data), 4))}), 3,
                 "version 4.0; versions 1.0, 2.0 and 3.0");
}

TEST_F(arrays, big_endian_values_are_turned_round) {
  ints const data{1, -2, 70000};
  EXPECT_EQ(read<std::int32_t>({.path = file(npy(described(">i4", "(3,)"), bytes_of(data, true)))}),
            data);
  auto options = input_options{
      .path = file(bytes_of(data, true), "a.raw"), .type = dtype::i32, .endian = byte_order::big};
  EXPECT_EQ(read<std::int32_t>(options), data);
}

/// A .npy of shape (`rows`, 2) whose element (r, c) is `at(r, c)`.
template <class T, class At>
std::string two_columns(std::string const& kind, std::size_t rows, bool swapped, bool fortran,
                        At at) {
  std::vector<T> stored;
  for (std::size_t i = 0; i < 2 * rows; ++i)
    stored.push_back(fortran ? at(i % rows, i / rows) : at(i / 2, i % 2));
  bool const little = (std::endian::native == std::endian::little) != swapped;
  auto const data = bytes_of(stored, swapped);
  return npy(described((little ? "<" : ">") + kind, "(" + std::to_string(rows) + ", 2)", fortran),
             data);
}

TEST_F(arrays, a_chosen_column_of_every_type_byte_order_and_memory_order_has_its_values) {
  auto const check = [&]<class T>(std::initializer_list<char const*> kinds,
                                  std::vector<T> const& v) {
    auto const at = [&](std::size_t r, std::size_t c) { return v[2 * r + c]; };
    for (std::string const kind : kinds)
      for (bool swapped : {false, true})
        for (bool fortran : {false, true}) {
          auto const path = file(two_columns<T>(kind, 3, swapped, fortran, at));
          EXPECT_EQ(read<T>({.path = path, .columns = {"1"}}), (std::vector<T>{v[0], v[2], v[4]}))
              << kind << swapped << fortran;
          EXPECT_EQ(read<T>({.path = path, .columns = {"2"}}), (std::vector<T>{v[1], v[3], v[5]}))
              << kind << swapped << fortran;
          EXPECT_EQ(read<T>({.path = path, .columns = {"2", "1"}}, 1),
                    (std::vector<T>{v[0], v[2], v[4]}))
              << kind;
        }
  };
  check(std::initializer_list<char const*>{"b1"}, std::vector<std::uint8_t>{1, 0, 0, 1, 1, 1});
  check(std::initializer_list<char const*>{"i1", "u1"},
        std::vector<std::uint8_t>{1, 2, 127, 128, 254, 255});
  check(std::initializer_list<char const*>{"i2", "u2", "f2"},
        std::vector<std::uint16_t>{1, 2, 0x3c00, 0x1234, 0xbeef, 0x00ff});
  check(std::initializer_list<char const*>{"i4", "u4", "f4"},
        std::vector<std::uint32_t>{1, 2, 0x3f800000, 0x12345678, 0xdeadbeef, 0xff});
  check(std::initializer_list<char const*>{"i8", "u8", "f8"},
        std::vector<std::uint64_t>{1, 2, 0x3ff0000000000000, 0x123456789abcdef0, 0xfeedfacecafebeef,
                                   0xff});
}

TEST_F(arrays, a_chosen_column_goes_on_behind_its_first_chunk) {
  constexpr std::size_t rows = 300000;  // more than one chunk in either memory order
  auto const at = [](std::size_t r, std::size_t c) {
    return static_cast<std::int64_t>(1000000 * (c + 1) + r);
  };
  for (bool swapped : {false, true})
    for (bool fortran : {false, true}) {
      auto const content = two_columns<std::int64_t>("i8", rows, swapped, fortran, at);
      auto const path = file(content);
      for (std::size_t c : {0u, 1u}) {
        std::vector<std::int64_t> expected;
        for (std::size_t r = 0; r < rows; ++r) expected.push_back(at(r, c));
        EXPECT_TRUE(read<std::int64_t>({.path = path, .columns = {std::to_string(c + 1)}}) ==
                    expected)
            << c << swapped << fortran;
        piped const pipe(content);
        EXPECT_TRUE(read<std::int64_t>({.path = pipe.path(), .columns = {std::to_string(c + 1)}}) ==
                    expected)
            << "piped " << c;
      }
    }
}

TEST_F(arrays, fortran_order_comes_out_row_by_row) {
  // 2 x 3, columns stored one after the other.
  auto const path =
      file(npy(described("<i4", "(2, 3)", true), bytes_of(ints{11, 21, 12, 22, 13, 23})));
  EXPECT_EQ(read<std::int32_t>({.path = path}), (ints{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(read<std::int32_t>({.path = path, .columns = {"3", "1"}}), (ints{13, 23}));
  EXPECT_EQ(read<std::int32_t>({.path = path, .columns = {"3", "1"}}, 1), (ints{11, 21}));
  input from({.path = path});
  auto const view = from->array();
  EXPECT_EQ(view.shape, (sizes{2, 3}));
  EXPECT_EQ(view.strides, (sizes{1, 2}));
}

TEST_F(arrays, a_large_array_in_fortran_order_keeps_its_order_across_chunks) {
  std::size_t const rows = 700, columns = 500, planes = 3;
  std::vector<std::int32_t> stored(rows * columns * planes);
  ints expected;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t p = 0; p < planes; ++p) {
        auto const value = static_cast<std::int32_t>(r * 1000000 + c * 10 + p);
        stored[r + rows * (c + columns * p)] = value;
        expected.push_back(value);
      }
  auto const content = npy(described("<i4", "(700, 500, 3)", true), bytes_of(stored));
  EXPECT_EQ(read<std::int32_t>({.path = file(content)}), expected);
  piped const pipe(content);
  EXPECT_EQ(read<std::int32_t>({.path = pipe.path()}), expected);
}

TEST_F(arrays, columns_of_row_major_arrays_are_gathered) {
  ints data(300000 * 3);
  ints second;
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::int32_t>(i);
    if (i % 3 == 1) second.push_back(data[i]);
  }
  auto const content = npy(described("<i4", "(300000, 3)"), bytes_of(data));
  EXPECT_EQ(read<std::int32_t>({.path = file(content), .columns = {"2"}}), second);
  piped const pipe(content, 777);
  EXPECT_EQ(read<std::int32_t>({.path = pipe.path(), .columns = {"2"}}), second);
  EXPECT_EQ(read<std::int32_t>({.path = file(content)}), data);
  EXPECT_FAILURE(drain({.path = file(content), .columns = {"4"}}), 2,
                 "has no column '4'; its columns are unnamed and numbered");
  EXPECT_FAILURE(drain({.path = file(content), .columns = {"2"}, .type = dtype::u8}), 3,
                 "Element 256 is 256, which u8 cannot hold");
  auto const by_columns = npy(described("<i4", "(3, 2)", true), bytes_of(ints{1, 2, 3, 4, 500, 6}));
  EXPECT_FAILURE(drain({.path = file(by_columns), .columns = {"2"}, .type = dtype::u8}), 3,
                 "Element 4 is 500, which u8 cannot hold");
  EXPECT_FAILURE(drain({.path = file(content), .columns = {"x"}}), 2, "has no column 'x'");
}

TEST_F(arrays, arrays_of_no_and_of_many_dimensions_are_viewed_whole) {
  input scalar({.path = file(npy(described("<f8", "()"), bytes_of(doubles{4.5})))});
  EXPECT_EQ(scalar->shape, sizes{});
  EXPECT_EQ(values<double>(scalar), doubles{4.5});
  input cube({.path = file(npy(described(">i4", "(2, 1, 2)"), bytes_of(ints{1, 2, 3, 4}, true)))});
  auto const view = cube->array();
  EXPECT_EQ(view.strides, (sizes{2, 2, 1}));
  EXPECT_EQ((typed_column{view.type, view.bytes}.as<std::int32_t>()[3]), 4);
  input empty({.path = file(npy(described("<f8", "(0, 3)"), ""))});
  EXPECT_TRUE(values<double>(empty).empty());
  EXPECT_EQ(input({.path = file("1 2", "a.txt")})->shape, std::nullopt);
}

TEST_F(arrays, mapped_values_are_not_copied) {
  doubles const data(3000000, 1.5);
  input from({.path = file(npy(described("<f8", "(3000000,)"), bytes_of(data)))});
  chunk rows;
  ASSERT_TRUE(from->next(rows));
  auto const* const first = rows.columns[0].bytes.data() + rows.columns[0].bytes.size();
  ASSERT_TRUE(from->next(rows));
  EXPECT_EQ(rows.columns[0].bytes.data(), first)
      << "the second chunk follows the first in the mapping";
}

TEST_F(arrays, a_dtype_asked_for_converts_npy_values) {
  auto const path = file(npy(described("<i4", "(3,)"), bytes_of(ints{1, 2, 300})));
  EXPECT_EQ(read<double>({.path = path, .type = dtype::f64}), (doubles{1, 2, 300}));
  EXPECT_FAILURE(drain({.path = path, .type = dtype::u8}), 3,
                 "Element 2 is 300, which u8 cannot hold");
}

TEST_F(arrays, booleans_are_0_or_1) {
  auto const good = file(npy(described("|b1", "(3,)"), std::string("\1\0\1", 3)));
  EXPECT_EQ(read<bool>({.path = good}), (std::vector<bool>{true, false, true}));
  EXPECT_FAILURE(drain({.path = file(npy(described("|b1", "(3,)"), std::string("\1\7\1", 3)))}), 3,
                 "Element 1 is 7, but a boolean is 0 or 1");
  auto const table = npy(described("|b1", "(2, 2)"), std::string("\0\1\0\7", 4));
  EXPECT_FAILURE(drain({.path = file(table), .columns = {"2"}}), 3, "Element 3 is 7");
}

TEST_F(arrays, types_that_are_no_plain_numbers_are_named) {
  auto const refusal = [&](std::string const& descr) {
    return test::failure_of(
        [&] { drain({.path = file(npy(described(descr, "(1,)"), std::string(16, '\0')))}); });
  };
  EXPECT_NE(refusal("<c16").sentence.find("complex numbers"), std::string::npos);
  EXPECT_NE(refusal("|O").sentence.find("Python objects"), std::string::npos);
  EXPECT_NE(refusal("<U4").sentence.find("strings"), std::string::npos);
  EXPECT_NE(refusal("<M8[ns]").sentence.find("dates"), std::string::npos);
  EXPECT_NE(refusal("<f16").sentence.find("not supported"), std::string::npos);
  EXPECT_NE(refusal("|V2").sentence.find("--dtype bf16"), std::string::npos);
  EXPECT_EQ(refusal("<c16").code, 3);
  EXPECT_FAILURE(
      drain({.path = file(npy("{'descr': [('a', '<c8')], 'fortran_order': False, 'shape': (1,), }",
                              std::string(8, '\0')))}),
      3, "Column 'a' holds complex numbers");
}

TEST_F(arrays, two_byte_voids_are_bfloat16_when_asked) {
  auto const path = file(npy(described("<V2", "(2,)"), std::string("\x80\x3f\x00\xc0", 4)));
  EXPECT_EQ(read<std::uint16_t>({.path = path, .type = dtype::bf16}),
            (std::vector<std::uint16_t>{0x3f80, 0xc000}));
}

TEST_F(arrays, headers_that_lie_are_refused) {
  auto const data = bytes_of(doubles{1, 2, 3});
  auto const refusal = [&](std::string const& dictionary) {
    return test::failure_of([&] { drain({.path = file(npy(dictionary, data))}); }).sentence;
  };
  EXPECT_NE(refusal(described("<f8", "(4,)"))
                .find("promises 32 bytes of values from byte 128 on, but the file has 24"),
            std::string::npos);
  EXPECT_NE(refusal(described("<f8", "(2,)")).find("several arrays in one"), std::string::npos);
  EXPECT_NE(refusal(described("<f8", "(4294967296, 4294967296)"))
                .find("more elements than a file can hold"),
            std::string::npos);
  EXPECT_NE(refusal(described("<f8", "(2305843009213693952,)"))
                .find("more elements than a file can hold"),
            std::string::npos)
      << "2^64 bytes";
  EXPECT_NE(refusal(described("<f8", "(3,)") + "x").find("something follows the '}'"),
            std::string::npos);
  EXPECT_NE(refusal(described("<f8", "(99999999999999999999,)")).find("not a number of 64 bits"),
            std::string::npos);
  EXPECT_NE(refusal(described("<f8", "(-3,)")).find("not a number"), std::string::npos);
  EXPECT_NE(refusal("{'descr': '<f8', 'shape': (3,)}").find("missing"), std::string::npos);
  EXPECT_NE(
      refusal("{'descr': '<f8', 'fortran_order': 1, 'shape': (3,)}").find("neither True nor False"),
      std::string::npos);
  EXPECT_NE(refusal("nothing").find("header cannot be read"), std::string::npos);
  EXPECT_EQ(refusal("{\"shape\":(3L,),\"fortran_order\":False,\"descr\":\"<f8\"}"), "")
      << "other quotes, order, and Python 2's L";
}

TEST_F(arrays, streams_that_end_early_or_late_are_refused) {
  auto const whole = npy(described("<f8", "(3,)"), bytes_of(doubles{1, 2, 3}));
  piped const early(whole.substr(0, whole.size() - 5));
  EXPECT_FAILURE(drain({.path = early.path()}), 3, "ends after 2 of 3 elements; it is truncated.");
  auto const table = npy(described("<f8", "(2, 2)"), bytes_of(doubles{1, 2, 3, 4}));
  piped const cut(table.substr(0, table.size() - 5));
  EXPECT_FAILURE(drain({.path = cut.path(), .columns = {"2"}}), 3,
                 "ends inside row 2 of 2; it is truncated.");
  piped const late(whole + "x");
  EXPECT_FAILURE(drain({.path = late.path()}), 3, "continues after its last element");
}

TEST_F(arrays, raw_takes_dtype_offset_count_and_byte_order) {
  auto const path = file("abc" + bytes_of(ints{1, 2, 3, 4}), "values.bin");
  auto const options = input_options{.path = path, .type = dtype::i32, .offset = 3};
  EXPECT_EQ(read<std::int32_t>(options), (ints{1, 2, 3, 4})) << "unaligned values are copied";
  auto some = options;
  some.offset = 7;
  some.count = 2;
  EXPECT_EQ(read<std::int32_t>(some), (ints{2, 3}));
  some.count = 4;
  EXPECT_FAILURE(drain(some), 3, "holds 3 elements of i32 from byte 7 on, fewer than --count 4.");
  some.count = 0;
  EXPECT_TRUE(read<std::int32_t>(some).empty());
  some.offset = 1000;
  EXPECT_FAILURE(drain(some), 3, "has only 19 bytes, but --offset is 1000.");
  EXPECT_FAILURE(drain({.path = path, .type = dtype::i32}), 3,
                 "The 19 bytes from byte 0 on are not a whole number of i32 elements");
  EXPECT_FAILURE(drain({.path = path}), 2, "does not record its element type; give --dtype");
  EXPECT_EQ(read<std::int32_t>({.path = file(bytes_of(ints{5}), "x.i32")}), ints{5})
      << "the extension gives the dtype";
}

TEST_F(arrays, raw_streams_obey_the_same_options) {
  auto const content = "abc" + bytes_of(ints{1, 2, 3, 4});
  auto const options = [](piped const& pipe) {
    return input_options{.path = pipe.path(), .type = dtype::i32, .offset = 3};
  };
  piped const one(content, 1);
  EXPECT_EQ(read<std::int32_t>(options(one)), (ints{1, 2, 3, 4}));
  piped const two(content, 1);
  auto some = options(two);
  some.count = 2;
  EXPECT_EQ(read<std::int32_t>(some), (ints{1, 2}));
  piped const three(content);
  auto many = options(three);
  many.count = 5;
  EXPECT_FAILURE(drain(many), 3, "ends after 4 of 5 elements");
  piped const four(content + "x");
  EXPECT_FAILURE(drain(options(four)), 3, "The last i32 element is incomplete, 1 of 4 bytes");
}

/// Raw values may begin as compressed data do; only a name says that they are compressed.
TEST_F(arrays, raw_values_are_compressed_only_by_name) {
  for (std::string const& bytes :
       {std::string("\x1f\x8b\x08\x00", 4), std::string("\x28\xb5\x2f\xfd")}) {
    std::vector<std::uint8_t> expected;
    for (char const c : bytes) expected.push_back(static_cast<std::uint8_t>(c));
    EXPECT_EQ(expected, read<std::uint8_t>({.path = file(bytes, "a.u8")}));
  }
  for (std::string const name : {"a.u8.gz", "a.u8.zst"})
    EXPECT_FAILURE(drain({.path = file("1234", name)}), 3, "is not compressed as its name says");
  EXPECT_FAILURE(drain({.path = file(std::string("\x28\xb5\x2f\xfd"), "a.u8.gz")}), 3,
                 "is not compressed as its name says");
}

TEST_F(arrays, options_that_do_not_fit_are_usage_errors) {
  auto const path = file(npy(described("<f8", "(1,)"), bytes_of(doubles{1})));
  EXPECT_FAILURE(drain({.path = path, .offset = 1}), 2, "whose header gives the position");
  EXPECT_FAILURE(drain({.path = path, .keys = {"1"}}), 2, "has no columns to group by");
  EXPECT_FAILURE(input({.path = file("1", "a.txt")})->array(), 2,
                 "only a .npy file can be read as an array");
  EXPECT_FAILURE(drain({.path = file("1 2", "text.npy")}), 3, "does not begin with \\x93NUMPY");
  EXPECT_FAILURE(drain({.path = path, .columns = {"1", "1"}}), 2, "has one column");
  auto const scalar = file(npy(described("<f8", "()"), bytes_of(doubles{1})), "s.npy");
  EXPECT_FAILURE(drain({.path = scalar, .columns = {"1"}}), 2, "--column needs one or two");
  auto const raw = file(bytes_of(doubles{1}), "a.f64");
  EXPECT_FAILURE(drain({.path = raw, .columns = {"1", "1"}}), 2, "which has only one column");
  EXPECT_FAILURE(input({.path = raw})->array(), 2, "is raw binary, which has no dimensions");
  auto const records = file(
      npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", bytes_of(doubles{1})),
      "r.npy");
  EXPECT_FAILURE(drain({.path = records, .part = file_part{128, 136, 0}}), 2,
                 "Reading cannot continue after the end of an array of records");
}

}  // namespace
}  // namespace upsweep::io

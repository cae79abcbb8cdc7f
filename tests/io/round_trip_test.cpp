/// Written values read back with the same bits: every dtype in every format, from files and from
/// pipes, in both byte orders.
#include <io/output.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files.hpp"

namespace upsweep::io {
namespace {

using test::piped;
using test::scratch;

/// `count` values with random bits. Booleans are 0 or 1, and every NaN has the bits that text reads
/// back as.
std::vector<std::byte> random_values(dtype type, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  auto const size = size_of(type);
  std::vector<std::byte> bytes(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    auto bits = random();
    if (type == dtype::boolean) bits &= 1;
    if (type == dtype::f16 && (bits & 0x7c00) == 0x7c00) bits = 0x7c00;
    if (type == dtype::bf16 && (bits & 0x7f80) == 0x7f80) bits = 0xff80;
    if (type == dtype::f32 && std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits))))
      bits = 0x80000000;
    if (type == dtype::f64 && std::isnan(std::bit_cast<double>(bits)))
      bits = std::uint64_t{1} << 63;
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

std::vector<std::byte> read_bytes(input_options options, std::size_t column) {
  std::vector<std::byte> all;
  input from(std::move(options));
  chunk rows;
  while (from->next(rows))
    all.insert(all.end(), rows.columns.at(column).bytes.begin(),
               rows.columns.at(column).bytes.end());
  return all;
}

/// Booleans below a name are no evidence that it is one, so readers are told.
header_line header_of(dtype type, container format) {
  bool const has_names = format == container::csv || format == container::tsv;
  return has_names && type == dtype::boolean ? header_line::present : header_line::automatic;
}

constexpr container formats[] = {container::text, container::csv, container::tsv, container::raw,
                                 container::npy};

TEST(round_trip, every_dtype_in_every_container_keeps_its_bits) {
  scratch const dir;
  for (auto type : all_dtypes) {
    for (auto format : formats) {
      for (std::size_t count : {0u, 1u, 1000u}) {
        for (auto order : {byte_order::little, byte_order::big}) {
          if (order == byte_order::big && format != container::raw && format != container::npy)
            continue;
          auto const values = random_values(type, count, 1 + static_cast<unsigned>(count));
          auto const path = dir.path("file");
          auto const out =
              open_output({.path = path, .force = true, .format = format, .endian = order});
          column_info const info{"x", type};
          out->begin({&info, 1});
          chunk rows;
          // In two chunks of different lengths.
          auto const half = count / 3;
          for (auto [from, length] :
               {std::pair(std::size_t{0}, half), std::pair(half, count - half)}) {
            rows.rows = length;
            rows.columns = {{type, std::span<std::byte const>(values).subspan(
                                       from * size_of(type), length * size_of(type))}};
            out->write(rows);
          }
          out->commit();
          input_options options{.path = path, .format = format};
          options.type = type;
          options.header = header_of(type, format);
          if (format == container::raw) options.endian = order;
          auto const where = std::string(name_of(type)) + " in " + std::string(name_of(format));
          EXPECT_EQ(read_bytes(options, 0), values) << where;
          piped const pipe(dir.read("file"), 100);
          options.path = pipe.path();
          EXPECT_EQ(read_bytes(options, 0), values) << where << " from a pipe";
        }
      }
    }
  }
}

TEST(round_trip, several_columns_keep_their_bits) {
  scratch const dir;
  for (auto type : all_dtypes) {
    for (auto format : {container::text, container::csv, container::tsv, container::npy}) {
      auto const first = random_values(type, 200, 1);
      auto const second = random_values(type, 200, 2);
      auto const path = dir.path("file");
      auto const out = open_output({.path = path, .force = true, .format = format});
      column_info const info[] = {{"a", type}, {"b, \"c\"", type}};
      out->begin(info);
      chunk rows;
      rows.rows = 200;
      rows.columns = {{type, first}, {type, second}};
      out->write(rows);
      out->commit();
      input_options options{.path = path, .format = format, .columns = {"2", "1"}, .type = type};
      options.header = header_of(type, format);
      EXPECT_EQ(read_bytes(options, 0), second) << name_of(type) << " in " << name_of(format);
      EXPECT_EQ(read_bytes(options, 1), first) << name_of(type) << " in " << name_of(format);
    }
  }
  std::byte const values[] = {std::byte{1}, std::byte{0}, std::byte{0}, std::byte{1}};
  auto const path = dir.path("big.raw");
  auto const out = open_output({.path = path, .force = true, .endian = byte_order::big});
  column_info const info[] = {{"a", dtype::u16}, {"b", dtype::u16}};
  out->begin(info);
  chunk rows;
  rows.rows = 2;
  rows.columns = {{dtype::u16, values}, {dtype::u16, values}};
  out->write(rows);
  out->commit();
  EXPECT_EQ(std::string("\0\1\0\1\1\0\1\0", 8), dir.read("big.raw"));
}

TEST(round_trip, types_are_recognized_again_from_text) {
  scratch const dir;
  for (auto type : {dtype::i64, dtype::u64, dtype::f64, dtype::boolean}) {
    auto const values = random_values(type, 1000, 9);
    auto const path = dir.path("file.csv");
    auto const out = open_output({.path = path, .force = true});
    column_info const info{"x", type};
    out->begin({&info, 1});
    chunk rows;
    rows.rows = 1000;
    rows.columns = {{type, values}};
    out->write(rows);
    out->commit();
    input_options options{.path = path};
    options.header = header_of(type, container::csv);
    input from(options);
    EXPECT_EQ(from->columns[0].type, type);
    EXPECT_EQ(from->columns[0].name, "x");
    EXPECT_EQ(read_bytes(options, 0), values) << name_of(type);
  }
}

}  // namespace
}  // namespace upsweep::io

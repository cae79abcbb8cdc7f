/// The bytes of partials are those of the table that partials.py made from the specification.
#include <upsweep/ops/decimal.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/sessions.hpp>
#include <upsweep/partial/bytes.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace upsweep::golden {
namespace {

struct row {
  std::string operation, type;
  std::size_t begin = 0;
  std::string elements, bytes;
};

std::vector<row> rows() {
  std::ifstream file(UPSWEEP_PARTIALS_TABLE);
  std::vector<row> all;
  for (row r; file >> r.operation >> r.type >> r.begin >> r.elements >> r.bytes;) all.push_back(r);
  return all;
}

template <class N>
N number_in(std::string_view text, int base) {
  N x{};
  auto const end = std::from_chars(text.data(), text.data() + text.size(), x, base).ptr;
  EXPECT_EQ(text.data() + text.size(), end) << text;
  return x;
}

template <class T>
T element_in(std::string const& text) {
  if constexpr (std::is_same_v<T, decimal>) {
    auto const slash = text.find('/');
    return {number_in<std::int64_t>(std::string_view(text).substr(0, slash), 10),
            number_in<std::uint32_t>(std::string_view(text).substr(slash + 1), 10)};
  } else {
    using bits = std::make_unsigned_t<std::conditional_t<
        sizeof(T) == 8, std::int64_t,
        std::conditional_t<sizeof(T) == 4, std::int32_t,
                           std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>>;
    return std::bit_cast<T>(static_cast<bits>(number_in<std::uint64_t>(text, 16)));
  }
}

template <class T>
std::vector<T> elements_in(row const& r) {
  std::vector<T> x;
  std::istringstream words(r.elements);
  for (std::string word; std::getline(words, word, ',');) x.push_back(element_in<T>(word));
  return x;
}

std::string hex(std::span<std::byte const> bytes) {
  std::string text;
  for (std::byte const b : bytes)
    for (int const shift : {4, 0})
      text += "0123456789abcdef"[static_cast<unsigned>(b) >> shift & 15u];
  return text;
}

/// The partial of a row of this operator and type: of one piece, and of two joined at each cut.
template <class T, class Op>
void expect_bytes(row const& r, Op const& op) {
  auto const x = elements_in<T>(r);
  std::span<T const> const all(x);
  for (std::size_t cut = 0; cut <= x.size(); ++cut) {
    partial<T, Op> whole(r.begin, op), later(r.begin + cut, op);
    whole.push(cpu{}, all.first(cut));
    later.push(cpu{}, all.subspan(cut));
    whole.append(from_bytes<T>(to_bytes(later), op));
    ASSERT_EQ(r.bytes, hex(to_bytes(whole))) << r.operation << ' ' << r.type << ' ' << r.elements;
  }
}

bool expect_bytes_of_sum(row const& r) {
  if (r.type == "f64")
    expect_bytes<double>(r, exact_sum{});
  else if (r.type == "f32")
    expect_bytes<float>(r, exact_sum{});
  else if (r.type == "bf16")
    expect_bytes<bfloat16>(r, exact_sum{});
  else if (r.type == "i64")
    expect_bytes<std::int64_t>(r, exact_sum{});
  else if (r.type == "u8")
    expect_bytes<std::uint8_t>(r, exact_sum{});
#ifdef UPSWEEP_HAS_FLOAT16
  else if (r.type == "f16")
    expect_bytes<float16>(r, exact_sum{});
#else
  else if (r.type == "f16")
    return true;
#endif
  else
    return false;
  return true;
}

bool expect_bytes_of(row const& r) {
  if (r.operation == "exact-sum") return expect_bytes_of_sum(r);
  if (r.operation == "drawdown")
    expect_bytes<double>(r, drawdown{});
  else if (r.operation == "sessions_i64")
    expect_bytes<std::int64_t>(r, sessions<std::int64_t>{4});
  else if (r.operation == "run-number")
    expect_bytes<std::int64_t>(r, run_number{});
  else if (r.operation == "decimal-sum")
    expect_bytes<decimal>(r, decimal_sum{});
  else if (r.operation == "decimal-product")
    expect_bytes<decimal>(r, decimal_product{});
  else if (r.operation == "decimal-mean")
    expect_bytes<decimal>(r, decimal_mean{});
  else
    return false;
  return true;
}

TEST(golden_partials, have_the_bytes_that_the_specification_says) {
  auto const all = rows();
  EXPECT_GT(all.size(), 100u);
  for (row const& r : all) EXPECT_TRUE(expect_bytes_of(r)) << r.operation << ' ' << r.type;
}

}  // namespace
}  // namespace upsweep::golden

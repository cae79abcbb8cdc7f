/// Elements as text and back, of every kind of number; expected bits are written out.
#include <upsweep/sim/element_text.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

using namespace upsweep::sim;

namespace {

/// The bits of a number whose text is `text`; "refused" if the field cannot hold it.
std::string bits_of(number_kind kind, unsigned bytes, char const* text) {
  std::array<std::byte, 16> element{};
  if (!set_number({kind, 4, bytes}, text, element.data())) return "refused";
  std::uint64_t before = 0, bits = 0;
  std::memcpy(&before, element.data(), 4);
  std::memcpy(&bits, element.data() + 4, 8);
  EXPECT_EQ(before, 0u) << text;
  return std::to_string(bits);
}

TEST(element_text, numbers_are_stored_where_their_field_is_and_must_fit) {
  using enum number_kind;
  struct {
    number_kind kind;
    unsigned bytes;
    char const *text, *bits;
  } const all[] = {
      {unsigned_integer, 1, "255", "255"},
      {unsigned_integer, 1, "256", "refused"},
      {unsigned_integer, 4, "-1", "refused"},
      {unsigned_integer, 8, "18446744073709551615", "18446744073709551615"},
      {signed_integer, 1, "-128", "128"},
      {signed_integer, 1, "128", "refused"},
      {signed_integer, 2, "+3", "3"},
      {signed_integer, 4, "3x", "refused"},
      {truth, 1, "1", "1"},
      {truth, 1, "2", "refused"},
      {floating, 4, "1.5", "1069547520"},           // 0x3fc00000
      {floating, 8, "1.5", "4609434218613702656"},  // 0x3ff8000000000000
      {half, 2, "1.5", "15872"},                    // 0x3e00
      {bfloat16, 2, "1.5", "16320"},                // 0x3fc0
      {bfloat16, 2, "1.00390625", "16256"},         // a tie, to the even 0x3f80
      {bfloat16, 2, "1.01171875", "16258"},         // a tie, to the even 0x3f82
      {bfloat16, 2, "1.005859375", "16257"},        // above the tie
      {pointer, 8, "1", "refused"},
  };
  for (auto const& e : all) EXPECT_EQ(bits_of(e.kind, e.bytes, e.text), e.bits) << e.text;
}

TEST(element_text, numbers_of_every_kind_are_written_from_their_bits) {
  using enum number_kind;
  struct {
    number_kind kind;
    unsigned bytes;
    std::uint64_t bits;
    char const* text;
  } const all[] = {
      {signed_integer, 1, 0x80, "-128"},
      {signed_integer, 2, 0xffff, "-1"},
      {signed_integer, 4, 0x7fffffff, "2147483647"},
      {signed_integer, 8, ~std::uint64_t{0}, "-1"},
      {unsigned_integer, 1, 0xff, "255"},
      {unsigned_integer, 8, ~std::uint64_t{0}, "18446744073709551615"},
      {floating, 4, 0x3dcccccd, "0.1"},
      {floating, 8, 0x3fb999999999999a, "0.1"},
      {half, 2, 0x3e00, "1.5"},
      {half, 2, 0xfc00, "-inf"},
      {bfloat16, 2, 0xbfc0, "-1.5"},
      {truth, 1, 0, "false"},
      {truth, 1, 1, "true"},
      {character, 1, 'a', "'a'"},
      {character, 1, ' ', "' '"},
      {character, 1, '~', "'~'"},
      {character, 1, 0x1f, "31"},
      {character, 1, 0x7f, "127"},
      {character, 1, 0xff, "-1"},
      {pointer, 8, 0x7f00ff10, "0x7f00ff10"},
  };
  for (auto const& e : all) {
    std::array<std::byte, 16> element{};
    std::memcpy(element.data() + 4, &e.bits, 8);
    element_layout const type{"number", 12, {{e.kind, 4, e.bytes}}, {}};
    EXPECT_EQ(text_of(type, element.data(), 12), e.text);
  }
}

TEST(element_text, several_numbers_stand_in_braces_and_parts_of_numbers_are_left_out) {
  element_layout const pair{
      "pair", 8, {{number_kind::signed_integer, 0, 4}, {number_kind::floating, 4, 4}}, {}};
  std::array<std::byte, 16> bytes{};
  std::int32_t const whole[] = {-7, 9};
  float const parts[] = {2.5f, 0.1f};
  for (std::size_t i = 0; i < 2; ++i) {
    std::memcpy(bytes.data() + 8 * i, &whole[i], 4);
    std::memcpy(bytes.data() + 8 * i + 4, &parts[i], 4);
  }
  EXPECT_EQ(text_of(pair, bytes.data(), 16), "{-7, 2.5, 9, 0.1}");
  EXPECT_EQ(text_of(pair, bytes.data(), 8), "{-7, 2.5}");
  EXPECT_EQ(text_of(pair, bytes.data() + 4, 4, 4), "2.5");
  EXPECT_EQ(text_of(pair, bytes.data() + 2, 6, 2), "2.5");
  EXPECT_EQ(text_of({}, bytes.data(), 8), "");
}

}  // namespace

/// Contract 5: every element type of the library, combined in the operator's accumulator type.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/sizes.hpp>
#include <support/types.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// A few sizes for each type: empty, small, odd and many-tile inputs.
inline std::vector<std::size_t> type_sizes() {
  return {0, 1, 2, 3, 15, 16, 17, 100, 1009, 4097, slow_build ? 9001u : 70001u};
}

template <class T, class E, class Op>
testing::AssertionResult type_follows_tree(E const& on, Op const& op) {
  for (std::size_t const n : type_sizes())
    if (auto const r = follows_tree_at<T>(on, n, op); !r) return r;
  return testing::AssertionSuccess();
}

template <class Backend>
class types_contract : public testing::Test {};
TYPED_TEST_SUITE_P(types_contract);

CONTRACT_TEST(types_contract, integers_of_8_bits) {
  EXPECT_TRUE(type_follows_tree<std::int8_t>(TypeParam::make(), plus{}));
  EXPECT_TRUE(type_follows_tree<std::uint8_t>(TypeParam::make(), plus{}));
}
CONTRACT_TEST(types_contract, integers_of_16_bits) {
  EXPECT_TRUE(type_follows_tree<std::int16_t>(TypeParam::make(), plus{}));
  EXPECT_TRUE(type_follows_tree<std::uint16_t>(TypeParam::make(), plus{}));
}
CONTRACT_TEST(types_contract, integers_of_32_bits) {
  EXPECT_TRUE(type_follows_tree<std::uint32_t>(TypeParam::make(), plus{}));
  EXPECT_TRUE(type_follows_tree<std::int32_t>(TypeParam::make(), multiplies{}));
}
CONTRACT_TEST(types_contract, integers_of_64_bits_wrap) {
  EXPECT_TRUE(type_follows_tree<std::int64_t>(TypeParam::make(), plus{}));
  EXPECT_TRUE(type_follows_tree<std::uint64_t>(TypeParam::make(), plus{}));
}
CONTRACT_TEST(types_contract, integers_of_128_bits) {
  if (is_device<TypeParam>)
    GTEST_SKIP() << "128-bit integers have no kernels among those of the tests";
  EXPECT_TRUE(type_follows_tree<int128>(TypeParam::make(), plus{}));
  EXPECT_TRUE(type_follows_tree<uint128>(TypeParam::make(), multiplies{}));
}
CONTRACT_TEST(types_contract, half_and_bfloat16_combine_in_float) {
#ifdef UPSWEEP_HAS_FLOAT16
  static_assert(std::is_same_v<result_t<plus, float16>, float>);
  if (!is_device<TypeParam>) {  // nvcc does not know _Float16
    EXPECT_TRUE(type_follows_tree<float16>(TypeParam::make(), plus{}));
  }
#endif
  static_assert(std::is_same_v<result_t<plus, bfloat16>, float>);
  EXPECT_TRUE(type_follows_tree<bfloat16>(TypeParam::make(), plus{}));
}
CONTRACT_TEST(types_contract, float_and_double_products) {
  EXPECT_TRUE(type_follows_tree<float>(TypeParam::make(), multiplies{}));
  EXPECT_TRUE(type_follows_tree<double>(TypeParam::make(), multiplies{}));
}
CONTRACT_TEST(types_contract, complex_numbers) {
  EXPECT_TRUE(type_follows_tree<std::complex<float>>(TypeParam::make(), plus{}));
  EXPECT_TRUE(type_follows_tree<std::complex<double>>(TypeParam::make(), plus{}));
}
CONTRACT_TEST(types_contract, structs_of_1_to_7_bytes) {
  EXPECT_TRUE(type_follows_tree<blob<1>>(TypeParam::make(), mix_blobs{}));
  EXPECT_TRUE(type_follows_tree<blob<3>>(TypeParam::make(), mix_blobs{}));
  if (is_device<TypeParam>) return;  // its compiler takes minutes for more bytes
  EXPECT_TRUE(type_follows_tree<blob<7>>(TypeParam::make(), mix_blobs{}));
}
CONTRACT_TEST(types_contract, structs_of_12_to_64_bytes) {
  EXPECT_TRUE(type_follows_tree<words<5>>(TypeParam::make(), mix_words{}));
  EXPECT_TRUE(type_follows_tree<words<8>>(TypeParam::make(), mix_words{}));
  if (is_device<TypeParam>) return;  // its compiler takes minutes for as many bytes
  EXPECT_TRUE(type_follows_tree<blob<12>>(TypeParam::make(), mix_blobs{}));
  EXPECT_TRUE(type_follows_tree<blob<31>>(TypeParam::make(), mix_blobs{}));
  EXPECT_TRUE(type_follows_tree<blob<64>>(TypeParam::make(), mix_blobs{}));
}

CONTRACT_TEST(types_contract, sums_of_narrow_integers_widen) {
  std::vector<std::int8_t> const x(1000, 100);
  static_assert(std::is_same_v<decltype(upsweep::reduce(TypeParam::make(), x)), std::int64_t>);
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), x), 100000);
  std::vector<std::uint16_t> const y(70000, 65535);
  static_assert(std::is_same_v<decltype(upsweep::reduce(TypeParam::make(), y)), std::uint64_t>);
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), y), std::uint64_t{70000} * 65535);
}

CONTRACT_TEST(types_contract, output_may_have_another_type_than_the_accumulator) {
  for (std::size_t const n : type_sizes()) {
    std::vector<std::int32_t> in = random_elements<std::int32_t>(n);
    auto const v = values_by_tree(in, plus{}, options<std::int64_t>{});
    std::vector<double> as_double(n);
    upsweep::inclusive_scan(TypeParam::make(), in, as_double);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(as_double[i], static_cast<double>(v.inclusive[i])) << "i = " << i << ", n = " << n;
    std::vector<std::uint8_t> as_byte(n);
    upsweep::inclusive_scan(TypeParam::make(), in, as_byte);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(as_byte[i], static_cast<std::uint8_t>(v.inclusive[i]))
          << "only the stored value is narrow; i = " << i << ", n = " << n;
  }
}

CONTRACT_TEST(types_contract, float_sums_do_not_stop_growing) {
  std::vector<float> const ones(std::size_t{1} << 25,
                                1.0f);  // a serial sum in float would stop at 2^24
  EXPECT_EQ(upsweep::reduce(TypeParam::make(), ones), 33554432.0f);
}

REGISTER_TYPED_TEST_SUITE_P(types_contract, integers_of_8_bits, integers_of_16_bits,
                            integers_of_32_bits, integers_of_64_bits_wrap, integers_of_128_bits,
                            half_and_bfloat16_combine_in_float, float_and_double_products,
                            complex_numbers, structs_of_1_to_7_bytes, structs_of_12_to_64_bytes,
                            sums_of_narrow_integers_widen,
                            output_may_have_another_type_than_the_accumulator,
                            float_sums_do_not_stop_growing);

}  // namespace upsweep::test

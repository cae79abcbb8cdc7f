/// And, or and exclusive or of integers.
#include "kernel_checks.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {

using bits = testing::Types<kernel<bit_xor, std::uint8_t>, kernel<bit_xor, std::int16_t>,
                            kernel<bit_xor, std::uint32_t>, kernel<bit_xor, std::int64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(bits, kernels, bits);

/// With random numbers all bits of a prefix are soon cleared (and) or set (or); here one bit
/// changes every hundred elements.
template <class Op, class T>
void expect_slow_changes(bool cleared) {
  std::vector<T> x(1500);
  for (std::size_t i = 0; i < x.size(); ++i) {
    T const bit = i % 100 == 57 ? static_cast<T>(T{1} << (i / 100 % (8 * sizeof(T)))) : T{0};
    x[i] = cleared ? static_cast<T>(~bit) : bit;
  }
  expect_every_length<Op>(x);
}
template <class T>
class bit_kernels : public testing::Test {};
using types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                             std::uint32_t, std::int64_t, std::uint64_t, unsigned long long>;
TYPED_TEST_SUITE(bit_kernels, types);
TYPED_TEST(bit_kernels, see_every_bit_change) {
  expect_slow_changes<bit_and, TypeParam>(true);
  expect_slow_changes<bit_or, TypeParam>(false);
  expect_slow_changes<bit_xor, TypeParam>(false);
}

}  // namespace upsweep::test

/// Operators called directly, with NaN and with products that overflow: exits with the number of
/// wrong results. Optimization makes g++ join their comparisons, which calls from loops rarely
/// show; so this file is compiled with -O2 and -ffast-math.
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/drawdown.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/order.hpp>
#include <upsweep/ops/parts.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>

namespace {

using std::uint32_t;
constexpr uint32_t nan = 0x7fc00000, infinite = 0x7f800000, zero = 0, minus_zero = 0x80000000,
                   one = 0x3f800000, two = 0x40000000, huge = 0x7f000000;
int wrong = 0;

/// Functions of numbers that the compiler does not see.
float of(uint32_t bits) {
  uint32_t volatile hidden = bits;
  return std::bit_cast<float>(static_cast<uint32_t>(hidden));
}
void expect(char const* what, uint32_t result, uint32_t right) {
  if (result == right) return;
  std::printf("%s: %08x instead of %08x\n", what, result, right);
  ++wrong;
}

template <class Op>
[[gnu::noinline]] uint32_t combined(Op const& op, float a, float b) {
  return std::bit_cast<uint32_t>(op(a, b));
}
template <class Op>
void extremum(char const* what, Op const& op, uint32_t of_one_and_two, uint32_t of_zeros) {
  expect(what, combined(op, of(one), of(two)), of_one_and_two);
  expect(what, combined(op, of(two), of(one)), of_one_and_two);
  expect(what, combined(op, of(zero), of(minus_zero)), of_zeros);
  expect(what, combined(op, of(minus_zero), of(zero)), of_zeros);
  for (uint32_t const number : {one, minus_zero, infinite}) {
    expect(what, combined(op, of(nan), of(number)), nan);
    expect(what, combined(op, of(number), of(nan)), nan);
  }
}

[[gnu::noinline]] bool is_nan(float x) {
  return upsweep::detail::order::is_nan(x);
}
[[gnu::noinline]] bool precedes(float a, float b) {
  return upsweep::detail::order::precedes(a, b);
}
[[gnu::noinline]] bool same(float a, float b) {
  return upsweep::detail::parts::same(a, b);
}
[[gnu::noinline]] uint32_t total(float a, float b, float c) {
  upsweep::multiplies const by;
  return std::bit_cast<uint32_t>(
      upsweep::detail::total_by<float>(by, [&](auto const& op) { return op(op(a, b), c); }));
}

}  // namespace

int main() {
  extremum("min", upsweep::min{}, one, minus_zero);
  extremum("max", upsweep::max{}, two, zero);
  extremum("min of bits", upsweep::detail::without_branches<float>(upsweep::min{}), one,
           minus_zero);
  extremum("max of bits", upsweep::detail::without_branches<float>(upsweep::max{}), two, zero);
  expect("max_number", combined(upsweep::max_number{}, of(nan), of(one)), one);
  expect("min_number", combined(upsweep::min_number{}, of(one), of(nan)), one);
  expect("is_nan", is_nan(of(nan)), 1);
  expect("is_nan", is_nan(of(infinite)), 0);
  expect("precedes", precedes(of(nan), of(one)), 0);
  expect("precedes", precedes(of(0xffc00000), of(one)), 0);
  expect("precedes", precedes(of(minus_zero), of(zero)), 1);
  expect("same", same(of(nan), of(nan)), 1);
  expect("same", same(of(nan), of(one)), 0);
  expect("product", total(of(huge), of(huge), of(zero)), zero);
  expect("product", total(of(huge), of(two), of(one)), infinite);
  expect("product", total(of(zero), of(huge), of(two)), zero);
  return wrong;
}

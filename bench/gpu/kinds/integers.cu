/// Sums of integers. Upsweep's totals of 8- and 16-bit integers have 64 bits; CUB's have 32, in
/// which these fit.
#include <bench/gpu/kind.cuh>

#include <cstdint>
#include <vector>

namespace upsweep::bench {
namespace {

struct i32 : sums<std::int32_t> {
  static constexpr auto type = bench::element::i32;
};
struct i64 : sums<std::int64_t> {
  static constexpr auto type = bench::element::i64;
};
struct u8 : sums<std::uint8_t, std::uint8_t, std::uint32_t> {
  static constexpr auto type = bench::element::u8;
  __device__ static std::uint8_t element_from(std::uint32_t bits) {
    return static_cast<std::uint8_t>(bits % 4);
  }
};
struct i16 : sums<std::int16_t, std::int16_t, std::int32_t> {
  static constexpr auto type = bench::element::i16;
};

}  // namespace

void add_integers(std::vector<element_kind>& to) {
  to.push_back(kind_for<i32>());
  to.push_back(kind_for<i64>());
  to.push_back(kind_for<u8>());
  to.push_back(kind_for<i16>());
}

}  // namespace upsweep::bench

/// Sums of 32- and 64-bit integers.
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

}  // namespace

void add_integers(std::vector<element_kind>& to) {
  to.push_back(kind_for<i32>());
  to.push_back(kind_for<i64>());
}

}  // namespace upsweep::bench

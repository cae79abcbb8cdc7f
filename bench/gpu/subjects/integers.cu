/// Sums of 32- and 64-bit integers.
#include <bench/gpu/subject.cuh>

namespace upsweep::gpu_bench {
namespace {

struct i32 : sums<std::int32_t> {
  static constexpr char const* name = "i32";
};
struct i64 : sums<std::int64_t> {
  static constexpr char const* name = "i64";
};

}  // namespace

void add_integers(std::vector<subject>& to) {
  to.push_back(subject_for<i32>());
  to.push_back(subject_for<i64>());
}

}  // namespace upsweep::gpu_bench

/// Sums of 8- and 16-bit integers. CUB's totals have 32 bits, in which they fit here; Upsweep's
/// have 64.
#include <bench/gpu/subject.cuh>

namespace upsweep::gpu_bench {
namespace {

struct u8 : sums<std::uint8_t, std::uint8_t, std::uint32_t> {
  static constexpr char const* name = "u8";
  __device__ static std::uint8_t element_from(std::uint32_t bits) {
    return static_cast<std::uint8_t>(bits % 4);
  }
};
struct i16 : sums<std::int16_t, std::int16_t, std::int32_t> {
  static constexpr char const* name = "i16";
};

}  // namespace

void add_narrow(std::vector<subject>& to) {
  to.push_back(subject_for<u8>());
  to.push_back(subject_for<i16>());
}

}  // namespace upsweep::gpu_bench

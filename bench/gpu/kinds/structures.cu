/// Affine maps, whose composition does not commute, and a user-defined structure and operator, for
/// which nothing is tuned.
#include <bench/gpu/kind.cuh>
#include <cuda/std/limits>
#include <upsweep/ops/affine.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::bench {
namespace {

/// CUB's version of affine_map<float>: a float2, which CUB loads and stores as a whole.
struct compose {
  __host__ __device__ float2 operator()(float2 const& earlier, float2 const& later) const {
    return {later.x * earlier.x, later.x * earlier.y + later.y};
  }
};
struct maps {
  static constexpr auto type = bench::element::f32;
  static constexpr operation combined_by = operation::affine;
  static constexpr bool compares_look_backs = true;
  using element = affine_map<float>;
  using op = affine;
  using cub_element = float2;
  using cub_total = float2;
  using cub_op = compose;
  static constexpr bool has_cub_reduce = false;  // CUB's reduction changes the order of operands
  static float2 cub_identity() { return {1, 0}; }
  __device__ static element element_from(std::uint32_t bits) {
    return {bits % 2 == 0 ? 1.0f : -1.0f, static_cast<float>(small_integer(bits >> 1))};
  }
};

/// The summary of a batch of measurements.
struct alignas(16) batch_summary {
  float least, most, sum;
  int count;
};
struct join {
  static constexpr bool commutative = true;
  __host__ __device__ static constexpr batch_summary identity() {
    constexpr float infinity = ::cuda::std::numeric_limits<float>::infinity();
    return {infinity, -infinity, 0, 0};
  }
  __host__ __device__ constexpr batch_summary operator()(batch_summary const& earlier,
                                                         batch_summary const& later) const {
    return {later.least < earlier.least ? later.least : earlier.least,
            later.most > earlier.most ? later.most : earlier.most, earlier.sum + later.sum,
            earlier.count + later.count};
  }
};
struct summaries {
  static constexpr auto type = bench::element::struct16;
  static constexpr operation combined_by = operation::join;
  static constexpr bool compares_look_backs = true;
  using element = batch_summary;
  using op = join;
  using cub_element = batch_summary;
  using cub_total = batch_summary;
  using cub_op = join;
  static constexpr bool has_cub_reduce = true;
  static batch_summary cub_identity() { return join::identity(); }
  __device__ static element element_from(std::uint32_t bits) {
    float const x = static_cast<float>(small_integer(bits));
    return {x, x, x, 1};
  }
};

}  // namespace

void add_structures(std::vector<element_kind>& to) {
  to.push_back(kind_for<maps>());
  to.push_back(kind_for<summaries>());
}

}  // namespace upsweep::bench

/// The textbook's reductions of whole arrays on the emulator: any size, every schedule, the
/// reference's value, no finding.
#include <textbook/reduce_agreement.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/textbook/reduce/device/cluster_reduce.hpp>
#include <upsweep/textbook/reduce/device/coarsened.hpp>
#include <upsweep/textbook/reduce/device/grid_stride.hpp>
#include <upsweep/textbook/reduce/device/last_block.hpp>
#include <upsweep/textbook/reduce/device/partials_on_host.hpp>
#include <upsweep/textbook/reduce/device/segmented_atomic.hpp>
#include <upsweep/textbook/reduce/device/two_pass.hpp>

#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

using namespace textbook;

TEST(segmented_atomic, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<segmented_atomic_plan>();
}
TEST(coarsened, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<coarsened_plan>();
}
TEST(partials_on_host, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<partials_on_host_plan>();
}
TEST(two_pass, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<two_pass_plan>();
}
TEST(grid_stride, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<grid_stride_plan>();
}
TEST(last_block, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<last_block_plan>();
}
TEST(cluster_reduce, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<cluster_reduce_plan>();
}

TEST(segmented_atomic, uses_hardware_addition_if_the_caller_names_the_operation) {
  expect_reduces_every_size<segmented_atomic_plan<128>, float>(plus{}, hardware_operation::add);
  expect_reduces_on_every_schedule<coarsened_plan<128>, std::int32_t>(30011, plus{},
                                                                      hardware_operation::add);
}

TEST(segmented_atomic, supports_only_elements_of_an_atomic_size) {
  static_assert(plan_supports<segmented_atomic_plan<128>, map32, affine>);
  static_assert(!plan_supports<segmented_atomic_plan<128>, affine_map<std::int64_t>, affine>);
  static_assert(!plan_supports<coarsened_plan<128>, std::int16_t, plus>);
}

TEST(last_block, agrees_with_the_reference_on_every_schedule_with_many_blocks) {
  expect_reduces_on_every_schedule<last_block_plan<128>, map32>(60013, affine{});
  expect_reduces_on_every_schedule<cluster_reduce_plan<128>, map32>(60013, affine{});
}

TEST(grid_stride, reduces_a_million_elements_with_its_largest_grid) {
  sim::options quick;
  quick.count = quick.check = false;
  std::vector<std::int32_t> const in = small_elements<std::int32_t>((1u << 20) + 7);
  std::int32_t const expected = reference::reduce(in, unwidened<std::int32_t>(plus{}));
  EXPECT_EQ(run_on_sim<grid_stride_plan<128>>(in, 1, plus{}, quick).values[0], expected);
  EXPECT_EQ(run_on_sim<last_block_plan<256>>(in, 1, plus{}, quick).values[0], expected);
}

}  // namespace
}  // namespace upsweep::test

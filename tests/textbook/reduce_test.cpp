/// The textbook's reductions on the emulator: any size, every schedule, the reference's value, no
/// finding.
#include <textbook/run_on_sim.hpp>
#include <upsweep/ops/bitwise.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/textbook/reduce/block/convergent.hpp>
#include <upsweep/textbook/reduce/block/crossbar_reduce.hpp>
#include <upsweep/textbook/reduce/block/interleaved.hpp>
#include <upsweep/textbook/reduce/block/interleaved_index.hpp>
#include <upsweep/textbook/reduce/block/serial_reduce.hpp>
#include <upsweep/textbook/reduce/block/shared_reduce.hpp>
#include <upsweep/textbook/reduce/block/shuffle_reduce.hpp>
#include <upsweep/textbook/reduce/block/unrolled_warp.hpp>
#include <upsweep/textbook/reduce/block/warp_reduce_sync.hpp>
#include <upsweep/textbook/reduce/device/cluster_reduce.hpp>
#include <upsweep/textbook/reduce/device/coarsened.hpp>
#include <upsweep/textbook/reduce/device/grid_stride.hpp>
#include <upsweep/textbook/reduce/device/last_block.hpp>
#include <upsweep/textbook/reduce/device/partials_on_host.hpp>
#include <upsweep/textbook/reduce/device/segmented_atomic.hpp>
#include <upsweep/textbook/reduce/device/two_pass.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

template <class Plan, class T, class Op, class... More>
void expect_reduces(std::size_t n, Op const& op, scheduled const& s, More... more) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << s);
  std::vector<T> const in = small_elements<T>(n, test_seed() + n);
  T const expected = reference::reduce(in, unwidened<T>(op));
  outcome<T> const got = run_on_sim<Plan>(in, 1, op, options_of(s), more...);
  EXPECT_TRUE(got.values[0] == expected) << seed_note();
  EXPECT_EQ(findings_of(got.report), "");
}

template <class Plan, class T, class Op, class... More>
void expect_reduces_on_every_schedule(std::size_t n, Op const& op, More... more) {
  for (scheduled const& s : every_schedule()) expect_reduces<Plan, T>(n, op, s, more...);
}

template <class Plan, class T, class Op, class... More>
void expect_reduces_every_size(Op const& op, More... more) {
  for (std::size_t const n : sizes_around_tiles<Plan>())
    expect_reduces<Plan, T>(n, op, {}, more...);
}

/// The whole test of one algorithm. Maps do not commute, so only algorithms that keep the order are
/// tested with them.
template <template <int> class Plan>
void expect_reduces_everything() {
  expect_reduces_every_size<Plan<128>, float>(plus{});
  expect_reduces_every_size<Plan<256>, std::int32_t>(upsweep::max{});
  expect_reduces_on_every_schedule<Plan<128>, float>(3001, plus{});
  expect_reduces<Plan<256>, std::int64_t>(3001, plus{}, {});
  expect_reduces<Plan<256>, double>(3001, upsweep::min{}, {});
  if constexpr (Plan<128>::keeps_order) {
    expect_reduces_every_size<Plan<128>, map32>(affine{});
    expect_reduces_on_every_schedule<Plan<128>, map32>(3001, affine{});
  }
}

using namespace textbook;

TEST(serial_reduce, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<serial_reduce_plan>();
}
TEST(interleaved, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<interleaved_plan>();
}
TEST(interleaved_index, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<interleaved_index_plan>();
}
TEST(convergent, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<convergent_plan>();
}
TEST(shared_reduce, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<shared_reduce_plan>();
}
TEST(unrolled_warp, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<unrolled_warp_plan>();
}
TEST(shuffle_reduce, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<shuffle_reduce_plan>();
}
TEST(crossbar_reduce, agrees_with_the_reference_everywhere) {
  expect_reduces_everything<crossbar_reduce_plan>();
}

TEST(warp_reduce_sync, agrees_with_the_reference_for_all_six_operations) {
  using plan = warp_reduce_sync_plan<128>;
  expect_reduces_every_size<plan, std::int32_t>(plus{}, hardware_operation::add);
  expect_reduces_every_size<plan, std::int32_t>(upsweep::min{}, hardware_operation::min);
  expect_reduces<plan, std::int32_t>(3001, upsweep::max{}, {}, hardware_operation::max);
  expect_reduces<plan, std::int32_t>(3001, bit_and{}, {}, hardware_operation::bit_and);
  expect_reduces<plan, std::int32_t>(3001, bit_or{}, {}, hardware_operation::bit_or);
  expect_reduces<plan, std::int32_t>(3001, bit_xor{}, {}, hardware_operation::bit_xor);
  expect_reduces<plan, std::uint32_t>(3001, upsweep::min{}, {},
                                      hardware_operation::min);  // not the signed comparison
  expect_reduces_on_every_schedule<plan, std::int32_t>(3001, plus{}, hardware_operation::add);
}

TEST(warp_reduce_sync, deduces_the_operation_of_library_operators_and_rejects_others) {
  static_assert(hardware_operation_of<plus> == hardware_operation::add);
  static_assert(hardware_operation_of<bit_xor> == hardware_operation::bit_xor);
  static_assert(hardware_operation_of<multiplies> == hardware_operation::none);
  static_assert(plan_supports<warp_reduce_sync_plan<128>, std::int32_t, plus>);
  static_assert(!plan_supports<warp_reduce_sync_plan<128>, float, plus>);
  static_assert(plan_supports<shared_reduce_plan<128>, float, plus>);
  EXPECT_THROW((void)run_on_sim<warp_reduce_sync_plan<128>>(small_elements<std::int32_t>(9), 1,
                                                            plus{}, counted()),
               precondition_error);
}

/// skeleton.hpp says why: the identity of a sum is +0.
TEST(shared_reduce,
     keeps_minus_zero_in_full_tiles_and_takes_the_identity_where_a_thread_has_no_element) {
  for (std::size_t const n : {std::size_t{256}, std::size_t{255}, std::size_t{1}}) {
    outcome<float> const got =
        run_on_sim<shared_reduce_plan<128>>(std::vector<float>(n, -0.0f), 1, plus{}, {});
    EXPECT_EQ(got.values[0], 0.0f);
    EXPECT_EQ(std::signbit(got.values[0]), n == 256) << "n = " << n;
  }
}

TEST(crossbar_reduce, gives_prefix_sums_when_lanes_read_from_earlier_ones) {
  for (std::size_t const n : {std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{32}}) {
    std::vector<map32> const in = small_elements<map32>(n, test_seed());
    outcome<map32> const got = run_on_sim<crossbar_prefix_plan>(in, n, affine{}, counted());
    EXPECT_EQ(got.values, reference::inclusive_scan(in, unwidened<map32>(affine{})))
        << "n = " << n << ", " << seed_note();
    EXPECT_EQ(findings_of(got.report), "");
  }
}

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

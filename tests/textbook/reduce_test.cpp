/// The textbook's reductions, and the mistakes that their pages describe.
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

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The textbook's reductions on the emulator: any size, every schedule, the reference's value, no
// finding.

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

// The mistakes that the pages of the reductions describe: each is in the literature or one
// deletion away, and the emulator reports it.

namespace upsweep::textbook {

/// Harris's last warp, with either of its two defects: no barrier between the steps, which relies
/// on lockstep; and all lanes writing in every step, so that lane t + stride writes what lane t
/// reads.
template <class T, bool ordered, bool guarded, class Op>
__global__ void last_warp_with(T const* in, T* out, std::size_t, Op op) {
  __shared__ T tile[64];
  unsigned const t = threadIdx.x;
  tile[t] = in[t];
  tile[t + 32] = in[t];  // read by the upper lanes, but not needed
  __syncwarp();          // the tile is loaded
  for (unsigned stride = 16; stride >= 1; stride /= 2) {
    if (!guarded || t < stride) tile[t] = op(tile[t], tile[t + stride]);
    if constexpr (ordered) __syncwarp();  // the first `stride` elements cover all 32
  }
  if (t == 0) out[0] = tile[0];
}

/// cluster_reduce without the second cluster barrier.
template <class T, class Op>
__global__ void cluster_that_leaves(T const* in, T* out, std::size_t n, Op op) {
  __shared__ T block;
  auto const cluster = cooperative_groups::this_cluster();
  T total = block_total<32>(pair_total<32, T>(in, n, op), op);
  if (threadIdx.x == 0) block = total;
  cluster.sync();  // every block's total is in its shared memory
  if (cluster.block_rank() != 0 || threadIdx.x != 0) return;
  for (unsigned rank = 1; rank < cluster.num_blocks(); ++rank)
    total = op(total, *cluster.map_shared_rank(&block, rank));
  out[0] = total;
}

/// crossbar_reduce that ignores the valid bits.
template <class T, class Op>
__global__ void crossbar_without_valid(T const* in, T* out, std::size_t n, Op op) {
  unsigned const lane = threadIdx.x;
  T value = lane < n ? in[lane] : T{100};  // idle lanes hold some old value
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    simt::crossed<T> const later = simt::crossbar(value, lane < n, lane + offset);
    value = op(value, later.value);
  }
  if (lane == 0) out[0] = value;
}

/// last_block with or without each of its fences.
template <class T, int threads, bool writer, bool reader, class Op>
__global__ void last_block_with(T const* in, T* partials, unsigned* tickets, T* out, std::size_t n,
                                Op op) {
  __shared__ unsigned ticket;
  unsigned const t = threadIdx.x;
  T const partial =
      block_total<threads>(run_total<T>(in, blockIdx.x * std::size_t{threads} + t, 1, n, op), op);
  if (t == 0) {
    partials[blockIdx.x] = partial;
    if constexpr (writer) __threadfence();
    ticket = atomicAdd(&tickets[0], 1u);
    if constexpr (reader) __threadfence();
  }
  __syncthreads();  // every thread has the block's ticket
  unsigned const drawn = ticket;
  if (drawn + 1 < gridDim.x) return;
  T const total = block_total<threads>(run_total<T>(partials, t, 1, gridDim.x, op), op);
  if (t == 0) out[0] = total;
}

/// shared_reduce padded with zeros for every operator.
template <class T, class Op>
__global__ void padded_with_zeros(T const* in, T* out, std::size_t n, Op op) {
  unsigned const t = threadIdx.x;
  T const value = t < n ? in[t] : T{};
  T const total = block_total<32>(value, op);
  if (t == 0) out[0] = total;
}

template <bool writer, bool reader>
struct last_block_with_plan {
  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    unsigned const blocks = tiles_of(n, 32);
    T* const partials = machine.template allocate<T>(blocks, "partials");
    unsigned* const tickets = machine.template allocate<unsigned>(1, "tickets");
    machine.fill(tickets, 1, 0u);
    machine.launch({.name = "last_block_with", .blocks = {blocks}, .threads = {32}},
                   last_block_with<T, 32, writer, reader, Op>, in, partials, tickets, out, n, op);
  }
};
template <bool ordered, bool guarded>
struct last_warp_with_plan {
  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    machine.launch(free_blocks("last_warp_with", 1, 32), last_warp_with<T, ordered, guarded, Op>,
                   in, out, n, op);
  }
};
struct cluster_that_leaves_plan {
  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    machine.launch({.name = "cluster_that_leaves", .blocks = {4}, .threads = {32}, .cluster = 4},
                   cluster_that_leaves<T, Op>, in, out, n, op);
  }
};
struct crossbar_without_valid_plan {
  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    machine.launch(free_blocks("crossbar_without_valid", 1, 32), crossbar_without_valid<T, Op>, in,
                   out, n, op);
  }
};
struct padded_with_zeros_plan {
  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    machine.launch(free_blocks("padded_with_zeros", 1, 32), padded_with_zeros<T, Op>, in, out, n,
                   op);
  }
};

}  // namespace upsweep::textbook
namespace upsweep::test {
namespace {

using namespace textbook;

bool has(sim::report const& report, sim::finding_kind kind) {
  return std::any_of(report.findings.begin(), report.findings.end(),
                     [&](auto const& finding) { return finding.kind == kind; });
}

TEST(reduce_mistakes, harris_last_warp_has_two_races) {
  std::vector<float> const in = small_elements<float>(32);
  EXPECT_EQ(
      findings_of(run_on_sim<last_warp_with_plan<true, true>>(in, 1, plus{}, counted()).report),
      "");
  auto const unordered =
      run_on_sim<last_warp_with_plan<false, true>>(in, 1, plus{}, counted()).report;
  EXPECT_TRUE(has(unordered, sim::finding_kind::race_in_block)) << findings_of(unordered);
  auto const unguarded =
      run_on_sim<last_warp_with_plan<true, false>>(in, 1, plus{}, counted()).report;
  EXPECT_TRUE(has(unguarded, sim::finding_kind::race_in_block)) << findings_of(unguarded);
}

TEST(reduce_mistakes, blocks_that_exit_their_cluster_early_are_reported) {
  try {
    static_cast<void>(
        run_on_sim<cluster_that_leaves_plan>(small_elements<float>(256), 1, plus{}, counted()));
    ADD_FAILURE() << "a block read the shared memory of one that had exited";
  } catch (sim::kernel_failure const& failure) {
    EXPECT_NE(std::string(failure.what()).find("cluster barrier"), std::string::npos)
        << failure.what();
  }
}

TEST(reduce_mistakes, crossbar_without_valid_bits_is_right_for_whole_warps_only) {
  for (std::size_t const n : {std::size_t{32}, std::size_t{20}}) {
    std::vector<float> const in(n, 1.0f);
    float const got = run_on_sim<crossbar_without_valid_plan>(in, 1, plus{}, counted()).values[0];
    EXPECT_EQ(got == static_cast<float>(n), n == 32) << got;
  }
}

TEST(reduce_mistakes, a_missing_fence_of_last_block_is_reported_though_the_result_is_right) {
  std::vector<float> const in = small_elements<float>(20 * 32);
  float const expected = reference::reduce(in, unwidened<float>(plus{}));
  auto const whole = run_on_sim<last_block_with_plan<true, true>>(in, 1, plus{}, counted());
  EXPECT_EQ(findings_of(whole.report), "");
  auto const no_writer = run_on_sim<last_block_with_plan<false, true>>(in, 1, plus{}, counted());
  EXPECT_TRUE(has(no_writer.report, sim::finding_kind::missing_fence))
      << findings_of(no_writer.report);
  auto const no_reader = run_on_sim<last_block_with_plan<true, false>>(in, 1, plus{}, counted());
  EXPECT_TRUE(has(no_reader.report, sim::finding_kind::missing_fence))
      << findings_of(no_reader.report);
  EXPECT_EQ(no_writer.values[0], expected);
  EXPECT_EQ(no_reader.values[0], expected);
}

TEST(reduce_mistakes, padding_with_zeros_is_right_for_sums_only) {
  std::vector<std::int32_t> const in(20, -7);
  EXPECT_EQ(run_on_sim<padded_with_zeros_plan>(in, 1, plus{}, counted()).values[0], -140);
  EXPECT_EQ(run_on_sim<padded_with_zeros_plan>(in, 1, upsweep::max{}, counted()).values[0], 0);
}

TEST(reduce_mistakes, halving_strides_permute_maps) {
  std::vector<map32> const in = small_elements<map32>(256);
  auto const got = run_on_sim<convergent_plan<128>>(in, 1, affine{}, counted());
  EXPECT_FALSE(got.values[0] == reference::reduce(in, unwidened<map32>(affine{})));
  EXPECT_EQ(findings_of(got.report), "");
}

}  // namespace

}  // namespace upsweep::test

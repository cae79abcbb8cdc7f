/// The carry of a stream on the emulator: what the processor's carry says, from totals that scans leave behind and from others.
#include <device/on_sim.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/kernels/push_block.hpp>
#include <upsweep/cuda/kernels/scan_tiles.hpp>

#include <random>

#include <upsweep/simt/begin.hpp>

namespace upsweep::test {
namespace {

using namespace device;

/// A stream whose blocks are scanned by scan_tiles where they have several tiles, beside the same stream on the processor.
template <class T, class Op>
class two_streams {
  using A = accumulator_t<Op, T>;
  using shape = tile_shape<2, 2, items_of<T>>;
  using source = element_source<T, global<T const>, as_is, Op, false>;
  using sink = element_sink<A, global<A>, Op, false>;

 public:
  explicit two_streams(scheduled const& s) : machine_(machine_for(s)), words_(workspace_on(machine_, 8192)) {
    left_ = machine_.allocate<A>(carry_values, "carry");
  }

  /// Appends 2^k elements.
  void push(int k, std::size_t seed) {
    std::size_t const n = std::size_t{1} << k;
    std::size_t const position = expected_.position(), tiles = n / shape::size;
    auto const x = elements_for<T>(n, seed);
    A const total = reference::block(x, k, 0, op_);
    bool const merges = (position >> k & 1) != 0;
    auto const out = machine_.allocate<A>(n, "out");
    if (tiles > 1) {
      auto const in = machine_.allocate<T>(n, "in");
      machine_.to_device(in, x);
      scan_start<A> const start{A{}, A{}, false, position > 0, left_ + carry_prefix};
      machine_.launch({.name = "scan_tiles", .blocks = {3}, .threads = {shape::threads}},
                      scan_tiles<scan_kind::inclusive, shape, source, sink>, source{in, n, {}, {}, true}, sink{out, n, {}, true}, n,
                      start, words_);
    } else {
      machine_.to_device(left_ + carry_pushed, std::span<A const>(&total, 1));
    }
    last_result<sink, A> const last{sink{out + (n - 1), 1, {}, false}, A{}, false, merges};
    machine_.launch({.name = "push_block", .blocks = {1}, .threads = {tiles > 1 ? 128u : 32u}},
                    push_block<4, A, Op, last_result<sink, A>>, left_, position, static_cast<unsigned>(k), words_,
                    tiles > 1 ? static_cast<unsigned>(tiles) : 0u, last, op_);
    expected_.push(k, total, op_);
    A const prefix = machine_.to_host(left_ + carry_prefix, 1)[0];
    EXPECT_TRUE(same_bits(prefix, *expected_.prefix())) << "position " << expected_.position();
    if (merges || tiles > 1) {
      A const result = machine_.to_host(out + (n - 1), 1)[0];
      EXPECT_TRUE(same_bits(result, *expected_.prefix())) << "last result, position " << expected_.position();
    }
    expect_no_finding(machine_);
  }

 private:
  Op op_;
  sim::machine machine_;
  workspace_words words_;
  global<A> left_{};
  carry<A> expected_;
};

template <class T, class Op>
void expect_streams(scheduled const& s) {
  SCOPED_TRACE(testing::Message() << s);
  two_streams<T, Op> both(s);
  std::size_t seed = 0;
  for (int const k : {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) both.push(k, ++seed);  // merges all the way
  for (int const k : {11, 10, 9, 9, 3, 2, 0, 0, 2, 3}) both.push(k, ++seed);       // falls, and rises again
}

TEST(device_push_block, leaves_the_carry_of_the_processor) {
  for (scheduled const& s : every_schedule()) {
    expect_streams<float, plus>(s);
    expect_streams<affine_map<double>, affine>(s);
  }
}

TEST(device_push_block, adds_up_every_number_of_tiles) {
  two_streams<affine_map<double>, affine> both({});
  std::size_t seed = 100;
  for (int const k : {8, 8, 9, 10, 11, 12, 13, 14, 15, 16}) both.push(k, ++seed);  // 2 to 512 tiles
}

}  // namespace
}  // namespace upsweep::test
#include <upsweep/simt/end.hpp>

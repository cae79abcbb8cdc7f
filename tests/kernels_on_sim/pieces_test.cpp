/// Pieces of an array on the emulator: the totals of their maximal aligned blocks, at any position,
/// and the carry after several of them.
#include <kernels_on_sim/element_runs.hpp>
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/pieces/block_totals.hpp>
#include <upsweep/cuda/pieces/join.hpp>
#include <upsweep/cuda/stream/device_carry.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

/// The total of 2^k elements from x[i] on, as the definition of the combine tree has it.
template <class A, class Op>
A tree_total(std::vector<A> const& x, std::size_t i, int k, Op const& op) {
  if (k == 0) return x[i];
  return op(tree_total(x, i, k - 1, op), tree_total(x, i + (std::size_t{1} << (k - 1)), k - 1, op));
}

template <class T, class Op>
class pieces_on_sim {
  using A = accumulator_t<Op, T>;
  using source = element_source<T, T const*, detail::as_is, Op, false>;
  using shape = tile_shape<2, 2, items_of<T>>;

 public:
  explicit pieces_on_sim(scheduled const& s = {})
      : machine_(machine_for(s)), words_(workspace_on(machine_, 1 << 14)) {}

  /// Reduces n elements at `begin` and compares with the definition.
  template <unsigned k>
  void expect_totals(std::size_t begin, std::size_t n, unsigned most_blocks = 4) {
    SCOPED_TRACE(testing::Message() << n << " elements at " << begin << ", " << seed_note());
    auto const x = elements_for<T>(n, begin);
    auto const to = room_for(1);
    reduce<k>(x, begin, most_blocks, to);
    auto const got = machine_.to_host(to, 1)[0];
    EXPECT_EQ(got.begin, begin);
    EXPECT_EQ(got.end, begin + n);
    auto const lifted = reference::lifted(x, op_);
    detail::block_sequence const blocks(begin, begin + n, 62);
    std::size_t next = 0;
    got.for_each([&](int digit, A const& total) {
      ASSERT_LT(next, blocks.size());
      auto const [position, level] = blocks[next++];
      ASSERT_EQ(digit, level);
      ASSERT_TRUE(same_bits(total, tree_total(lifted, position - begin, level, op_)))
          << "block " << next - 1 << " of " << blocks.size() << ", 2^" << level << " at "
          << position;
    });
    EXPECT_EQ(next, blocks.size());
    expect_no_finding(machine_);
  }

  /// Joins pieces of these sizes, and compares with the CPU's carry.
  void expect_joined(std::vector<std::size_t> const& sizes) {
    SCOPED_TRACE(testing::PrintToString(sizes));
    auto const all = room_for(sizes.size());
    auto const to = machine_.allocate<A>(carry_values, "carry");
    carry<A> expected;
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      auto const x = elements_for<T>(sizes[p], p);
      reduce<0>(x, expected.position(), 4, all + p);
      for (A const& each : reference::lifted(x, op_)) expected.push(0, each, op_);
    }
    machine_.launch({.name = "join_pieces", .blocks = {1}, .threads = {join_threads<A>}},
                    join_pieces<A, Op>, all, static_cast<unsigned>(sizes.size()), to,
                    to + carry_prefix, op_, failure_report{});
    for (int k = 0; k < 64; ++k) {
      if ((expected.position() >> k & 1) == 0) continue;
      ASSERT_TRUE(same_bits(machine_.to_host(to + k, 1)[0], expected.total(k))) << "digit " << k;
    }
    if (expected.prefix() != nullptr) {
      A const prefix = machine_.to_host(to + carry_prefix, 1)[0];
      EXPECT_TRUE(same_bits(prefix, *expected.prefix()));
    }
    expect_no_finding(machine_);
  }

  /// Joins the pieces before the third of three, of which the second or none has failed.
  void expect_failure_told(bool fails) {
    auto const all = room_for(3);
    auto const to = machine_.allocate<A>(carry_values, "carry");
    auto const told = machine_.allocate<unsigned>(1, "told");
    for (std::size_t p = 0; p < 3; ++p) reduce<0>(elements_for<T>(4, p), 4 * p, 4, all + p);
    if (fails) machine_.to_device(&all[1].begin, std::span(piece_totals<A>::borders_of_failed));
    unsigned const none = 0;
    machine_.to_device(told, std::span(&none, 1));
    machine_.launch({.name = "join_pieces", .blocks = {1}, .threads = {join_threads<A>}},
                    join_pieces<A, Op>, all, 2u, to, to + carry_prefix, op_,
                    failure_report{3, told});
    EXPECT_EQ(machine_.to_host(told, 1)[0], fails ? 2u : 0u);
  }

 private:
  /// In words, which the emulator watches one by one.
  piece_totals<A>* room_for(std::size_t pieces) {
    auto const words = machine_.allocate<unsigned>(pieces * sizeof(piece_totals<A>) / 4, "totals");
    return reinterpret_cast<piece_totals<A>*>(words);
  }

  template <unsigned k>
  void reduce(std::vector<T> const& x, std::size_t begin, unsigned most_blocks,
              piece_totals<A>* to) {
    std::size_t const n = x.size();
    piece_cut const cut(begin, n, shape::chunk, shape::warps << k);
    auto const in = machine_.allocate<T>(n + 1, "in");
    machine_.to_device(in, std::span<T const>(x));
    bool const vectors = cut.head * sizeof(T) % 16 == 0;
    std::size_t const tiles = cut.tiles + (cut.edges + shape::warps - 1) / shape::warps,
                      blocks = detail::at_most(tiles, std::size_t{most_blocks}) + 1;
    machine_.launch({.name = "block_totals",
                     .blocks = {static_cast<unsigned>(blocks)},
                     .threads = {shape::threads}},
                    block_totals<k, shape, source>, source{in, n, {}, op_, true, begin},
                    source{in + cut.head, n - cut.head, {}, op_, vectors, begin + cut.head}, begin,
                    cut, begin % 2 != 0, to, words_);
  }

  Op op_;
  sim::machine machine_;
  workspace_words words_;
};

constexpr std::size_t floats_of_a_tile = 512;  // elements of float, with k = 0

TEST(device_pieces, have_the_totals_of_the_tree_on_every_schedule) {
  for (scheduled const& s : every_schedule(2)) {
    SCOPED_TRACE(testing::Message() << s);
    pieces_on_sim<float, plus> sums(s);
    for (std::size_t const n :
         {std::size_t{1}, floats_of_a_tile / 2, 3 * floats_of_a_tile + 3, 6 * floats_of_a_tile})
      sums.expect_totals<0>(floats_of_a_tile - 3, n);
    pieces_on_sim<affine_map<double>, affine> maps(s);
    maps.expect_totals<0>(77, 300);
    maps.expect_totals<1>(1, 900);
  }
}
TEST(device_pieces, begin_and_end_anywhere) {
  pieces_on_sim<affine_map<double>, affine> maps;
  for (std::size_t const begin : {0u, 1u, 3u, 31u, 32u, 63u, 64u, 65u, 96u, 100u, 127u, 128u})
    for (std::size_t const n : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 200u}) {
      maps.expect_totals<0>(begin, n);
      maps.expect_totals<1>((std::size_t{1} << 40) - begin, n);
    }
}
TEST(device_pieces, of_more_tiles_than_one_group_has) {
  pieces_on_sim<affine_map<double>, affine> maps({.check = false});
  std::size_t const tile_of_maps = 128, group = 1024 * tile_of_maps;
  maps.expect_totals<0>(0, 2 * group);
  maps.expect_totals<0>(3 * group - 5, group + 7);
}
TEST(device_pieces, of_elements_of_all_sizes) {
  pieces_on_sim<std::int8_t, plus>().expect_totals<0>(5, 7001);
  pieces_on_sim<std::int8_t, plus>().expect_totals<3>(7003, 17001);
  pieces_on_sim<triple, compose_triples>().expect_totals<0>(31, 500);
  pieces_on_sim<wide, join_wide>().expect_totals<0>(500, 900);
}
TEST(device_pieces, join_to_the_carry_behind_them) {
  pieces_on_sim<affine_map<double>, affine> maps;
  maps.expect_joined({});
  maps.expect_joined({0});
  maps.expect_joined({1, 0, 1, 2, 3, 0, 64});
  maps.expect_joined({200, 56, 77, 1, 500});
  maps.expect_joined({1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10, 11, 12, 13, 14, 15, 16});  // 8 at once
  pieces_on_sim<float, plus> sums;
  sums.expect_joined({1024, 1024, 1024});
  sums.expect_joined({1000, 3, 2000, 0, 777, 1});
}

TEST(device_pieces, of_a_failed_rank_are_told) {
  pieces_on_sim<float, plus> sums;
  sums.expect_failure_told(false);
  sums.expect_failure_told(true);
}

/// The inputs in the order and with the brackets in which they were combined.
struct bracketed {
  std::string operator()(std::string const& a, std::string const& b) const {
    return "(" + a + b + ")";
  }
};
TEST(device_pieces, are_behind_a_total_only_if_no_block_begins_in_front_of_them) {
  constexpr std::size_t most = 70;
  bracketed const op;
  auto const letter = [](std::size_t i) { return std::string(1, static_cast<char>('A' + i)); };
  carry<std::string> in_front;
  for (std::size_t position = 1; position <= most; ++position) {
    in_front.push(0, letter(position - 1), op);
    carry<std::string> whole = in_front, piece;
    std::size_t same = 0;  // elements whose prefix is the total with blocks of the piece after it
    for (bool equal = true; equal && same < most;) {
      whole.push(0, letter(position + same), op);
      piece.push(0, letter(position + same), op);
      std::string appended = *in_front.prefix();
      for (int k = 64; k-- > 0;)
        if ((piece.position() >> k & 1) != 0) appended = op(appended, piece.total(k));
      equal = appended == *whole.prefix();
      if (equal) ++same;
    }
    for (std::size_t n = 1; n <= most; ++n) {
      SCOPED_TRACE(testing::Message() << n << " elements at " << position);
      EXPECT_TRUE(!follows_total(true, position, n) || same >= n);
      EXPECT_TRUE(!follows_total(false, position, n) || same >= n - 1);
    }
  }
  EXPECT_TRUE(follows_total(false, 120, 8));
  EXPECT_FALSE(follows_total(true, 120, 8));  // element 127 ends the block that begins at 0
  EXPECT_TRUE(follows_total(true, 64, 64));
  EXPECT_TRUE(follows_total(true, 128, 64));
  EXPECT_FALSE(follows_total(true, 192, 64));
  EXPECT_TRUE(follows_total(true, 192, 63));
}
#ifdef UPSWEEP_FULL_TESTS
TEST(device_pieces, are_right_for_every_associative_operator) {
  for (scheduled const& s : every_schedule(2)) {
    pieces_on_sim<element_run, join_element_runs> runs(s);
    for (std::size_t const begin : {0u, 1u, 63u, 64u, 100u})
      for (std::size_t const n : {0u, 1u, 33u, 64u, 127u, 700u}) runs.expect_totals<0>(begin, n);
    runs.expect_joined({1, 0, 1, 2, 3, 0, 64});
    runs.expect_joined({200, 56, 77, 1, 500});
  }
}
#endif

}  // namespace
}  // namespace upsweep::test

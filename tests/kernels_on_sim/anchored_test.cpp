/// Recurrences in the tree of anchored blocks and selective scans, and their gradients, by the
/// kernels of the CUDA backend on the emulator.
#include <kernels_on_sim/anchored_on_sim.hpp>
#include <kernels_on_sim/selective_on_sim.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

// Linear recurrences in the tree of anchored blocks, and their gradients, by the kernels of the
// CUDA backend on the emulator.

TEST(device_anchored_recurrence, has_the_bits_of_the_tree_at_every_size) {
  for (std::size_t const n :
       lengths{0, 1, 2, 3, 15, 16, 17, 31, 33, 100, 128, 255, 256, 257, 511, 512, 513, 1000})
    for (std::size_t const lanes : lengths{1, 3, 33}) expect_chunks<float>(1, lanes, {n});
}
TEST(device_anchored_recurrence, continues_from_every_position) {
  expect_chunks<float>(2, 2, lengths(40, 7));
  expect_chunks<float>(1, 3, {1, 1, 1, 1, 1, 12, 16, 31, 64, 128, 255, 256, 257, 0, 3, 600, 1});
  for (std::size_t p = 1; p < 256; p += p < 20 ? 1 : 23) expect_chunks<float>(1, 1, {p, 300});
}
TEST(device_anchored_recurrence, has_lines_of_several_sequences_in_a_tile) {
  expect_chunks<float>(5, 7, {300, 1, 211});
  expect_chunks<float>(70, 1, {257, 5});
}
TEST(device_anchored_recurrence, of_every_type) {
  for (std::size_t const lanes : lengths{1, 17}) {
    expect_chunks<double>(2, lanes, {100, 301, 1});
    expect_chunks<bfloat16, float>(2, lanes, {100, 301, 1});
    expect_chunks<float16, float>(2, lanes, {100, 301, 1});
    expect_chunks<complex_number<float>>(2, lanes, {100, 301, 1});
    expect_chunks<complex_number<double>>(2, lanes, {100, 301, 1});
  }
}
TEST(device_anchored_recurrence, runs_from_the_end) {
  expect_chunks<float>(3, 3, {300, 1, 212}, true);
  expect_chunks<float>(70, 1, {300, 1, 212, 44}, true);
  expect_chunks<bfloat16, float>(3, 1, {300, 1, 212, 44}, true);
}
TEST(device_anchored_recurrence, of_packed_sequences_at_different_positions) {
  for (bool const backward : {false, true}) {
    calls_on_sim<float, float> calls(6, 5, {});
    for (lengths const& tokens : {lengths{1, 0, 300, 255, 0, 600}, lengths{255, 0, 1, 1, 256, 0},
                                  lengths{3, 0, 512, 700, 1, 90}, lengths(6, 0)})
      calls.call(tokens, true, backward);
  }
}
TEST(device_anchored_recurrence, of_pairs_of_lanes) {
  for (bool const backward : {false, true}) {
    expect_chunks<float>(3, 34, {100, 301, 1, 700}, backward, {}, by::pairs);
    expect_chunks<bfloat16, float>(3, 6, {100, 301, 1}, backward, {}, by::pairs);
    expect_chunks<float16, float>(1, 32, {100, 301}, backward, {}, by::pairs);
  }
  expect_chunks<float>(2, 6, lengths(300, 1), false, {}, by::pairs);
}
TEST(device_anchored_recurrence, in_stages_at_every_size) {
  for (std::size_t const n : lengths{0, 2, 15, 17, 255, 256, 257, 512, 513, 1000})
    expect_chunks<bfloat16, float>(1, 64, {n}, false, {}, by::pair_stages);
  for (bool const backward : {false, true})
    for (std::size_t const sequences : lengths{1, 2}) {
      expect_chunks<bfloat16, float>(sequences, 128, {100, 301, 1, 513, 1700}, backward, {},
                                     by::pair_stages);
      expect_chunks<float16, float>(sequences, 64, {100, 301}, backward, {}, by::pair_stages);
    }
}
TEST(device_anchored_recurrence, after_whole_parts_of_a_block) {
  lengths const chunks{16, 16, 32, 48, 128, 240, 256, 100};
  for (bool const gradients : {false, true}) {
    expect_chunks<bfloat16, float>(1, 64, chunks, false, {}, by::pair_stages, gradients);
    expect_chunks<float>(2, 3, chunks, false, {}, by::loads, gradients);
  }
}
TEST(device_anchored_recurrence, in_stages_of_packed_sequences) {
  for (bool const backward : {false, true}) {
    calls_on_sim<bfloat16, float> calls(6, 64, {});
    for (lengths const& tokens :
         {lengths{1, 0, 300, 255, 0, 600}, lengths{255, 0, 1, 1, 256, 0}, lengths(6, 0)})
      calls.call(tokens, true, backward, by::pair_stages);
  }
}
TEST(device_anchored_recurrence, in_stages_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    expect_chunks<bfloat16, float>(1, 128, {700, 900}, false, s, by::pair_stages);
}
TEST(device_anchored_recurrence, looks_back_over_many_blocks) {
  for (scheduled const& s : every_schedule()) expect_chunks<float>(1, 1, {256 * 40 + 3}, false, s);
  expect_chunks<double>(2, 3, {5000}, true);
  expect_chunks<float>(1, 70, {2500}, false, {}, by::pairs);
}
TEST(device_anchored_recurrence, token_by_token) {
  expect_chunks<float>(3, 5, lengths(520, 1));
  expect_chunks<bfloat16, float>(2, 130, lengths(40, 1));
  expect_chunks<complex_number<double>>(1, 3, lengths(40, 1));
}
TEST(device_anchored_recurrence, on_every_schedule) {
  for (scheduled const& s : every_schedule()) expect_chunks<float>(1, 34, {700, 900}, false, s);
}

template <class E, class N = E>
void expect_gradients(std::size_t sequences, std::size_t lanes, lengths const& chunks,
                      by kernel = by::loads, scheduled const& s = {}) {
  for (bool const backward : {false, true})
    expect_chunks<E, N>(sequences, lanes, chunks, backward, s, kernel, true);
}
TEST(device_anchored_gradients, at_every_size) {
  for (std::size_t const n : lengths{0, 1, 2, 15, 16, 17, 255, 256, 257, 512, 513, 1000})
    expect_gradients<float>(2, 3, {n});
  expect_gradients<float>(4, 2, {1, 1, 30, 224, 1, 300, 0, 256, 40});
}
TEST(device_anchored_gradients, of_every_type_and_kernel) {
  expect_gradients<double>(2, 17, {100, 301, 1});
  expect_gradients<bfloat16, float>(2, 3, {100, 301, 1});
  expect_gradients<float16, float>(2, 3, {100, 301, 1});
  expect_gradients<complex_number<float>>(2, 17, {100, 301, 1});
  expect_gradients<complex_number<double>>(2, 3, {100, 301, 1});
  expect_gradients<float>(3, 34, {100, 301, 1, 700}, by::pairs);
  expect_gradients<bfloat16, float>(3, 6, {100, 301, 1}, by::pairs);
  expect_gradients<bfloat16, float>(2, 128, {1, 100, 301, 513, 300}, by::pair_stages);
  expect_gradients<float16, float>(1, 64, {256, 512, 301}, by::pair_stages);
}
TEST(device_anchored_gradients, of_packed_sequences) {
  for (bool const backward : {false, true}) {
    calls_on_sim<float, float> calls(6, 5, {}, true);
    calls_on_sim<bfloat16, float> stages(6, 64, {}, true);
    for (lengths const& tokens :
         {lengths{1, 0, 300, 255, 0, 600}, lengths{255, 0, 1, 1, 256, 0}, lengths(6, 0)}) {
      calls.call(tokens, true, backward);
      stages.call(tokens, true, backward, by::pair_stages);
    }
  }
}
TEST(device_anchored_gradients, on_every_schedule) {
  for (scheduled const& s : every_schedule()) {
    expect_gradients<float>(1, 34, {300}, by::loads, s);
    expect_gradients<bfloat16, float>(1, 128, {700}, by::pair_stages, s);
  }
}

// Selective scans and their gradients by the kernels of the CUDA backend on the emulator: the bits
// of the chain of operators that defines them.

template <class E, class A = E>
void expect_scan(sizes_of_scan const& size, parts const& has, scheduled const& how = {}) {
  SCOPED_TRACE(testing::Message() << size.sequences << " sequences of " << size.tokens
                                  << " tokens and " << size.channels << " channels");
  chain<E, A> expected(size, has, size.tokens * 31 + size.channels);
  expected.run();
  on_machine<E, A> actual(expected, how);
  actual.launch();
  actual.expect_results();
}

constexpr parts all_parts{true, true, true, true}, none{false, false, false, false};

TEST(device_selective, scans_of_every_size) {
  for (std::size_t const n : sizes{1, 15, 16, 17, 255, 256, 257, 300})
    expect_scan<float>({2, n, 3, 1}, all_parts);
  expect_scan<float>({1, 40, 17, 1}, none);
  expect_scan<float>({2, 40, 16, 2}, all_parts);
}
TEST(device_selective, scans_of_every_type_and_part) {
  expect_scan<double>({1, 300, 2, 1}, all_parts);
  expect_scan<bfloat16, float>({1, 300, 2, 1}, all_parts);
  expect_scan<float16, float>({1, 300, 2, 1}, all_parts);
  for (parts const& one : {parts{true, false, false, false}, parts{false, true, false, false},
                           parts{false, false, true, false}, parts{false, false, false, true}})
    expect_scan<float>({1, 20, 2, 1}, one);
}
TEST(device_selective, scans_on_every_schedule) {
  for (scheduled const& s : every_schedule()) expect_scan<float>({1, 50, 9, 1}, all_parts, s);
}

/// Calls that continue from each other, of chunks of these lengths.
void expect_chunks(sizes const& chunks) {
  std::size_t tokens = 0;
  for (std::size_t const n : chunks) tokens += n;
  chain<float, float> expected({2, tokens, 3, 1}, all_parts, tokens);
  expected.run();
  on_machine<float, float> actual(expected);
  selective_call<float, float>& call = actual.call;
  anchored_states<float> at[2];
  for (auto& x : at)
    x = {actual.m_.allocate<float>(2 * call.lanes(), "values"),
         actual.m_.allocate<float>(2 * 16 * call.lanes(), "totals"),
         actual.m_.allocate<std::int64_t>(2, "positions")};
  call.last = actual.m_.allocate<float>(2 * call.lanes(), "last");
  std::size_t done = 0;
  for (std::size_t const n : chunks) {
    call.tokens = n;
    call.after = at[0];
    actual.launch();
    std::swap(at[0], at[1]);
    call.before = at[1];
    done += n;
    auto const last = actual.m_.to_host(call.last, 2 * call.lanes());
    for (std::size_t i = 0; i < last.size(); ++i) {
      std::size_t const line = i / states, s = line / 3, d = line % 3;
      float const want =
          done == 0 ? 0 : expected.h[expected.size_.at(s, d, done - 1) * states + i % states];
      ASSERT_TRUE(same_bits(last[i], want)) << "lane " << i << " after " << done << " tokens";
    }
    auto const positions = actual.m_.to_host(at[1].position, 2);
    ASSERT_EQ(positions[0], static_cast<std::int64_t>(done % 256));
    auto const totals = actual.m_.to_host(at[1].totals, 2 * 16 * call.lanes());
    for (std::size_t i = 0; i < totals.size(); ++i) {
      bool const has_tokens = (done % 256 >> i / (2 * call.lanes()) % 8 & 1) != 0;
      ASSERT_TRUE(has_tokens || totals[i] == 0) << i << " after " << done << " tokens";
    }
    auto const move = [n](auto& x) { x.first += n; };
    move(call.u), move(call.delta), move(call.z), move(call.b), move(call.c), move(call.y);
  }
  call.y.first -= tokens;
  actual.expect_results();
}
TEST(device_selective, scans_go_on_from_states) {
  expect_chunks({1, 15, 16, 1, 0, 30, 192, 1, 0, 44, 16});
  expect_chunks({0, 250, 6, 0, 257, 17});
}

TEST(device_selective, scans_of_packed_sequences) {
  std::vector<std::int64_t> const cut{0, 5, 5, 270, 286, 300};
  chain<float, float> expected({1, 300, 3, 1}, all_parts, 1);
  expected.y.resize(expected.size_.elements());
  expected.h.resize(expected.size_.elements() * states);
  expected.ungated.resize(expected.size_.elements());
  for (std::size_t k = 0; k + 1 < cut.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d)
      expected.run(0, d, static_cast<std::size_t>(cut[k]), static_cast<std::size_t>(cut[k + 1]));
  on_machine<float, float> actual(expected);
  actual.call.cut = actual.put(cut, "cut");
  actual.call.sequences = cut.size() - 1;
  actual.launch();
  actual.expect_results();
}

template <class E, class A = E>
void expect_gradients(sizes_of_scan const& size, parts const& has, scheduled const& how = {}) {
  SCOPED_TRACE(testing::Message() << size.sequences << " sequences of " << size.tokens
                                  << " tokens and " << size.channels << " channels");
  chain<E, A> expected(size, has, size.tokens * 31 + size.channels);
  expected.run();
  expected.run_back();
  on_machine<E, A>(expected, how).expect_gradients();
}
TEST(device_selective, gradients_of_every_argument) {
  expect_gradients<float>({2, 512, 16, 1}, all_parts);
  expect_gradients<float>({1, 256, 32, 2}, none);
  expect_gradients<bfloat16, float>({1, 256, 16, 1}, all_parts);
}
TEST(device_selective, gradients_on_another_schedule) {
  expect_gradients<double>({1, 256, 32, 1}, all_parts, {sim::schedule::random, 3, 4});
}

}  // namespace
}  // namespace upsweep::test

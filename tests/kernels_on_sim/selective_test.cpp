/// Selective scans and their gradients by the kernels of the CUDA backend on the emulator: the bits
/// of the chain of operators that defines them.
#include <kernels_on_sim/selective_on_sim.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

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

constexpr parts all{true, true, true, true}, none{false, false, false, false};

TEST(device_selective, scans_of_every_size) {
  for (std::size_t const n : sizes{1, 15, 16, 17, 255, 256, 257, 300})
    expect_scan<float>({2, n, 3, 1}, all);
  expect_scan<float>({1, 40, 17, 1}, none);
  expect_scan<float>({2, 40, 16, 2}, all);
}
TEST(device_selective, scans_of_every_type_and_part) {
  expect_scan<double>({1, 300, 2, 1}, all);
  expect_scan<bfloat16, float>({1, 300, 2, 1}, all);
  expect_scan<float16, float>({1, 300, 2, 1}, all);
  for (parts const& one : {parts{true, false, false, false}, parts{false, true, false, false},
                           parts{false, false, true, false}, parts{false, false, false, true}})
    expect_scan<float>({1, 20, 2, 1}, one);
}
TEST(device_selective, scans_on_every_schedule) {
  for (scheduled const& s : every_schedule()) expect_scan<float>({1, 50, 9, 1}, all, s);
}

/// Calls that continue from each other, of chunks of these lengths.
void expect_chunks(sizes const& chunks) {
  std::size_t tokens = 0;
  for (std::size_t const n : chunks) tokens += n;
  chain<float, float> expected({2, tokens, 3, 1}, all, tokens);
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
  chain<float, float> expected({1, 300, 3, 1}, all, 1);
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
  expect_gradients<float>({2, 512, 16, 1}, all);
  expect_gradients<float>({1, 256, 32, 2}, none);
  expect_gradients<bfloat16, float>({1, 256, 16, 1}, all);
}
TEST(device_selective, gradients_on_another_schedule) {
  expect_gradients<double>({1, 256, 32, 1}, all, {sim::schedule::random, 3, 4});
}

}  // namespace
}  // namespace upsweep::test

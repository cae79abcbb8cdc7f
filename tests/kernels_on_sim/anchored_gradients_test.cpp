/// Gradients of recurrences in the tree of anchored blocks by the kernels of the CUDA backend on
/// the emulator.
#include <kernels_on_sim/anchored_on_sim.hpp>

#include <cstddef>

namespace upsweep::test {
namespace {

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

}  // namespace
}  // namespace upsweep::test

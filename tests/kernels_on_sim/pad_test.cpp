/// pad and unpad of the CUDA backend on the emulator: every row in its new position, whatever the
/// shape, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/pad/pad.hpp>
#include <upsweep/simt/kernel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

using four_words = simt::packed<unsigned, 4>;

/// 64 words in a tile, so that rows are shorter and longer than tiles.
constexpr unsigned threads = 32, items = 2;

template <class Word>
Word random_word(random_bits& next) {
  unsigned char bytes[sizeof(Word)];
  for (auto& byte : bytes) byte = static_cast<unsigned char>(next());
  Word x;
  std::memcpy(&x, bytes, sizeof x);
  return x;
}
template <class Word>
bool same_words(Word const& a, Word const& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The matrix of x after the change, row by row; `fill` is repeated from the start of each row.
template <class Word>
std::vector<Word> expected_rows(std::vector<Word> const& x, pad_shape const& shape,
                                pad_fill<Word> const& fill) {
  std::vector<Word> want;
  for (std::size_t row = 0; row < shape.rows; ++row)
    for (std::size_t k = 0; k < shape.out; ++k)
      want.push_back(k < shape.in ? x[row * shape.in + k] : fill.words[k % fill.count]);
  return want;
}

/// `launches` matrices, one after another, on one workspace.
template <class Word, class Index = unsigned>
void expect_rows(pad_shape const& shape, scheduled const& s = {}, unsigned blocks = 3,
                 unsigned fills = 1, unsigned launches = 2) {
  SCOPED_TRACE(testing::Message() << shape.rows << " rows of " << shape.in << " words to "
                                  << shape.out << ", " << blocks << " blocks, " << s << ", "
                                  << seed_note());
  random_bits next(test_seed() + shape.rows);
  sim::machine m = machine_for(s);
  std::size_t const size = shape.rows * std::max(shape.in, shape.out), fence = 8;
  workspace_words const workspace = workspace_on(m, size / (threads * items) + 8);
  for (unsigned k = 0; k < launches; ++k) {
    pad_fill<Word> fill{};
    fill.count = fills;
    for (unsigned i = 0; i < fills; ++i) fill.words[i] = random_word<Word>(next);
    std::vector<Word> x;
    for (std::size_t i = 0; i < size + 2 * fence; ++i) x.push_back(random_word<Word>(next));
    auto* const room = m.allocate<Word>(x.size(), "matrix");
    m.to_device(room, std::span<Word const>(x));
    m.launch({.name = "pad_rows", .blocks = {blocks}, .threads = {threads}},
             pad_rows<Word, Index, threads, items>, room + fence, shape, fill, workspace);
    auto const got = m.to_host(room, x.size());
    x.erase(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(fence));
    auto const want = expected_rows(x, shape, fill);
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_TRUE(same_words(got[fence + i], want[i])) << "word " << i << " of " << want.size();
    for (std::size_t i = size; i < size + fence; ++i)
      ASSERT_TRUE(same_words(got[fence + i], x[i])) << "wrote behind the matrix";
  }
  expect_no_finding(m);
}

/// Longer by one, by a half, many times as long, and as short.
std::vector<pad_shape> shapes() {
  std::vector<pad_shape> all;
  for (std::size_t const in : {1u, 2u, 3u, 10u, 31u, 63u, 64u, 65u, 200u})
    for (std::size_t const out : {1u, 2u, 5u, 16u, 32u, 64u, 66u, 129u, 300u})
      if (in != out)
        for (std::size_t const rows : {std::size_t{1}, std::size_t{2}, 900 / std::max(in, out) + 3})
          all.push_back({rows, in, out});
  return all;
}

TEST(device_pad, has_every_row_in_its_place) {
  for (pad_shape const& shape : shapes()) expect_rows<unsigned>(shape);
}
TEST(device_pad, moves_words_of_every_size) {
  for (pad_shape const& shape : {pad_shape{50, 31, 32}, pad_shape{50, 32, 31},
                                 pad_shape{20, 40, 90}, pad_shape{20, 90, 40}}) {
    expect_rows<unsigned char>(shape);
    expect_rows<unsigned short>(shape);
    expect_rows<word>(shape);
    expect_rows<four_words>(shape);
  }
}
TEST(device_pad, repeats_elements_of_several_words) {
  for (unsigned const fills : {2u, 3u, 8u}) {
    expect_rows<unsigned>({40, 3 * fills, 5 * fills}, {}, 3, fills);
    expect_rows<four_words>({40, fills, 2 * fills}, {}, 3, fills);
  }
}
TEST(device_pad, has_rows_of_64_bit_lengths) {
  for (pad_shape const& shape :
       {pad_shape{50, 31, 32}, pad_shape{50, 32, 31}, pad_shape{3, 300, 310}, pad_shape{300, 3, 1}})
    expect_rows<unsigned, std::size_t>(shape);
}
TEST(device_pad, fills_rows_that_were_empty) {
  expect_rows<unsigned>({30, 0, 7});
}
TEST(device_pad, is_right_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (unsigned const blocks : {1u, 2u, 5u, 16u})
      for (pad_shape const& shape :
           {pad_shape{60, 31, 32}, pad_shape{60, 32, 31}, pad_shape{40, 7, 50},
            pad_shape{40, 50, 7}, pad_shape{5, 500, 501}, pad_shape{5, 501, 500},
            pad_shape{1500, 1, 2}, pad_shape{1500, 2, 1}})
        expect_rows<unsigned>(shape, s, blocks);
}

}  // namespace
}  // namespace upsweep::test

/// Rows of matrices on the emulator.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/pad/pad.hpp>
#include <upsweep/cuda/segments/rows.hpp>
#include <upsweep/simt/kernel.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

// Sums of rows by segments on the emulator, with the bits of a reduction of each column.

template <class E, class A>
E expected_sum(std::vector<A> const& x) {
  return x.empty() ? E(0.0F) : static_cast<E>(reference::reduce(x, plus{}));
}
template <class E>
std::vector<E> numbers(std::size_t n, random_bits& next) {
  std::vector<E> x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(E(static_cast<float>(static_cast<double>(next() >> 40) * 0x1p-22 - 2)));
  return x;
}

/// Launches both kernels.
template <class E, class A, class Rows>
std::vector<E> run_rows(sim::machine& m, row_sums_call<E, A> call, Rows const& rows) {
  std::size_t const ranges = call.size / rows_of_part + 1, groups = (call.columns + 31) / 32;
  call.out = m.allocate<E>(call.count * call.columns, "out");
  call.parts = m.allocate<A>(ranges * call.columns, "parts");
  auto const blocks = [&](std::size_t work) {
    return static_cast<unsigned>((work * groups + row_sum_warps - 1) / row_sum_warps);
  };
  m.launch({.name = "sum_row_parts", .blocks = {blocks(ranges)}, .threads = {row_sum_threads}},
           sum_row_parts<E, A, Rows>, call, rows);
  m.launch(
      {.name = "sum_parts_of_rows", .blocks = {blocks(call.count)}, .threads = {row_sum_threads}},
      sum_parts_of_rows<E, A, Rows>, call, rows);
  return m.to_host(call.out, call.count * call.columns);
}

template <class E, class A>
void expect_sums(std::vector<std::int64_t> const& borders, std::size_t columns, bool ordered) {
  auto const size = static_cast<std::size_t>(borders.back());
  SCOPED_TRACE(testing::Message() << size << " rows of " << columns << ", " << seed_note());
  random_bits next(test_seed() + size * columns);
  auto const x = numbers<E>(size * columns, next);
  std::vector<std::int64_t> order(size);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (ordered)
    for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[next.below(i)]);
  sim::machine m = machine_for({sim::schedule::random, size});
  auto const put = [&]<class T>(std::vector<T> const& from, char const* name) {
    auto* const to = m.allocate<T>(from.size() + 1, name);
    m.to_device(to, std::span<T const>(from));
    return to;
  };
  std::size_t const count = borders.size() - 1;
  auto const got = run_rows<E, A>(
      m, {put(borders, "borders"), count, size, columns, nullptr, nullptr},
      matrix_rows<E, A>{put(x, "x"), ordered ? put(order, "order") : nullptr, columns});
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<A> of_column;
      for (std::int64_t i = borders[k]; i < borders[k + 1]; ++i)
        of_column.push_back(static_cast<A>(
            x[static_cast<std::size_t>(order[static_cast<std::size_t>(i)]) * columns + c]));
      EXPECT_TRUE(same_bits(got[k * columns + c], (expected_sum<E, A>(of_column))))
          << "segment " << k << ", column " << c;
    }
  expect_no_finding(m);
}

TEST(rows_on_sim, are_summed_by_segments) {
  expect_sums<float, float>({0, 0, 1, 3, 3, 3, 18, 34, 65, 320, 576, 833, 833, 900, 2700, 2700}, 5,
                            false);
  expect_sums<bfloat16, float>({0, 255, 511, 768, 1793, 1794}, 33, true);
  expect_sums<double, double>({0, 4097}, 2, true);
  expect_sums<float, float>({0, 100, 4300, 4301, 8653}, 1, false);
  expect_sums<float, float>({0, 0, 0}, 3, false);
}

TEST(rows_on_sim, may_be_many_empty_segments_between_others) {
  std::vector<std::int64_t> borders(2000, 0);
  borders.insert(borders.end(), 3000, 250);
  borders.insert(borders.end(), 100, 600);
  expect_sums<float, float>(borders, 3, false);
}

TEST(rows_on_sim, have_random_lengths) {
  random_bits next(test_seed());
  for (unsigned repeat = 0; repeat < 6; ++repeat) {
    std::vector<std::int64_t> borders{0};
    for (unsigned k = 0; k < 40; ++k) {
      std::uint64_t const most = next.below(4) == 0 ? 700 : 20;
      borders.push_back(borders.back() + static_cast<std::int64_t>(next.below(most)));
    }
    expect_sums<float, float>(borders, 1 + next.below(4), repeat % 2 == 0);
  }
}

TEST(rows_on_sim, wrong_borders_lead_to_no_access_outside) {
  random_bits next(test_seed());
  constexpr std::size_t size = 600;
  auto const x = numbers<float>(size, next);
  for (std::vector<std::int64_t> const& borders :
       {std::vector<std::int64_t>{-5, 300, 700}, {0, 600, 20, 600}, {900, 10, -1, 601}, {40, 40}}) {
    sim::machine m = machine_for({sim::schedule::random, 1});
    auto* const in = m.allocate<float>(size, "x");
    auto* const cut = m.allocate<std::int64_t>(borders.size(), "borders");
    m.to_device(in, std::span<float const>(x));
    m.to_device(cut, std::span<std::int64_t const>(borders));
    (void)run_rows<float, float>(m, {cut, borders.size() - 1, size, 1, nullptr, nullptr},
                                 matrix_rows<float, float>{in, nullptr, 1});
    for (auto const& f : m.result().findings)
      EXPECT_TRUE(f.sentence.find("never been written") != std::string::npos) << f.sentence;
  }
}

TEST(rows_on_sim, of_a_norm_give_the_gradient_of_its_weights) {
  constexpr std::size_t size = 1100, columns = 7;
  random_bits next(test_seed());
  auto const x = numbers<float>(size * columns, next), g = numbers<float>(size * columns, next);
  auto scale = numbers<double>(size, next);
  for (double& s : scale) s += 3;
  sim::machine m = machine_for({sim::schedule::random, 1});
  auto const put = [&]<class T>(std::vector<T> const& from, char const* name) {
    auto* const to = m.allocate<T>(from.size(), name);
    m.to_device(to, std::span<T const>(from));
    return to;
  };
  auto const got = run_rows<float, double>(
      m, {nullptr, 1, size, columns, nullptr, nullptr},
      normed_rows<float, double>{put(x, "x"), put(g, "g"), put(scale, "scale"), columns});
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> terms;
    for (std::size_t i = 0; i < size; ++i)
      terms.push_back(g[i * columns + c] * (x[i * columns + c] / scale[i]));
    EXPECT_TRUE(same_bits(got[c], (expected_sum<float, double>(terms)))) << "column " << c;
  }
  expect_no_finding(m);
}

// pad and unpad of the CUDA backend on the emulator: every row in its new position, whatever the
// shape, on every schedule, without a finding.

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

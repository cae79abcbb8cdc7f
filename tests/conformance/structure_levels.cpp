/// Contract 2: scans by operators over structures have the reference's bits in blocks by levels
/// (host/scan_levels.hpp). Compilers vectorize none of them, so this file is not optimized.
#include "level_scans.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

struct pair_of_floats {
  float a, b;
};
struct padded {
  std::int32_t key;
  std::int8_t flag;
};
struct aligned_to_8 {
  alignas(8) std::int32_t value;
};
struct three_floats {
  float a, b, c;
};
struct two_doubles {
  double a, b;
};
struct three_doubles {
  double a, b, c;
};
struct matrix {
  double a, b, c, d;
};
struct key_and_float {
  std::int64_t key;
  float value;
};

TEST(scan_levels, of_structures_have_the_references_bits) {
  for (std::size_t const n : {511u, 512u, 513u, 1025u, 3001u}) {
    random_bits next(test_seed() + n);
    std::vector<pair_of_floats> maps(n);
    for (auto& m : maps) m = {1 + 1e-3f * random_element<float>(next), 1.f};
    expect_the_references_scans(
        maps,
        monoid([](pair_of_floats f,
                  pair_of_floats g) { return pair_of_floats{f.a * g.a, f.b * g.a + g.b}; },
               pair_of_floats{1, 0}),
        pair_of_floats{2, 3});
    std::vector<padded> keys(n);
    for (auto& k : keys)
      k = {static_cast<std::int32_t>(next.below(100)), static_cast<std::int8_t>(next.below(2))};
    // The last flag, with the running sum since it: a segmented sum, which branches.
    expect_the_references_scans(keys,
                                monoid(
                                    [](padded x, padded y) {
                                      if (y.flag) return y;
                                      return padded{x.key + y.key, x.flag};
                                    },
                                    padded{0, 0}),
                                padded{7, 1});
    std::vector<aligned_to_8> ones(n, {3});
    expect_the_references_scans(
        ones,
        monoid([](aligned_to_8 x,
                  aligned_to_8 y) { return aligned_to_8{(x.value * 5 + y.value) % 1009}; },
               aligned_to_8{0}),
        aligned_to_8{1});
  }
}

/// Accumulators of several words, some of them partly padding.
TEST(scan_levels, of_several_words_have_the_references_bits) {
  for (std::size_t const n : {511u, 512u, 513u, 1025u, 3001u}) {
    random_bits next(test_seed() + n);
    auto const any = [&] { return random_element<float>(next); };
    std::vector<three_floats> points(n);
    for (auto& p : points) p = {any(), any(), any()};
    expect_the_references_scans(
        points,
        monoid([](three_floats x,
                  three_floats y) { return three_floats{x.a + y.a, x.b * 0.5f + y.b, x.c + y.a}; },
               three_floats{0, 0, 0}),
        three_floats{1, 2, 3});
    std::vector<two_doubles> maps(n);
    for (auto& m : maps) m = {1 + 1e-3 * static_cast<double>(any()), 1};
    expect_the_references_scans(
        maps,
        monoid([](two_doubles f, two_doubles g) { return two_doubles{f.a * g.a, f.b * g.a + g.b}; },
               two_doubles{1, 0}),
        two_doubles{2, 3});
    std::vector<key_and_float> keys(n);
    for (auto& k : keys) k = {static_cast<std::int64_t>(next.below(9)), any()};
    expect_the_references_scans(
        keys,
        monoid([](key_and_float x,
                  key_and_float y) { return key_and_float{x.key * 3 + y.key, x.value + y.value}; },
               key_and_float{0, 0}),
        key_and_float{1, 2});
    std::vector<std::complex<float>> numbers(n);
    for (auto& z : numbers) z = {any(), any()};
    auto const product = [](std::complex<float> x, std::complex<float> y) {
      return std::complex<float>{x.real() * y.real() - x.imag() * y.imag(),
                                 x.real() * y.imag() + x.imag() * y.real()};
    };
    expect_the_references_scans(numbers, monoid(product, std::complex<float>{1, 0}),
                                std::complex<float>{0, 1});
  }
}

/// Blocks of 256: accumulators of 24 and 32 bytes.
TEST(scan_levels, of_large_structures_have_the_references_bits) {
  for (std::size_t const n : {255u, 256u, 257u, 1337u}) {
    random_bits next(test_seed() + n);
    auto const any = [&] { return random_element<double>(next); };
    std::vector<three_doubles> points(n);
    for (auto& p : points) p = {any(), any(), any()};
    auto const scaled = [](three_doubles x, three_doubles y) {
      return three_doubles{x.a + y.a, x.b / 3 + y.b, x.c + y.a};
    };
    expect_the_references_scans(points, monoid(scaled, three_doubles{0, 0, 0}),
                                three_doubles{1, 2, 3});
    std::vector<matrix> matrices(n);
    for (auto& m : matrices) m = {1, 1e-3 * any(), 1e-3 * any(), 1};
    auto const product = [](matrix x, matrix y) {
      return matrix{x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
                    x.c * y.b + x.d * y.d};
    };
    expect_the_references_scans(matrices, monoid(product, matrix{1, 0, 0, 1}), matrix{1, 2, 3, 4});
  }
}

}  // namespace
}  // namespace upsweep::test

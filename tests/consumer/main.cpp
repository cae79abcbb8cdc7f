// A user's program: built-in operators, one of its own, and a sort of numbers, for which the
// library calls Highway's.
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  std::vector<float> x(100'000, 1.0f);
  std::vector<float> out(x.size());
  upsweep::inclusive_scan(x, out);
  float const total = upsweep::reduce(x);
  auto const gcd = upsweep::monoid([](long a, long b) { return std::gcd(a, b); }, 0L);
  long const divisor = upsweep::reduce(std::vector<long>{12, 18, 30}, gcd);
  // The names of functions that these call contain types of the library: it must export them.
  std::vector<std::size_t> largest(x.size());
  upsweep::inclusive_scan(x, largest, upsweep::argmax{});
  std::vector<upsweep::bfloat16> narrow(9, 1.0f);
  upsweep::inclusive_scan(narrow, narrow);
  std::vector<upsweep::affine_map<float>> maps(9, {2.0f, 1.0f});
  upsweep::inclusive_scan(maps, maps, upsweep::affine{});
  std::vector<float> sorted{3, 1, 2};
  upsweep::sort(sorted);
  bool const right = largest.back() == 0 && narrow.back() == 9.0f && maps.back().b == 511.0f &&
                     sorted == std::vector<float>{1, 2, 3};
  std::printf("total %.1f, last %.1f, gcd %ld\n", static_cast<double>(total),
              static_cast<double>(out.back()), divisor);
  return total == 100'000.0f && out.back() == total && divisor == 6 && right ? 0 : 1;
}

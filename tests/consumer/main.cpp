// A user's program with one include: built-in operators, and one of its own.
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
  std::printf("total %.1f, last %.1f, gcd %ld\n", static_cast<double>(total),
              static_cast<double>(out.back()), divisor);
  return total == 100'000.0f && out.back() == total && divisor == 6 ? 0 : 1;
}

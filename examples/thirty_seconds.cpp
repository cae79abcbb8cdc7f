/// The example of README.md: the verbs with built-in operators and with a user-defined one.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  std::vector<float> x(1'000'000, 0.1f);
  std::vector<float> running(x.size());

  float total = upsweep::reduce(x);     // on all cores; the same bits on any number of threads
  upsweep::inclusive_scan(x, running);  // prefix sums; the last one is `total`, bit for bit
  auto best = upsweep::reduce(x, upsweep::argmax{});       // {value, index}
  float exact = upsweep::reduce(x, upsweep::exact_sum{});  // correctly rounded

  // A user-defined operator and its identity.
  auto gcd = upsweep::monoid([](long a, long b) { return std::gcd(a, b); }, 0L);
  long divisor = upsweep::reduce(std::vector<long>{12, 18, 30}, gcd);

  std::printf("total %.1f, last %.1f, exact %.1f, first largest at %zu, gcd %ld\n",
              static_cast<double>(total), static_cast<double>(running.back()),
              static_cast<double>(exact), best.index, divisor);

  float loop = 0;
  for (float value : x) loop += value;
  std::printf("a plain loop: %.1f\n", static_cast<double>(loop));
}

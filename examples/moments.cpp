/// Count, mean and variance without cancellation, and the range, in the same pass.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <tuple>
#include <vector>

int main() {
  std::vector<double> const x{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
  auto const [all, range] =
      upsweep::reduce(x, upsweep::tuple_of{upsweep::moments{}, upsweep::minmax{}});
  std::printf("%llu values, mean 1e9 + %g, sample variance %g, range %g\n",
              static_cast<unsigned long long>(all.count), all.mean - 1e9, all.sample_variance(),
              range.max - range.min);
}

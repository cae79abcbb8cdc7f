/// The largest element and its index, in one pass.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> const temperature{18.5, 21.0, 33.5, 29.0, 33.5};
  auto const [value, index] = upsweep::reduce(temperature, upsweep::argmax{});
  std::printf("%g on day %zu\n", value, index);  // of equal elements, the first
}

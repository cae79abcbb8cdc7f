/// A recurrence, x[i] = a[i] * x[i-1] + b[i], runs on all cores because the composition of affine
/// maps is associative. Here: an exponential moving average.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<double> const signal{8, 8, 0, 0, 8};
  double const weight = 0.5;  // average = (1 - weight) * average + weight * signal

  auto const as_map = [&](double x) { return upsweep::affine_map<double>{1 - weight, weight * x}; };
  std::vector<double> average(signal.size());
  upsweep::transform_inclusive_scan(signal, average, as_map, upsweep::affine{},
                                    {.initial = upsweep::affine_map<double>{0, signal[0]}});

  for (double x : average) std::printf("%g ", x);  // 8 8 4 2 5
  std::printf("\n");
}

// Runs of a few elements, or of many.
#include <upsweep_check.h>

#include "kernel.cu"

#include <cstddef>
#include <vector>

void check_run(check::run& run) {
  unsigned const mean = run.is("short runs") ? 2 : 50;
  std::vector<int> x(run.n), wanted_values, wanted_lengths;
  for (std::size_t i = 0; i < run.n; ++i)
    x[i] = i == 0 || run.random() % mean == 0 ? static_cast<int>(run.random() % 100) : x[i - 1];
  for (std::size_t i = 0; i < run.n; ++i) {
    if (i == 0 || x[i] != x[i - 1]) {
      wanted_values.push_back(x[i]);
      wanted_lengths.push_back(0);
    }
    ++wanted_lengths.back();
  }
  check::device const in("in", x);
  check::device<int> const values("values", wanted_values.size()),
      lengths("lengths", wanted_values.size()), runs("runs", 1);
  encode<<<1, threads>>>(in.data(), static_cast<int>(run.n), values.data(), lengths.data(),
                         runs.data());
  run.expect("runs", runs, {static_cast<int>(wanted_values.size())});
  run.expect("values", values, wanted_values);
  run.expect("lengths", lengths, wanted_lengths,
             "Where does the run after this one begin, and where does the last one end?");
}

/// What ranks pay for one exchange and for joining two partials: run by mpirun on two ranks, prints
/// JSON that tools/ranks_model.py reads.
#include <upsweep/ranks/mpi.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <ratio>
#include <utility>
#include <vector>

namespace {

/// The median time of f(), in microseconds, over batches of ten calls.
template <class F>
double median_us(F const& f) {
  std::vector<double> times(301);
  for (double& t : times) {
    auto const begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) f();
    t = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  }
  std::nth_element(times.begin(), times.begin() + 150, times.end());
  return times[150] / 10;
}

upsweep::partial<double> part_of(std::size_t begin, std::size_t end) {
  std::deque<double> totals(upsweep::partial<double>::blocks_of(begin, end), 0.1);
  return upsweep::partial<double>::of_totals(begin, end, std::move(totals));
}

void run() {
  upsweep::mpi const all(MPI_COMM_WORLD);
  // As even pieces of 2^50 elements have them on 100,000 ranks: some 20 totals each.
  std::size_t const size = (std::size_t{1} << 50) / 100'000, cut = 33'333 * size;
  auto const left = part_of(cut - size, cut), right = part_of(cut, cut + size);
  auto const packed = upsweep::to_bytes(right);
  double const exchange = median_us([&] { (void)all.exchange(1 - all.rank(), packed); });
  double const join = median_us([&] {
    auto const both = merge(left, upsweep::from_bytes<double>(upsweep::to_bytes(right)));
    if (both.totals().size() < 2) std::puts("no totals");
  });
  if (all.rank() == 0)
    std::printf(
        "{\"exchange_us\": %.2f, \"join_us\": %.2f, \"bytes\": %zu, \"totals\": [%zu, %zu]}\n",
        exchange, join, packed.size(), left.totals().size(), right.totals().size());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run();
  MPI_Finalize();
  return 0;
}

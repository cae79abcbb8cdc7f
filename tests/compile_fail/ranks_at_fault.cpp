/// Calls over ranks of verbs that do not run there, or with arguments that do not fit.
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/upsweep.hpp>

#include <vector>

void calls(upsweep::ranks<upsweep::loopback, upsweep::cpu> const& all, std::vector<double>& x,
           std::vector<int>& counts) {
#if WRONG == 1
  upsweep::sort(all, x);
#elif WRONG == 2
  (void)upsweep::quantile(all, x, 0.5);
#elif WRONG == 3
  upsweep::inclusive_scan(all, x, counts);
#elif WRONG == 4
  (void)upsweep::unique(all, x, x, [](double const&) { return true; });
#else
  upsweep::inclusive_scan(all, x, x);
  (void)upsweep::histogram(all, x, counts, upsweep::even{0, 1});
#endif
}

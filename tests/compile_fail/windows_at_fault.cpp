/// Windows and segments whose operator, offsets or outputs do not fit.
#include <upsweep/segments.hpp>
#include <upsweep/upsweep.hpp>
#include <upsweep/windowed.hpp>

#include <cstddef>
#include <string>
#include <vector>

void windows(std::vector<double> const& x, std::vector<std::size_t> const& offsets,
             std::vector<double>& out, std::vector<int>& ints, std::vector<bool>& bits,
             std::vector<std::string>& words) {
  std::vector<double> const& constant = out;
#ifdef CORRECT
  upsweep::windowed(x, 3, out, upsweep::max{}, {.initial = 1.0});
  upsweep::reduce_segments(x, offsets, out, upsweep::max{});
  (void)constant, (void)ints, (void)bits, (void)words;
#elif WRONG == 1
  upsweep::windowed(x, 3, ints);
#elif WRONG == 2
  upsweep::windowed(x, 3, constant);
#elif WRONG == 3
  upsweep::windowed(x, 3, out, [](double a) { return a; });
#elif WRONG == 4
  upsweep::windowed(x, 3, words);
#elif WRONG == 5
  upsweep::windowed(x, 3, bits, upsweep::logical_or{});
#elif WRONG == 6
  upsweep::reduce_segments(x, offsets, ints);
#elif WRONG == 7
  upsweep::reduce_segments(x, out, out);
#elif WRONG == 8
  upsweep::inclusive_scan_segments(x, offsets, constant);
#endif
}

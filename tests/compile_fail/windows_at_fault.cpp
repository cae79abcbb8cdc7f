/// Windows and segments whose operator, offsets or outputs do not fit.
#include <upsweep/segments.hpp>
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>
#include <upsweep/windowed.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// As std::views::drop_while: begin() changes it.
struct after_zeros {
  std::span<double const> x;
  std::size_t first = 0;
  double const* begin() {
    while (first < x.size() && x[first] == 0) ++first;
    return x.data() + first;
  }
  double const* end() { return x.data() + x.size(); }
};

void windows(std::vector<double> const& x, std::vector<std::size_t> const& offsets,
             std::vector<double>& out, std::vector<int>& ints, std::vector<bool>& bits,
             std::vector<std::string>& words) {
  std::vector<double> const& constant = out;
#ifdef CORRECT
  upsweep::windowed(x, 3, out, upsweep::max{}, {.initial = 1.0});
  upsweep::reduce_segments(x, offsets, out, upsweep::max{});
  (void)upsweep::reduce(std::span(x).subspan(1));
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
#elif WRONG == 9
  upsweep::windowed(x, out, 3);
#elif WRONG == 10
  (void)upsweep::reduce(after_zeros{x});
#elif WRONG == 11
  upsweep::sort(after_zeros{x}, out);
#endif
}

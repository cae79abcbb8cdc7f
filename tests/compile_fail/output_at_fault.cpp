/// Outputs that do not hold the results.
#include <upsweep/upsweep.hpp>

#include <deque>
#include <span>
#include <string>
#include <vector>

auto const half = [](int x) { return 0.5 * x; };

void scans(std::vector<int> const& x, std::vector<double> const& y, std::vector<int>& ints,
           std::vector<float>& floats, std::vector<std::string>& words,
           upsweep::strided_view<double> view, upsweep::strided_view<int> ints_of_view,
           upsweep::strided_view<float> floats_of_view) {
  upsweep::scan_stream<double> stream;
  std::vector<float> const& constant = floats;
#ifdef CORRECT
  upsweep::inclusive_scan(x, ints);  // sums are 64 bits wide, and wrap where the output is narrower
  upsweep::inclusive_scan(y, floats);
  upsweep::inclusive_scan(x, floats);
  upsweep::transform_inclusive_scan(x, floats, half);
  upsweep::inclusive_scan(view, floats_of_view);
  upsweep::reduce(view, floats_of_view);
  stream.inclusive(y, floats);
  stream.exclusive({y.data(), 3}, std::span(floats).first(3));
  upsweep::inclusive_scan(words, words);
  upsweep::exclusive_scan(ints_of_view, ints_of_view);
  (void)constant;
  upsweep::inclusive_scan(std::vector<int>(3), std::span(ints).first(3));
  upsweep::transform_inclusive_scan(x, std::vector<int>(3), ints,
                                    [](int a, int b) { return a * b; });
#elif WRONG == 1
  upsweep::inclusive_scan(y, ints);
#elif WRONG == 2
  upsweep::transform_exclusive_scan(x, ints, half);
#elif WRONG == 3
  upsweep::inclusive_scan(view, ints_of_view);
#elif WRONG == 4
  upsweep::reduce(view, ints_of_view);
#elif WRONG == 5
  stream.inclusive(y, ints);
#elif WRONG == 6
  upsweep::inclusive_scan(x, constant);
#elif WRONG == 7
  stream.exclusive(y, constant);
#elif WRONG == 8
  upsweep::exclusive_scan(x, words);
#elif WRONG == 9
  stream.inclusive(y, words);
#elif WRONG == 10
  stream.inclusive(x, floats);
#elif WRONG == 11
  stream.exclusive(std::deque<double>{}, floats);
#elif WRONG == 12
  std::deque<double> parts;
  stream.inclusive(y, parts);
#elif WRONG == 13
  upsweep::inclusive_scan(x, std::vector<int>(x.size()));
#elif WRONG == 14
  upsweep::exclusive_scan(upsweep::serial{}, x, std::deque<int>(3), upsweep::plus{});
#elif WRONG == 15
  (void)upsweep::select(x, std::vector<int>(3), [](int e) { return e > 0; });
#elif WRONG == 16
  stream.inclusive(y, std::vector<double>(3));
#elif WRONG == 17
  upsweep::transform_inclusive_scan(x, x, std::vector<int>(3), [](int a, int b) { return a * b; });
#endif
}

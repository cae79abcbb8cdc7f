/// Streams whose chunks or outputs are not what they take.
#include <upsweep/anchored_scan.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <list>
#include <vector>

void streams(std::vector<int> const& keys, std::vector<double> const& x,
             std::vector<bool> const& bits, std::vector<double>& out, std::vector<int>& ints,
             std::vector<bool>& out_bits) {
  upsweep::anchored_scan<double> anchored;
  upsweep::partial<double> part;
  upsweep::scan_runs_stream<int, bool> scan;
  upsweep::reduce_runs_stream<int, bool> reduce;
  upsweep::run_stream<bool> runs;
  upsweep::unique_stream<bool> unique;
#ifdef CORRECT
  anchored.inclusive(x, out);
  anchored.inclusive({x.data(), 1}, out);
  part.push(x);
  part.push(upsweep::cpu{}, {x.data(), 1});
  bool const truths[] = {true};
  scan.inclusive({keys.data(), 1}, truths, ints);
  (void)reduce.push({keys.data(), 1}, truths, ints, ints);
  (void)runs.push(truths, out_bits, ints);
  (void)unique.push(truths, out_bits);
  (void)bits;
#elif WRONG == 1
  anchored.inclusive(keys, out);
#elif WRONG == 2
  scan.inclusive(keys, bits, ints);
#elif WRONG == 3
  (void)reduce.push(keys, bits, ints, out);
#elif WRONG == 4
  (void)runs.push(bits, out_bits, ints);
#elif WRONG == 5
  (void)unique.push(bits, out_bits);
#elif WRONG == 6
  part.push(std::list<double>{});
#elif WRONG == 7
  part.push(upsweep::cpu{}, keys);
#elif WRONG == 8
  bool const truths[] = {true};
  scan.exclusive(keys, truths, out_bits);
#elif WRONG == 9
  anchored.inclusive(x, std::vector<double>(3));
#endif
}

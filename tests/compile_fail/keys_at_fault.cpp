/// Calls by key whose equality, operator or outputs do not fit.
#include <upsweep/upsweep.hpp>

#include <memory>
#include <string>
#include <vector>

void by_key(std::vector<std::string> const& keys, std::vector<double> const& x,
            std::vector<std::string>& keys_out, std::vector<double>& out, std::vector<int>& ints) {
  std::vector<double> const& constant = out;
  auto const same_size = [](std::string const& a, std::string const& b) {
    return a.size() == b.size();
  };
#ifdef CORRECT
  upsweep::reduce_runs(keys, x, keys_out, out, upsweep::plus{}, same_size, {.initial = 1.0});
  upsweep::inclusive_scan_runs(keys, x, out, upsweep::max{});
  upsweep::exclusive_scan_runs(keys, x, out);
  upsweep::select(ints, out, [](int a) { return a > 0; });
  (void)constant, (void)ints;
#elif WRONG == 1
  upsweep::reduce_runs(keys, x, keys_out, out, upsweep::plus{},
                       [](int a, int b) { return a == b; });
#elif WRONG == 2
  upsweep::inclusive_scan_runs(keys, x, out, upsweep::plus{},
                               [](std::string const&, std::string const&) {});
#elif WRONG == 3
  upsweep::reduce_runs(keys, x, ints, out, upsweep::plus{}, same_size);
#elif WRONG == 4
  upsweep::reduce_runs(keys, x, keys_out, ints);
#elif WRONG == 5
  upsweep::exclusive_scan_runs(keys, x, constant);
#elif WRONG == 6
  upsweep::reduce_runs(keys, x, keys_out, out, [](double a) { return a; });
#elif WRONG == 7
  std::vector<long double> const long_numbers(3);  // of 16 bytes, of which 6 are padding
  std::vector<long double> long_out(3);
  upsweep::unique(long_numbers, long_out, upsweep::same_bits{});
#elif WRONG == 8
  upsweep::select(x, ints, [](double a) { return a > 0; });
#elif WRONG == 9
  std::vector<std::unique_ptr<int> > pointers;
  upsweep::select(pointers, pointers, [](auto const& p) { return p != nullptr; });
#elif WRONG == 10
  std::vector<std::unique_ptr<int> > pointers;
  upsweep::unique(pointers, pointers);
#endif
}

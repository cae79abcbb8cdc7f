/// Sorting numbers, keys with values, positions, and by a user-defined comparison function; all
/// stable.
#include <upsweep/sort.hpp>
#include <upsweep/upsweep.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

int main() {
  std::vector<double> x{2, -0.0, 0.0, std::nan(""), -1};
  upsweep::sort(x);  // -1 -0 0 2 nan: the order of numbers is total
  upsweep::sort(x, upsweep::descending{});

  std::vector<int> age{41, 7, 41, 23};
  std::vector<std::string> name{"Ada", "Ben", "Cid", "Dora"};
  std::vector<unsigned> order(age.size());
  upsweep::argsort(age, order);     // 1 3 0 2
  upsweep::sort_by_key(age, name);  // Ben Dora Ada Cid
  upsweep::sort(name, [](auto const& a, auto const& b) { return a.size() < b.size(); });

  std::printf("%g %g %g; %u %u %u %u; %s %s %s %s\n", x[1], x[2], x[3], order[0], order[1],
              order[2], order[3], name[0].c_str(), name[1].c_str(), name[2].c_str(),
              name[3].c_str());
}

/// Quicksort's rounds, in each of which all segments are split at once.
#include <upsweep/apps/quicksort.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<int> x{6, 2, 9, 5, 3, 8, 1, 7, 5, 4};
  auto const show = [](std::vector<int> const& now, std::vector<std::size_t> const& borders) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
      bool const begins = i == borders[next];
      next += begins;
      std::printf("%s%d", begins ? " | " : " ", now[i]);
    }
    std::printf(" |\n");
  };
  show(x, {0, x.size()});
  std::size_t const rounds = upsweep::apps::quicksort(x, upsweep::cpu{}, show);
  std::printf("%zu rounds, the last to see that nothing changes\n", rounds);
}

/// A user-defined operator: fill gaps with the last measured value. It does not commute.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <optional>
#include <vector>

int main() {
  using reading = std::optional<double>;
  auto const last_known = upsweep::monoid(
      [](reading earlier, reading later) { return later ? later : earlier; }, reading{});

  std::vector<reading> const measured{20.5, {}, {}, 21.0, {}, 19.5, {}};
  std::vector<reading> filled(measured.size());
  upsweep::inclusive_scan(measured, filled, last_known);

  for (auto const& value : filled)
    std::printf("%.1f ", *value);  // 20.5 20.5 20.5 21.0 21.0 19.5 19.5
  std::printf("\n");
}

/// The wet days of ten: their rain, their positions, wet and dry apart, and spells of weather.
#include <upsweep/upsweep.hpp>

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> const rain{0, 0, 12.5f, 3, 0, 0, 0, 7.5f, 1, 0};  // mm per day
  auto const is_wet = [](float mm) { return mm > 0; };

  std::vector<float> wet(rain.size()), dry(rain.size());
  wet.resize(upsweep::select(rain, wet, is_wet));  // 12.5 3 7.5 1

  std::vector<int> days(rain.size());
  days.resize(upsweep::select_positions(rain, days, is_wet));  // 2 3 7 8

  wet.resize(rain.size());
  auto const count = upsweep::partition(rain, wet, dry, is_wet);  // {.yes = 4, .no = 6}

  // Runs of equal adjacent elements, here by a user-defined equality.
  std::vector<float> first(rain.size());
  std::vector<int> length(rain.size());
  std::size_t const spells =
      upsweep::runs(rain, first, length, [=](float a, float b) { return is_wet(a) == is_wet(b); });

  std::printf("%zu wet, %zu dry; day %d to day %d; %zu spells:", count.yes, count.no, days.front(),
              days.back(), spells);
  for (std::size_t k = 0; k < spells; ++k)
    std::printf(" %d %s", length[k], is_wet(first[k]) ? "wet" : "dry");
  std::puts("");
}

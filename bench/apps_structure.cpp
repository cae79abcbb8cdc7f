/// The rows of the applications on structure: trees, orders, runs, groups.
#include <bench/apps_rows.hpp>

#include <upsweep/apps/brackets.hpp>
#include <upsweep/apps/group_totals.hpp>
#include <upsweep/apps/quicksort.hpp>
#include <upsweep/apps/run_length_image.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upsweep::bench {
namespace {

constexpr speed ns = speed::ns_per_element;

void bracket_rows(std::size_t n) {
  std::string text, open;
  for (std::size_t i = 0; text.size() + open.size() < n; ++i) {
    bool const opens = open.empty() || (number(i) < 0.5f && open.size() < 40);
    text += opens ? '(' : ')';
    opens ? open.push_back(')') : open.pop_back();
  }
  text += open;
  std::vector<std::size_t> partners(text.size()), parents(text.size()), stack;
  row(
      "`match_brackets`", "2^20 brackets, up to 40 deep", ns, text.size(), nothing,
      [&](auto const& on) {
        apps::bracket_tree tree;
        (void)apps::match_brackets(text, [](char c) { return c == '(' ? 1 : -1; }, tree, on);
      },
      alternative{"a stack", [&] {
                    for (std::size_t i = 0; i < text.size(); ++i) {
                      if (text[i] == '(') {
                        parents[i] = stack.empty() ? i : stack.back();
                        stack.push_back(i);
                      } else {
                        partners[i] = stack.back();
                        partners[stack.back()] = i;
                        stack.pop_back();
                      }
                    }
                  }});
}

void order_rows(std::size_t n) {
  std::vector<float> x(n), y;
  for (std::size_t i = 0; i < n; ++i) x[i] = number(i);
  row(
      "`quicksort`", "2^18 floats", ns, n, [&] { y = x; },
      [&](auto const& on) { apps::quicksort(y, on); },
      alternative{"std::sort", [&] { std::sort(y.begin(), y.end()); }},
      alternative{"upsweep::sort", [&] { upsweep::sort(serial{}, y); }});
}

void image_rows(std::size_t width, std::size_t height) {
  apps::gray_image image{width, height, std::vector<std::uint8_t>(width * height)};
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = number(i / 13) < 0.2f;
  auto const runs = apps::encode(image);
  row(
      "`encode`", "1024 × 1024 pixels, black or white", ns, image.pixels.size(), nothing,
      [&](auto const& on) { used = static_cast<double>(apps::encode(image, on).values.size()); },
      alternative{"a loop", [&] {
                    std::vector<std::uint32_t> lengths;
                    for (std::size_t r = 0; r < height; ++r)
                      for (std::size_t i = 0; i < width; ++i) {
                        auto const* const pixels = &image.pixels[r * width];
                        if (i == 0 || pixels[i] != pixels[i - 1]) lengths.push_back(0);
                        ++lengths.back();
                      }
                    used = static_cast<double>(lengths.size());
                  }});
  row("`decode`", "the same", ns, image.pixels.size(), nothing,
      [&](auto const& on) { used = static_cast<double>(apps::decode(runs, on).pixels.size()); });
}

void group_rows(std::size_t n) {
  for (std::size_t const groups : {12u, 100'000u}) {
    std::vector<std::string> keys(n);
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) {
      auto const key = static_cast<std::size_t>(number(i) * static_cast<float>(groups));
      keys[i] = "group " + std::to_string(key);
      values[i] = static_cast<double>(number(n + i));
    }
    std::string const input = "2^20 rows, " + std::to_string(groups) + " groups of text";
    row(
        "`group_totals`", input.c_str(), ns, n, nothing,
        [&](auto const& on) { used = apps::group_totals(keys, values, plus{}, on).totals[0]; },
        alternative{"std::unordered_map", [&] {
                      std::unordered_map<std::string_view, double> totals;
                      for (std::size_t i = 0; i < n; ++i) totals[keys[i]] += values[i];
                      used = static_cast<double>(totals.size());
                    }});
  }
}

}  // namespace

void structure_rows() {
  table("Structure", ns);
  bracket_rows(std::size_t{1} << 20);
  order_rows(std::size_t{1} << 18);
  image_rows(1024, 1024);
  group_rows(std::size_t{1} << 20);
}

}  // namespace upsweep::bench

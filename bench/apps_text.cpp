/// The rows of the applications on text and structure.
#include <bench/apps_rows.hpp>

#include <cstring>
#include <string>

namespace upsweep::bench {
namespace {

constexpr speed rate = speed::gigabytes_per_second;

void copy_row(std::string const& text) {
  std::string to(text.size(), '\0');
  row("a copy, for comparison", "16 MB", rate, text.size(), nothing, [&](auto const& on) {
    constexpr std::size_t part = std::size_t{1} << 16;
    on.for_each_line((text.size() + part - 1) / part, part, [&](std::size_t k, auto const&) {
      std::memcpy(&to[k * part], &text[k * part], std::min(part, text.size() - k * part));
    });
  });
}

}  // namespace

void text_rows() {
  table("Text", rate);
  copy_row(std::string(std::size_t{1} << 24, 'x'));
}

}  // namespace upsweep::bench

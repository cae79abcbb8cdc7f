/// Functions of the C library whose results programs print, as glibc defines them: they have the
/// same numbers in a browser as with the tool.
#include <cstdint>

namespace {

constexpr int last = 31, apart = 3;  // x[i] = x[i - 31] + x[i - 3]
std::uint32_t numbers[last];
int next = -1;

std::uint32_t step() {
  std::uint32_t const x = numbers[next] += numbers[(next + last - apart) % last];
  next = (next + 1) % last;
  return x;
}

}  // namespace

extern "C" void srand(unsigned seed) {
  auto x = static_cast<std::int32_t>(seed == 0 ? 1 : seed);
  for (std::uint32_t& number : numbers) {
    number = static_cast<std::uint32_t>(x);
    x = static_cast<std::int32_t>(std::int64_t{x} * 16807 % 2147483647);
    if (x < 0) x += 2147483647;
  }
  next = apart;
  for (int i = 0; i < 10 * last; ++i) step();
}

extern "C" int rand() {
  if (next < 0) srand(1);
  return static_cast<int>(step() >> 1);
}

/// libFuzzer target: the text reader on any bytes.
#include "read_bytes.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace upsweep::io;
  fuzz::check(data, size, {.format = container::text});
  fuzz::check(data, size, {.format = container::automatic, .columns = {"1"}, .type = dtype::bf16});
  return 0;
}

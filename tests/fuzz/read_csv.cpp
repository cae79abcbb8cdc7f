/// libFuzzer target: the csv reader on any bytes.
#include "read_bytes.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace upsweep::io;
  fuzz::check(data, size,
              {.format = container::csv, .columns = {"2"}, .keys = {"1"}, .skip_missing = true});
  fuzz::check(data, size, {.format = container::csv, .comment = '#', .type = dtype::i16});
  return 0;
}

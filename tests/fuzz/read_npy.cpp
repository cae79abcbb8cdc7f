/// libFuzzer target: the npy reader on any bytes.
#include "read_bytes.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace upsweep::io;
  fuzz::check(data, size, {.format = container::npy});
  fuzz::check(data, size, {.format = container::npy, .columns = {"1"}, .type = dtype::f32});
  fuzz::check(data, size,
              {.format = container::npy, .keys = {"all"}, .keys_only = true, .skip_missing = true});
  return 0;
}
